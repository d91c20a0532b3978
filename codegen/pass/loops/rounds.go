package loops

// For the pass polls and for the host device, this file computes two upper bounds for a loop: the
// number of iterations, and the cost of an iteration.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// maxUnasked is the largest number of values that a work-item computes between two checks of the
// cancel word. A work-item computes maxUnasked values in less than a millisecond.
const maxUnasked = 1 << 16

// loopCosts describes the loops of a function. The keys of the maps in loopCosts are the heads of
// the loops.
type loopCosts struct {
	// Short is the set of loops that a work-item is known to finish quickly, without waiting for
	// other work-items. A short loop does not need to check for cancellation.
	Short map[*ir.Block]bool
	// roundCost maps a loop to the number of values that an iteration computes, without inner
	// loops that are not short.
	roundCost map[*ir.Block]int
	// hasSync is the set of loops that contain Sync ops.
	hasSync map[*ir.Block]bool
}

// CostOfLoops computes the loopCosts of f.
func CostOfLoops(f *ir.Func) *loopCosts {
	x := &loopCosts{Short: map[*ir.Block]bool{}, roundCost: map[*ir.Block]int{}, hasSync: map[*ir.Block]bool{}}
	dom := f.Dominators()
	loops := dom.Loops()
	if len(loops.All) == 0 {
		return x
	}
	c := &roundCounter{Ranges: facts.NewRanges(f.Module), dom: dom, outside: ir.NewModule("")}
	c.Ranges.Solve()
	for _, l := range slices.Backward(loops.All) { // inner loops first
		once, short := x.roundCost[l.Head], !x.hasSync[l.Head]
		for _, b := range l.Blocks {
			if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
				x.hasSync[l.Head], short = true, false
			}
			if in := loops.Of(b); in == l {
				once += len(b.Phis) + len(b.Insts) + 1
			} else if in.Head == b && !x.Short[b] {
				short = false
			}
		}
		once = min(once, maxUnasked)
		x.roundCost[l.Head] = once
		n, ok := c.maxRounds(l)
		if !ok || n > maxUnasked || n*int64(once) > maxUnasked {
			short = false
		}
		if x.Short[l.Head] = short; short && l.Outer != nil {
			x.roundCost[l.Outer.Head] += int(n) * once
		}
	}
	return x
}

// HasLoop reports whether the kernel of m has loops.
func HasLoop(m *ir.Module) bool { return facts.HasLoop(m.Kernel) }

// Lingers reports whether the kernel has a loop in which a work-item may stay for a long time or
// for ever.
func Lingers(m *ir.Module) bool {
	f := m.Kernel
	short, dom := CostOfLoops(f).Short, f.Dominators()
	for _, b := range dom.Order {
		for _, s := range b.Term.Succs {
			// The comparison of the blocks' indices also finds loops with several entries, which
			// are not natural loops.
			if dom.Index(s) <= dom.Index(b) && !short[s] {
				return true
			}
		}
	}
	return false
}

// roundCounter computes upper bounds of the number of iterations of loops.
type roundCounter struct {
	Ranges  *facts.Ranges
	dom     *ir.DomTree
	outside *ir.Module // module for new constants, so that the kernel's module does not change
}

// maxRounds returns an upper bound of the number of times that the loop's head is executed after
// each entry into the loop. If maxRounds finds no bound, it returns false.
func (c *roundCounter) maxRounds(l *ir.Loop) (n int64, ok bool) {
	if len(l.Latches) == 1 {
		if n := newLoop(l, c.dom).tripCount(c.outside); n > 0 {
			return int64(n), true
		}
	}
	for _, b := range l.Blocks {
		if b.Term.Kind != ir.Branch || slices.ContainsFunc(l.Latches, func(x *ir.Block) bool { return !c.dom.Dominates(b, x) }) {
			continue
		}
		for i, stay := range b.Term.Succs {
			if l.Contains(b.Term.Succs[1-i]) || !l.Contains(stay) {
				continue
			}
			facts.EachRelation(b.Term.Cond, i == 0, func(x *ir.Value, rel facts.Relation, y *ir.Value, unsigned bool) {
				for _, s := range [2]struct {
					n, end *ir.Value
					rel    facts.Relation
				}{{x, y, rel}, {y, x, facts.Flip(rel)}} {
					if m, is := c.roundsUntil(l, b, s.n, s.rel, s.end, unsigned); is && (!ok || m < n) {
						n, ok = m, true
					}
				}
			})
		}
	}
	return n, ok
}

// roundsUntil returns an upper bound of the number of iterations of a loop. The loop continues as
// long as the relation rel holds between v and `end`. The loop tests the relation in block b, and v
// must be a phi of the loop's head plus a constant. The bound exists only if v cannot wrap before
// the loop ends.
func (c *roundCounter) roundsUntil(l *ir.Loop, b *ir.Block, v *ir.Value, rel facts.Relation, end *ir.Value, unsigned bool) (int64, bool) {
	phi, k := uniform.Plus(v)
	if phi.Op != ir.OpPhi || phi.Block != l.Head || !uniform.Invariant(end, l) || !facts.Fits32(k) {
		return 0, false
	}
	by, down := growthOf(phi, l)
	if by == nil || !by.IsConst() || by.Int() == 0 || !facts.Fits32(by.Int()) {
		return 0, false
	}
	step := by.Int()
	if down {
		step = -step
	}
	start, first := facts.Interval{}, true
	for i, x := range phi.Args {
		if p := l.Head.Preds[i]; !l.Contains(p) {
			if q := c.Ranges.OnEdge(x, p, l.Head); first {
				start, first = q, false
			} else {
				start = start.Union(q)
			}
		}
	}
	to := c.Ranges.At(end, b)
	// If all numbers are in the middle half of the type's range, no sum in this function overflows
	// or wraps.
	full := facts.FullRange(phi.Type)
	far := func(p facts.Interval) bool { return p.Lo >= full.Lo/2 && p.Hi <= full.Hi/2 }
	if !far(start) || !far(facts.Interval{Lo: k, Hi: k}) {
		return 0, false
	}
	start = facts.AddRanges(start, facts.Interval{Lo: k, Hi: k})
	if first || !far(start) || !far(to) || !far(facts.Interval{Lo: step, Hi: step}) {
		return 0, false
	}
	if unsigned && (start.Lo < 0 || to.Lo < 0 || step < 0) {
		return 0, false
	}
	switch up := step > 0; {
	case up && (rel == facts.Below || rel == facts.AtMost), up && rel == facts.Unequal && step == 1 && start.Hi <= to.Lo:
		return max(to.Hi-start.Lo, 0)/step + 2, true
	case !up && (rel == facts.Above || rel == facts.AtLeast), !up && rel == facts.Unequal && step == -1 && start.Lo >= to.Hi:
		return max(start.Hi-to.Lo, 0)/-step + 2, true
	}
	return 0, false
}
