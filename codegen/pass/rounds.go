package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// maxUnasked bounds what a work-item computes, in values, from one time that it looks
// whether it is to leave to the next: less than a millisecond.
const maxUnasked = 1 << 16

// loopCosts is what is known of the loops of a function, by their heads.
type loopCosts struct {
	// short are the loops that a work-item is sure to be through with soon, those within
	// them included, without meeting others: what cancels a launch can wait for it.
	short map[*ir.Block]bool
	// round is what a round computes, in values, without inner loops that are not short.
	round map[*ir.Block]int
	// meets are those in which work-items meet.
	meets map[*ir.Block]bool
}

func costOfLoops(f *ir.Func) *loopCosts {
	x := &loopCosts{short: map[*ir.Block]bool{}, round: map[*ir.Block]int{}, meets: map[*ir.Block]bool{}}
	dom := f.Dominators()
	loops := dom.Loops()
	if len(loops.All) == 0 {
		return x
	}
	c := &roundCounter{a: newRanges(f.Module), dom: dom, outside: ir.NewModule("")}
	c.a.solve()
	for _, l := range slices.Backward(loops.All) { // inner ones first
		once, short := x.round[l.Head], !x.meets[l.Head]
		for _, b := range l.Blocks {
			if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
				x.meets[l.Head], short = true, false
			}
			if in := loops.Of(b); in == l {
				once += len(b.Phis) + len(b.Insts) + 1
			} else if in.Head == b && !x.short[b] {
				short = false
			}
		}
		once = min(once, maxUnasked)
		x.round[l.Head] = once
		n, ok := c.rounds(l)
		if !ok || n > maxUnasked || n*int64(once) > maxUnasked {
			short = false
		}
		if x.short[l.Head] = short; short && l.Outer != nil {
			x.round[l.Outer.Head] += int(n) * once
		}
	}
	return x
}

// HasLoop reports whether the kernel has loops.
func HasLoop(m *ir.Module) bool { return hasLoop(m.Kernel) }

// Lingers reports whether a work-item of the kernel may go round in a loop for long, or
// for ever.
func Lingers(m *ir.Module) bool {
	f := m.Kernel
	short, dom := costOfLoops(f).short, f.Dominators()
	for _, b := range dom.Order {
		for _, s := range b.Term.Succs {
			// What loops with several entries repeat is in no natural loop.
			if dom.Index(s) <= dom.Index(b) && !short[s] {
				return true
			}
		}
	}
	return false
}

// roundCounter bounds how often loops go round.
type roundCounter struct {
	a       *ranges
	dom     *ir.DomTree
	outside *ir.Module // for constants, which are to be none of the kernel's module
}

// rounds returns a bound of how often the loop's head runs each time that the loop is
// entered, if it finds one.
func (c *roundCounter) rounds(l *ir.Loop) (n int64, ok bool) {
	if len(l.Latches) == 1 {
		if n := newLoop(l, c.dom).trips(c.outside); n > 0 {
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
			eachRelation(b.Term.Cond, i == 0, func(x *ir.Value, rel relation, y *ir.Value, unsigned bool) {
				for _, s := range [2]struct {
					n, end *ir.Value
					rel    relation
				}{{x, y, rel}, {y, x, flip(rel)}} {
					if m, is := c.until(l, b, s.n, s.rel, s.end, unsigned); is && (!ok || m < n) {
						n, ok = m, true
					}
				}
			})
		}
	}
	return n, ok
}

// until bounds the rounds of a loop that goes on while v, which is a phi of its head
// plus a constant, has the relation to end at b. It does so only where nothing wraps
// around on the way.
func (c *roundCounter) until(l *ir.Loop, b *ir.Block, v *ir.Value, rel relation, end *ir.Value, unsigned bool) (int64, bool) {
	phi, k := plus(v)
	if phi.Op != ir.OpPhi || phi.Block != l.Head || !invariant(end, l) || !fits32(k) {
		return 0, false
	}
	by, down := growth(phi, l)
	if by == nil || !by.IsConst() || by.Int() == 0 || !fits32(by.Int()) {
		return 0, false
	}
	step := by.Int()
	if down {
		step = -step
	}
	start, first := interval{}, true
	for i, x := range phi.Args {
		if p := l.Head.Preds[i]; !l.Contains(p) {
			if q := c.a.onEdge(x, p, l.Head); first {
				start, first = q, false
			} else {
				start = start.union(q)
			}
		}
	}
	to := c.a.at(end, b)
	// Far from the ends of all types no sum below overflows, nor wraps around.
	full := fullRange(phi.Type)
	far := func(p interval) bool { return p.lo >= full.lo/2 && p.hi <= full.hi/2 }
	if !far(start) || !far(interval{k, k}) {
		return 0, false
	}
	start = addRanges(start, interval{k, k})
	if first || !far(start) || !far(to) || !far(interval{step, step}) {
		return 0, false
	}
	if unsigned && (start.lo < 0 || to.lo < 0 || step < 0) {
		return 0, false
	}
	switch up := step > 0; {
	case up && (rel == below || rel == atMost), up && rel == unequal && step == 1 && start.hi <= to.lo:
		return max(to.hi-start.lo, 0)/step + 2, true
	case !up && (rel == above || rel == atLeast), !up && rel == unequal && step == -1 && start.lo >= to.hi:
		return max(start.hi-to.lo, 0)/-step + 2, true
	}
	return 0, false
}
