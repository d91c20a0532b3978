package uniform_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
)

// endsKernel is a kernel with a loop that work-items leave the group before. Its holes
// are the loop's and a condition of all that comes before it.
const endsKernel = `module t built
form NDRange 1
items 1
args 32
group

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = Arg i32 24
	%2 = Arg i32 28
	%3 = ULt bool %0, i32 3
	%4 = GroupAny bool WorkGroup, %3
	%5 = GIVEN
	Branch %5, b1, b2
b1: preds b0
	Branch %3, b2, b3
b2: preds b0, b1
	Return early
b3: preds b1, b4
	%6 = Phi i32 [START b1, %8 b4]
	%9 = SConvert i64 %6
	%7 = COND
	Branch %7, b4, b5
b4: preds b3
	Barrier WorkGroup
	%8 = NEXT
	Jump b3
b5: preds b3
	Barrier WorkGroup
	Return
}
`

// TestSureToEnd has work-items ask whether any is left in the rounds of those loops that
// nothing is sure to end, and of no others: it is a vote in each round.
func TestSureToEnd(t *testing.T) {
	const (
		forward  = "SLt bool i32 0, %2"
		backward = "SLt bool %2, i32 0"
		few      = "ULt bool %1, i32 10000"
		rarely   = 2 // if the step is none that leads to the end
	)
	for _, c := range []struct {
		given, start, cond, next string
		asks                     int
	}{
		{"", "i32 0", "SLt bool %6, %1", "IAdd i32 %6, i32 1", 0},
		{"", "%1", "SLe bool i32 0, %6", "IAdd i32 %6, i32 -1", 0},
		{"", "i32 0", "INe bool %6, i32 9", "IAdd i32 %6, i32 1", 0},
		{"", "i32 0", "INe bool %6, %1", "IAdd i32 %6, i32 2", 1}, // past it
		{"", "i32 0", "SLt bool %6, %1", "IAdd i32 %6, i32 -1", 1},
		{"", "i32 1", "SLt bool %6, i32 999", "Shl i32 %6, i32 1", 0},
		{"", "i32 1", "SLt bool %6, i32 999", "IMul i32 %6, i32 3", 0},
		{"", "%1", "SLt bool %6, i32 999", "Shl i32 %6, i32 1", 1}, // from zero
		{"", "%1", "SLt bool i32 0, %6", "ShrA i32 %6, i32 1", 0},
		{"", "%1", "INe bool %6, i32 0", "SDiv i32 %6, i32 2", 0},
		{"", "%1", "INe bool %6, i32 0", "ShrA i32 %6, i32 1", 1}, // to -1
		{"", "%1", "SLt bool i32 -2, %6", "SDiv i32 %6, i32 2", 1},
		{"", "i32 0", "SLt bool %6, %1", "Xor i32 %6, i32 1", 1},
		{"", "i32 0", "SLt bool %6, %1", "And i32 %6, i32 1", 1},

		// Steps that may be zero, or lead the wrong way.
		{"", "i32 0", "SLt bool %6, i32 9", "IAdd i32 %6, %2", rarely},
		{"INe bool %2, i32 0", "i32 0", "SLt bool %6, i32 9", "IAdd i32 %6, %2", rarely},
		{backward, "i32 0", "SLt bool %6, i32 9", "IAdd i32 %6, %2", rarely},
		{forward, "i32 0", "SLt bool %6, i32 9", "IAdd i32 %6, %2", 0},
		{forward, "i32 0", "SLt bool %6, i32 9", "ISub i32 %6, %2", rarely},
		{forward, "i32 0", "SLt bool i32 -9, %6", "ISub i32 %6, %2", 0},
		{backward, "i32 0", "SLt bool i32 -9, %6", "IAdd i32 %6, %2", 0},
		{backward, "i32 0", "SLt bool %6, i32 9", "ISub i32 %6, %2", rarely}, // the least has no opposite
		{"ULt bool %2, i32 9", "i32 0", "ULt bool %6, i32 99", "IAdd i32 %6, %2", rarely},
		{few, "i32 0", "SLt bool %6, i32 9", "IAdd i32 %6, i32 1", 0},

		// Numbers that wrap around before they come to the end.
		{"", "%2", "SLt bool %9, i64 100", "IAdd i32 %6, i32 1", 0},
		{"", "%2", "SLt bool %9, i64 3000000000", "IAdd i32 %6, i32 1", 1},
		{"", "%2", "SLt bool i64 -3000000000, %9", "IAdd i32 %6, i32 -1", 1},
		{"", "%2", "ULt bool %6, i32 -6", "IAdd i32 %6, i32 6", 0},
		{"", "%2", "ULt bool %6, i32 -5", "IAdd i32 %6, i32 6", 1},
		{"", "%2", "ULe bool %6, i32 -7", "IAdd i32 %6, i32 6", 0},
		{"", "%2", "ULe bool %6, i32 -6", "IAdd i32 %6, i32 6", 1},
		{"", "%1", "ULt bool i32 0, %6", "IAdd i32 %6, i32 -1", 0},
		{"", "%1", "ULt bool i32 0, %6", "IAdd i32 %6, i32 -2", 1},
		{"", "%1", "ULt bool i32 1, %6", "IAdd i32 %6, i32 -2", 0},
		{"", "%1", "ULe bool i32 1, %6", "IAdd i32 %6, i32 -2", 1},
		{"", "%2", "SLt bool %6, %1", "IAdd i32 %6, i32 1", 0},
		{"", "%2", "SLe bool %6, %1", "IAdd i32 %6, i32 1", 1},
		{"", "%2", "SLt bool %6, %1", "IAdd i32 %6, i32 16", 1},
		{few, "%2", "SLt bool %6, %1", "IAdd i32 %6, i32 16", 0},
		{"", "i32 0", "SLe bool %6, %1", "IAdd i32 %6, i32 16", 0}, // the way there is long
		{"", "i32 0", "SLt bool %6, %1", "IAdd i32 %6, i32 16777216", 1},
		{forward, "i32 0", "SLt bool %6, %1", "IAdd i32 %6, %2", rarely},
		{few, "i32 7", "SLt bool %6, %1", "IAdd i32 %6, i32 16777216", 0},
		{"", "i32 1", "SLt bool %6, %1", "Shl i32 %6, i32 1", 1},
		{few, "i32 1", "SLt bool %6, %1", "Shl i32 %6, i32 1", 0},
		{"", "i32 1", "ULt bool %6, i32 2147483647", "Shl i32 %6, i32 1", 0},
		{"", "i32 1", "ULt bool %6, i32 -1", "Shl i32 %6, i32 1", 1},
		{"", "i32 1", "SLt bool %6, i32 2147483647", "IMul i32 %6, i32 3", 1},

		// Ends that are left behind, or before the start.
		{"", "i32 0", "INe bool %6, %1", "IAdd i32 %6, i32 1", 1},
		{few, "i32 0", "INe bool %6, %1", "IAdd i32 %6, i32 1", 0},
		{few, "%1", "INe bool %6, i32 0", "IAdd i32 %6, i32 -1", 0},
		{"", "%1", "INe bool %6, i32 0", "IAdd i32 %6, i32 -1", 1},
		{"", "i32 0", "INe bool %6, i32 64", "IAdd i32 %6, i32 16", 0},
		{"", "i32 0", "INe bool %6, i32 65", "IAdd i32 %6, i32 16", 1},
		{"", "i32 0", "IEq bool %6, %1", "IAdd i32 %6, i32 2", 0},

		// What no work-item says is known where it is said in each round.
		{"", "i32 0", "LNot bool %4", "IAdd i32 %6, i32 1", 1},
		{"", "i32 0", "LAnd bool %4, %4", "IAdd i32 %6, i32 1", 1},
	} {
		if c.given == "" {
			c.given = "INe bool %1, i32 77"
		}
		m, err := ir.Parse(strings.NewReplacer("GIVEN", c.given, "START", c.start, "COND", c.cond, "NEXT", c.next).Replace(endsKernel))
		if err != nil {
			t.Fatal(err)
		}
		if ds := lanes.DeadLanes(m); len(ds) > 0 {
			t.Errorf("%v: %v", c, ds)
		}
		if err := ir.Verify(m); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		after := m.String()
		if n := strings.Count(after, "GroupAny") - 1 + rarely*strings.Count(after, "GroupInclusiveScan"); n != c.asks {
			t.Errorf("%v: %d votes, want %d", c, n, c.asks)
		}
	}
}
