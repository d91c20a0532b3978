package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file has Mesa's row least-counter.

// hideDescents hides the initial value of a loop's counter, if the loop adds a negative constant to
// it. The distance from there to the loop's bound must possibly be the least integer. A driver that
// does not know the initial value does not compute the number of rounds:
//
//	for i := math.MinInt64; i <= 0; i--        for i := math.MinInt64 ^ zero; i <= 0; i--
//
// Most loops that count downwards do so between small numbers and are not changed: drivers unroll
// the short ones.
//
// It does the same if a counter begins high and a positive constant is added to it. Past the type's
// greatest value the counter wraps to the least. A driver may compute the number of rounds as the
// distance of the loop's ends, modulo 2^32 or 2^64. Here it would compute 25 instead of 3:
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

// descents finds the loops of a function that count downwards from or to distant numbers, or past
// their type's greatest value.
type descents struct {
	h      *hider
	dom    *ir.DomTree
	ranges *facts.Ranges // nil until it is needed
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

// falls reports whether counter p counts downwards from or to a distant number. p.Args[back] is its
// next value.
func (d *descents) falls(p *ir.Value, back int) bool {
	return d.steps(p, p.Args[back], -1, map[*ir.Value]bool{}) && d.far(p, back)
}

// rises reports whether counter p counts upwards from a number so high that it may exceed its
// type's greatest value in a few rounds. A number that may also be small does not count, since the
// inner loops of triangular nests begin with such numbers.
func (d *descents) rises(p *ir.Value, back int) bool {
	if !d.steps(p, p.Args[back], 1, map[*ir.Value]bool{}) {
		return false
	}
	unsigned, signed := false, false // a signed counter also has unsigned comparisons if it is an index
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

// steps reports whether a loop computes next from its counter p by adding a number. A driver must
// be able to recognize the number as a constant with the sign of want. Phis may join several paths
// to the next round.
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

// far reports whether a driver may find that the distance from the initial value of counter p to
// the loop's bound is the least integer. p.Args[back] is the counter's next value.
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
					// The compiler divides unsigned numbers here, except when it has made a
					// comparison with 0.
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

// end describes one end of a counter's range, as far as a driver may know it.
type end struct {
	v *ir.Value
	r facts.Interval
}

// end returns the end that a driver may know for v in block b. It returns false if the driver
// cannot know that v is constant.
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

// staysNear reports whether v, if a driver finds it to be constant, is small. Such a driver unrolls
// loops that add and multiply small numbers, and these have at most some thousand rounds.
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

// farAway is the minimal distance from zero of one of two constants whose difference is the least
// integer of 32 bits. The least 64-bit integer is farther away; but modules for devices without
// such integers have two words for it.
const farAway = 1 << 30

// nearby is the interval of numbers that are closer to zero.
var nearby = facts.Interval{Lo: -farAway + 1, Hi: farAway - 1}

// farFrom reports whether the distance between two ends may be the least integer. An end may be any
// large number if it is a constant of the kernel or a specialization constant. Other ends are
// counters of outer loops, as in insertion sorts; the difference of two non-negative numbers is
// smaller.
func (from end) farFrom(to end) bool {
	for _, e := range [2]end{from, to} {
		if e.v.IsConstExpr() && !e.r.Within(nearby) {
			return true
		}
	}
	half := uint64(1) << (from.v.Type.Bits() - 1)
	distant := func(lo, hi int64) bool { return lo < hi && uint64(hi)-uint64(lo) >= half }
	return distant(from.r.Lo, to.r.Hi) || distant(to.r.Lo, from.r.Hi)
}

// at returns the interval of v in block b. known is false in functions that the kernel calls, where
// no intervals are computed.
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
