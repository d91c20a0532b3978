package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file contains the workaround for the quirk wrapped-counter of NVIDIA.

// hideWraps hides a signed counter from the comparison that ends its loop, if the loop ends only
// because the counter wraps. For example, "for i <= 0 { … i-- }" becomes "for i ^ zero <= 0 { … i--
// }" if i starts as math.MinInt32.
//
// A compiler that assumes that the counter does not wrap computes a wrong number of iterations or
// treats the loop as endless. Few programs contain loops that end only by wrapping, and the
// workaround costs one more instruction in each iteration.
func hideWraps(h *hider) {
	newDescents(h).eachCounter(func(d *counterFinder, p *ir.Value, back int) {
		next := p.Args[back]
		for _, step := range []int64{-1, 1} {
			if d.stepsBy(p, next, step, map[*ir.Value]bool{}) && (d.addsConst(p, next, map[*ir.Value]bool{}) || !d.startsNear(p, back)) {
				d.hideEnds(p, step)
			}
		}
	})
}

// addsConst reports whether a loop adds a constant to its counter p to compute the value `next`. If
// `next` is a phi, at least one of its arguments must be the counter plus a constant.
func (d *counterFinder) addsConst(p, next *ir.Value, seen map[*ir.Value]bool) bool {
	if next == p || seen[next] {
		return false
	}
	seen[next] = true
	if next.Op == ir.OpPhi {
		return slices.ContainsFunc(next.Args, func(a *ir.Value) bool { return d.addsConst(p, a, seen) })
	}
	return slices.Contains(next.Args, p) && slices.ContainsFunc(next.Args, (*ir.Value).IsConst)
}

// startsNear reports whether the counter p starts with small numbers. If the sign of the step is
// unknown, as for a specialization constant, a counter that starts with small numbers wraps only
// after many iterations.
func (d *counterFinder) startsNear(p *ir.Value, back int) bool {
	for i, first := range p.Args {
		if r, known := d.intervalAt(first, p.Block.Preds[i]); i != back && (!known || !r.Within(nearNumbers)) {
			return false
		}
	}
	return true
}

// hideEnds hides the counter p from the comparisons that end its loop when p has wrapped. Each
// iteration adds a number with the sign of step to p.
func (d *counterFinder) hideEnds(p *ir.Value, step int64) {
	for _, b := range d.h.f.Blocks {
		if len(b.Term.Succs) != 2 || b != p.Block && !d.dom.Dominates(p.Block, b) {
			continue
		}
		for i, s := range b.Term.Succs {
			if leadsOnlyTo(s, p.Block.Merge) {
				d.hideEnd(p, step, b.Term.Cond, i == 1)
			}
		}
	}
}

// leadsOnlyTo reports whether b is the block dst or reaches dst by jumps only.
func leadsOnlyTo(b, dst *ir.Block) bool {
	for seen := map[*ir.Block]bool{}; b != dst; b = b.Term.Succs[0] {
		if seen[b] || len(b.Term.Succs) != 1 {
			return false
		}
		seen[b] = true
	}
	return true
}

// hideEnd hides the counter p from the comparisons in the condition cond. The loop continues if
// cond equals continueIf.
func (d *counterFinder) hideEnd(p *ir.Value, step int64, cond *ir.Value, continueIf bool) {
	switch cond.Op {
	case ir.OpLNot:
		d.hideEnd(p, step, cond.Args[0], !continueIf)
	case ir.OpLAnd, ir.OpLOr:
		for _, a := range cond.Args {
			d.hideEnd(p, step, a, continueIf)
		}
	case ir.OpSLt, ir.OpSLe:
		// Let c be the operand that is compared with p. The loop continues while p > c in two
		// cases: if the loop continues when c < p is true, and if the loop ends when p < c is true.
		for i, x := range cond.Args {
			greater := (i == 1) == continueIf
			if linearRoot(x) == p && greater == (step > 0) && cond.Block != nil {
				m := &rewrite.Maker{Func: d.h.f, At: &ir.Value{Block: cond.Block, Pos: cond.Pos}}
				cond.Args[i] = m.Op(ir.OpXor, x.Type, x, m.Zero(x.Type))
				at := slices.Index(cond.Block.Insts, cond)
				cond.Block.Insts = slices.Insert(cond.Block.Insts, at, m.Made...)
			}
		}
	}
}
