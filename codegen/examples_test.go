package codegen

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
)

// explained has the codes whose bad example shows more than one case, with how many.
var explained = map[diag.Code]int{
	diag.FieldType: 2, // slices of slices, and elements without size
	diag.Print:     2, // a slice by Println, and bytes by %x
}

// TestExamples compiles the examples of each code's explanation: the bad one
// gives that code and no other, the good one none.
func TestExamples(t *testing.T) {
	for _, code := range diag.Codes() {
		if code == diag.Stale || code == diag.SharedElement || code == diag.Misnamed {
			continue // kgenvet alone reports them, and tests that
		}
		t.Run(code.String(), func(t *testing.T) {
			bad, good := diag.Example(code)
			diags := compileSnippet(t, bad)
			if cases := max(1, explained[code]); len(diags) < cases {
				t.Errorf("%d diagnostics, want %d, for\n%s", len(diags), cases, bad)
			}
			for _, d := range diags {
				if d.Code != code {
					t.Errorf("not wanted: %v\nin\n%s", d, bad)
				}
			}
			for _, d := range compileSnippet(t, good) {
				t.Errorf("not wanted: %v\nin\n%s", d, good)
			}
		})
	}
}
