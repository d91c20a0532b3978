package facts

// This file finds whether an index belongs to the work-item's own elements, as a part of
// footprint.go's analysis. It writes the index as a sum of products, as sums.go does, but in
// integers that do not wrap: if indices wrap, two work-items may use the same element although
// their sums differ.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

const (
	maxFactors    = 3 // z*H*W
	maxSummands   = 8
	maxIndexSteps = 200 // number of values examined for one index
)

// summand is coef times the factors. The factors are in order of their IDs; unused ones are nil and
// last.
type summand struct {
	coef    int64
	factors [maxFactors]*ir.Value
}

// sum is k plus the summands, which have different factors. The sum is an integer of unlimited
// size. Its low bits are the value that was converted to the sum. So coefficients may wrap at 64
// bits: the low bits stay the same. Conclusions are about the sum. They also hold for the value if
// the sum fits in the value's type; see need.
type sum struct {
	k     int64
	terms []summand
}

// plus returns s + c*t, and false if that has too many summands.
func (s sum) plus(t sum, c int64) (sum, bool) {
	r := sum{s.k + c*t.k, slices.Clone(s.terms)}
	for _, x := range t.terms {
		x.coef *= c
		r.add(x)
	}
	return r, len(r.terms) <= maxSummands
}

func (s *sum) add(x summand) {
	i := slices.IndexFunc(s.terms, func(y summand) bool { return x.factors == y.factors })
	if i < 0 {
		i = len(s.terms)
		s.terms = append(s.terms, summand{0, x.factors})
	}
	if s.terms[i].coef += x.coef; s.terms[i].coef == 0 {
		s.terms = slices.Delete(s.terms, i, i+1)
	}
}

// times returns s * t, and false if that has too many summands or factors.
func (s sum) times(t sum) (sum, bool) {
	all := func(s sum) []summand { return append([]summand{{coef: s.k}}, s.terms...) }
	var r sum
	for _, x := range all(s) {
		for _, y := range all(t) {
			p, ok := x.times(y)
			if !ok {
				return sum{}, false
			}
			r.add(p)
		}
	}
	if i := slices.IndexFunc(r.terms, func(x summand) bool { return x.factors[0] == nil }); i >= 0 {
		r.k = r.terms[i].coef
		r.terms = slices.Delete(r.terms, i, i+1)
	}
	return r, len(r.terms) <= maxSummands
}

func (x summand) times(y summand) (summand, bool) {
	all := append(x.list(), y.list()...)
	if x.coef *= y.coef; x.coef == 0 {
		return summand{}, true
	}
	if len(all) > maxFactors {
		return summand{}, false
	}
	slices.SortFunc(all, func(a, b *ir.Value) int { return a.ID - b.ID })
	x.factors = [maxFactors]*ir.Value{}
	copy(x.factors[:], all)
	return x, true
}

// list returns the factors.
func (x *summand) list() []*ir.Value {
	return slices.DeleteFunc(slices.Clone(x.factors[:]), func(v *ir.Value) bool { return v == nil })
}

// without separates the global ids of a kernel of that rank from the other factors, left. It
// returns the dimension of the single id, -1 if there is no id, or maxFactors if there are several.
func (x summand) without(rank int) (dim int, left []*ir.Value) {
	dim = -1
	for _, v := range x.list() {
		switch d, ok := dimension(v); {
		case !ok || d >= rank:
			left = append(left, v)
		case dim < 0:
			dim = d
		default:
			return maxFactors, nil
		}
	}
	return dim, left
}

// dimension returns the dimension of v if v is a global id.
func dimension(v *ir.Value) (int, bool) {
	if v.Op != ir.OpBuiltIn {
		return 0, false
	}
	d := int(v.Aux.(ir.BuiltIn)) - int(ir.GlobalInvocationIDX)
	return d, d >= 0 && d < 3
}

// need is a condition for the sum to equal the value that it was made from: the sum must be in the
// interval.
type need struct {
	sum sum
	in  Interval
}

// indexer examines the index of one access.
type indexer struct {
	f     *footprinter
	b     *ir.Block // block of the access
	steps int       // number of values that may still be examined
	needs []need
	// blocks, if not nil, says how ids are split.
	blocks *blocks
}

// signed returns an index, as a signed integer, as a sum.
func (x *indexer) signed(v *ir.Value) (sum, bool) {
	s := x.of(v)
	if v.Type != ir.TypeI64 {
		return x.exact(s, FullRange(v.Type))
	}
	return s, true
}

// exact requires that the sum is in an interval. If that is not known, exact adds a need for split
// to check. It returns false if split could not show it either.
func (x *indexer) exact(s sum, in Interval) (sum, bool) {
	if x.interval(s).Within(in) {
		return s, true
	}
	if !slices.ContainsFunc(s.terms, func(t summand) bool { d, _ := t.without(x.f.m.Rank); return d >= 0 }) {
		return s, false
	}
	x.needs = append(x.needs, need{s, in})
	return s, true
}

// of returns v as a sum.
func (x *indexer) of(v *ir.Value) sum {
	if v.IsConst() {
		return sum{k: v.Int()}
	}
	if x.blocks != nil && v.Op == ir.OpBuiltIn {
		return x.id(v) // without regard to steps: in sums with blocks a bare global id would represent the first id of its block
	}
	whole := atom(x.one(v))
	if x.steps--; x.steps < 0 || v.Block == nil {
		return whole
	}
	if x.blocks != nil {
		if s, ok := x.blocked(v); ok {
			return s
		}
	}
	var s sum
	ok := false
	switch v.Op {
	case ir.OpIAdd:
		s, ok = x.of(v.Args[0]).plus(x.of(v.Args[1]), 1)
	case ir.OpISub:
		s, ok = x.of(v.Args[0]).plus(x.of(v.Args[1]), -1)
	case ir.OpIMul:
		s, ok = x.of(v.Args[0]).times(x.of(v.Args[1]))
	case ir.OpShl:
		if n := v.Args[1]; n.IsConst() && n.Bits < 63 {
			s, ok = sum{}.plus(x.of(v.Args[0]), 1<<n.Bits)
		}
	case ir.OpOr:
		if Possible(v.Args[0])&Possible(v.Args[1]) == 0 { // the operands share no bits, so the Or is a sum
			s, ok = x.of(v.Args[0]).plus(x.of(v.Args[1]), 1)
		}
	case ir.OpUConvert, ir.OpSConvert:
		s, ok = x.converted(v)
	}
	if !ok {
		return whole
	}
	return x.rebased(s)
}

// atom returns the sum that consists of v alone.
func atom(v *ir.Value) sum { return sum{terms: []summand{{1, [maxFactors]*ir.Value{v}}}} }

// converted writes the integer conversion v as the sum of its argument. A conversion to fewer bits
// keeps the low bits, and these are all that a sum describes. A conversion to more bits equals the
// argument only if the argument's sum is within the range of its type.
func (x *indexer) converted(v *ir.Value) (sum, bool) {
	from := v.Args[0].Type
	if !from.IsInt() {
		return sum{}, false
	}
	s := x.of(v.Args[0])
	if v.Type.Bits() <= from.Bits() {
		return s, true
	}
	if v.Op == ir.OpSConvert {
		return x.exact(s, FullRange(from))
	}
	return x.exact(s, Interval{0, int64(Mask(from))})
}

// launchKey identifies an argument or id.
type launchKey struct {
	op   ir.Op
	typ  *ir.Type
	bits uint64
	aux  any
}

// one returns a single value for all loads of the same argument or id as v. Any other v is returned
// as it is.
func (x *indexer) one(v *ir.Value) *ir.Value {
	if v.Op != ir.OpArg && v.Op != ir.OpBuiltIn {
		return v
	}
	return x.f.canonical(v)
}

func (f *footprinter) canonical(v *ir.Value) *ir.Value {
	key := launchKey{v.Op, v.Type, v.Bits, v.Aux}
	if f.ones[key] == nil {
		f.ones[key] = v
	}
	return f.ones[key]
}

// at returns the interval of the factor v in the block of the access.
func (x *indexer) at(v *ir.Value) Interval {
	if x.blocks != nil {
		if p, ok := x.blocks.at(v); ok {
			return p
		}
	}
	if v.Op == ir.OpBuiltIn && (v.Block == nil || x.blocks != nil) {
		// Facts about an id in this block need not hold for the first id of its block.
		return x.f.ranges.builtIn(v.Aux.(ir.BuiltIn))
	}
	return x.f.ranges.At(v, x.b)
}

// interval returns the interval of a sum in the block of the access; an empty interval means
// unknown.
func (x *indexer) interval(s sum) Interval {
	p := Interval{s.k, s.k}
	for _, t := range s.terms {
		q := Interval{t.coef, t.coef}
		for _, v := range t.list() {
			if q = MulRanges(q, x.at(v)); q.Empty() {
				return q
			}
		}
		if p = AddRanges(p, q); p.Empty() {
			return p
		}
	}
	return p
}

// split finds how an index divides a slice. If the index is c*lin + r with 0 <= r < c, split
// returns c as perItem, with the conditions on the launch. For example:
//
//	index                     c    rest r    strides
//
//	x                         1    0
//	4*x + j, j in [0,3]       4    j
//	2*x + 2                   -    2 is not less than c: the element of the next work-item
//	(z*H + y)*W + x           1    0         W is the extent along x, H along y
//
// Since x is below nx (see inRange), each work-item has a different lin.
//
// With blocks, x, y and z are the first ids of the block, and r must select an element of one of
// the block's work-items.
func (x *indexer) split(s sum) (out share, ok bool) {
	rank := x.f.m.Rank
	var of [maxFactors]summand // the multipliers of the ids
	rest := sum{k: s.k}
	for _, t := range s.terms {
		d, left := t.without(rank)
		switch {
		case d < 0:
			rest.terms = append(rest.terms, t)
			continue
		case d >= rank || of[d].coef != 0:
			return out, false
		}
		of[d] = summand{coef: t.coef}
		copy(of[d].factors[:], left)
	}
	c := of[0].coef
	if c <= 0 || of[0].factors[0] != nil {
		return out, false
	}
	for d := 1; d < rank; d++ {
		s, ok := stride(d-1, of[d], of[d-1])
		if !ok {
			return out, false
		}
		if s.Offset != abi.OffsetRange+4*s.Dim {
			out.strides = append(out.strides, s)
		}
	}
	if !x.within(rest, of[:rank]) {
		return out, false
	}
	// The index must equal its sum, so that it is one of the c elements of a work-item of the
	// launch.
	out.perItem, out.most = c, math.MaxInt64/c
	for _, n := range x.needs {
		m, ok := x.bound(n, of[:rank], c)
		if !ok {
			return out, false
		}
		out.most = min(out.most, m)
	}
	return out, out.most > 0
}

// within reports whether the index stays among the work-item's own elements, or those of its block.
// The index is rest plus the ids, each multiplied by an element of of.
func (x *indexer) within(rest sum, of []summand) bool {
	if x.blocks != nil {
		return x.inBlock(rest, of)
	}
	return x.interval(rest).Within(Interval{0, of[0].coef - 1})
}

// stride returns the extent s of dimension d, so that of = b*s. s must be an argument or a
// constant.
func stride(d int, of, b summand) (s abi.Stride, ok bool) {
	left := of.list()
	for _, v := range b.list() {
		i := slices.Index(left, v)
		if i < 0 {
			return s, false
		}
		left = slices.Delete(left, i, i+1)
	}
	s.Dim = d
	switch {
	case of.coef%b.coef != 0:
		return s, false
	case len(left) == 0:
		s.Const = of.coef / b.coef
		return s, s.Const > 0 && s.Const <= abi.MaxRange
	case len(left) > 1 || of.coef != b.coef:
		return s, false
	}
	v := left[0]
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		// The argument is an int32; the extent has the same bits, with or without a sign.
		if v.Type.Bits() < v.Args[0].Type.Bits() {
			return s, false
		}
		v = v.Args[0]
	}
	if v.Op != ir.OpArg || v.Type != ir.TypeI32 && v.Type != ir.TypeI64 || v.Bits < abi.OffsetRange {
		return s, false
	}
	s.Offset, s.Size = int(v.Bits), v.Type.Size
	return s, true
}

// bound returns the largest number of work-items in a launch for which n is met. of are the
// multipliers of the ids in the index, and c is the multiplier of x. The index is c*lin + r, so all
// its summands with an id add up to at most c*lin. A sum whose coefficients are at most m/c times
// those of the index is therefore at most m*lin plus its other summands.
func (x *indexer) bound(n need, of []summand, c int64) (most int64, ok bool) {
	rest, times := sum{k: n.sum.k}, int64(0)
	for _, t := range n.sum.terms {
		d, left := t.without(len(of))
		if d < 0 {
			rest.terms = append(rest.terms, t)
			continue
		}
		if d >= len(of) || t.coef < 0 || !slices.Equal(left, of[d].list()) {
			return 0, false
		}
		unit := of[d].coef / c // split has checked that c divides the coefficient
		times = max(times, t.coef/unit+min(1, t.coef%unit))
	}
	p := x.interval(rest)
	if p.Empty() || p.Lo < n.in.Lo || p.Hi > n.in.Hi {
		return 0, false
	}
	if times == 0 {
		return math.MaxInt64, true
	}
	room, over := Sub64(n.in.Hi, p.Hi) // the room for times * the largest lin
	if over {
		return 0, false
	}
	if room /= times; room < math.MaxInt64 {
		room++
	}
	return room, true
}
