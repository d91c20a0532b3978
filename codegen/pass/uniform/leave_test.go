package uniform_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
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
		if ds := lanes.DeadLanes(m); len(ds) != c.refused {
			t.Errorf("%s: %v, want %d", c.way, ds, c.refused)
		}
		if err := ir.Verify(m); err != nil {
			t.Error(err)
		}
	}
}

// TestEndsInFaults has all that stay fail, in one way or the other, after the last
// barrier: a return statement for two conditions is a way of leaving all the same.
func TestEndsInFaults(t *testing.T) {
	const text = `module t built
form NDRange 1
items 1
args 16
group
site 0 kind 1 "k.go":7:0 ""

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = ULt bool %0, i32 3
	%2 = Arg i32 24
	%3 = ULt bool %2, i32 3
	Barrier WorkGroup
	Branch %3, b2, b1
b1: preds b0
	Branch %1, b2, b3
b2: preds b0, b1
	Return early
b3: preds b1
	Barrier WorkGroup
	ENDS
	Return early
}
`
	const fault = "Fault site 0, i64 1, i64 0, i32 0, i32 0, i32 0"
	for _, ends := range []string{fault, `%4 = ULt bool %2, %0
	Branch %4, b4, b5
b4: preds b3
	` + fault + `
	Return early
b5: preds b3
	` + fault} {
		m, err := ir.Parse(strings.Replace(text, "ENDS", ends, 1))
		if err != nil {
			t.Fatal(err)
		}
		if ds := lanes.DeadLanes(m); len(ds) > 0 {
			t.Errorf("%s: %v", ends, ds)
		}
		if err := ir.Verify(m); err != nil {
			t.Error(err)
		}
	}
}
