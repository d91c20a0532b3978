package pass

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestSureToEnd has work-items ask whether any is left in the rounds of those loops that
// nothing is sure to end, and of no others: it is a vote in each round.
func TestSureToEnd(t *testing.T) {
	const text = `module t built
form NDRange 1
items 1
args 32
group

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = Arg i32 24
	%2 = ULt bool %0, i32 3
	Branch %2, b1, b2
b1: preds b0
	Return early
b2: preds b0, b3
	%3 = Phi i32 [START b0, %5 b3]
	%4 = COND
	Branch %4, b3, b4
b3: preds b2
	Barrier WorkGroup
	%5 = NEXT
	Jump b2
b4: preds b2
	Barrier WorkGroup
	Return
}
`
	for _, c := range []struct {
		start, cond, next string
		asks              int
	}{
		{"i32 0", "SLt bool %3, %1", "IAdd i32 %3, i32 1", 0},
		{"%1", "SLe bool i32 0, %3", "IAdd i32 %3, i32 -1", 0},
		{"i32 0", "SLt bool %3, %1", "IAdd i32 %3, %1", 0},
		{"i32 0", "INe bool %3, %1", "IAdd i32 %3, i32 1", 0},
		{"i32 0", "INe bool %3, %1", "IAdd i32 %3, i32 2", 1}, // past it
		{"i32 0", "SLt bool %3, %1", "IAdd i32 %3, i32 -1", 1},
		{"i32 1", "SLt bool %3, %1", "Shl i32 %3, i32 1", 0},
		{"i32 1", "SLt bool %3, %1", "IMul i32 %3, i32 3", 0},
		{"%1", "SLt bool %3, %1", "Shl i32 %3, i32 1", 1}, // from zero
		{"%1", "SLt bool i32 0, %3", "ShrA i32 %3, i32 1", 0},
		{"%1", "INe bool %3, i32 0", "SDiv i32 %3, i32 2", 0},
		{"%1", "INe bool %3, i32 0", "ShrA i32 %3, i32 1", 1}, // to -1
		{"%1", "SLt bool i32 -2, %3", "SDiv i32 %3, i32 2", 1},
		{"i32 0", "SLt bool %3, %1", "Xor i32 %3, i32 1", 1},
		{"i32 0", "SLt bool %3, %1", "And i32 %3, i32 1", 1},
	} {
		m, err := ir.Parse(strings.NewReplacer("START", c.start, "COND", c.cond, "NEXT", c.next).Replace(text))
		if err != nil {
			t.Fatal(err)
		}
		if ds := runDeadLanes(m); len(ds) > 0 {
			t.Errorf("%v: %v", c, ds)
		}
		if err := ir.Verify(m); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if n := strings.Count(m.String(), "GroupAny"); n != c.asks {
			t.Errorf("%v: %d votes, want %d", c, n, c.asks)
		}
	}
}
