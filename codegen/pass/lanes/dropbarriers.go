package lanes

// This file is the pass dropbarriers. It removes barriers of sub-groups that order nothing.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// DropBarriers removes the barriers of sub-groups ahead of which, on every path, work-items have
// neither used memory nor parted since the last barrier or the kernel's start:
//
//	Barrier SubGroup               Barrier SubGroup
//	%1 = Load [counts, %digit]     %1 = Load [counts, %digit]
//	Barrier SubGroup               Barrier SubGroup
//	%2 = GroupBallot %bit0    ──▶  %2 = GroupBallot %bit0
//	Barrier SubGroup               %3 = GroupBallot %bit1
//	%3 = GroupBallot %bit1
//
// A barrier orders what work-items did to memory ahead of it with what they do behind it. If none
// did anything since the barrier before, that one orders the same. A barrier of the work-group is
// one of its sub-groups, too. Memory of a work-item's own counts for nothing, and neither do
// faults, which no work-item reads. A divergent branch counts, because drivers may need a barrier
// to bring the work-items of a sub-group together again; so does what exactdiv will make one of.
//
// Each algorithm of a sub-group has such a barrier ahead of it, since it orders memory as
// SYCL's group algorithms do.
func DropBarriers(m *ir.Module) diag.List {
	f := m.Kernel
	if !slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Insts, isSubGroupBarrier) }) {
		return nil
	}
	f.RemoveUnreachable()
	s := &spareBarriers{u: uniform.Of(f), ends: map[*ir.Block]bool{}}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			needed := s.begin(b)
			for _, v := range b.Insts {
				needed = needsBarrier(needed, v)
			}
			if c := b.Term.Cond; c != nil && !s.u.Value(c) {
				needed = true
			}
			if needed != s.ends[b] {
				s.ends[b], changed = needed, true
			}
		}
	}
	for _, b := range f.Blocks {
		needed := s.begin(b)
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
			spare := isSubGroupBarrier(v) && !needed
			needed = needsBarrier(needed, v)
			return spare
		})
	}
	return nil
}

// spareBarriers finds where a barrier would order something.
type spareBarriers struct {
	u    *uniform.Info
	ends map[*ir.Block]bool // the blocks at whose end one would
}

// begin reports whether a barrier at the beginning of b would order something.
func (s *spareBarriers) begin(b *ir.Block) bool {
	return slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return s.ends[p] })
}

// needsBarrier reports whether a barrier behind v would order something; needed says whether one
// ahead of v would.
func needsBarrier(needed bool, v *ir.Value) bool {
	ref := v.Ref()
	switch {
	case v.Op == ir.OpBarrier, v.Op == ir.OpBarrierLocal && v.Aux.(ir.Scope) == ir.ScopeSubGroup:
		return false
	case ref != nil && ref.Var != nil && ref.Var.Storage == ir.Function,
		v.Op == ir.OpCopyVar, v.Op == ir.OpFault, v.IsGroupOp() && v.GroupScope() == ir.ScopeSubGroup:
		return needed
	}
	return needed || facts.Inexact(v) || v.Op.Has(ir.FlagReads) || v.Op.Has(ir.FlagWrites) || v.Op.Has(ir.FlagAtomic)
}

func isSubGroupBarrier(v *ir.Value) bool {
	return (v.Op == ir.OpBarrier || v.Op == ir.OpBarrierLocal) && v.Aux.(ir.Scope) == ir.ScopeSubGroup
}
