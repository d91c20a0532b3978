package lanes

// Pass `matrices` has two parts. This file contains the part for host forms (Go code that runs a
// kernel on the CPU).

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// hostMatrices puts each matrix into work-group memory, with one complete matrix for each
// sub-group. Loads, stores and products remain single ops, which the host form implements. In a
// sub-group of n invocations, element e of invocation number id has the index e*n + id.
func hostMatrices(m *ir.Module) diag.List {
	f := m.Kernel
	x := &matrixOps{groupOps: groupOps{m: m}, homes: map[*ir.Var]*matrixHome{}}
	f.Vars = slices.DeleteFunc(f.Vars, func(v *ir.Var) bool {
		if s := v.Type.Matrix; s != nil {
			x.homes[v] = &matrixHome{all: &ir.Ref{Var: m.NewVar(nil, ir.Workgroup, v.Name, m.HostMatrixOf(*s))}, len: s.Len()}
		}
		return v.Type.Matrix != nil
	})
	isElement := func(v *ir.Value) bool { r := v.Ref(); return r != nil && x.homes[r.Var] != nil }
	rewrite.WriteOut(f, func(v *ir.Value) bool { return v.Op == ir.OpMatrixLength || isElement(v) || len(wholeMatrices(v)) > 0 }, func(b *ir.Block, v *ir.Value) *ir.Block {
		x.startOp(b, v)
		x.scalarOp(v)
		return x.b
	})
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for old, h := range x.homes {
				if v.Matrices() != nil {
					renameMatrix(v, old, h.all.Var)
				}
			}
		}
	}
	return nil
}
