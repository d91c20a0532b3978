package memory

// This file contains the pass once, a limited form of loop-invariant code motion. Once hoists loads
// that a loop's head executes in each iteration, and the checks of the loads' indices.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Once hoists loads of device memory from a loop's head into the preheader, if they load the same
// value in all iterations. Once also hoists the checks before the loads, and the operands of loads
// and checks. For example:
//
//	for i := k.Starts[row]; i < k.Starts[row+1]; i++ { … }
//
// The loop's head computes row+1, checks that row+1 < len(k.Starts), and loads k.Starts[row+1].
// Once moves the computation, the check and the load from the loop's head to new blocks before the
// head.
//
// The head is executed whenever the loop is entered, even if the loop then has no iteration. So the
// preheader executes no code that the head would not execute. Later iterations would load the same
// values and pass the same checks, because all operands are invariant. The loop must not contain a
// store or call that may change the memory, or an operation that makes stores of other work-items
// visible.
//
// The hoisted load often loads the loop's bound. The pass ahead (in package loops) requires that a
// loop's bound is invariant. Drivers do not hoist the load, since a check precedes it. Once does
// not change kernels with group operations, because faulting work-items must leave the group at the
// same point in the code as before.
func Once(m *ir.Module) diag.List {
	if m.UsesGroup {
		return nil
	}
	changed := false
	for _, f := range rewrite.Bodies(m) {
		for onceIn(m, f) {
			changed = true
		}
	}
	if changed {
		simplify.CSE(m)
		simplify.DCE(m)
	}
	return nil
}

// onceIn hoists the loads of one loop of f, and returns false if no loop has loads to hoist. onceIn
// examines inner loops first. The caller may call onceIn until the result is false, because each
// successful call moves a load out of a loop.
func onceIn(m *ir.Module, f *ir.Func) bool {
	f.RemoveUnreachable()
	all := f.Dominators().Loops().All
	if len(all) == 0 {
		return false
	}
	p := newPlaces(m)
	for _, l := range slices.Backward(all) {
		s := &loopStart{l: l, places: p, invariants: map[*ir.Value]bool{}, hoisted: map[*ir.Value]bool{}}
		if s.findHoisted(); s.hoistsLoad && s.moveHoisted() {
			f.RemoveUnreachable()
			return true
		}
	}
	return false
}

// loopStart describes the blocks at the start of a loop: the head, and the blocks that control
// reaches from the head by passing checks only.
type loopStart struct {
	l           *ir.Loop
	places      *placeTable
	checkBlocks []*ir.Block        // blocks that end with hoisted checks
	lastBlock   *ir.Block          // block after the blocks in checkBlocks; the values of lastBlock are hoisted, but its check is not
	invariants  map[*ir.Value]bool // invariant values computed in the loop
	hoisted     map[*ir.Value]bool // values in invariants that are hoisted
	hoistsLoad  bool               // whether some hoisted value is a load of device memory
}

// findHoisted finds the values and checks to hoist, and records them in s.
func (s *loopStart) findHoisted() {
	for s.lastBlock = s.l.Head; ; {
		b := s.lastBlock
		if !s.findInvariants(b) {
			return
		}
		on := rewrite.CheckedEdge(b)
		if on < 0 || !s.isInvariant(b.Term.Cond) {
			return
		}
		to, fault := b.Term.Succs[on], b.Term.Succs[1-on]
		if len(to.Preds) != 1 || !s.l.Contains(to) || s.l.Contains(fault) || !s.invariantFault(fault) {
			return
		}
		s.markHoisted(b.Term.Cond)
		for _, v := range fault.Insts {
			s.markHoisted(v.Args...)
		}
		s.checkBlocks, s.lastBlock = append(s.checkBlocks, b), to
	}
}

// findInvariants finds the invariant values of b, up to the first instruction with an effect. If b
// contains no instruction with an effect, findInvariants returns true.
func (s *loopStart) findInvariants(b *ir.Block) bool {
	for _, v := range b.Insts {
		same := !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !s.isInvariant(a) })
		switch {
		case v.Op.Has(ir.FlagPure):
			s.invariants[v] = same
		case v.Op != ir.OpLoad:
			return false
		case same && isDevice(v) && !s.mayChange(v):
			s.invariants[v], s.hoistsLoad = true, true
			s.markHoisted(v)
		}
	}
	return true
}

// isInvariant reports whether v is known to be the same in all iterations of the loop.
func (s *loopStart) isInvariant(v *ir.Value) bool {
	return v.Block == nil || !s.l.Contains(v.Block) || s.invariants[v]
}

// mayChange reports whether the loop may change the memory that v loads.
func (s *loopStart) mayChange(v *ir.Value) bool {
	pl := s.places.placeOf(v)
	if s.places.isFixed(pl) {
		return false
	}
	for _, b := range s.l.Blocks {
		for _, w := range b.Insts {
			if isSynchronizing(w) || w.Op == ir.OpStore && isDevice(w) && s.places.mayAlias(s.places.placeOf(w), pl) {
				return true
			}
		}
	}
	return false
}

// invariantFault reports whether the operands of the fault block are the same in all iterations.
func (s *loopStart) invariantFault(fault *ir.Block) bool {
	for _, v := range fault.Insts {
		for _, a := range v.Args {
			if a.Block != fault && !s.isInvariant(a) {
				return false
			}
		}
	}
	return true
}

// markHoisted marks the given values and their operands for hoisting, if they are invariant values
// that are computed in the loop.
func (s *loopStart) markHoisted(values ...*ir.Value) {
	for _, v := range values {
		if s.invariants[v] && !s.hoisted[v] {
			s.hoisted[v] = true
			s.markHoisted(v.Args...)
		}
	}
}

// moveHoisted hoists the values and checks that findHoisted has found. If the loop cannot have a
// preheader, moveHoisted returns false.
func (s *loopStart) moveHoisted() bool {
	pre := s.makePreheader()
	if pre == nil {
		return false
	}
	for _, b := range s.checkBlocks {
		s.moveValues(b, pre)
		t := b.Term
		on := rewrite.CheckedEdge(b)
		rewrite.JumpTo(b, on)
		next := pre.Func.NewBlock()
		next.Cold = pre.Cold
		rewrite.MoveTerm(pre, next)
		t.Succs = slices.Clone(t.Succs)
		t.Succs[on] = next
		pre.SetTerm(t)
		pre = next
	}
	s.moveValues(s.lastBlock, pre)
	return true
}

// moveValues moves the hoisted values of b to the end of pre.
func (s *loopStart) moveValues(b, pre *ir.Block) {
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		if s.hoisted[v] {
			v.Block = pre
			pre.Insts = append(pre.Insts, v)
		}
		return s.hoisted[v]
	})
}

// makePreheader returns a block through which all paths enter the loop. The only successor of the
// block is the loop's head. If two edges of one branch enter the loop, makePreheader returns nil.
func (s *loopStart) makePreheader() *ir.Block {
	var from []*ir.Block
	for _, p := range s.l.Head.Preds {
		if !s.l.Contains(p) {
			from = append(from, p)
		}
	}
	if len(from) == 1 && from[0].Term.Kind == ir.Jump {
		return from[0]
	}
	if slices.ContainsFunc(from, func(p *ir.Block) bool { return rewrite.CountPreds(s.l.Head, p) > 1 }) {
		return nil
	}
	return rewrite.NestJoin(s.l.Head, from)
}
