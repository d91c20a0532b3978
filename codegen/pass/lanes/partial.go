package lanes

// This file is the pass partial. It puts a branch around all code, just before structurize.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Partial has kernels with barriers leave the invocations out that fill up the
// last sub-group of a work-group but are no work-items, where abi.SpecWhole says so.
// lavapipe (Mesa 22.3) runs their branches and loops along: what they load is zero,
// so they may go another way than all work-items, into loops with barriers that their
// sub-group then counts and the others do not. An if around all keeps them out of
// every branch. Other devices fold it.
func Partial(m *ir.Module) diag.List {
	if !m.UsesGroup || !facts.Avoids(m, "idle-lanes") {
		return nil
	}
	whole := &ir.Spec{ID: abi.SpecWhole, Name: "Whole", Type: ir.TypeBool, Default: 1}
	m.Specs = append(m.Specs, whole)
	entry := m.Kernel.Blocks[0]
	body := rewrite.SplitAfter(entry, 0)
	entry.ClearTerm()
	id := entry.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.LocalInvocationIndex
	there := entry.Append(ir.OpULt, ir.TypeBool, id, groupSize(m))
	out := m.Kernel.NewBlock()
	out.SetTerm(ir.Term{Kind: ir.Return})
	entry.Branch(entry.Append(ir.OpLOr, ir.TypeBool, m.SpecValue(whole), there), body, out)
	return nil
}
