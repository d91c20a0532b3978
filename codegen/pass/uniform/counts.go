package uniform

// This file analyses loop counters symbolically, to prove that a loop ends. Package facts provides
// the intervals of the counters' steps and of the loops' bounds.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// loopCount represents a number that changes in each iteration of a loop, even if only dead lanes
// execute the iteration. If widening is nil, the number is phi + inOffset. If widening is not nil,
// the number is phi + inOffset, converted by widening, plus outOffset.
type loopCount struct {
	phi                 *ir.Value
	inOffset, outOffset int64
	widening            *ir.Value // the conversion to a wider type, or nil
	stepInfo
	oneBackEdge   bool           // whether the loop has exactly one back edge
	startInterval facts.Interval // interval of phi in the first iteration
}

// stepInfo describes how a count changes from one iteration to the next.
type stepInfo struct {
	stepWay      stepKind
	stepRange    facts.Interval
	step         *ir.Value // the value that each iteration adds, or nil
	isSubtracted bool      // whether each iteration subtracts step instead of adding it
}

// Proviso is a condition under which a loop is known to end. The condition of a Proviso is 1 <=
// Step <= Most. If Opposite is set, the condition is 1 <= -Step <= Most.
type Proviso struct {
	Step     *ir.Value
	Opposite bool
	Most     uint64
}

// stepKind is the way in which a count changes from one iteration to the next.
type stepKind int

const (
	byNothing  stepKind = iota
	byAdding            // addition of a number in the interval stepInfo.stepRange
	byMultiple          // multiplication by a factor in the interval stepInfo.stepRange
	byHalving           // division by 2 or more; stepInfo.stepRange is -1 for arithmetic shifts, and 0 otherwise
)

// maxWrapIterations is a limit for loops that end only because their counter overflows. If such a
// loop has more iterations, it is treated as endless.
const maxWrapIterations = 1 << 24

// Plus returns a value x and a constant n whose sum is v.
func Plus(v *ir.Value) (x *ir.Value, n int64) {
	for {
		switch {
		case v.Op == ir.OpIAdd && v.Args[1].IsConst():
			v, n = v.Args[0], n+v.Args[1].Int()
		case v.Op == ir.OpIAdd && v.Args[0].IsConst():
			v, n = v.Args[1], n+v.Args[0].Int()
		case v.Op == ir.OpISub && v.Args[1].IsConst():
			v, n = v.Args[0], n-v.Args[1].Int()
		default:
			return v, n
		}
	}
}

// Invariant reports whether v is computed outside the loop.
func Invariant(v *ir.Value, l *ir.Loop) bool { return v.Block == nil || !l.Contains(v.Block) }

// countOf returns v as a number that changes in each iteration of loop l. If v is not a counter of
// the loop or a sum of a counter and a constant, countOf returns false.
func (u *Info) countOf(v *ir.Value, l *ir.Loop) (n loopCount, ok bool) {
	n.phi, n.inOffset = Plus(v)
	if c := n.phi; (c.Op == ir.OpSConvert || c.Op == ir.OpUConvert) && c.Type.Bits() > c.Args[0].Type.Bits() {
		n.widening, n.outOffset = c, n.inOffset
		n.phi, n.inOffset = Plus(c.Args[0])
	}
	if n.phi.Op != ir.OpPhi || n.phi.Block != l.Head {
		return n, false
	}
	first := true
	for i, a := range n.phi.Args {
		p := l.Head.Preds[i]
		if !slices.Contains(l.Latches, p) {
			continue
		}
		s := u.stepOf(n.phi, a, p, l)
		if s.stepWay == byNothing || !first && s.stepWay != n.stepWay {
			return n, false
		}
		if !first {
			s.stepRange = s.stepRange.Union(n.stepRange)
		}
		n.stepInfo, first = s, false
	}
	n.oneBackEdge = len(l.Latches) == 1
	if n.stepWay == byHalving {
		return n, true
	}
	first = true
	for i, a := range n.phi.Args {
		p := l.Head.Preds[i]
		if slices.Contains(l.Latches, p) {
			continue
		}
		s := u.intervalAt(a, p)
		if !first {
			s = s.Union(n.startInterval)
		}
		n.startInterval, first = s, false
	}
	return n, !first
}

// stepOf finds the operation that computes v from phi. The value v is the phi's value in the next
// iteration of l.
func (u *Info) stepOf(phi, v *ir.Value, latch *ir.Block, l *ir.Loop) (s stepInfo) {
	sum, n := Plus(v)
	s.stepRange = facts.Interval{Lo: n, Hi: n}
	if sum.Op == ir.OpIAdd || sum.Op == ir.OpISub {
		x, y := sum.Args[0], sum.Args[1]
		if sum.Op == ir.OpIAdd && y == phi {
			x, y = y, x
		}
		if x == phi && Invariant(y, l) {
			q := u.intervalAt(y, latch)
			if sum.Op == ir.OpISub {
				q = q.Negated()
			}
			if n == 0 {
				s.step, s.isSubtracted = y, sum.Op == ir.OpISub
			}
			sum, s.stepRange = phi, facts.AddRanges(s.stepRange, q)
		}
	}
	if full := facts.FullRange(phi.Type); sum == phi {
		if s.stepWay = byAdding; !s.stepRange.Within(full) {
			s.stepRange = full
		}
		return s
	}
	if len(v.Args) != 2 {
		return s
	}
	x, y := v.Args[0], v.Args[1]
	if v.Op == ir.OpIMul && y == phi {
		x, y = y, x
	}
	switch {
	case v.Op == ir.OpIAdd && x == phi && y == phi:
		s.stepWay, s.stepRange = byMultiple, facts.Interval{Lo: 2, Hi: 2}
	case x != phi || !y.IsConst() || y.Int() <= 0 || y.Int() >= int64(phi.Type.Bits()):
	case v.Op == ir.OpShl && y.Int() < 62:
		s.stepWay, s.stepRange = byMultiple, facts.Interval{Lo: 1 << y.Int(), Hi: 1 << y.Int()}
	case v.Op == ir.OpIMul && y.Int() > 1:
		s.stepWay, s.stepRange = byMultiple, facts.Interval{Lo: y.Int(), Hi: y.Int()}
	case v.Op == ir.OpShrL || (v.Op == ir.OpUDiv || v.Op == ir.OpSDiv) && y.Int() > 1:
		s.stepWay, s.stepRange = byHalving, facts.Interval{}
	case v.Op == ir.OpShrA:
		s.stepWay, s.stepRange = byHalving, facts.Interval{Lo: -1, Hi: -1}
	}
	return s
}

// invariantRange returns the interval of the loop-invariant value v at the back edges of l.
func (u *Info) invariantRange(v *ir.Value, l *ir.Loop) facts.Interval {
	p := u.intervalAt(v, l.Latches[0])
	for _, b := range l.Latches[1:] {
		p = p.Union(u.intervalAt(v, b))
	}
	return p
}

// intervalAt returns an interval of v in block b that is also valid for dead lanes. For this
// reason, intervalAt ignores the conditions of divergent branches.
func (u *Info) intervalAt(v *ir.Value, b *ir.Block) facts.Interval {
	if v.IsConst() {
		return facts.Interval{Lo: v.Int(), Hi: v.Int()}
	}
	if u.ranges == nil {
		divergent := map[*ir.Block]bool{}
		for _, x := range u.Order {
			divergent[x] = x.Term.Kind == ir.Branch && !u.Together(x)
		}
		u.ranges = facts.NewRangesOf(u.f.Module, divergent)
		u.ranges.Solve()
		u.ranges.Known = map[facts.Place]facts.Interval{}
	}
	return u.ranges.At(v, b)
}

// reachesValue reports whether the count n is known to equal an invariant value in some iteration
// of the loop. The argument "end" is an interval that contains the invariant value. If wantEqual is
// false, reachesValue reports whether n is known to differ from the invariant value in some
// iteration.
func (n *loopCount) reachesValue(end facts.Interval, wantEqual bool) bool {
	if n.stepWay != byAdding {
		return false
	}
	if !wantEqual {
		return n.stepRange.Lo > 0 || n.stepRange.Hi < 0
	}
	all, start, end, ok := n.subtractOffset(end)
	if !ok || n.stepRange.Lo != n.stepRange.Hi || !end.Within(all) {
		return false
	}
	switch by := n.stepRange.Lo; {
	case by == 1:
		return start.Hi <= end.Lo
	case by == -1:
		return start.Lo >= end.Hi
	case by == 0 || start.Lo != start.Hi || end.Lo != end.Hi:
		return false
	default:
		d, over := facts.Sub64(end.Lo, start.Lo)
		return !over && d%by == 0 && d/by >= 0
	}
}

// subtractOffset subtracts n.outOffset from the count n and from the interval "end". The results
// describe the values after the subtraction. The result "all" contains all possible values of n,
// and "start" contains its values in the first iteration. The result "less" is the reduced interval
// "end".
func (n *loopCount) subtractOffset(end facts.Interval) (all, start, less facts.Interval, ok bool) {
	all = facts.FullRange(n.phi.Type)
	start = facts.AddRanges(n.startInterval, facts.Interval{Lo: n.inOffset, Hi: n.inOffset})
	if !start.Within(all) {
		start = all
	}
	if n.widening == nil {
		return all, start, end, true
	}
	all, start = facts.ConvertRange(n.widening, all), facts.ConvertRange(n.widening, start)
	less = facts.AddRanges(end, facts.Interval{Lo: n.outOffset, Hi: n.outOffset}.Negated())
	full := facts.FullRange(n.widening.Type)
	return all, start, less, less.Within(full) && facts.AddRanges(all, facts.Interval{Lo: n.outOffset, Hi: n.outOffset}).Within(full)
}

// passOrder describes how a count must change to pass the end value of a loop: upward or downward,
// as a signed or unsigned number.
type passOrder struct {
	unsigned, isDown bool
	isStrict         bool // whether the count must exceed the end value, not only reach it
	bits             int
}

// orderOf returns the order for operand i of the comparison c. If the operand changes in this
// order, the result of c becomes want at some time.
func orderOf(c *ir.Value, i int, want bool) passOrder {
	less := c.Op == ir.OpSLt || c.Op == ir.OpULt
	return passOrder{
		unsigned: c.Op == ir.OpULt || c.Op == ir.OpULe, isDown: want != (i == 1),
		isStrict: want == less, bits: c.Args[0].Type.Bits(),
	}
}

// mapBounds maps the bounds of p to unsigned numbers. When a count changes in the order o, its
// unsigned number grows.
func (o passOrder) mapBounds(p facts.Interval) (lo, hi uint64) {
	lo, hi = uint64(p.Lo)^1<<63, uint64(p.Hi)^1<<63
	if o.unsigned {
		mask := uint64(math.MaxUint64) >> (64 - o.bits)
		if lo, hi = uint64(p.Lo)&mask, uint64(p.Hi)&mask; p.Lo < 0 && p.Hi >= 0 {
			lo, hi = 0, mask
		}
	}
	if o.isDown {
		return ^hi, ^lo
	}
	return lo, hi
}

// passesEnd reports whether the count n is known to reach or pass the end value in the order o. If
// passesEnd returns a proviso, the result of passesEnd is valid only under the proviso.
func (n *loopCount) passesEnd(end facts.Interval, o passOrder) (*Proviso, bool) {
	all, start, end, ok := n.subtractOffset(end)
	if !ok {
		return nil, false
	}
	if n.widening != nil && o.unsigned {
		// For non-negative numbers, the signed order equals the unsigned order.
		if end.Lo < -n.outOffset || all.Lo < -n.outOffset {
			return nil, false
		}
		o.unsigned = false
	}
	if n.stepWay == byMultiple {
		return nil, n.passesByFactor(end, o)
	}
	_, last := o.mapBounds(all)
	_, from := o.mapBounds(start)
	_, to := o.mapBounds(end)
	by := n.stepRange
	if o.isDown {
		by = by.Negated()
	}
	if by.Lo >= 1 && by.Hi >= by.Lo {
		most := uint64(by.Hi)
		zero, _ := o.mapBounds(facts.Interval{})
		switch {
		case (last-from)/most >= maxWrapIterations:
			return nil, true
		case to > last:
		case last-to >= most || !o.isStrict && last-to >= most-1:
			return nil, true // no step is large enough to skip all numbers that end the loop
		case n.oneBackEdge && start == facts.Interval{} && most <= last-zero && (to <= zero || to-zero <= (last-zero)/2):
			return nil, true // a count from 0 to at most half of the maximum passes the end before it overflows
		}
	}
	if p := (Proviso{n.step, n.isSubtracted != o.isDown, (last - from) / maxWrapIterations}); n.oneBackEdge && p.Step != nil && p.Most > 0 {
		return &p, true
	}
	return nil, false
}

// passesByFactor is like passesEnd, for a count that is multiplied in each
// iteration.
func (n *loopCount) passesByFactor(end facts.Interval, o passOrder) bool {
	last := uint64(facts.FullRange(n.phi.Type).Hi)
	to := uint64(max(end.Hi, 0))
	if o.unsigned {
		_, last = o.mapBounds(facts.Interval{Lo: -1, Hi: 0})
		_, to = o.mapBounds(end)
	}
	// The count must start at 1 or more, since a count that starts at zero stays zero.
	if n.widening != nil || o.isDown || n.inOffset < 0 || n.startInterval.Lo < 1 || uint64(n.inOffset) > last-uint64(n.startInterval.Hi) {
		return false
	}
	hi, lo := bits.Mul64(to, uint64(n.stepRange.Hi))
	return hi == 0 && lo <= last && uint64(n.inOffset) <= last-lo
}
