package lanes

// This file contains the pass partial, which adds a branch around all code. Partial runs just
// before the pass structurize.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Partial lets an invocation without a work-item return at the start of a kernel with barriers.
// Invocations without a work-item fill the rest of the last sub-group of a work-group. On devices
// that need the added code, the specialization constant abi.SpecWhole is false. Partial works
// around a bug of lavapipe (see the quirk idle-lanes). On lavapipe, an invocation without a
// work-item loads zeros. So an invocation without a work-item may take a different branch than all
// work-items, and enter a loop with barriers. An if statement around the whole kernel keeps
// invocations without a work-item out of every branch. On devices other than lavapipe, the driver
// folds the if statement.
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
