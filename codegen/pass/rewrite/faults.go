package rewrite

// This file tells which branches are checks: those that lead to a fault or on.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// IsFault reports whether b records a fault and returns, without a barrier before.
func IsFault(b *ir.Block) bool {
	if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
		return false
	}
	return len(b.Phis) == 0 && b.Term.Kind == ir.Return && len(b.Insts) > 0 && b.Insts[len(b.Insts)-1].Op == ir.OpFault
}

// CheckedEdge returns which of its two edges b takes where its check holds. The other one leads
// to a fault, and nothing else leads there. If b does not end with such a check, it returns -1.
func CheckedEdge(b *ir.Block) int {
	if b.Term.Kind != ir.Branch {
		return -1
	}
	for i, s := range b.Term.Succs {
		if IsFault(s) && len(s.Preds) == 1 && !IsFault(b.Term.Succs[1-i]) {
			return 1 - i
		}
	}
	return -1
}

// Check is a branch that leads to a fault or on.
type Check struct {
	Block     *ir.Block
	Holds     *ir.Value // the branch's condition
	Want      bool      // the condition's value where the check passes
	Fault, On *ir.Block
}

// CheckOf returns the check that b ends with.
func CheckOf(b *ir.Block) (Check, bool) {
	i := CheckedEdge(b)
	if i < 0 {
		return Check{}, false
	}
	return Check{b, b.Term.Cond, i == 0, b.Term.Succs[1-i], b.Term.Succs[i]}, true
}

// DropEdge turns b's branch into a jump to where it leads but for to.
func DropEdge(b, to *ir.Block) { JumpTo(b, 1-slices.Index(b.Term.Succs, to)) }
