package gohost

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// hoistValues moves loop-invariant values out of loops without cuts, because gc does not hoist. Loops with cuts are
// excluded, because a hoisted value would have to be stored across the cut.
func hoistValues(f *ir.Func) {
	dom := f.Dominators()
	for _, l := range slices.Backward(dom.Loops().All) { // inner loops before outer loops
		pre := dom.Idom(l.Head)
		meet := func(b *ir.Block) bool { return slices.ContainsFunc(b.Insts, isCut) }
		if pre == nil || !slices.Contains(l.Head.Preds, pre) || slices.ContainsFunc(l.Blocks, meet) {
			continue
		}
		for _, b := range l.Blocks {
			b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
				if !isHarmless(v) || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return l.Contains(a.Block) }) {
					return false
				}
				v.Block = pre
				pre.Insts = append(pre.Insts, v)
				return true
			})
		}
	}
}

// isCut reports whether op v is a cut. A cut is a barrier or another op at which the work-items of
// a group meet.
func isCut(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) && v.Op != ir.OpGroupUniform }

// isHarmless reports whether the computation of v has no side effect and cannot panic, even if the
// kernel would not compute v.
func isHarmless(v *ir.Value) bool {
	if v.Op.Has(ir.FlagDivides) { // Go panics if the divisor is zero
		d := v.Args[1]
		return d.IsConst() && d.Bits != 0
	}
	return v.Op.Has(ir.FlagPure) && v.Op != ir.OpPhi
}
