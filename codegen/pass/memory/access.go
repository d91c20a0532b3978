package memory

// This file contains the pass access, which records the slices that a kernel reads or writes.
// InferAccess runs late, since earlier passes remove loads and stores.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// InferAccess records for every slice whether the kernel loads from it or stores to it. InferAccess
// must run before expand, which replaces arguments that do not fit in the launch block by loads.
func InferAccess(m *ir.Module) diag.List {
	r := facts.FindRoots(m)
	for i := range m.Params {
		if m.Params[i].Kind == abi.Slice {
			m.Params[i].Access = r.Access(i)
		}
	}
	return nil
}
