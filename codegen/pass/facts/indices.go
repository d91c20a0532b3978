package facts

// This file finds whether an index selects one of the work-item's own elements, as part of the
// analysis in footprint.go. This file writes the index as a sum of products, like sums.go, but
// requires that the sum does not wrap. If an index wraps, two work-items with different sums may
// use the same element.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

const (
	maxFactors    = 3 // largest number of factors of a summand, enough for z*H*W
	maxSummands   = 8
	maxIndexSteps = 200 // largest number of values examined for one index
)

// A summand is the product of coef and the factors. The factors are sorted by their IDs. Unused
// elements at the end of the array of factors are nil.
type summand struct {
	coef    int64
	factors [maxFactors]*ir.Value
}

// indexSum is an integer k plus summands with different factors. The sum is an integer of unlimited
// size, and its low bits equal the bits of the value that the sum describes. A coefficient may wrap
// at 64 bits, because wrapping does not change the low bits of the sum. If the sum fits in the type
// of the described value, facts about the sum also hold for the value (see sumBound).
type indexSum struct {
	k     int64
	terms []summand
}

// plusTimes returns s + c*t. If the sum has more than maxSummands summands, plusTimes returns
// false.
func (s indexSum) plusTimes(t indexSum, c int64) (indexSum, bool) {
	r := indexSum{s.k + c*t.k, slices.Clone(s.terms)}
	for _, x := range t.terms {
		x.coef *= c
		r.add(x)
	}
	return r, len(r.terms) <= maxSummands
}

func (s *indexSum) add(x summand) {
	i := slices.IndexFunc(s.terms, func(y summand) bool { return x.factors == y.factors })
	if i < 0 {
		i = len(s.terms)
		s.terms = append(s.terms, summand{0, x.factors})
	}
	if s.terms[i].coef += x.coef; s.terms[i].coef == 0 {
		s.terms = slices.Delete(s.terms, i, i+1)
	}
}

// timesSum returns s * t. If the product has too many summands or factors, timesSum returns false.
func (s indexSum) timesSum(t indexSum) (indexSum, bool) {
	all := func(s indexSum) []summand { return append([]summand{{coef: s.k}}, s.terms...) }
	var r indexSum
	for _, x := range all(s) {
		for _, y := range all(t) {
			p, ok := x.timesSummand(y)
			if !ok {
				return indexSum{}, false
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

func (x summand) timesSummand(y summand) (summand, bool) {
	all := append(x.factorList(), y.factorList()...)
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

// factorList returns the factors of x that are not nil.
func (x *summand) factorList() []*ir.Value {
	return slices.DeleteFunc(slices.Clone(x.factors[:]), func(v *ir.Value) bool { return v == nil })
}

// splitIDs splits the factors of x into global ids and other factors. If exactly one factor is a global id,
// splitIDs returns the id's dimension as dim. If no factor is a global id, dim is -1. If several factors
// are global ids, dim is maxFactors.
func (x summand) splitIDs(rank int) (dim int, otherFactors []*ir.Value) {
	dim = -1
	for _, v := range x.factorList() {
		switch d, ok := idDimension(v); {
		case !ok || d >= rank:
			otherFactors = append(otherFactors, v)
		case dim < 0:
			dim = d
		default:
			return maxFactors, nil
		}
	}
	return dim, otherFactors
}

// idDimension returns the dimension of the global id v. If v is not a global id, idDimension
// returns false.
func idDimension(v *ir.Value) (int, bool) {
	if v.Op != ir.OpBuiltIn {
		return 0, false
	}
	d := int(v.Aux.(ir.BuiltIn)) - int(ir.GlobalInvocationIDX)
	return d, d >= 0 && d < 3
}

// sumBound is the condition that a sum is in an interval. If the sum is in the interval, the sum
// equals the value that the sum describes.
type sumBound struct {
	sum indexSum
	in  Interval
}

// indexer analyses the index of a single memory access.
type indexer struct {
	f         *footprinter
	b         *ir.Block // block of the access
	stepsLeft int       // number of values that may still be examined
	sumBounds []sumBound
	// idBlocks describes how the indexer replaces ids by the first id of a block plus a position in
	// the block. If the indexer keeps ids as they are, idBlocks is nil.
	idBlocks *itemBlocks
}

// signedSum returns the sum of the index v, which is taken as a signed integer.
func (x *indexer) signedSum(v *ir.Value) (indexSum, bool) {
	s := x.asSum(v)
	if v.Type != ir.TypeI64 {
		return x.requireIn(s, FullRange(v.Type))
	}
	return s, true
}

// requireIn requires that the sum s is in the given interval. If it is not known that s is in the
// interval, requireIn adds a sumBound, which splitSum checks later. If s contains no global id,
// requireIn returns false, because no limit on the number of work-items can bound s.
func (x *indexer) requireIn(s indexSum, in Interval) (indexSum, bool) {
	if x.sumInterval(s).Within(in) {
		return s, true
	}
	if !slices.ContainsFunc(s.terms, func(t summand) bool { d, _ := t.splitIDs(x.f.m.Rank); return d >= 0 }) {
		return s, false
	}
	x.sumBounds = append(x.sumBounds, sumBound{s, in})
	return s, true
}

// asSum returns the index v as a sum of products.
func (x *indexer) asSum(v *ir.Value) indexSum {
	if v.IsConst() {
		return indexSum{k: v.Int()}
	}
	if x.idBlocks != nil && v.Op == ir.OpBuiltIn {
		return x.idSum(v) // ids are replaced even if no steps remain, because an id in a sum represents the first id of a block
	}
	whole := sumOfOne(x.sameLoad(v))
	if x.stepsLeft--; x.stepsLeft < 0 || v.Block == nil {
		return whole
	}
	if x.idBlocks != nil {
		if s, ok := x.blockSum(v); ok {
			return s
		}
	}
	var s indexSum
	ok := false
	switch v.Op {
	case ir.OpIAdd:
		s, ok = x.asSum(v.Args[0]).plusTimes(x.asSum(v.Args[1]), 1)
	case ir.OpISub:
		s, ok = x.asSum(v.Args[0]).plusTimes(x.asSum(v.Args[1]), -1)
	case ir.OpIMul:
		s, ok = x.asSum(v.Args[0]).timesSum(x.asSum(v.Args[1]))
	case ir.OpShl:
		if n := v.Args[1]; n.IsConst() && n.Bits < 63 {
			s, ok = indexSum{}.plusTimes(x.asSum(v.Args[0]), 1<<n.Bits)
		}
	case ir.OpOr:
		if Possible(v.Args[0])&Possible(v.Args[1]) == 0 { // no bit can be set in both operands, so the "or" equals their sum
			s, ok = x.asSum(v.Args[0]).plusTimes(x.asSum(v.Args[1]), 1)
		}
	case ir.OpUConvert, ir.OpSConvert:
		s, ok = x.convertedSum(v)
	}
	if !ok {
		return whole
	}
	return x.rebaseSum(s)
}

// sumOfOne returns the sum with v as its only summand.
func sumOfOne(v *ir.Value) indexSum { return indexSum{terms: []summand{{1, [maxFactors]*ir.Value{v}}}} }

// convertedSum returns the integer conversion v as a sum, which equals the sum of v's argument. A
// conversion to fewer bits keeps the low bits, and a sum describes only the low bits. A conversion
// to more bits equals the argument's sum only if the sum is within the range of the argument's
// type.
func (x *indexer) convertedSum(v *ir.Value) (indexSum, bool) {
	from := v.Args[0].Type
	if !from.IsInt() {
		return indexSum{}, false
	}
	s := x.asSum(v.Args[0])
	if v.Type.Bits() <= from.Bits() {
		return s, true
	}
	if v.Op == ir.OpSConvert {
		return x.requireIn(s, FullRange(from))
	}
	return x.requireIn(s, Interval{0, int64(Mask(from))})
}

// launchKey identifies an argument of the launch or a built-in id.
type launchKey struct {
	op   ir.Op
	typ  *ir.Type
	bits uint64
	aux  any
}

// sameLoad returns the same value for all loads of the same argument or id. For any other v,
// sameLoad returns v itself.
func (x *indexer) sameLoad(v *ir.Value) *ir.Value {
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

// factorInterval returns the interval of the factor v in the basic block of the access.
func (x *indexer) factorInterval(v *ir.Value) Interval {
	if x.idBlocks != nil {
		if p, ok := x.idBlocks.intervalOf(v); ok {
			return p
		}
	}
	if v.Op == ir.OpBuiltIn && (v.Block == nil || x.idBlocks != nil) {
		// Facts about a work-item's id need not hold for the first id of its block of work-items.
		return x.f.ranges.builtIn(v.Aux.(ir.BuiltIn))
	}
	return x.f.ranges.At(v, x.b)
}

// sumInterval returns the interval of the sum s in the basic block of the access. If the value of s
// is unknown, sumInterval returns an empty interval.
func (x *indexer) sumInterval(s indexSum) Interval {
	p := Interval{s.k, s.k}
	for _, t := range s.terms {
		q := Interval{t.coef, t.coef}
		for _, v := range t.factorList() {
			if q = MulRanges(q, x.factorInterval(v)); q.Empty() {
				return q
			}
		}
		if p = AddRanges(p, q); p.Empty() {
			return p
		}
	}
	return p
}

// splitSum finds how the index s divides a slice among the work-items. Let lin be the work-item's
// linear id. If the index is c*lin + r with 0 <= r < c, splitSum returns c as perItem. splitSum
// also returns the conditions that the launch must satisfy. For example:
//
//	The index x has c = 1 and r = 0.
//	The index 4*x + j with j in [0,3] has c = 4 and r = j.
//	The index 2*x + 2 has r >= c, so the element belongs to the next work-item.
//	The index (z*H + y)*W + x has c = 1 and r = 0, if the launch's extents are W along x and H along y.
//
// Two work-items never have the same linear id lin, because each id is less than the launch's range
// (see inRange).
//
// If x.idBlocks is not nil, each id in the index is the first id of a block of work-items. If
// x.idBlocks is not nil, r may select an element of any work-item of the block.
func (x *indexer) splitSum(s indexSum) (out accessShare, ok bool) {
	rank := x.f.m.Rank
	var scales [maxFactors]summand // for each dimension, the coefficient of the id in the index
	restSum := indexSum{k: s.k}
	for _, t := range s.terms {
		d, left := t.splitIDs(rank)
		switch {
		case d < 0:
			restSum.terms = append(restSum.terms, t)
			continue
		case d >= rank || scales[d].coef != 0:
			return out, false
		}
		scales[d] = summand{coef: t.coef}
		copy(scales[d].factors[:], left)
	}
	c := scales[0].coef
	if c <= 0 || scales[0].factors[0] != nil {
		return out, false
	}
	for d := 1; d < rank; d++ {
		s, ok := quotientStride(d-1, scales[d], scales[d-1])
		if !ok {
			return out, false
		}
		if s.Offset != abi.OffsetRange+4*s.Dim {
			out.strides = append(out.strides, s)
		}
	}
	if !x.withinOwn(restSum, scales[:rank]) {
		return out, false
	}
	// The index must equal its sum, because an index that wraps might select an element of another
	// work-item.
	out.perItem, out.most = c, math.MaxInt64/c
	for _, n := range x.sumBounds {
		m, ok := x.maxItems(n, scales[:rank], c)
		if !ok {
			return out, false
		}
		out.most = min(out.most, m)
	}
	return out, out.most > 0
}

// withinOwn reports whether the index selects one of the work-item's own elements. If x.idBlocks is
// not nil, the index may also select an element of another work-item of the same block. The index
// is restSum plus, for each dimension d, the product of scales[d] and the id along d.
func (x *indexer) withinOwn(restSum indexSum, scales []summand) bool {
	if x.idBlocks != nil {
		return x.inBlock(restSum, scales)
	}
	return x.sumInterval(restSum).Within(Interval{0, scales[0].coef - 1})
}

// quotientStride returns the quotient s = a/b, which must be the extent of dimension d of the
// launch's range. The quotient s must be an argument or a constant.
func quotientStride(d int, a, b summand) (s abi.Stride, ok bool) {
	left := a.factorList()
	for _, v := range b.factorList() {
		i := slices.Index(left, v)
		if i < 0 {
			return s, false
		}
		left = slices.Delete(left, i, i+1)
	}
	s.Dim = d
	switch {
	case a.coef%b.coef != 0:
		return s, false
	case len(left) == 0:
		s.Const = a.coef / b.coef
		return s, s.Const > 0 && s.Const <= abi.MaxRange
	case len(left) > 1 || a.coef != b.coef:
		return s, false
	}
	v := left[0]
	if v.Op == ir.OpUConvert || v.Op == ir.OpSConvert {
		// An int32 argument may be sign-extended or zero-extended, since no extent is negative.
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

// maxItems returns a number of work-items. If a launch has at most the returned number of
// work-items, the sum n.sum stays within the interval n.in. The index is c*lin + r, and scales
// contains the coefficients of the ids in the index. The summands of the index that contain an id
// add up to at most c*lin. Suppose that, for each id, the coefficient in n.sum is at most m/c times
// the coefficient in the index. Under this condition, n.sum is at most m*lin plus the other
// summands.
func (x *indexer) maxItems(n sumBound, scales []summand, c int64) (maxLaunch int64, ok bool) {
	restSum, times := indexSum{k: n.sum.k}, int64(0)
	for _, t := range n.sum.terms {
		d, left := t.splitIDs(len(scales))
		if d < 0 {
			restSum.terms = append(restSum.terms, t)
			continue
		}
		if d >= len(scales) || t.coef < 0 || !slices.Equal(left, scales[d].factorList()) {
			return 0, false
		}
		unit := scales[d].coef / c // divisible by c, as splitSum has checked
		times = max(times, t.coef/unit+min(1, t.coef%unit))
	}
	p := x.sumInterval(restSum)
	if p.Empty() || p.Lo < n.in.Lo || p.Hi > n.in.Hi {
		return 0, false
	}
	if times == 0 {
		return math.MaxInt64, true
	}
	room, over := Sub64(n.in.Hi, p.Hi) // largest allowed value of times*lin
	if over {
		return 0, false
	}
	if room /= times; room < math.MaxInt64 {
		room++
	}
	return room, true
}
