package loops

// This file computes the value of an index in the first and last iterations of the loops of a loop
// nest, for the pass ahead.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// nestEnds computes values of a loop nest in the first and last iterations of its loops. nestEnds
// handles invariant values, counters that change by a constant step, and sums and products of
// invariant values and counters. All values that nestEnds handles are linear in the counter of each
// single loop. So a bound that holds for all combinations of first and last iterations holds in
// every iteration. No value that nestEnds computes may wrap.
type nestEnds struct {
	a        *facts.Ranges
	l        *ir.Loop
	counters map[*ir.Block]*loopCounter // maps the head of a loop to the loop's counter
	order    []*loopCounter
	entry    map[*ir.Value]*ir.Value // maps a phi of a loop's head to its initial value, if there is only one
	varying  map[*ir.Value]variance
	spans    map[*ir.Value]facts.Interval
	assuming bool
	narrow   []*ir.Value // 64-bit values that are assumed to fit in 32 bits

	pre  *ir.Block               // block before the loop nest; computations are added to this block
	made map[endKey]*ir.Value    // computed values of the first or last iterations, to avoid duplicates
	same map[*ir.Value]*ir.Value // maps an invariant value to its copy in block pre
}

// A variance is a set of loops as a bit mask. A variance contains either the loops in which a value
// changes, or the loops that are in their last iteration.
type variance uint8

const (
	unknown     variance = 1 << 7
	maxCounters          = 3
)

// An endKey identifies a value v in certain iterations. These are the last iterations of the loops
// in the set "ends", and the first iterations of all other loops.
type endKey struct {
	v    *ir.Value
	ends variance
}

// loopCounter describes a loop with a number n that grows by step in each iteration. The loop
// continues while n < end. If step is negative, the loop continues while n > end.
type loopCounter struct {
	l      *ir.Loop
	bit    variance
	stay   *ir.Block // block that every iteration executes if the loop's condition holds
	next   bool      // whether the loop tests its condition at the end of an iteration
	phi    *ir.Value
	k      int64     // the difference between the number n and phi
	n, end *ir.Value // the number that the loop compares, and its bound
	or     int64     // 1 if the loop also continues when n equals end, else 0
	step   int64
}

func newCorners(a *facts.Ranges, loops *ir.Loops, l *ir.Loop) *nestEnds {
	r := &nestEnds{a: a, l: l, counters: map[*ir.Block]*loopCounter{}, entry: map[*ir.Value]*ir.Value{},
		varying: map[*ir.Value]variance{}, spans: map[*ir.Value]facts.Interval{}}
	for _, in := range loops.All {
		if !l.Contains(in.Head) {
			continue
		}
		for _, phi := range in.Head.Phis {
			if init, _ := phiSides(phi, in); init != nil {
				r.entry[phi] = init
			}
		}
		if len(r.order) < maxCounters {
			r.findCounter(in)
		}
	}
	return r
}

// phiSides returns two values of a phi in the loop's head: the initial value, and the value in the
// next iteration. If the phi has different arguments on the edges that enter the loop, first is
// nil. If the phi has different arguments on the back edges, next is nil.
func phiSides(phi *ir.Value, l *ir.Loop) (first, next *ir.Value) {
	one := func(back bool) *ir.Value {
		var v *ir.Value
		for i, a := range phi.Args {
			if l.Contains(phi.Block.Preds[i]) == back {
				if v != nil && v != a {
					return nil
				}
				v = a
			}
		}
		return v
	}
	return one(false), one(true)
}

// growthOf returns the value by which each iteration increases phi. If isDown is true, each
// iteration decreases phi by the value.
func growthOf(phi *ir.Value, l *ir.Loop) (by *ir.Value, isDown bool) {
	_, next := phiSides(phi, l)
	if next == nil || !phi.Type.IsInt() {
		return nil, false
	}
	switch {
	case next.Op == ir.OpIAdd && next.Args[0] == phi:
		return next.Args[1], false
	case next.Op == ir.OpIAdd && next.Args[1] == phi:
		return next.Args[0], false
	case next.Op == ir.OpISub && next.Args[0] == phi:
		return next.Args[1], true
	}
	return nil, false
}

// findCounter finds the counter of the loop l and adds it to r.order.
func (r *nestEnds) findCounter(l *ir.Loop) {
	for _, b := range l.Blocks {
		if b.Term.Kind != ir.Branch || slices.ContainsFunc(l.Latches, func(x *ir.Block) bool { return !r.a.Dom.Dominates(b, x) }) {
			continue
		}
		for i, stay := range b.Term.Succs {
			if out := b.Term.Succs[1-i]; l.Contains(out) || rewrite.IsFault(out) || !l.Contains(stay) {
				continue
			}
			// The variable next is set if the test at the end of an iteration decides whether there
			// is another iteration.
			next := stay == l.Head || len(stay.Insts) == 0 && slices.Equal(stay.Term.Succs, []*ir.Block{l.Head})
			if next {
				stay = l.Head
			} else if len(stay.Preds) != 1 {
				continue
			}
			var c *loopCounter
			facts.EachRelation(b.Term.Cond, i == 0, func(x *ir.Value, rel facts.Relation, y *ir.Value, unsigned bool) {
				if unsigned && !(x.Type.IsInt() && r.a.At(y, b).Lo >= 0 && (rel == facts.Below || rel == facts.AtMost)) {
					return
				}
				for _, s := range [2]loopCounter{{n: x, end: y}, {n: y, end: x}} {
					s.l, s.stay, s.next, s.bit = l, stay, next, 1<<len(r.order)
					if c == nil && r.completeCounter(&s, rel) {
						c = &s
					}
					rel = facts.Flip(rel)
				}
			})
			if c != nil {
				r.order = append(r.order, c)
				return
			}
		}
	}
}

// completeCounter computes c.phi, c.k, c.step and c.or for a loop that compares c.n with c.end. If
// c is valid, completeCounter adds c to r.counters and returns true.
func (r *nestEnds) completeCounter(c *loopCounter, rel facts.Relation) bool {
	// The number c.n must be a phi plus a constant.
	phi, k := c.n, int64(0)
	for phi.Block != nil && phi.Op == ir.OpIAdd && phi.Args[1].IsConst() {
		k += phi.Args[1].Int()
		phi = phi.Args[0]
	}
	if phi.Op != ir.OpPhi || phi.Block != c.l.Head || r.entry[phi] == nil || !facts.Fits32(k) {
		return false
	}
	by, down := growthOf(phi, c.l)
	if by == nil || !by.IsConst() || by.Int() == 0 || !facts.Fits32(by.Int()) {
		return false
	}
	c.phi, c.k = phi, k
	if c.step = by.Int(); down {
		c.step = -c.step
	}
	switch {
	case rel == facts.Below && c.step > 0, rel == facts.Above && c.step < 0:
	case rel == facts.AtMost && c.step > 0, rel == facts.AtLeast && c.step < 0:
		c.or = 1
	default:
		return false
	}
	if r.varyingLoops(c.end) != 0 || r.varyingLoops(r.entry[phi]) != 0 {
		return false
	}
	terminates := func() bool { return r.neverWraps(c) }
	if !terminates() && !r.withAssumptions(terminates) {
		return false
	}
	r.counters[c.l.Head] = c
	clear(r.varying)
	return true
}

// withAssumptions calls analyse, which may then assume that 64-bit values fit in 32 bits.
// withAssumptions returns the result of analyse, and keeps the assumptions only if the result is
// true.
func (r *nestEnds) withAssumptions(analyse func() bool) bool {
	mark := r.markAssumed()
	clear(r.spans)
	r.assuming = true
	ok := analyse()
	if r.assuming = false; !ok {
		r.resetAssumed(mark)
	}
	return ok
}

// startInterval returns the interval of the counter's number before the first test. If the loop
// tests its condition at the end, startInterval subtracts step from the number.
func (r *nestEnds) startInterval(c *loopCounter) facts.Interval {
	k := c.k
	if c.next {
		k -= c.step
	}
	return facts.AddRanges(r.intervalOf(r.entry[c.phi]), facts.Interval{Lo: k, Hi: k})
}

// neverWraps reports whether neither the counter's number nor its phi can wrap before
// the loop ends.
func (r *nestEnds) neverWraps(c *loopCounter) bool {
	start := r.startInterval(c)
	first := facts.AddRanges(r.intervalOf(r.entry[c.phi]), facts.Interval{Lo: c.k, Hi: c.k})
	way := facts.AddRanges(r.intervalOf(c.end), facts.Interval{Lo: min(c.step, 0) - 1, Hi: max(c.step, 0) + 1})
	if start.Empty() || first.Empty() || way.Empty() || r.lastInterval(c).Empty() {
		return false
	}
	// The interval "all" contains all values of the number and of the phi, including their values
	// after the last iteration.
	all := facts.AddRanges(start.Union(first).Union(way), facts.Interval{Lo: min(-c.k, 0), Hi: max(-c.k, 0)})
	full := facts.FullRange(c.phi.Type)
	return !all.Empty() && all.Lo >= full.Lo && all.Hi <= full.Hi
}

// lastInterval returns the interval of the index of the loop's last iteration, counted from 0.
func (r *nestEnds) lastInterval(c *loopCounter) facts.Interval {
	from, to := r.startInterval(c), r.intervalOf(c.end)
	if c.step < 0 {
		from, to = to, from
	}
	d := facts.SubRanges(to, from)
	if d.Empty() {
		return d
	}
	if d = facts.AddRanges(d, facts.Interval{Lo: c.or - 1, Hi: c.or - 1}); d.Empty() {
		return d
	}
	s := max(c.step, -c.step)
	return facts.Interval{Lo: min(d.Lo, 0) / s, Hi: max(d.Hi, 0) / s}
}

// runsInLoops reports whether block b is executed only while the conditions of all given loops
// hold. The result is false if b is outside of a given loop, or is also executed when the loop's
// condition is false.
func (r *nestEnds) runsInLoops(b *ir.Block, with variance) bool {
	for _, c := range r.order {
		if with&c.bit != 0 && !(c.l.Contains(b) && r.a.Dom.Dominates(c.stay, b)) {
			return false
		}
	}
	return with&unknown == 0
}

// varyingLoops returns the set of loops in which the value v changes.
func (r *nestEnds) varyingLoops(v *ir.Value) variance {
	if v.IsConst() || v.Block == nil || !r.l.Contains(v.Block) {
		return 0
	}
	if x, ok := r.varying[v]; ok {
		return x
	}
	r.varying[v] = unknown
	x := r.varies(v)
	r.varying[v] = x
	return x
}

func (r *nestEnds) varies(v *ir.Value) variance {
	if v.Op == ir.OpPhi {
		c := r.counters[v.Block]
		if c == nil || r.entry[v] == nil {
			return unknown
		}
		if by, _ := growthOf(v, c.l); by == nil || r.varyingLoops(by) != 0 {
			return unknown
		}
		return r.varyingLoops(r.entry[v]) | c.bit
	}
	var all, both variance
	for _, a := range v.Args {
		x := r.varyingLoops(a)
		both |= all & x
		all |= x
	}
	switch {
	case all&unknown != 0:
		return unknown
	case all == 0:
		if !facts.Speculative(v) {
			return unknown
		}
		return 0
	}
	switch v.Op {
	case ir.OpIAdd, ir.OpISub:
		return all
	case ir.OpIMul:
		if both == 0 {
			return all
		}
	case ir.OpShl:
		if n := v.Args[1]; n.IsConst() && n.Bits < 32 {
			return all
		}
	case ir.OpSConvert, ir.OpUConvert:
		if v.Args[0].Type.IsInt() {
			return all
		}
	}
	return unknown
}

// isExact reports whether v can be computed for the first and last iterations without wrapping. If
// necessary, isExact assumes that 64-bit values fit in 32 bits.
func (r *nestEnds) isExact(v *ir.Value) bool {
	if x := r.varyingLoops(v); x == 0 || x&unknown != 0 {
		return x == 0
	}
	known := func() bool { return !r.intervalOf(v).Empty() }
	return known() || r.withAssumptions(known)
}

// markAssumed returns a mark for the current assumptions. A call of resetAssumed with the mark
// removes all assumptions made after the mark.
func (r *nestEnds) markAssumed() int { return len(r.narrow) }
func (r *nestEnds) resetAssumed(n int) {
	r.narrow = r.narrow[:n]
	clear(r.spans)
}

// intervalOf returns an interval that contains v in all iterations. The interval is empty if v
// may wrap.
func (r *nestEnds) intervalOf(v *ir.Value) facts.Interval {
	if p, ok := r.spans[v]; ok {
		return p
	}
	p := r.spanOf(v)
	if full := facts.FullRange(v.Type); p.Lo < full.Lo || p.Hi > full.Hi {
		p = facts.Interval{Lo: 1, Hi: 0}
	}
	r.spans[v] = p
	return p
}

func (r *nestEnds) spanOf(v *ir.Value) facts.Interval {
	if r.varyingLoops(v) != 0 {
		return r.computedSpan(v)
	}
	p := r.staticSpan(v)
	if q := p.Meet(facts.FullRange(ir.TypeI32)); q != p && v.Type == ir.TypeI64 {
		known := slices.Contains(r.narrow, v)
		if !known && r.assuming {
			r.narrow = append(r.narrow, v)
		}
		if known || r.assuming {
			p = q
		}
	}
	return p
}

// staticSpan returns the interval of the invariant value v. staticSpan does not use the branches
// inside the loop nest, because facts from these branches do not hold ahead of the nest.
func (r *nestEnds) staticSpan(v *ir.Value) facts.Interval {
	switch {
	case v.IsConst() || v.Block == nil || !r.l.Contains(v.Block):
		return r.a.At(v, r.l.Head)
	case len(v.Args) == 0:
		return r.a.Value(v)
	}
	full := facts.FullRange(v.Type)
	switch v.Op {
	case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpSConvert, ir.OpUConvert:
		if p := r.computedSpan(v); !p.Empty() && p.Lo >= full.Lo && p.Hi <= full.Hi {
			return p
		}
	}
	return full
}

// computedSpan computes the interval of v from the intervals of its operands. The interval may
// exceed the range of v's type.
func (r *nestEnds) computedSpan(v *ir.Value) facts.Interval {
	none := facts.Interval{Lo: 1, Hi: 0}
	var p [2]facts.Interval
	args := v.Args
	if v.Op == ir.OpPhi {
		args = []*ir.Value{r.entry[v]}
	}
	for i, a := range args {
		if !a.Type.IsInt() {
			return none
		}
		if p[i] = r.intervalOf(a); p[i].Empty() {
			return none
		}
	}
	switch v.Op {
	case ir.OpPhi:
		c := r.counters[v.Block]
		by, down := growthOf(v, c.l)
		s := r.intervalOf(by)
		if down {
			s = s.Neg()
		}
		last := r.lastInterval(c)
		if s.Empty() || last.Empty() {
			return none
		}
		grown := facts.MulRanges(s, last)
		if grown.Empty() {
			return none
		}
		return facts.AddRanges(p[0], grown.Union(facts.Interval{}))
	case ir.OpIAdd:
		return facts.AddRanges(p[0], p[1])
	case ir.OpISub:
		return facts.SubRanges(p[0], p[1])
	case ir.OpIMul:
		return facts.MulRanges(p[0], p[1])
	case ir.OpShl:
		n := args[1].Bits
		return facts.MulRanges(p[0], facts.Interval{Lo: 1 << n, Hi: 1 << n})
	case ir.OpUConvert:
		if v.Type.Bits() > args[0].Type.Bits() && p[0].Lo < 0 {
			return none
		}
	}
	return p[0]
}

// setBlock sets the block to which valueAt, hoistValue and testAssumed append values.
func (r *nestEnds) setBlock(b *ir.Block) {
	r.pre, r.made, r.same = b, map[endKey]*ir.Value{}, map[*ir.Value]*ir.Value{}
}

// testAssumed appends comparisons which test that the assumed 64-bit values fit in 32 bits, and
// returns the comparisons.
func (r *nestEnds) testAssumed() []*ir.Value {
	var all []*ir.Value
	m := r.a.Module
	for _, v := range r.narrow {
		x := r.hoistValue(v)
		p := r.staticSpan(v)
		if p.Lo < math.MinInt32 {
			all = append(all, r.pre.Append(ir.OpSLe, ir.TypeBool, m.Int(ir.TypeI64, math.MinInt32), x))
		}
		if p.Hi > math.MaxInt32 {
			all = append(all, r.pre.Append(ir.OpSLe, ir.TypeBool, x, m.Int(ir.TypeI64, math.MaxInt32)))
		}
	}
	return all
}

// hoistValue copies the computation of the invariant value v to block pre, ahead of the loop nest,
// and returns the copy. If v is computed outside the loop nest, hoistValue returns v.
func (r *nestEnds) hoistValue(v *ir.Value) *ir.Value {
	if v.IsConst() || v.Block == nil || !r.l.Contains(v.Block) {
		return v
	}
	x := r.same[v]
	if x == nil {
		args := make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = r.hoistValue(a)
		}
		x = r.pre.Append(v.Op, v.Type, args...)
		x.Bits, x.Aux, x.Pos = v.Bits, v.Aux, v.Pos
		r.same[v] = x
	}
	return x
}

// valueAt returns the value of v as a 64-bit integer. valueAt uses the last iterations of the loops
// in the set "ends", and the first iterations of the other loops.
func (r *nestEnds) valueAt(v *ir.Value, ends variance) *ir.Value {
	ends &= r.varyingLoops(v)
	key := endKey{v, ends}
	x := r.made[key]
	if x == nil {
		x = r.compute(v, ends)
		r.made[key] = x
	}
	return x
}

func (r *nestEnds) compute(v *ir.Value, ends variance) *ir.Value {
	op := func(o ir.Op, x, y *ir.Value) *ir.Value { return r.pre.Append(o, ir.TypeI64, x, y) }
	if r.varyingLoops(v) == 0 {
		x := r.hoistValue(v)
		if x.Type != ir.TypeI64 {
			x = r.pre.Append(ir.OpSConvert, ir.TypeI64, x)
		}
		return x
	}
	switch v.Op {
	case ir.OpPhi:
		c := r.counters[v.Block]
		x := r.valueAt(r.entry[v], ends)
		if ends&c.bit == 0 {
			return x
		}
		by, down := growthOf(v, c.l)
		grown := op(ir.OpIMul, r.valueAt(by, 0), r.lastRound(c))
		if down {
			return op(ir.OpISub, x, grown)
		}
		return op(ir.OpIAdd, x, grown)
	case ir.OpShl:
		return op(ir.OpIMul, r.valueAt(v.Args[0], ends), r.a.Module.Int(ir.TypeI64, 1<<v.Args[1].Bits))
	case ir.OpSConvert, ir.OpUConvert:
		return r.valueAt(v.Args[0], ends)
	}
	return op(v.Op, r.valueAt(v.Args[0], ends), r.valueAt(v.Args[1], ends))
}

// lastRound returns the index of the last iteration of the counter's loop, counted from 0.
func (r *nestEnds) lastRound(c *loopCounter) *ir.Value {
	key := endKey{ends: c.bit}
	x := r.made[key]
	if x == nil {
		m := r.a.Module
		from, to := r.valueAt(c.n, 0), r.valueAt(c.end, 0)
		if c.step < 0 {
			from, to = to, from
		}
		x = r.pre.Append(ir.OpISub, ir.TypeI64, to, from)
		s := max(c.step, -c.step)
		more := c.or - 1
		if c.next {
			more += s
		}
		x = r.pre.Append(ir.OpIAdd, ir.TypeI64, x, m.Int(ir.TypeI64, more))
		if s != 1 {
			x = r.pre.Append(ir.OpSDiv, ir.TypeI64, x, m.Int(ir.TypeI64, s))
		}
		r.made[key] = x
	}
	return x
}
