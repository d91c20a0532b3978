package lanes

// This file contains the pass dropbarriers, which removes superfluous barriers of sub-groups.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// DropBarriers removes barriers of sub-groups. On every path since the previous barrier or the
// kernel's start, work-items must have neither used memory nor diverged:
//
//	Barrier SubGroup
//	%1 = Load [counts, %digit]
//	Barrier SubGroup
//	%2 = GroupBallot %bit0
//	Barrier SubGroup              (removed, since no access precedes it)
//	%3 = GroupBallot %bit1.
//
// A barrier orders memory accesses before it with accesses after it. A barrier is superfluous if no
// memory was accessed since the previous barrier. A barrier of the work-group is also a barrier of
// its sub-groups. Accesses to a work-item's own memory need no barrier. Faults need no barrier
// either, because no work-item reads the fault record. A barrier after a divergent branch is kept,
// because drivers may need it to let the work-items of a sub-group converge again. A barrier after
// an op for which exactdiv will add a divergent branch is kept, too.
//
// Kernels contain many barriers of sub-groups, because each algorithm of a sub-group begins with a
// barrier. The algorithms begin with barriers to order memory like SYCL's group algorithms.
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

// spareBarriers finds the points in the code where a barrier would order memory accesses or
// work-items.
type spareBarriers struct {
	u            *uniform.Info
	orderedAtEnd map[*ir.Block]bool // blocks that need a barrier at their end to order accesses or work-items
}

// orderedAtStart reports whether a barrier at the beginning of b would order accesses or
// work-items.
func (s *spareBarriers) orderedAtStart(b *ir.Block) bool {
	return slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return s.orderedAtEnd[p] })
}

// needsBarrier reports whether a barrier after v would order accesses or work-items. orderedBefore
// is true if a barrier before v would order accesses or work-items.
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
