package memory

// This file is the pass once, which is a narrow kind of loop-invariant code motion: it moves
// loads that a loop's head makes in each round ahead of the loop, with their checks.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Once moves loads of device memory that are the same in all rounds from a loop's head into
// its preheader, with the checks ahead of them and what both need. Of the loop
// for i := k.Starts[row]; i < k.Starts[row+1]; i++ {...} it makes:
//
//	b2:                                   b2:
//	  %15 = Load [%starts, %row]            %15 = Load [%starts, %row]
//	  Jump b3                               %18 = IAdd %row, 1
//	b3: preds b8, b2                        %19 = ULt %18, %len
//	  %17 = Phi [%31 b8, %15 b2]            Branch %19, b18, b15
//	  %18 = IAdd %row, 1           ──▶    b18: preds b2
//	  %19 = ULt %18, %len                   %20 = Load [%starts, %18]
//	  Branch %19, b4, b15                   Jump b3
//	b4: preds b3                          b3: preds b8, b18
//	  %20 = Load [%starts, %18]             %17 = Phi [%31 b8, %15 b18]
//	  %21 = ULt %17, %20                    %21 = ULt %17, %20
//	  Branch %21, b5, b12                   Branch %21, b5, b12
//	b15: preds b3                         b15: preds b2
//	  Fault index out of range              Fault index out of range
//
// The head runs whenever the loop is entered, also if no round follows, so that nothing runs
// or faults that did not before, and in the order in which it did. A round behind
// the first finds the same values and passes the same checks, because everything they depend
// on is computed outside of the loop and no store or call in the loop, and nothing by which
// work-items hear of each other, may change the memory.
//
// Pass ahead needs the loop's bound to be the same in all rounds, and drivers do not move the
// load themselves, since a check is ahead of it. Kernels with operations of groups are left
// alone: where their work-items leave by a fault matters to those that stay.
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

// onceIn moves what one loop of f lets move, an inner one before those around it, and reports
// whether there was one. Each time some load is in fewer loops than it was, so that this ends.
func onceIn(m *ir.Module, f *ir.Func) bool {
	f.RemoveUnreachable()
	all := f.Dominators().Loops().All
	if len(all) == 0 {
		return false
	}
	p := newPlaces(m)
	for _, l := range slices.Backward(all) {
		s := &start{l: l, places: p, same: map[*ir.Value]bool{}, taken: map[*ir.Value]bool{}}
		if s.find(); s.loads && s.move() {
			f.RemoveUnreachable()
			return true
		}
	}
	return false
}

// start is what a loop's rounds begin with: the blocks from its head on that lead into each
// other by checks alone.
type start struct {
	l      *ir.Loop
	places *places
	blocks []*ir.Block        // which end with checks that move
	last   *ir.Block          // the block behind these, of which values alone move
	same   map[*ir.Value]bool // of their values, those that are the same in all rounds
	taken  map[*ir.Value]bool // of these, those that move
	loads  bool               // some of them are loads of device memory
}

// find finds what can move.
func (s *start) find() {
	for s.last = s.l.Head; ; {
		b := s.last
		if !s.values(b) {
			return
		}
		on := rewrite.CheckedEdge(b)
		if on < 0 || !s.invariant(b.Term.Cond) {
			return
		}
		to, fault := b.Term.Succs[on], b.Term.Succs[1-on]
		if len(to.Preds) != 1 || !s.l.Contains(to) || s.l.Contains(fault) || !s.apart(fault) {
			return
		}
		s.take(b.Term.Cond)
		for _, v := range fault.Insts {
			s.take(v.Args...)
		}
		s.blocks, s.last = append(s.blocks, b), to
	}
}

// values finds the values of b that are the same in all rounds, up to the first effect, and
// reports whether there is none.
func (s *start) values(b *ir.Block) bool {
	for _, v := range b.Insts {
		same := !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !s.invariant(a) })
		switch {
		case v.Op.Has(ir.FlagPure):
			s.same[v] = same
		case v.Op != ir.OpLoad:
			return false
		case same && isDevice(v) && !s.changes(v):
			s.same[v], s.loads = true, true
			s.take(v)
		}
	}
	return true
}

// invariant reports whether v is known to be the same in all rounds.
func (s *start) invariant(v *ir.Value) bool {
	return v.Block == nil || !s.l.Contains(v.Block) || s.same[v]
}

// changes reports whether the loop may change what v loads.
func (s *start) changes(v *ir.Value) bool {
	pl := s.places.of(v)
	if s.places.fixed(pl) {
		return false
	}
	for _, b := range s.l.Blocks {
		for _, w := range b.Insts {
			if tellsOthers(w) || w.Op == ir.OpStore && isDevice(w) && s.places.mayAlias(s.places.of(w), pl) {
				return true
			}
		}
	}
	return false
}

// apart reports whether a block that faults uses nothing of the loop that varies.
func (s *start) apart(fault *ir.Block) bool {
	for _, v := range fault.Insts {
		for _, a := range v.Args {
			if a.Block != fault && !s.invariant(a) {
				return false
			}
		}
	}
	return true
}

// take has values move, with what they are computed from.
func (s *start) take(values ...*ir.Value) {
	for _, v := range values {
		if s.same[v] && !s.taken[v] {
			s.taken[v] = true
			s.take(v.Args...)
		}
	}
}

// move moves what was found, and reports whether it could.
func (s *start) move() bool {
	pre := s.preheader()
	if pre == nil {
		return false
	}
	for _, b := range s.blocks {
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
	s.moveValues(s.last, pre)
	return true
}

// moveValues moves values of b to the end of pre.
func (s *start) moveValues(b, pre *ir.Block) {
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		if s.taken[v] {
			v.Block = pre
			pre.Insts = append(pre.Insts, v)
		}
		return s.taken[v]
	})
}

// preheader returns a block that all ways into the loop pass and that leads nowhere else, or
// nil where two edges of one branch enter the loop.
func (s *start) preheader() *ir.Block {
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
