package pass

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestMeetsInNextRound has a loop end by a varying condition, or by a uniform one after
// it, before the barrier in it: some meet the others after these have been at the barrier.
// To return where the others go on is to leave.
func TestMeetsInNextRound(t *testing.T) {
	const text = `module t built
form NDRange 1
items 1
args 16
group
var out Workgroup i32

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = ULt bool %0, i32 3
	Jump b1
b1: preds b0, b4
	%2 = Phi i32 [i32 0 b0, %4 b4]
	Branch %1, b2, b3
b2: preds b1
	WAY
b3: preds b1
	%3 = SLt bool i32 3, %2
	Branch %3, b5, b4
b4: preds b3
	Barrier WorkGroup
	%4 = IAdd i32 %2, i32 1
	Jump b1
b5: preds FROM
	Store [var out], i32 1
	Return
}
`
	for _, c := range []struct {
		way, from string
		refused   int
	}{
		{"Jump b5", "b2, b3", 1},
		{"Return early", "b3", 0},
	} {
		m, err := ir.Parse(strings.NewReplacer("WAY", c.way, "FROM", c.from).Replace(text))
		if err != nil {
			t.Fatal(err)
		}
		if ds := runDeadLanes(m); len(ds) != c.refused {
			t.Errorf("%s: %v, want %d", c.way, ds, c.refused)
		}
		if err := ir.Verify(m); err != nil {
			t.Error(err)
		}
	}
}
