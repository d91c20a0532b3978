package quirks

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file has Mesa's row least-counter.

// hideDescents hides where a loop's counter begins, if the loop adds a negative constant to it and
// the way to what it is compared with may be the least number. A driver that does not know the
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
	d := &descents{h: h}
	for _, b := range h.f.Blocks {
		back := slices.Index(b.Preds, b.Continue)
		if b.Continue == nil || back < 0 {
			continue
		}
		for _, p := range b.Phis {
			if !p.Type.IsInt() || !d.falls(p, back) && !d.rises(p, back) {
				continue
			}
			for i, first := range p.Args {
				if i == back {
					continue
				}
				m := &rewrite.Maker{Func: h.f, At: &ir.Value{Block: b.Preds[i], Pos: p.Pos}}
				p.Args[i] = m.Op(ir.OpXor, p.Type, first, m.Zero(p.Type))
				b.Preds[i].Insts = append(b.Preds[i].Insts, m.Made...)
			}
		}
	}
}

// descents finds the loops of a function that count downwards from or to far numbers.
type descents struct {
	h      *hider
	ranges *facts.Ranges // nil before the first question
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
			if facts.IsCompare(v.Op) && slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return linearRoot(x) == p }) {
				unsigned = unsigned || v.Op == ir.OpULt || v.Op == ir.OpULe
				signed = signed || v.Op == ir.OpSLt || v.Op == ir.OpSLe
			}
		}
	}
	for i, first := range p.Args {
		if i == back {
			continue
		}
		from, known := d.interval(first, p.Block.Preds[i])
		if known && (from.Lo >= farAway || unsigned && !signed && from.Hi < 0) {
			return true
		}
	}
	return false
}

// steps reports whether a loop makes next of its counter p by adding a number that a driver may
// find to be a constant of that sign. Phis in between join the ways on which the loop goes on.
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
		return by.Int() != 0 && (sign*by.Int() < 0) == (want < 0)
	default:
		return d.h.literal(by, true)
	}
}

// farAway is how far from zero the beginning and the end of a loop must be at least for the way
// between them to be the least number of 32 bits. Of 64 bits the half would be more, but words are
// halves of these.
const farAway = 1 << 30

// far reports whether the counter p begins at, or is compared with, a number which a driver may
// find to be a constant far away from zero. p.Args[back] is the counter's next value.
func (d *descents) far(p *ir.Value, back int) bool {
	for i, first := range p.Args {
		if i != back && d.isFar(first, p.Block.Preds[i]) {
			return true
		}
	}
	for _, b := range d.h.f.Blocks {
		for _, v := range b.Insts {
			if !facts.IsCompare(v.Op) {
				continue
			}
			for i, x := range v.Args {
				if linearRoot(x) == p && d.isFar(v.Args[1-i], b) {
					return true
				}
			}
		}
	}
	return false
}

// isFar reports whether a driver may find that v, in block b, is a constant far away from zero.
func (d *descents) isFar(v *ir.Value, b *ir.Block) bool {
	near := facts.Interval{Lo: -farAway + 1, Hi: farAway - 1}
	all, known := d.interval(v, b)
	return known && !all.Within(near)
}

// interval returns the numbers that v, in block b, may be, if a driver may find that it is a
// constant.
func (d *descents) interval(v *ir.Value, b *ir.Block) (all facts.Interval, known bool) {
	switch {
	case v.IsConst():
		return facts.Interval{Lo: v.Int(), Hi: v.Int()}, true
	case !d.h.literal(v, true):
		return all, false
	case d.h.f != d.h.f.Module.Kernel:
		return facts.Interval{Lo: math.MinInt64, Hi: math.MaxInt64}, true
	}
	if d.ranges == nil {
		d.ranges = facts.NewRanges(d.h.f.Module)
		d.ranges.Solve()
	}
	return d.ranges.At(v, b), true
}
