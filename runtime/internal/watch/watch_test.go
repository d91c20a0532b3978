package watch

import (
	"regexp"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
)

var (
	small    = 5
	rowTable [1024]float32
	large    [1 << 20]float32
)

// row has a variable whose checksum is that of a value.
func row(at any, value string) abi.Variable {
	return abi.Variable{Name: "watch.v", Var: at, Sum: abi.Sum(value)}
}

func BenchmarkChanged(b *testing.B) {
	for _, c := range []struct {
		name string
		row  abi.Variable
	}{
		{"small", row(&small, "\x05\x00\x00\x00\x00\x00\x00\x00")},
		{"table", row(&rowTable, string(make([]byte, 4<<10)))},
		{"large", row(&large, string(make([]byte, 4<<20)))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := New([]abi.Variable{c.row})
			for b.Loop() {
				if s.Changed() != nil {
					b.Fatal("changed")
				}
			}
		})
	}
}

// TestNothing has no variables that could change.
func TestNothing(t *testing.T) {
	if s := New([]abi.Variable{{Name: "watch.v", Sum: 1}}); s != nil || s.Changed() != nil {
		t.Error("a variable that is not there has changed")
	}
}

// TestIsLiteral compares with the expression that says which names gc gives to function literals.
func TestIsLiteral(t *testing.T) {
	literal := regexp.MustCompile(`\.func[0-9]+(\.[0-9]+)*$`)
	parts := []string{".func", ".", "1", "20", "f", "init", ".gowrap", "-fm", ""}
	names := []string{""}
	for range 5 {
		for _, n := range names {
			for _, p := range parts {
				names = append(names, n+p)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	n := 0
	for _, name := range names {
		want := literal.MatchString(name)
		if got := isLiteral(name); got != want {
			t.Fatalf("%q: %v, want %v", name, got, want)
		}
		if want {
			n++
		}
	}
	if n < 100 {
		t.Errorf("%d of %d names are literals'", n, len(names))
	}
}
