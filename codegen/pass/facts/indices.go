package facts

// This file tells whether an index is one of the work-item's own elements, for footprint.go.
// It writes the index as a sum of products, as sums.go does, but in integers that do not
// wrap: two work-items whose indices differ before they wrap may come to the same element.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

const (
	maxFactors    = 3 // z*H*W
	maxSummands   = 8
	maxIndexSteps = 200 // values that are looked at for one index
)

// summand is coef times the factors, which are in order of their IDs, nil last.
type summand struct {
	coef    int64
	factors [maxFactors]*ir.Value
}

// sum is k plus the summands, which have different factors. Its value is an integer without
// bounds, of which the value that it was made from is the low bits. So coefficients may wrap
// at 64 bits: the low bits stay the same. Conclusions are about the sum, and hold of the value
// itself if the sum's value is one of the value's type: see need.
type sum struct {
	k     int64
	terms []summand
}

// plus returns s + c*t, unless that is too long.
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

// times returns s * t, unless that is too long.
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

// without takes the global ids of a kernel of a rank out of the factors: it returns the one
// dimension that they are of, or -1, and what is left. Of two ids it returns maxFactors.
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

// dimension returns which of the global ids v is.
func dimension(v *ir.Value) (int, bool) {
	if v.Op != ir.OpBuiltIn {
		return 0, false
	}
	d := int(v.Aux.(ir.BuiltIn)) - int(ir.GlobalInvocationIDX)
	return d, d >= 0 && d < 3
}

// need is a condition: the sum is in the interval, and so is the value that it was made from.
type need struct {
	sum sum
	in  Interval
}

// indexer looks at the index of one access.
type indexer struct {
	f     *footprinter
	b     *ir.Block // of the access
	steps int       // that are left
	needs []need
	// blocks, if not nil, says by what ids are taken apart.
	blocks *blocks
}

// signed returns an index as a sum: its value, with a sign.
func (x *indexer) signed(v *ir.Value) (sum, bool) {
	s := x.of(v)
	if v.Type != ir.TypeI64 {
		return x.exact(s, FullRange(v.Type))
	}
	return s, true
}

// exact notes that the sum must be in an interval. It returns false where that cannot be so
// by what split will find.
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

// of writes v as a sum.
func (x *indexer) of(v *ir.Value) sum {
	if v.IsConst() {
		return sum{k: v.Int()}
	}
	if x.blocks != nil && v.Op == ir.OpBuiltIn {
		return x.id(v) // also where no steps are left: a global id would stand for the first of its block
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
		if Possible(v.Args[0])&Possible(v.Args[1]) == 0 { // no carry
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

// atom is the sum that is v.
func atom(v *ir.Value) sum { return sum{terms: []summand{{1, [maxFactors]*ir.Value{v}}}} }

// converted writes a conversion of an integer as the sum that its argument is. One to fewer
// bits keeps the low bits, and a sum tells of no others. One to more bits is the argument if
// that is a number of its type as it stands, and has not wrapped.
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

// launchKey tells arguments and ids apart.
type launchKey struct {
	op   ir.Op
	typ  *ir.Type
	bits uint64
	aux  any
}

// one returns the value that stands for all that are the same argument or id as v, or v.
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

// at returns the interval of a factor in the block of the access.
func (x *indexer) at(v *ir.Value) Interval {
	if x.blocks != nil {
		if p, ok := x.blocks.at(v); ok {
			return p
		}
	}
	if v.Op == ir.OpBuiltIn && (v.Block == nil || x.blocks != nil) {
		// With blocks, what is known of an id here is not known of the first one of its block.
		return x.f.ranges.builtIn(v.Aux.(ir.BuiltIn))
	}
	return x.f.ranges.At(v, x.b)
}

// interval returns the interval of a sum in the block of the access; an empty one is unknown.
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

// split tells how an index divides a slice: if it is c*lin + r with 0 <= r < c, it returns c as
// perItem, with what has to be so of the launch. For example
//
//	index                     c    what is left, r    strides
//	x                         1    0
//	4*x + j, j in [0,3]       4    j
//	2*x + 2                   -    2 is not below 2: the next work-item's element
//	(z*H + y)*W + x           1    0                  W is the range's x, H its y
//
// For x to be below nx is what makes lin another one for each work-item; inRange sees to it.
//
// With blocks, x, y and z are the first ids of the block, and r has to lead to an element of one of
// its work-items.
func (x *indexer) split(s sum) (out share, ok bool) {
	rank := x.f.m.Rank
	var of [maxFactors]summand // what the ids are multiplied by
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
	// The index itself is one of c elements of a work-item of the launch.
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

// within reports whether what an index has beside the ids, which it multiplies by of, keeps it
// among the work-item's own elements, or those of its block.
func (x *indexer) within(rest sum, of []summand) bool {
	if x.blocks != nil {
		return x.inBlock(rest, of)
	}
	return x.interval(rest).Within(Interval{0, of[0].coef - 1})
}

// stride returns which argument or constant of is b times, as the extent of dimension d.
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
		// An int32, of which an extent has the same bits, with or without a sign.
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

// bound returns how many work-items a launch may have for a need to be met, where of is what
// the index multiplies the ids by, and c is that of x. The index is c*lin + r, so that each of
// its summands with an id is at most c*lin, and they are together: a sum which has no more
// than n/c times each is at most n*lin and what else it has.
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
		unit := of[d].coef / c // split has seen that it divides
		times = max(times, t.coef/unit+min(1, t.coef%unit))
	}
	p := x.interval(rest)
	if p.Empty() || p.Lo < n.in.Lo || p.Hi > n.in.Hi {
		return 0, false
	}
	if times == 0 {
		return math.MaxInt64, true
	}
	room, over := Sub64(n.in.Hi, p.Hi) // for times * the largest lin
	if over {
		return 0, false
	}
	if room /= times; room < math.MaxInt64 {
		room++
	}
	return room, true
}
