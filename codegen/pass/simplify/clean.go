package simplify

// This file runs the three passes of the room in a row.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Clean tidies up after a pass that copied code.
func Clean(m *ir.Module) diag.List {
	if diags := Run(m); len(diags) > 0 {
		return diags
	}
	CSE(m)
	return DCE(m)
}
