package rewrite

// This file recognizes checks. A check is a branch with a successor that records a fault.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// IsFault reports whether b records a fault and then returns from the kernel without a barrier.
func IsFault(b *ir.Block) bool {
	if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
		return false
	}
	return len(b.Phis) == 0 && b.Term.Kind == ir.Return && len(b.Insts) > 0 && b.Insts[len(b.Insts)-1].Op == ir.OpFault
}

// CheckedEdge returns the index of the successor to which b jumps if the check at the end of b
// passes. The other successor of b records a fault, and has b as its only predecessor. If b does
// not end with a check, CheckedEdge returns -1.
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

// Check describes a branch that records a fault unless its condition has the wanted value.
type Check struct {
	Block     *ir.Block
	Holds     *ir.Value // the branch's condition
	Want      bool      // the value of Holds if the check passes
	Fault, On *ir.Block
}

// CheckOf returns the check at the end of b, if there is one.
func CheckOf(b *ir.Block) (Check, bool) {
	i := CheckedEdge(b)
	if i < 0 {
		return Check{}, false
	}
	return Check{b, b.Term.Cond, i == 0, b.Term.Succs[1-i], b.Term.Succs[i]}, true
}

// DropEdge removes the edge from b to block "to". DropEdge replaces b's branch by a jump to the
// other successor.
func DropEdge(b, to *ir.Block) { JumpTo(b, 1-slices.Index(b.Term.Succs, to)) }
