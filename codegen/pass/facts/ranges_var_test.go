package facts

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestElements: what is loaded from a variable is zero, or what some store puts there.
func TestElements(t *testing.T) {
	const head = "module T built\nform Task 0\nitems 1\nargs 8\nparam \"V\" Value \"int32\" offset 0 size 4 host 0 elem 0 align 4 None\n\nkernel main {\n\tvar a [8]i32\n\tvar b [8]i32\nb0:\n\t%0 = Arg i32 24\n"
	for _, c := range []struct {
		name, body string
		want       Interval
	}{
		{"nothing", "", Interval{}},
		{"constants", "Store [var a, i32 1], i32 5\n\tStore [var a, i32 2], i32 -3", Interval{-3, 5}},
		{"a remainder", "%1 = And i32 %0, i32 63\n\tStore [var a, %1], %1", Interval{0, 63}},
		{"anything", "Store [var a, i32 1], %0", FullRange(ir.TypeI32)},
		{"another's elements", "%1 = And i32 %0, i32 7\n\tStore [var b, i32 0], %1\n\t%2 = Load i32 [var b, i32 3]\n\tStore [var a, i32 0], %2", Interval{0, 7}},
		{"its own zeros", "%1 = Load i32 [var a, i32 3]\n\t%2 = And i32 %1, i32 31\n\tStore [var a, i32 0], %2", Interval{}},
		{"sums of its own", "%1 = Load i32 [var a, i32 3]\n\t%2 = IAdd i32 %1, i32 1\n\tStore [var a, i32 0], %2", FullRange(ir.TypeI32)},
		{"stored later", "%3 = Load i32 [var a, i32 3]\n\tStore [var b, i32 0], %3\n\t%1 = Load i32 [var b, i32 1]\n\tStore [var a, i32 0], %1\n\tStore [var b, i32 7], i32 99", Interval{0, 99}},
	} {
		text := head + "\tZero [var a]\n\tZero [var b]\n\t" + c.body + "\n\t%9 = Load i32 [var a, i32 4]\n\tReturn\n}\n"
		m, err := ir.Parse(text)
		if err == nil {
			err = ir.Verify(m)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		a := NewRanges(m)
		a.Solve()
		insts := m.Kernel.Blocks[0].Insts
		if got := a.Value(insts[len(insts)-1]); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
