package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file contains the workaround for the quirk least-counter of Mesa.

// hideDescents hides the initial value of a loop's counter, if the loop adds a negative constant to
// the counter. The initial value is hidden only if the difference between the initial value and the
// loop's bound may be the least integer. A driver that does not know the initial value of a counter
// does not compute the loop's number of iterations. For example, in the loop "for i <= 0 { … i--
// }", i may start as math.MinInt64. The initial value then becomes math.MinInt64 ^ zero.
//
// In most loops that count downward, all numbers are small. hideDescents does not change loops with
// only small numbers, so that drivers can unroll them.
//
// hideDescents also hides a large initial value if the loop adds a positive constant to the
// counter. A counter that starts with a large value soon wraps from its type's greatest value to
// the least value. A driver may compute the number of iterations as the difference between the
// loop's first and last value, modulo 2^32 or 2^64. For the following loop, a driver would compute
// 25 iterations instead of 3:
//
//	i := uint32(1<<32 - 3)
//	for i >= 23 { … i++ }
func hideDescents(h *hider) {
	newDescents(h).eachCounter(func(d *counterFinder, p *ir.Value, back int) {
		if !d.isDecreased(p, back) && !d.isIncreased(p, back) {
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

// counterFinder finds loops of two kinds. A loop of the first kind counts downward, and its first
// or last number is far from zero. A loop of the second kind counts beyond its type's greatest
// value.
type counterFinder struct {
	h      *hider
	dom    *ir.DomTree
	ranges *facts.Ranges // intervals of the kernel's values, or nil if not yet computed
}

func newDescents(h *hider) *counterFinder { return &counterFinder{h: h, dom: h.f.Dominators()} }

// eachCounter calls f for each integer phi p in a loop's header. The argument p.Args[back] is the
// value of p in the loop's next iteration.
func (d *counterFinder) eachCounter(f func(d *counterFinder, p *ir.Value, back int)) {
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

// isDecreased reports whether the counter p counts downward, and its first or last number is far
// from zero. The argument p.Args[back] is the value of p in the next iteration.
func (d *counterFinder) isDecreased(p *ir.Value, back int) bool {
	return d.stepsBy(p, p.Args[back], -1, map[*ir.Value]bool{}) && d.mayStartFar(p, back)
}

// isIncreased reports whether the counter p counts upward from a number so large that p may exceed
// its type's greatest value after a few iterations. If the initial number may also be small, the
// result is false. In a triangular loop nest, the initial number of the inner loop may be small or
// large.
func (d *counterFinder) isIncreased(p *ir.Value, back int) bool {
	if !d.stepsBy(p, p.Args[back], 1, map[*ir.Value]bool{}) {
		return false
	}
	unsigned, signed := false, false // whether p has unsigned or signed comparisons; a signed counter that is an index has both
	for _, b := range d.h.f.Blocks {
		for _, v := range b.Insts {
			if v.Op.Has(ir.FlagCompare) && slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return linearRoot(x) == p }) {
				unsigned = unsigned || v.Op == ir.OpULt || v.Op == ir.OpULe
				signed = signed || v.Op == ir.OpSLt || v.Op == ir.OpSLe
			}
		}
	}
	for i, first := range p.Args {
		if i == back || !first.IsConst() && !d.h.isLiteral(first, true) {
			continue
		}
		from, known := d.intervalAt(first, p.Block.Preds[i])
		if known && (from.Lo >= farAway || unsigned && !signed && from.Hi < 0) {
			return true
		}
	}
	return false
}

// stepsBy reports whether a loop adds a number to its counter p to compute the value `next`. The
// result is true only if a driver may recognize the number as a constant with the sign of wantSign.
// If `next` is a phi, one of its arguments must be the counter plus a number with the sign of
// wantSign.
func (d *counterFinder) stepsBy(p, next *ir.Value, wantSign int64, seen map[*ir.Value]bool) bool {
	by, sign := (*ir.Value)(nil), int64(1)
	switch next.Op {
	case ir.OpPhi:
		if next == p || seen[next] {
			return false
		}
		seen[next] = true
		return slices.ContainsFunc(next.Args, func(a *ir.Value) bool { return d.stepsBy(p, a, wantSign, seen) })
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
		return wantSign < 0 && n < 0 || wantSign > 0 && n > 0
	case !d.isInvariant(by, p.Block) || !d.h.isLiteral(by, true):
		return false
	}
	r, known := d.intervalAt(by, p.Block)
	return !known || wantSign*sign < 0 && r.Lo < 0 || wantSign*sign > 0 && r.Hi > 0
}

// isInvariant reports whether v is the same in all iterations of the loop with the given
// header.
func (d *counterFinder) isInvariant(v *ir.Value, header *ir.Block) bool {
	switch {
	case v.Block == nil || v.Block != header && d.dom.Dominates(v.Block, header):
		return true
	case !v.Op.Has(ir.FlagPure) || v.Op == ir.OpPhi:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !d.isInvariant(a, header) })
}

// mayStartFar reports whether a driver may find that the difference between the initial value of
// the counter p and the loop's bound is the least integer. The argument p.Args[back] is the value
// of p in the next iteration.
func (d *counterFinder) mayStartFar(p *ir.Value, back int) bool {
	var ends []counterEnd
	for _, b := range d.h.f.Blocks {
		for _, v := range b.Insts {
			if !v.Op.Has(ir.FlagCompare) {
				continue
			}
			for i, x := range v.Args {
				e, ok := d.counterEndOf(v.Args[1-i], b)
				if !ok || linearRoot(x) != p {
					continue
				}
				if (v.Op == ir.OpULt || v.Op == ir.OpULe) && !e.v.IsConst() {
					// For an unsigned comparison, Mesa's compiler divides unsigned numbers. Mesa's
					// compiler does not divide if it has turned the comparison into a comparison
					// with 0.
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
		if from, ok := d.counterEndOf(first, p.Block.Preds[i]); ok && slices.ContainsFunc(ends, func(to counterEnd) bool { return from.farFrom(to) }) {
			return true
		}
	}
	return false
}

// counterEnd describes the first or last value of a counter, as far as a driver may know it.
type counterEnd struct {
	v *ir.Value
	r facts.Interval
}

// counterEndOf returns the facts that a driver may know about v in block b, where v is the first or
// last value of a counter. If the driver cannot know that v is constant, counterEndOf returns
// false.
func (d *counterFinder) counterEndOf(v *ir.Value, b *ir.Block) (counterEnd, bool) {
	if !v.Type.IsInt() || !v.IsConst() && !d.h.isLiteral(v, true) {
		return counterEnd{}, false
	}
	r, known := d.intervalAt(v, b)
	if !known {
		r = facts.FullRange(v.Type)
	}
	if !r.Within(nearNumbers) && !v.IsConstExpr() && d.staysNear(v, map[*ir.Value]bool{}) {
		r = nearNumbers
	}
	return counterEnd{v, r}, true
}

// staysNear reports whether every constant that a driver may find for v is small. A driver finds
// that v is constant only if it has unrolled the loops that compute v. Unrolled loops add and
// multiply small numbers, and have at most a few thousand iterations.
func (d *counterFinder) staysNear(v *ir.Value, seen map[*ir.Value]bool) bool {
	const small = 1 << 12
	if seen[v] || !d.h.isLiteral(v, true) {
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

// farAway is half the magnitude of the least 32-bit integer (-2^31). If the difference of two
// constants is the least 32-bit integer, the magnitude of one constant is at least farAway. The
// constant is also used for 64-bit integers, because modules for devices without 64-bit integers
// represent an integer by two 32-bit words.
const farAway = 1 << 30

// nearNumbers is the interval of numbers with a smaller magnitude than farAway.
var nearNumbers = facts.Interval{Lo: -farAway + 1, Hi: farAway - 1}

// farFrom reports whether the difference between the first and last values "from" and "to" of a
// counter may be the least integer. farFrom returns true if one of the two values is a large
// constant, or a specialization constant that may be large. For other values, such as counters of
// outer loops, farFrom uses the intervals of the values. The difference of two non-negative numbers
// is never the least integer.
func (from counterEnd) farFrom(to counterEnd) bool {
	for _, e := range [2]counterEnd{from, to} {
		if e.v.IsConstExpr() && !e.r.Within(nearNumbers) {
			return true
		}
	}
	half := uint64(1) << (from.v.Type.Bits() - 1)
	distant := func(lo, hi int64) bool { return lo < hi && uint64(hi)-uint64(lo) >= half }
	return distant(from.r.Lo, to.r.Hi) || distant(to.r.Lo, from.r.Hi)
}

// intervalAt returns the interval of v in block b. In helper functions, no intervals are computed,
// so isKnown is true only for constants.
func (d *counterFinder) intervalAt(v *ir.Value, b *ir.Block) (r facts.Interval, isKnown bool) {
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
