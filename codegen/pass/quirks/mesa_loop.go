package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file has Mesa's row least-counter.

// hideDescents hides where a loop's counter begins, if the loop adds a negative constant to it and
// the way from there to what it is compared with may be the least number. A driver that does not know the
// first value does not count the rounds:
//
//	for i := math.MinInt64; i <= 0; i--        for i := math.MinInt64 ^ zero; i <= 0; i--
//
// Most loops that count downwards do so between small numbers, and stay as they are: drivers unroll
// the short ones.
//
// It does the same where a counter begins high and a positive constant is added to it. Past the
// type's greatest value it goes on at the least one. A driver that takes the way from one end of the
// loop to the other, modulo 2^32 or 2^64, for the number of rounds, finds 25 here instead of 3:
//
//	for i := uint32(1<<32 - 3); i >= 23; i++        for i := uint32(1<<32-3) ^ zero; i >= 23; i++
func hideDescents(h *hider) {
	newDescents(h).eachCounter(func(d *descents, p *ir.Value, back int) {
		if !d.falls(p, back) && !d.rises(p, back) {
			return
		}
		for i, first := range p.Args {
			if i == back {
				continue
			}
			pred := p.Block.Preds[i]
			m := &rewrite.Maker{Func: h.f, At: &ir.Value{Block: pred, Pos: p.Pos}}
			p.Args[i] = m.Op(ir.OpXor, p.Type, first, m.Zero(p.Type))
			pred.Insts = append(pred.Insts, m.Made...)
		}
	})
}

// descents finds the loops of a function that count downwards from or to far numbers, or past their
// type's greatest value.
type descents struct {
	h      *hider
	dom    *ir.DomTree
	ranges *facts.Ranges // nil before the first question
}

func newDescents(h *hider) *descents { return &descents{h: h, dom: h.f.Dominators()} }

// eachCounter calls f for each phi of integers in a loop's header. p.Args[back] is its value in the
// loop's next round.
func (d *descents) eachCounter(f func(d *descents, p *ir.Value, back int)) {
	for _, b := range d.h.f.Blocks {
		back := slices.Index(b.Preds, b.Continue)
		if b.Continue == nil || back < 0 {
			continue
		}
		for _, p := range b.Phis {
			if p.Type.IsInt() {
				f(d, p, back)
			}
		}
	}
}

// falls reports whether the counter p counts downwards, from or to a far number. p.Args[back] is its
// next value.
func (d *descents) falls(p *ir.Value, back int) bool {
	return d.steps(p, p.Args[back], -1, map[*ir.Value]bool{}) && d.far(p, back)
}

// rises reports whether the counter p counts upwards from a number so high that it may come past its
// type's greatest value in a few rounds. A number that may also be small does not count: the inner
// loops of triangular nests begin at such.
func (d *descents) rises(p *ir.Value, back int) bool {
	if !d.steps(p, p.Args[back], 1, map[*ir.Value]bool{}) {
		return false
	}
	unsigned, signed := false, false // a counter with a sign has unsigned comparisons where it is an index
	for _, b := range d.h.f.Blocks {
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagCompare) && slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return linearRoot(x) == p }) {
				unsigned = unsigned || v.Op == ir.OpULt || v.Op == ir.OpULe
				signed = signed || v.Op == ir.OpSLt || v.Op == ir.OpSLe
			}
		}
	}
	for i, first := range p.Args {
		if i == back || !first.IsConst() && !d.h.literal(first, true) {
			continue
		}
		from, known := d.at(first, p.Block.Preds[i])
		if known && (from.Lo >= farAway || unsigned && !signed && from.Hi < 0) {
			return true
		}
	}
	return false
}

// steps reports whether a loop makes next of its counter p by adding a number that a driver may
// find to be a constant of the sign of want. Phis in between join the ways on which the loop goes on.
func (d *descents) steps(p, next *ir.Value, want int64, seen map[*ir.Value]bool) bool {
	by, sign := (*ir.Value)(nil), int64(1)
	switch next.Op {
	case ir.OpPhi:
		if next == p || seen[next] {
			return false
		}
		seen[next] = true
		return slices.ContainsFunc(next.Args, func(a *ir.Value) bool { return d.steps(p, a, want, seen) })
	case ir.OpIAdd:
		if by = next.Args[1]; by == p {
			by = next.Args[0]
		}
	case ir.OpISub:
		by, sign = next.Args[1], -1
	default:
		return false
	}
	switch {
	case !slices.Contains(next.Args, p):
		return false
	case by.IsConst():
		n := sign * by.Int()
		return want < 0 && n < 0 || want > 0 && n > 0
	case !d.invariant(by, p.Block) || !d.h.literal(by, true):
		return false
	}
	r, known := d.at(by, p.Block)
	return !known || want*sign < 0 && r.Lo < 0 || want*sign > 0 && r.Hi > 0
}

// invariant reports whether v is the same number in all rounds of the loop with this header.
func (d *descents) invariant(v *ir.Value, header *ir.Block) bool {
	switch {
	case v.Block == nil || v.Block != header && d.dom.Dominates(v.Block, header):
		return true
	case !v.Op.Has(ir.FlagPure) || v.Op == ir.OpPhi:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !d.invariant(a, header) })
}

// far reports whether a driver may find that the way from where the counter p begins to what it is
// compared with is the least number. p.Args[back] is the counter's next value.
func (d *descents) far(p *ir.Value, back int) bool {
	var ends []end
	for _, b := range d.h.f.Blocks {
		for _, v := range b.Insts {
			if !v.Op.Has(ir.FlagCompare) {
				continue
			}
			for i, x := range v.Args {
				e, ok := d.end(v.Args[1-i], b)
				if !ok || linearRoot(x) != p {
					continue
				}
				if (v.Op == ir.OpULt || v.Op == ir.OpULe) && !e.v.IsConst() {
					// The compiler divides without signs, but for what it turns into a comparison with 0.
					e.r = facts.Interval{Lo: 0, Hi: 1}
				}
				ends = append(ends, e)
			}
		}
	}
	for i, first := range p.Args {
		if i == back {
			continue
		}
		if from, ok := d.end(first, p.Block.Preds[i]); ok && slices.ContainsFunc(ends, func(to end) bool { return from.farFrom(to) }) {
			return true
		}
	}
	return false
}

// end is what a driver may know of one end of a counter's way.
type end struct {
	v *ir.Value
	r facts.Interval
}

// end returns what a driver may know of v, in block b, or false if it cannot know that v is constant.
func (d *descents) end(v *ir.Value, b *ir.Block) (end, bool) {
	if !v.Type.IsInt() || !v.IsConst() && !d.h.literal(v, true) {
		return end{}, false
	}
	r, known := d.at(v, b)
	if !known {
		r = facts.FullRange(v.Type)
	}
	if !r.Within(nearby) && !v.IsConstExpr() && d.staysNear(v, map[*ir.Value]bool{}) {
		r = nearby
	}
	return end{v, r}, true
}

// staysNear reports whether v, if a driver finds that it is constant, is so by unrolling loops that add
// up and multiply small numbers: it has at most some thousand rounds then.
func (d *descents) staysNear(v *ir.Value, seen map[*ir.Value]bool) bool {
	const small = 1 << 12
	if seen[v] || !d.h.literal(v, true) {
		return true
	}
	switch v.Op {
	case ir.OpConst:
		return v.Type == ir.TypeBool || v.Int() > -small && v.Int() < small
	case ir.OpPhi, ir.OpSelect, ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpSConvert, ir.OpUConvert:
	default:
		return v.Op.Has(ir.FlagCompare)
	}
	seen[v] = true
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !d.staysNear(a, seen) })
}

// farAway is how far from zero one of two constants must be at least for their difference to be the
// least number of 32 bits. Of 64 bits the least number is farther away, but words are halves of these.
const farAway = 1 << 30

// nearby is what is not as far.
var nearby = facts.Interval{Lo: -farAway + 1, Hi: farAway - 1}

// farFrom reports whether the way between two ends may be the least number. Where the kernel's text
// and specialization constants say what an end is, it may be any large number. Others are counters of
// loops around, as in insertion sorts: of two that are not negative the difference is less.
func (from end) farFrom(to end) bool {
	for _, e := range [2]end{from, to} {
		if e.v.IsConstExpr() && !e.r.Within(nearby) {
			return true
		}
	}
	half := uint64(1) << (from.v.Type.Bits() - 1)
	apart := func(lo, hi int64) bool { return lo < hi && uint64(hi)-uint64(lo) >= half }
	return apart(from.r.Lo, to.r.Hi) || apart(to.r.Lo, from.r.Hi)
}

// at returns the interval of v in block b, or false where none is known: in functions that the
// kernel calls.
func (d *descents) at(v *ir.Value, b *ir.Block) (r facts.Interval, known bool) {
	if v.IsConst() {
		return facts.Interval{Lo: v.Int(), Hi: v.Int()}, true
	}
	if d.h.f != d.h.f.Module.Kernel {
		return r, false
	}
	if d.ranges == nil {
		d.ranges = facts.NewRanges(d.h.f.Module)
		d.ranges.Solve()
	}
	return d.ranges.At(v, b), true
}
