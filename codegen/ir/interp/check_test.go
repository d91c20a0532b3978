package interp

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestChecks runs kernels that only the checks object to, with the number of
// findings.
func TestChecks(t *testing.T) {
	const half = "\t%2 = ULt bool %1, i32 2\n\tBranch %2, b1, b2\n"
	for _, c := range []struct {
		name, body string
		kind       FindingKind
		n          int
	}{
		{"two barriers", half + "b1:\n\tBarrier WorkGroup ; k.go:3:1\n\tReturn\nb2:\n\tBarrier WorkGroup ; k.go:5:1\n\tReturn\n", Divergence, 1},
		{"barriers of two scopes", half + "b1:\n\tBarrier WorkGroup ; k.go:3:1\n\tReturn\nb2:\n\tBarrier SubGroup ; k.go:5:1\n\tBarrier WorkGroup ; k.go:6:1\n\tReturn\n", Divergence, 1},
		{"early return", half + "b1:\n\tReturn\nb2:\n\tBarrier WorkGroup\n\tReturn\n", 0, 0},
		{"a store before an early return", half + "b1:\n\tStore [%0 i32, %1], %1 ; k.go:3:1\n\tReturn\nb2:\n\tBarrier WorkGroup\n\t%3 = Load i32 [%0 i32, i32 0] ; k.go:5:1\n\tReturn\n", 0, 0},
		{"a store each", "\tStore [%0 i32, %1], %1 ; k.go:3:1\n\tReturn\n", 0, 0},
		{"one element", "\tStore [%0 i32, i32 0], %1 ; k.go:3:1\n\tReturn\n", Race, 1},
		{"a load and a store", "\tStore [%0 i32, %1], %1 ; k.go:3:1\n\t%2 = Load i32 [%0 i32, i32 0] ; k.go:4:1\n\tReturn\n", Race, 1},
		{"a barrier between", "\tStore [%0 i32, %1], %1 ; k.go:3:1\n\tBarrier WorkGroup\n\t%2 = Load i32 [%0 i32, i32 0] ; k.go:4:1\n\tReturn\n", 0, 0},
		{"atomics", "\t%2 = AtomicIAdd i32 [%0 i32, i32 0], i32 1 ; k.go:3:1\n\tReturn\n", 0, 0},
		{"an atomic and a store", "\t%2 = AtomicIAdd i32 [%0 i32, i32 0], i32 1 ; k.go:3:1\n\tStore [%0 i32, i32 0], %1 ; k.go:4:1\n\tReturn\n", Race, 2},
	} {
		var found []Finding
		l := Launch{Global: line(4), Local: line(4), SubGroupSize: 2, Leave: true,
			Checks: &Checks{Seed: 3, Found: func(f Finding) { found = append(found, f) }}}
		_, _, err := run1(t, kernel("", c.body), l, 0, 0, 0, 0)
		if f := (Finding{}); err != nil && !errors.As(err, &f) {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(found) != c.n {
			t.Errorf("%s: %v", c.name, found)
		}
		for _, f := range found {
			if f.Kind != c.kind || f.Pos.File != "k.go" || !strings.HasPrefix(f.Error(), "k.go:") {
				t.Errorf("%s: %v", c.name, f)
			}
		}
	}
}

// TestFindingsApart: one finding does not hide another of the same place, or of modules
// without places.
func TestFindingsApart(t *testing.T) {
	var kinds []FindingKind
	l := Launch{Global: line(4), Local: line(4), SubGroupSize: 2, Leave: true,
		Checks: &Checks{Seed: 3, Found: func(f Finding) { kinds = append(kinds, f.Kind) }}}
	body := "\tZeroLocal [var shared]\n\t%2 = Load i32 [var shared, i32 0]\n\tStore [%0 i32, i32 0], %1\n\tReturn\n"
	if _, _, err := run1(t, kernel("", body), l, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(kinds); !slices.Equal(kinds, []FindingKind{Race, Unwritten}) {
		t.Errorf("found %v, want %v", kinds, []FindingKind{Race, Unwritten})
	}
}
