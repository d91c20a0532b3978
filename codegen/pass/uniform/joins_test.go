package uniform_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
)

// TestNestJoins has ways on which a value is the same meet, beside each other, ways of
// branches further out.
func TestNestJoins(t *testing.T) {
	const text = `module t built
form NDRange 1
items 1
args 16
group
var out Workgroup i32

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = Arg i32 24
	%2 = ULt bool %1, i32 3
	Branch %2, b1, b6
b1: preds b0
	%3 = ULt bool %1, i32 2
	Branch %3, b2, b3
b2: preds b1
	Store [var out], i32 1
	Jump b6
b3: preds b1
	%4 = ULt bool %0, i32 2
	Branch %4, b4, b5
b4: preds b3
	Store [var out], i32 2
	Jump b6
b5: preds b3
	Store [var out], i32 3
	Jump b6
b6: preds b0, b2, b4, b5
	%5 = Phi i32 [i32 1 b0, i32 1 b2, %1 b4, WAY b5]
	%6 = ULt bool %5, i32 2
	Branch %6, b7, b8
b7: preds b6
	Barrier WorkGroup
	Jump b8
b8: preds b6, b7
	Return
}
`
	for way, want := range map[string]int{"%1": 0, "i32 1": 1} {
		m, err := ir.Parse(strings.Replace(text, "WAY", way, 1))
		if err != nil {
			t.Fatal(err)
		}
		if ds := lanes.DeadLanes(m); len(ds) != want {
			t.Errorf("%s: %v, want %d", way, ds, want)
		}
		if err := ir.Verify(m); err != nil {
			t.Error(err)
		}
	}
}
