package facts

// This file finds whether an index stays within the elements of the work-item's work-group, or of a
// smaller block of work-items. A block of work-items consists of consecutive ids, such as 4n to
// 4n+3. The code in this file is part of the analysis in footprint.go. The code in indices.go
// writes an index as a sum. The code in this file splits each id in an index into two summands. The
// first summand is the first id of the work-item's block, and the second summand is the position in
// that block:
//
//	i^1 is base + rest, where base is a multiple of 2 and rest is in [0,1].
//	group*size + size-1-l is base + size-1-l, where base is the group's first id and l the local id.
//
// Let f(id) be the index of the first element that belongs to the work-item id, and let base be the
// first id of a block. Let m be the number of elements of the block. The index stays within the
// block's elements if it is f(base) plus a number from 0 to m-1.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// itemBlocks describes how an indexer replaces ids. Each id becomes the first id of a block of
// work-items plus a position in that block. If an indexer has itemBlocks, GlobalInvocationId in a
// sum represents the first id of a block of work-items.
type itemBlocks struct {
	// blockSize is the number of work-items in a block, or wholeGroup. The first id of a block is a
	// multiple of blockSize. If blockSize divides the work-group's size, each block is part of a
	// single work-group.
	blockSize int64
	seenSizes []int64 // sizes of blocks of work-items found in the index, such as 2 in i^1
	// lowPart, firstLocal, quotient and firstQuotient are placeholders, not values of the module.
	// lowPart represents the position of an id in its block of work-items, and firstLocal
	// represents the first local id of the block. The placeholders quotient and firstQuotient
	// represent a global id and a local id, each divided by blockSize.
	lowPart, firstLocal, quotient, firstQuotient *ir.Value
	restOf                                       map[*ir.Value]*ir.Value // maps an index such as i^1 to a placeholder for its position in the block
}

// These are the special values of itemBlocks.blockSize that are not numbers of work-items.
const (
	wholeGroup = 0
	noBlock    = -1 // the indexer only collects the sizes of blocks in itemBlocks.seenSizes
)

// restID is the ID of the first placeholder in itemBlocks.restOf. Later placeholders have smaller
// IDs.
const restID = -1 << 20

func newBlocks(size int64) *itemBlocks {
	k := &itemBlocks{blockSize: size, restOf: map[*ir.Value]*ir.Value{}}
	for i, v := range []**ir.Value{&k.lowPart, &k.firstLocal, &k.quotient, &k.firstQuotient} {
		*v = &ir.Value{ID: -1 - i, Type: ir.TypeI32}
	}
	return k
}

// groupShare finds the elements of a slice that each work-group accesses with the instruction v.
// groupShare returns false if a work-item may access elements of another work-group.
func (f *footprinter) groupShare(v *ir.Value) (s accessShare, ok bool) {
	var sizes []int64
	if f.m.Form == abi.NDRange {
		sizes = append(sizes, wholeGroup)
	}
	look := newBlocks(noBlock)
	if f.indexShare(v, look); f.m.Rank == 1 && len(look.seenSizes) > 0 {
		sizes = append(sizes, slices.Max(look.seenSizes)) // the largest size is enough, since it is a multiple of the other sizes
	}
	for _, size := range sizes {
		if s, why := f.indexShare(v, newBlocks(size)); why == WhyNot {
			s.reach, s.multiple = abi.ReachGroup, max(size, 1)
			return s, true
		}
	}
	return accessShare{}, false
}

// idSum returns the id v as a sum. If x.idBlocks applies to the id v, the sum is the first id of
// v's block plus the position of v in the block.
func (x *indexer) idSum(v *ir.Value) indexSum {
	d, global := idDimension(v)
	first, place := x.sameLoad(v), (*ir.Value)(nil)
	switch size := x.idBlocks.blockSize; {
	case global && d < x.f.m.Rank && size == wholeGroup:
		place = x.f.builtIn(ir.LocalInvocationIDX + ir.BuiltIn(d))
	case global && d == 0 && size > 0:
		place = x.idBlocks.lowPart
	case v.Aux == ir.LocalInvocationIDX && size > 0:
		// The local id and the global id have the same position in their blocks of work-items,
		// because the first id of the work-group is a multiple of size.
		first, place = x.idBlocks.firstLocal, x.idBlocks.lowPart
	}
	s := sumOfOne(first)
	if place != nil {
		s.terms = append(s.terms, sumOfOne(place).terms...)
	}
	return s
}

// blockOf returns two values for the block of work-items with the id v. The first value is the
// block's first id, and the second value is the block's number. If v is not an id, or if the
// argument n does not divide the block's size, blockOf returns nil.
func (x *indexer) blockOf(v *ir.Value, n int64) (first, quotient *ir.Value) {
	if n < 2 || n > abi.MaxLocalSize {
		return nil, nil
	}
	for v.Op == ir.OpUConvert || v.Op == ir.OpSConvert && x.f.ranges.At(v.Args[0], x.b).Lo >= 0 {
		if from := v.Args[0]; !from.Type.IsInt() || !x.f.ranges.At(from, x.b).Within(FullRange(v.Type)) {
			return nil, nil
		}
		v = v.Args[0]
	}
	k := x.idBlocks
	if v.Op != ir.OpBuiltIn {
		return nil, nil
	}
	switch d, global := idDimension(v); {
	case global && d == 0:
		first, quotient = x.sameLoad(v), k.quotient
	case v.Aux == ir.LocalInvocationIDX:
		first, quotient = k.firstLocal, k.firstQuotient
	default:
		return nil, nil
	}
	if k.seenSizes = append(k.seenSizes, n); k.blockSize <= 0 || k.blockSize%n != 0 {
		return nil, nil
	}
	return first, quotient
}

// blockSum returns v as a sum if v's op, such as a remainder, has a special rule for
// blocks of work-items.
func (x *indexer) blockSum(v *ir.Value) (indexSum, bool) {
	switch v.Op {
	case ir.OpISub:
		// The remainder x - x/d*d becomes a single summand, because a difference of two summands
		// would have a wider interval.
		if r, d := x.f.ranges.remainderOf(v); r != nil && (d.IsConst() || x.localSize(d) >= 0) {
			first, _ := x.blockOf(r, d.Int())
			return sumOfOne(v), first == nil || d.Int() != x.idBlocks.blockSize
		}
	case ir.OpSDiv, ir.OpUDiv, ir.OpShrL, ir.OpShrA:
		n, ok := constDivisor(v)
		if _, q := x.blockOf(v.Args[0], n); ok && q != nil && n == x.idBlocks.blockSize {
			return sumOfOne(q), true
		}
	case ir.OpAnd:
		if n := v.Args[1]; n.IsConst() && n.Int() < 0 { // i &^ 7
			return x.sameBlock(v, v.Args[0], ^n.Int())
		}
	case ir.OpOr, ir.OpXor:
		for k, low := range v.Args {
			if p := x.f.ranges.At(low, x.b); p.Lo >= 0 {
				if s, ok := x.sameBlock(v, v.Args[1-k], p.Hi); ok {
					return s, true
				}
			}
		}
	}
	return indexSum{}, false
}

// constDivisor returns the constant divisor of v, which is a division or a shift to the right.
func constDivisor(v *ir.Value) (n int64, ok bool) {
	switch y := v.Args[1]; {
	case !y.IsConst():
		return 0, false
	case v.Op == ir.OpSDiv || v.Op == ir.OpUDiv:
		return y.Int(), true
	default:
		return 1 << (y.Bits & 31), y.Bits < 31
	}
}

// sameBlock returns the value v as a sum. The values v and id may differ only in some low bits. An
// example is id^1. The highest bit in which v and id may differ is the highest set bit of maxDiff.
func (x *indexer) sameBlock(v, id *ir.Value, maxDiff int64) (indexSum, bool) {
	if maxDiff < 1 || maxDiff >= abi.MaxLocalSize {
		return indexSum{}, false
	}
	first, _ := x.blockOf(id, 1<<bits.Len64(uint64(maxDiff)))
	if first == nil {
		return indexSum{}, false
	}
	if x.idBlocks.restOf[v] == nil {
		x.idBlocks.restOf[v] = &ir.Value{ID: restID - len(x.idBlocks.restOf), Type: v.Type}
	}
	return sumOfOne(first).plusTimes(sumOfOne(x.idBlocks.restOf[v]), 1)
}

// rebaseSum replaces each product that equals the first id of a work-group or of a block of
// work-items. The replacement contains the first global id (base) and the first local id (first) of
// a block:
//
//	group*size becomes id - local if x.idBlocks is nil.
//	group*size becomes base if a block of work-items is a whole work-group.
//	group*size becomes base - first if a block of work-items is smaller than a work-group.
func (x *indexer) rebaseSum(s indexSum) indexSum {
	out := indexSum{k: s.k}
	for _, t := range s.terms {
		group, d := x.groupStart(t)
		switch k := x.idBlocks; {
		case d < 0:
			out.add(x.blockStart(t))
			continue
		case k == nil:
			out.add(group.scaleBy(-1, x.f.builtIn(ir.LocalInvocationIDX+ir.BuiltIn(d))))
		case k.blockSize != wholeGroup:
			out.add(group.scaleBy(-1, k.firstLocal))
		}
		out.add(group.scaleBy(1, x.f.builtIn(ir.GlobalInvocationIDX+ir.BuiltIn(d))))
	}
	return out
}

// scaleBy returns the product of the summand x, the constant c and the value v. The summand x must
// have fewer than maxFactors factors.
func (x summand) scaleBy(c int64, v *ir.Value) summand {
	x, _ = x.timesSummand(summand{c, [maxFactors]*ir.Value{v}})
	return x
}

// groupStart looks for a work-group's number and a work-group's size among the factors of t. If t
// contains a number and a size for the same dimension d, groupStart returns d and the other factors
// of t. If t does not contain a number and a size for the same dimension, groupStart returns t and
// -1.
func (x *indexer) groupStart(t summand) (otherFactors summand, d int) {
	list := t.factorList()
	at := slices.IndexFunc(list, func(v *ir.Value) bool { return x.groupID(v) >= 0 })
	if at < 0 {
		return t, -1
	}
	d = x.groupID(list[at])
	list = slices.Delete(list, at, at+1)
	if at := slices.IndexFunc(list, func(v *ir.Value) bool { return x.localSize(v) == d }); at >= 0 {
		list = slices.Delete(list, at, at+1)
	} else if n := int64(x.f.m.WorkGroup[d]); n > 0 && t.coef%n == 0 {
		t.coef /= n
	} else {
		return t, -1
	}
	otherFactors.coef = t.coef
	copy(otherFactors.factors[:], list)
	return otherFactors, d
}

// blockStart returns the first id of a block of work-items if t is the block's number times its
// size. blockStart returns any other summand t unchanged.
func (x *indexer) blockStart(t summand) summand {
	k, v := x.idBlocks, t.factors[0]
	if k == nil || t.factors[1] != nil || v != k.quotient && v != k.firstQuotient || t.coef%k.blockSize != 0 {
		return t
	}
	first := k.firstLocal
	if v == k.quotient {
		first = x.f.builtIn(ir.GlobalInvocationIDX)
	}
	return summand{t.coef / k.blockSize, [maxFactors]*ir.Value{first}}
}

// builtIn returns the value that represents the given id in sums. If the kernel does not use the id, builtIn returns
// a new value for it.
func (f *footprinter) builtIn(id ir.BuiltIn) *ir.Value {
	return f.canonical(&ir.Value{ID: -1<<10 - int(id), Op: ir.OpBuiltIn, Type: ir.TypeI32, Aux: id})
}

// groupID returns the dimension d if v is the work-group's number along d. For any other v, groupID
// returns -1.
func (x *indexer) groupID(v *ir.Value) int {
	if v.Op == ir.OpBuiltIn {
		if d := int(v.Aux.(ir.BuiltIn)) - int(ir.WorkgroupIDX); d >= 0 && d < x.f.m.Rank {
			return d
		}
	}
	return -1
}

// localSize returns the dimension d if v is the work-group's size along d. For any other v,
// localSize returns -1.
func (x *indexer) localSize(v *ir.Value) int {
	for (v.Op == ir.OpUConvert || v.Op == ir.OpSConvert) && v.Type.Bits() >= 32 {
		v = v.Args[0] // conversions to 32 or 64 bits keep the size, but conversions to 16 bits may not
	}
	if v.Op == ir.OpSpecConst {
		if d := int(v.Aux.(*ir.Spec).ID) - abi.SpecLocalSizeX; d >= 0 && d < x.f.m.Rank {
			return d
		}
	}
	return -1
}

// belowSize reports whether v is at least 0 and less than the work-group's size along d. belowSize
// recognizes local ids, remainders, and values that a branch compares with the size.
func (x *indexer) belowSize(v *ir.Value, d int) bool {
	if v.Op == ir.OpBuiltIn {
		return v.Aux == ir.LocalInvocationIDX+ir.BuiltIn(d)
	}
	if x.factorInterval(v).Lo < 0 {
		return false
	}
	if v.Op == ir.OpISub {
		if r, n := x.f.ranges.remainderOf(v); r != nil && x.localSize(n) == d {
			return true
		}
	}
	less := func(v *ir.Value, in *ir.Block) bool {
		return slices.ContainsFunc(x.f.ranges.Facts(v), func(r blockFact) bool {
			return r.Rel == Below && x.localSize(r.Other) == d && x.f.ranges.Dom.Dominates(r.From, in)
		})
	}
	if v.Op != ir.OpPhi {
		return less(v, x.b)
	}
	// In the loop "for j := range size", the arguments of the phi j are 0 and j+1. On the back edge
	// of the loop over j, j+1 is less than size.
	for k, a := range v.Args {
		if a.IsConst() && a.Int() != 0 || !a.IsConst() && !less(a, v.Block.Preds[k]) {
			return less(v, x.b)
		}
	}
	return true
}

// intervalOf returns the interval of v if v is a placeholder of k, and false for any other value.
func (k *itemBlocks) intervalOf(v *ir.Value) (Interval, bool) {
	switch {
	case v == k.lowPart || v.ID <= restID:
		return Interval{0, k.blockSize - 1}, true
	case v == k.firstLocal:
		return Interval{0, abi.MaxLocalSize - 1}, true
	case v == k.quotient || v == k.firstQuotient:
		return Interval{0, math.MaxInt32}, true
	}
	return Interval{}, false
}

// inBlock reports whether an index selects an element of a work-item in the same block as the
// accessing work-item. The index is the sum of restSum and one product for each dimension d. The
// factors of this product are scales[d] and the block's first id along d. Consider an index of a
// two-dimensional array:
//
//	W*baseY + baseX + W*localX + localY
//
// The summand W*localX belongs to dimension y, and the summand localY belongs to dimension x. The
// number localX must be less than the block's size along y, and localY must be less than the
// block's size along x.
func (x *indexer) inBlock(restSum indexSum, scales []summand) bool {
	if size := x.idBlocks.blockSize; size > 0 {
		return x.sumInterval(restSum).Within(Interval{0, scales[0].coef*size - 1})
	}
	for d := len(scales) - 1; d > 0; d-- {
		part, left := restSum.partOf(scales[d])
		if !x.inSize(part, 1, d) {
			return false
		}
		restSum = left
	}
	return x.inSize(restSum, scales[0].coef, 0)
}

// partOf divides the sum s by stride. partOf returns the quotient quo and the remainder remSum, so
// that s = quo*stride + remSum.
func (s indexSum) partOf(stride summand) (quo, remSum indexSum) {
	remSum.k = s.k
	by := stride.factorList()
	if len(by) == 0 && stride.coef > 0 {
		quo.k = s.k / stride.coef
		if remSum.k = s.k % stride.coef; remSum.k < 0 {
			quo.k, remSum.k = quo.k-1, remSum.k+stride.coef
		}
	}
	for _, t := range s.terms {
		list, has := t.factorList(), t.coef%stride.coef == 0
		for _, v := range by {
			at := slices.Index(list, v)
			if has = has && at >= 0; has {
				list = slices.Delete(list, at, at+1)
			}
		}
		switch {
		case !has:
			remSum.terms = append(remSum.terms, t)
		case len(list) == 0:
			quo.k += t.coef / stride.coef
		default:
			t = summand{coef: t.coef / stride.coef}
			copy(t.factors[:], list)
			quo.add(t)
		}
	}
	return quo, remSum
}

// inSize reports whether the sum s is at least 0 and less than c times the work-group's size along
// d. If the work-group's size is an unknown number n, s is between two bounds:
//
//	The lower bound is below*(n-1) + sizes.Lo*n + other.Lo.
//	The upper bound is above*(n-1) + sizes.Hi*n + other.Hi.
//
// The variable "below" is the sum of the negative coefficients of factors from 0 to n-1. The
// variable "above" is the sum of the positive coefficients of factors from 0 to n-1. Each bound is
// a linear function of n, so it suffices to check the bound for n = 1 and the coefficient of n.
func (x *indexer) inSize(s indexSum, c int64, d int) bool {
	if n := int64(x.f.m.WorkGroup[d]); n > 0 && c < math.MaxInt32 && x.sumInterval(s).Within(Interval{0, c*n - 1}) {
		return true
	}
	var above, below int64
	sizes, other := indexSum{}, indexSum{k: s.k}
	for _, t := range s.terms {
		if t.coef <= math.MinInt32 || t.coef >= math.MaxInt32 {
			return false
		}
		list := t.factorList()
		at := slices.IndexFunc(list, func(v *ir.Value) bool { return x.localSize(v) == d })
		switch {
		case at >= 0 && len(list) == 1:
			sizes.k += t.coef
		case at >= 0:
			left := summand{coef: t.coef}
			copy(left.factors[:], slices.Delete(list, at, at+1))
			sizes.terms = append(sizes.terms, left)
		case len(list) == 1 && x.belowSize(list[0], d):
			above, below = above+max(t.coef, 0), below+min(t.coef, 0)
		default:
			other.terms = append(other.terms, t)
		}
	}
	small := Interval{math.MinInt32, math.MaxInt32}
	n, p := x.sumInterval(sizes), x.sumInterval(other)
	return n.Within(small) && p.Within(small) && below+n.Lo >= 0 && n.Lo+p.Lo >= 0 && above+n.Hi <= c && n.Hi+p.Hi <= c-1
}
