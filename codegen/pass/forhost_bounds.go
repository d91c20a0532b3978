package pass

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// cutBeforeLoops adds a barrier before a loop if the loop's bound is uniform and is loaded or
// depends on a branch. If a loop has a uniform bound, package gohost runs an iteration for all
// work-items of a group before the next iteration starts. The generated code must know the bound n
// before the loop, so cutBeforeLoops adds a barrier:
//
//	n := len(k.X)                                n := len(k.X)
//	if len(k.Length) > 0 {                       if len(k.Length) > 0 {
//		n = min(n, int(k.Length[0]))                 n = min(n, int(k.Length[0]))
//	}                                            }
//	                                       →     it.Barrier()
//	for i < n {                                  for i < n {
//		sum, i = sum+k.X[i], i+Size                  sum, i = sum+k.X[i], i+Size
//	}                                            }
//
// Uniform values that are live across a barrier are stored once for the group, so n is known after
// the barrier. In a host form (the Go code of a kernel for the host device), a barrier costs no more than another loop
// over the work-items.
func cutBeforeLoops(m *ir.Module, u *uniform.Info) {
	if m.Form != abi.NDRange || m.Rank != 1 {
		return
	}
	loops := m.Kernel.Dominators().Loops()
	for _, l := range loops.All {
		if l.Outer != nil || len(l.Latches) != 1 || len(l.Head.Preds) != 2 ||
			slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool { return loops.Of(b) != l }) {
			continue
		}
		before := l.Head.Preds[0]
		if before == l.Latches[0] {
			before = l.Head.Preds[1]
		}
		if u.Block(before) && slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool { return boundedLate(b, l, u) }) {
			before.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
			m.UsesGroup = true
		}
	}
}

// boundedLate reports whether b may leave the loop l, and compares a value with a bound that needs
// a barrier. A bound needs a barrier if it is uniform, is computed outside the loop, and depends on
// a load or a branch.
func boundedLate(b *ir.Block, l *ir.Loop, u *uniform.Info) bool {
	if b.Term.Kind != ir.Branch || !slices.ContainsFunc(b.Term.Succs, func(s *ir.Block) bool { return !l.Contains(s) }) {
		return false
	}
	var late func(v *ir.Value) bool
	late = func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpLNot || v.Op == ir.OpLAnd || v.Op == ir.OpLOr:
			return slices.ContainsFunc(v.Args, late)
		case !v.Op.Has(ir.FlagCompare):
			return false
		}
		return slices.ContainsFunc(v.Args, func(a *ir.Value) bool {
			return a.Block != nil && !l.Contains(a.Block) && u.Value(a) && dependsOnLoad(a, map[*ir.Value]bool{})
		})
	}
	return late(b.Term.Cond)
}

// dependsOnLoad reports whether v depends on a load, or on a branch that selects an argument of a
// phi.
func dependsOnLoad(v *ir.Value, seen map[*ir.Value]bool) bool {
	if v.Block == nil || seen[v] {
		return false
	}
	seen[v] = true
	return v.Op == ir.OpPhi || v.Op == ir.OpLoad || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return dependsOnLoad(a, seen) })
}
