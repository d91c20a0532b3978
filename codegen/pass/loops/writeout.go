package loops

// This file contains the pass writeout, for small loops that index a work-item's own arrays. The
// pass runs directly before elements, which turns the elements of these arrays into values.

import (
	"maps"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// These constants limit the iterations of a loop and the instructions of an iteration.
// maxWrittenNest limits the instructions of a loop nest after unrolling. maxWrittenFunc limits the
// instructions of all unrolled loop nests of a function together. Loops with long iterations are
// not unrolled. Copies of long iterations cost more, and long iterations lose less time by accesses
// to an array in memory.
const (
	maxWrittenRounds = rewrite.MaxSplitLen
	maxWrittenRound  = 48
	maxWrittenNest   = 1536
	maxWrittenFunc   = 6144
)

// WriteOut unrolls a loop with a constant number of iterations if its counter indexes a private
// array, and no other index of the array varies. After unrolling, all indices are constants, and
// the array's elements can be kept in registers:
//
//	var v [4]float32             var v [4]float32
//	for j := range v {           v[0] = in[l]
//	    v[j] = in[l+j*64]  ──▶   v[1] = in[l+64]
//	}                            v[2] = in[l+128]
//	                             v[3] = in[l+192]
//
// If an index varies, drivers keep the array in memory, which is much slower. Loops inside the
// unrolled loops are also unrolled, unless the code would become too large. Loops with Sync ops of
// the work-group are not unrolled. Sync ops of sub-groups do not prevent unrolling.
func WriteOut(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		heads := countingHeads(f)
		if len(heads) == 0 {
			continue
		}
		chosen := func(l *ir.Loop) bool { return heads[l.Head] }
		any := func(*Loop, int) bool { return true }
		within := unrollLimits{rounds: maxWrittenRounds, values: maxWrittenNest}
		for tried := map[*ir.Block]bool{}; unrollFirst(f, innermostOf(f, chosen), tried, within, any); {
			if diags := simplify.Clean(m); len(diags) > 0 {
				return diags
			}
		}
	}
	return nil
}

// writer finds the loops to unroll.
type writer struct {
	m     *ir.Module
	dom   *ir.DomTree
	loops *ir.Loops
	cost  map[*ir.Loop]int // maps each loop to its number of instructions after unrolling
}

// countingHeads returns the heads of the loops to unroll.
func countingHeads(f *ir.Func) map[*ir.Block]bool {
	indices := map[*ir.Var][]*ir.Value{} // maps a variable to the instructions that access it with a varying index
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			r := v.Ref()
			if r == nil || r.Var == nil || r.Var.Storage != ir.Function || r.Var.Type.Kind != ir.Array {
				continue
			}
			if slices.ContainsFunc(v.Path(), func(p *ir.Value) bool { return !p.IsConst() }) {
				indices[r.Var] = append(indices[r.Var], v)
			}
		}
	}
	if len(indices) == 0 {
		return nil
	}
	f.RemoveUnreachable()
	w := &writer{m: f.Module, dom: f.Dominators(), cost: map[*ir.Loop]int{}}
	w.loops = w.dom.Loops()
	heads := map[*ir.Block]bool{}
	written := 0
	for _, v := range f.Vars { // in a deterministic order
		nests := map[*ir.Loop]bool{}
		if len(indices[v]) == 0 || !canSplit(v.Type) || !w.decideNests(indices[v], nests) {
			continue
		}
		more := 0
		add := map[*ir.Block]bool{}
		for _, l := range w.loops.All {
			if !nests[l] || heads[l.Head] {
				continue
			}
			if l.Outer == nil || !nests[l.Outer] {
				more += w.cost[l]
			}
			add[l.Head] = true
		}
		if written+more > maxWrittenFunc {
			continue
		}
		written += more
		for h := range add {
			heads[h] = true
		}
	}
	return heads
}

// canSplit reports whether a variable of type t can be split into its elements if all
// indices are constant.
func canSplit(t *ir.Type) bool {
	parts := 1
	for ; t.Kind == ir.Array; t = t.Elem {
		n, ok := t.ArrayLen()
		if !ok || n > rewrite.MaxSplitLen {
			return false
		}
		parts *= int(n)
	}
	return parts <= rewrite.MaxSplitParts
}

// decideNests adds to the set "nests" the loops that must be unrolled so that all indices of the
// accesses become constant. decideNests also adds the loops inside the added loops, unless the code
// would become too large. decideNests reports whether the loops in the set "nests" can be unrolled.
func (w *writer) decideNests(accesses []*ir.Value, nests map[*ir.Loop]bool) bool {
	for _, v := range accesses {
		for _, p := range v.Path() {
			if !w.unrollFor(p, v.Block, nests, 8) {
				return false
			}
		}
	}
	whole := maps.Clone(nests)
	for _, l := range w.loops.All {
		if l.Outer != nil && whole[l.Outer] {
			whole[l] = true
		}
	}
	if w.nestsFit(whole) {
		maps.Copy(nests, whole)
		return true
	}
	return w.nestsFit(nests)
}

// nestsFit computes the cost of each loop in the set "nests", and reports whether all these loops
// can be unrolled.
func (w *writer) nestsFit(nests map[*ir.Loop]bool) bool {
	for _, l := range slices.Backward(w.loops.All) {
		if nests[l] {
			if w.cost[l] = w.costOf(l, nests); w.cost[l] == 0 {
				return false
			}
		}
	}
	return true
}

// unrollFor adds loops around block b to the set "nests", so that v becomes a constant when these
// loops are unrolled. unrollFor returns false if unrolling cannot make v a constant.
func (w *writer) unrollFor(v *ir.Value, b *ir.Block, nests map[*ir.Loop]bool, depth int) bool {
	switch {
	case v.IsConst():
		return true
	case depth == 0 || v.Block == nil:
		return false
	case v.Op == ir.OpPhi:
		l := w.loops.Of(v.Block)
		if l == nil || l.Head != v.Block || !l.Contains(b) || !w.isCounter(l, v) {
			return false
		}
		nests[l] = true
		return true
	case !v.Op.Has(ir.FlagPure) || len(v.Args) == 0:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !w.unrollFor(a, b, nests, depth-1) })
}

// isCounter reports whether phi starts with a constant and depends only on itself and constants in
// later iterations. The phi must be in the loop's head.
func (w *writer) isCounter(l *ir.Loop, phi *ir.Value) bool {
	var of func(v *ir.Value, depth int) bool
	of = func(v *ir.Value, depth int) bool {
		if v == phi || v.IsConst() {
			return true
		}
		return depth > 0 && v.Op.Has(ir.FlagPure) && v.Op != ir.OpPhi && len(v.Args) > 0 &&
			!slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !of(a, depth-1) })
	}
	for i, a := range phi.Args {
		if inside := l.Contains(l.Head.Preds[i]); !inside && !a.IsConst() || inside && !of(a, 4) {
			return false
		}
	}
	return true
}

// costOf returns the number of instructions of the loop l after unrolling. costOf assumes that the
// inner loops in the set "nests" are also unrolled. costOf returns 0 if l cannot or should not be
// unrolled.
func (w *writer) costOf(l *ir.Loop, nests map[*ir.Loop]bool) int {
	if len(l.Latches) != 1 || l.Head.Cold || rewrite.CountPreds(l.Head, l.Latches[0]) != 1 {
		return 0
	}
	x := newLoop(l, w.dom)
	trips := x.tripsWithin(maxWrittenRounds, w.m)
	if trips == 0 || !x.isRepeatable() {
		return 0
	}
	own := 0 // instructions of an iteration, without inner loops
	for _, b := range x.blocks {
		if w.loops.Of(b) == l || !l.Contains(b) {
			own += len(b.Insts) + 1
		}
	}
	once := own
	for _, in := range w.loops.All {
		switch {
		case in.Outer != l:
		case nests[in]:
			once += w.cost[in]
		default:
			once += newLoop(in, w.dom).countInsts()
		}
	}
	if own > maxWrittenRound || trips*once > maxWrittenNest {
		return 0
	}
	return trips * once
}

// isRepeatable reports whether the loop's instructions may be copied. Copying is allowed if each
// Sync op in the loop is a barrier or an algorithm of sub-groups.
func (l *Loop) isRepeatable() bool {
	sub := func(v *ir.Value) bool {
		return v.Op == ir.OpBarrier && v.Aux.(ir.Scope) == ir.ScopeSubGroup || v.IsGroupOp() && v.GroupScope() == ir.ScopeSubGroup
	}
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) && !sub(v) }) {
			return false
		}
	}
	return true
}
