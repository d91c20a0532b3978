package lanes

// This file contains the pass dropbarriers, which removes superfluous barriers of sub-groups.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// DropBarriers removes superfluous barriers of sub-groups. A barrier is superfluous if work-items
// have neither used memory nor diverged since the previous barrier or the kernel's start:
//
//	Barrier SubGroup
//	%1 = Load [counts, %digit]
//	Barrier SubGroup
//	%2 = GroupBallot %bit0
//	Barrier SubGroup              (removed, since no access precedes it)
//	%3 = GroupBallot %bit1.
//
// A barrier ensures that memory accesses before the barrier happen before the accesses after the
// barrier. If no memory was accessed since the previous barrier, a barrier has nothing to order. A
// barrier of the work-group is also a barrier of its sub-groups. Accesses to a work-item's own
// memory need no barrier. Faults need no barrier, because no work-item reads the fault record. A
// barrier after a divergent branch is kept, because drivers may need the barrier to let the
// work-items of a sub-group converge again. A barrier after an inexact float32 op is kept, because
// the pass exactdiv adds a divergent branch to the op.
//
// Kernels contain many barriers of sub-groups, because each algorithm of a sub-group begins with a
// barrier. Group algorithms begin with a barrier to order memory, as in SYCL.
func DropBarriers(m *ir.Module) diag.List {
	f := m.Kernel
	if !slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Insts, isSubGroupBarrier) }) {
		return nil
	}
	f.RemoveUnreachable()
	s := &spareBarriers{u: uniform.Of(f), orderedAtEnd: map[*ir.Block]bool{}}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			needed := s.orderedAtStart(b)
			for _, v := range b.Insts {
				needed = needsBarrier(needed, v)
			}
			if c := b.Term.Cond; c != nil && !s.u.Value(c) {
				needed = true
			}
			if needed != s.orderedAtEnd[b] {
				s.orderedAtEnd[b], changed = needed, true
			}
		}
	}
	for _, b := range f.Blocks {
		needed := s.orderedAtStart(b)
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
			spare := isSubGroupBarrier(v) && !needed
			needed = needsBarrier(needed, v)
			return spare
		})
	}
	return nil
}

// spareBarriers finds the points in the code where a barrier of sub-groups is needed. The barrier
// may be needed to order memory accesses, or to let work-items converge.
type spareBarriers struct {
	u            *uniform.Info
	orderedAtEnd map[*ir.Block]bool // blocks at whose end a barrier would be needed
}

// orderedAtStart reports whether a barrier is needed at the beginning of b.
func (s *spareBarriers) orderedAtStart(b *ir.Block) bool {
	return slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return s.orderedAtEnd[p] })
}

// needsBarrier reports whether a barrier is needed after v. orderedBefore is true if a barrier is
// needed before v.
func needsBarrier(orderedBefore bool, v *ir.Value) bool {
	ref := v.Ref()
	switch {
	case v.Op == ir.OpBarrier, v.Op == ir.OpBarrierLocal && v.Aux.(ir.Scope) == ir.ScopeSubGroup:
		return false
	case ref != nil && ref.Var != nil && ref.Var.Storage == ir.Function,
		v.Op == ir.OpCopyVar, v.Op == ir.OpFault, v.IsGroupOp() && v.GroupScope() == ir.ScopeSubGroup:
		return orderedBefore
	}
	return orderedBefore || facts.Inexact(v) || v.Op.Has(ir.FlagReads) || v.Op.Has(ir.FlagWrites) || v.Op.Has(ir.FlagAtomic)
}

func isSubGroupBarrier(v *ir.Value) bool {
	return (v.Op == ir.OpBarrier || v.Op == ir.OpBarrierLocal) && v.Aux.(ir.Scope) == ir.ScopeSubGroup
}
