package simplify

// This file has the function Clean, which runs the three passes of this package one after the
// other.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Clean simplifies the code after a pass that has copied code.
func Clean(m *ir.Module) diag.List {
	if diags := Run(m); len(diags) > 0 {
		return diags
	}
	CSE(m)
	return DCE(m)
}
