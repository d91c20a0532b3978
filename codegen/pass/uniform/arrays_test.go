package uniform_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
)

// TestUniformArrays has a barrier depend on an element of a work-item's own array. It is refused
// unless all work-items of a group are sure to have the same there.
func TestUniformArrays(t *testing.T) {
	const text = `module t built
form NDRange 1
items 1
args 16
group
var out Workgroup i32
var tile Workgroup [4]i32

kernel main {
	var a [4]i32
	var b [4]i32
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = Arg i32 24
	%2 = And i32 %0, i32 3
	%3 = And i32 %1, i32 3
	%4 = ULt bool %0, i32 3
	%5 = ULt bool %1, i32 3
	Zero [var a]
	Zero [var b]
	FIRST
	Branch COND, b1, b2
b1: preds b0
	THEN
	Jump b3
b2: preds b0
	Jump b3
b3: preds b1, b2
	LAST
	%20 = Load i32 [var a, INDEX]
	%21 = ULt bool %20, i32 7
	Branch %21, b4, b5
b4: preds b3
	Barrier WorkGroup
	Jump b5
b5: preds b3, b4
	BEHIND
	Return
}
`
	for _, c := range []struct {
		name    string
		with    []string
		refused int
	}{
		{"nothing is stored", nil, 0},
		{"a uniform value at a uniform index", []string{"FIRST", "Store [var a, %3], %1"}, 0},
		{"the same in a uniform branch", []string{"COND", "%5", "THEN", "Store [var a, %3], %1"}, 0},
		{"in a divergent branch", []string{"THEN", "Store [var a, %3], %1"}, 1},
		{"zeroed in a divergent branch", []string{"FIRST", "Store [var a, %3], %1", "THEN", "Zero [var a]"}, 1},
		{"another variable in a divergent branch", []string{"THEN", "Store [var b, %3], %1"}, 0},
		{"a varying value", []string{"FIRST", "Store [var a, %3], %0"}, 1},
		{"a varying value, overwritten", []string{"FIRST", "Store [var a, %3], %0", "LAST", "Store [var a, %3], %1"}, 1},
		{"a varying index", []string{"FIRST", "Store [var a, %2], %1"}, 1},
		{"a load at a varying index", []string{"INDEX", "%2"}, 1},
		{"a copy", []string{"FIRST", "Store [var b, %3], %1", "LAST", "Copy a, b"}, 0},
		{"a copy in a divergent branch", []string{"THEN", "Copy a, b"}, 1},
		{"a copy of a varying value", []string{"FIRST", "Store [var b, %3], %0", "LAST", "Copy a, b"}, 1},
		{"a copy of what varies later", []string{"LAST", "Copy a, b", "BEHIND", "Store [var b, %3], %0"}, 1},
		{"an element of a varying array", []string{"FIRST", "Store [var b, %3], %0", "LAST", "%10 = Load i32 [var b, %3]\nStore [var a, %3], %10"}, 1},
		{"an element of a uniform array", []string{"FIRST", "Store [var b, %3], %1", "LAST", "%10 = Load i32 [var b, %3]\nStore [var a, %3], %10"}, 0},
		{"an element loaded in a divergent branch", []string{"FIRST", "Store [var b, %3], %1", "THEN", "%10 = Load i32 [var b, %3]\nStore [var out], %10"}, 0},
		{"work-group memory", []string{"FIRST", "%10 = Load i32 [var tile, %3]", "LAST", "Store [var a, %3], %10"}, 1},
		{"an atomic operation's result", []string{"FIRST", "%10 = AtomicIAdd i32 [var tile, %3], i32 1\nStore [var a, %3], %10"}, 1},
		{"a store behind the last barrier", []string{"BEHIND", "Store [var a, %3], %1"}, 1},
	} {
		src := text
		for i := 0; i < len(c.with); i += 2 {
			src = strings.ReplaceAll(src, c.with[i], c.with[i+1])
		}
		src = strings.ReplaceAll(src, "Copy a, b", "CopyVar [var a], [var b]")
		src = strings.NewReplacer("\tFIRST\n", "", "\tTHEN\n", "", "\tLAST\n", "", "\tBEHIND\n", "", "COND", "%4", "INDEX", "%3").Replace(src)
		m, err := ir.Parse(src)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, src)
		}
		if ds := lanes.DeadLanes(m); len(ds) != c.refused {
			t.Errorf("%s: %v, want %d", c.name, ds, c.refused)
		}
		if err := ir.Verify(m); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
