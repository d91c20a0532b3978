package facts

// This file finds whether an index stays within the elements of the work-item's work-group, or of a
// smaller block of work-items. A block of work-items consists of consecutive ids, such as 4n to
// 4n+3. The file is part of the analysis in footprint.go. While indices.go writes the index as a
// sum, this file splits each id in the sum. An id is the first id of its block of work-items plus
// its position in that block:
//
//	tile[i^1]                     base + rest         base is a multiple of 2, rest is in [0,1]
//	tile[group*size + size-1-l]   base + size-1-l     base is the group's first id, l is the local id.
//
// The index stays within the elements of the block of work-items under two conditions. First, let f(id) be the index of
// the work-item's own element. The index must be f(base) plus other summands. Second, these other summands must add up
// to a number from 0 to the size of the block minus 1.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// The type blocks describes the blocks of work-items by which an indexer splits ids. In the sums of
// an indexer with blocks, GlobalInvocationId represents the first id of the work-item's block.
type blocks struct {
	// The field size is the number of work-items in a block, or wholeGroup. The first id of a block
	// is a multiple of size. If size divides the work-group's size, each block is part of a single
	// work-group.
	size int64
	seen []int64 // sizes of blocks of work-items found in the index, such as 2 in i^1
	// The fields low, first, quotient and firstQuotient are placeholders, not values of the module.
	// The placeholder low represents the position of an id in its block of work-items, and first
	// represents the first local id of the block. The placeholders quotient and firstQuotient
	// represent a global id and a local id divided by size.
	low, first, quotient, firstQuotient *ir.Value
	rest                                map[*ir.Value]*ir.Value // maps an index such as i^1 to a placeholder for its position in the block
}

// blocks.size has one of these special values if it is not a number of work-items.
const (
	wholeGroup = 0
	noBlock    = -1 // the indexer only collects the sizes of blocks in blocks.seen
)

// restID is the ID of the first placeholder in blocks.rest. Later placeholders have smaller IDs.
const restID = -1 << 20

func newBlocks(size int64) *blocks {
	k := &blocks{size: size, rest: map[*ir.Value]*ir.Value{}}
	for i, v := range []**ir.Value{&k.low, &k.first, &k.quotient, &k.firstQuotient} {
		*v = &ir.Value{ID: -1 - i, Type: ir.TypeI32}
	}
	return k
}

// The method group returns how the access v divides a slice among work-groups. It returns false if a work-item may
// access elements of another work-group.
func (f *footprinter) group(v *ir.Value) (s share, ok bool) {
	var sizes []int64
	if f.m.Form == abi.NDRange {
		sizes = append(sizes, wholeGroup)
	}
	look := newBlocks(noBlock)
	if f.index(v, look); f.m.Rank == 1 && len(look.seen) > 0 {
		sizes = append(sizes, slices.Max(look.seen)) // the largest size is enough, since it is a multiple of the others
	}
	for _, size := range sizes {
		if s, why := f.index(v, newBlocks(size)); why == WhyNot {
			s.reach, s.multiple = abi.ReachGroup, max(size, 1)
			return s, true
		}
	}
	return share{}, false
}

// The method id returns the sum that equals the id v. The summands are the first id of the id's block of work-items and
// the position in that block.
func (x *indexer) id(v *ir.Value) sum {
	d, global := dimension(v)
	first, place := x.one(v), (*ir.Value)(nil)
	switch size := x.blocks.size; {
	case global && d < x.f.m.Rank && size == wholeGroup:
		place = x.f.builtIn(ir.LocalInvocationIDX + ir.BuiltIn(d))
	case global && d == 0 && size > 0:
		place = x.blocks.low
	case v.Aux == ir.LocalInvocationIDX && size > 0:
		// The first id of the work-group is a multiple of size. So the local id and the global id
		// have the same position in their blocks.
		first, place = x.blocks.first, x.blocks.low
	}
	s := atom(first)
	if place != nil {
		s.terms = append(s.terms, atom(place).terms...)
	}
	return s
}

// The method block returns the values that represent the first id and the number of the block of
// work-items that contains id v. It requires that the block's size is a multiple of n. If the size
// is not such a multiple, or if v is not an id, the method block returns nil.
func (x *indexer) block(v *ir.Value, n int64) (first, quotient *ir.Value) {
	if n < 2 || n > abi.MaxLocalSize {
		return nil, nil
	}
	for v.Op == ir.OpUConvert || v.Op == ir.OpSConvert && x.f.ranges.At(v.Args[0], x.b).Lo >= 0 {
		if from := v.Args[0]; !from.Type.IsInt() || !x.f.ranges.At(from, x.b).Within(FullRange(v.Type)) {
			return nil, nil
		}
		v = v.Args[0]
	}
	k := x.blocks
	if v.Op != ir.OpBuiltIn {
		return nil, nil
	}
	switch d, global := dimension(v); {
	case global && d == 0:
		first, quotient = x.one(v), k.quotient
	case v.Aux == ir.LocalInvocationIDX:
		first, quotient = k.first, k.firstQuotient
	default:
		return nil, nil
	}
	if k.seen = append(k.seen, n); k.size <= 0 || k.size%n != 0 {
		return nil, nil
	}
	return first, quotient
}

// The method blocked returns v as a sum if v's op, such as a remainder, has a special rule for
// blocks of work-items.
func (x *indexer) blocked(v *ir.Value) (sum, bool) {
	switch v.Op {
	case ir.OpISub:
		// A remainder is kept as a single value and not written as the difference that computes it.
		// The reason is that the interval of the remainder is narrower.
		if r, d := x.f.ranges.remainderOf(v); r != nil && (d.IsConst() || x.localSize(d) >= 0) {
			first, _ := x.block(r, d.Int())
			return atom(v), first == nil || d.Int() != x.blocks.size
		}
	case ir.OpSDiv, ir.OpUDiv, ir.OpShrL, ir.OpShrA:
		n, ok := divisor(v)
		if _, q := x.block(v.Args[0], n); ok && q != nil && n == x.blocks.size {
			return atom(q), true
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
	return sum{}, false
}

// The function divisor returns the constant by which v divides, where v is a division or a shift to
// the right.
func divisor(v *ir.Value) (n int64, ok bool) {
	switch y := v.Args[1]; {
	case !y.IsConst():
		return 0, false
	case v.Op == ir.OpSDiv || v.Op == ir.OpUDiv:
		return y.Int(), true
	default:
		return 1 << (y.Bits & 31), y.Bits < 31
	}
}

// sameBlock returns v as a sum. The value v differs from the parameter id only in low bits. The highest bit that may
// differ is the highest set bit of the parameter most.
func (x *indexer) sameBlock(v, id *ir.Value, most int64) (sum, bool) {
	if most < 1 || most >= abi.MaxLocalSize {
		return sum{}, false
	}
	first, _ := x.block(id, 1<<bits.Len64(uint64(most)))
	if first == nil {
		return sum{}, false
	}
	if x.blocks.rest[v] == nil {
		x.blocks.rest[v] = &ir.Value{ID: restID - len(x.blocks.rest), Type: v.Type}
	}
	return atom(first).plus(atom(x.blocks.rest[v]), 1)
}

// The method rebased replaces each product that equals the first id of a work-group or of a block
// of work-items:
//
//	group*size  becomes  id - local      in an indexer without blocks
//	group*size  becomes  base            in an indexer whose blocks are work-groups
//	group*size  becomes  base - first    in an indexer with blocks within work-groups
func (x *indexer) rebased(s sum) sum {
	out := sum{k: s.k}
	for _, t := range s.terms {
		group, d := x.groupStart(t)
		switch k := x.blocks; {
		case d < 0:
			out.add(x.blockStart(t))
			continue
		case k == nil:
			out.add(group.scaled(-1, x.f.builtIn(ir.LocalInvocationIDX+ir.BuiltIn(d))))
		case k.size != wholeGroup:
			out.add(group.scaled(-1, k.first))
		}
		out.add(group.scaled(1, x.f.builtIn(ir.GlobalInvocationIDX+ir.BuiltIn(d))))
	}
	return out
}

// The method scaled returns the product of the summand x, the constant c and the value v. The
// summand x must have less than maxFactors factors.
func (x summand) scaled(c int64, v *ir.Value) summand {
	x, _ = x.times(summand{c, [maxFactors]*ir.Value{v}})
	return x
}

// groupStart finds a work-group's number and its size along the same dimension d among the factors
// of t. It returns t without these two factors, and d. If t does not contain both factors, d is -1.
func (x *indexer) groupStart(t summand) (left summand, d int) {
	list := t.list()
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
	left.coef = t.coef
	copy(left.factors[:], list)
	return left, d
}

// blockStart returns the first id of a block of work-items if t is the block's number times its
// size. It returns any other t unchanged.
func (x *indexer) blockStart(t summand) summand {
	k, v := x.blocks, t.factors[0]
	if k == nil || t.factors[1] != nil || v != k.quotient && v != k.firstQuotient || t.coef%k.size != 0 {
		return t
	}
	first := k.first
	if v == k.quotient {
		first = x.f.builtIn(ir.GlobalInvocationIDX)
	}
	return summand{t.coef / k.size, [maxFactors]*ir.Value{first}}
}

// builtIn returns the value that represents the given id in sums. It returns a value even if the kernel does not use
// the id.
func (f *footprinter) builtIn(id ir.BuiltIn) *ir.Value {
	return f.canonical(&ir.Value{ID: -1<<10 - int(id), Op: ir.OpBuiltIn, Type: ir.TypeI32, Aux: id})
}

// groupID returns the dimension d if v is the work-group's number along d. For any other v it
// returns -1.
func (x *indexer) groupID(v *ir.Value) int {
	if v.Op == ir.OpBuiltIn {
		if d := int(v.Aux.(ir.BuiltIn)) - int(ir.WorkgroupIDX); d >= 0 && d < x.f.m.Rank {
			return d
		}
	}
	return -1
}

// localSize returns the dimension d if v is the work-group's size along d. For any other v it
// returns -1.
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

// belowSize reports whether v is at least 0 and less than the work-group's size along d. It
// recognizes local ids, remainders, and values that a branch compares with the size.
func (x *indexer) belowSize(v *ir.Value, d int) bool {
	if v.Op == ir.OpBuiltIn {
		return v.Aux == ir.LocalInvocationIDX+ir.BuiltIn(d)
	}
	if x.at(v).Lo < 0 {
		return false
	}
	if v.Op == ir.OpISub {
		if r, n := x.f.ranges.remainderOf(v); r != nil && x.localSize(n) == d {
			return true
		}
	}
	less := func(v *ir.Value, in *ir.Block) bool {
		return slices.ContainsFunc(x.f.ranges.Facts(v), func(r fact) bool {
			return r.Rel == Below && x.localSize(r.Other) == d && x.f.ranges.Dom.Dominates(r.From, in)
		})
	}
	if v.Op != ir.OpPhi {
		return less(v, x.b)
	}
	// In "for j := range size", the arguments of the phi j are 0 and j+1. On the back edge, j+1 is
	// less than size.
	for k, a := range v.Args {
		if a.IsConst() && a.Int() != 0 || !a.IsConst() && !less(a, v.Block.Preds[k]) {
			return less(v, x.b)
		}
	}
	return true
}

// The method at returns the interval of the factor v if v is a placeholder of k. For any other factor it returns false.
func (k *blocks) at(v *ir.Value) (Interval, bool) {
	switch {
	case v == k.low || v.ID <= restID:
		return Interval{0, k.size - 1}, true
	case v == k.first:
		return Interval{0, abi.MaxLocalSize - 1}, true
	case v == k.quotient || v == k.firstQuotient:
		return Interval{0, math.MaxInt32}, true
	}
	return Interval{}, false
}

// inBlock reports whether an index stays within the elements of the work-item's block of
// work-items. The index is the sum of rest and the first ids of the block, each multiplied by an
// element of scales. In an index of rows, such as
//
//	W*baseY + baseX + W*localX + localY
//
// the summand W*localX belongs to dimension y, and localY to dimension x. So localX must be less
// than the block's size along y, and localY less than its size along x.
func (x *indexer) inBlock(rest sum, scales []summand) bool {
	if size := x.blocks.size; size > 0 {
		return x.interval(rest).Within(Interval{0, scales[0].coef*size - 1})
	}
	for d := len(scales) - 1; d > 0; d-- {
		part, left := rest.partOf(scales[d])
		if !x.inSize(part, 1, d) {
			return false
		}
		rest = left
	}
	return x.inSize(rest, scales[0].coef, 0)
}

// partOf divides the sum s by stride. It returns the quotient part and the remainder left, with s =
// part*stride + left.
func (s sum) partOf(stride summand) (part, left sum) {
	left.k = s.k
	by := stride.list()
	if len(by) == 0 && stride.coef > 0 {
		part.k = s.k / stride.coef
		if left.k = s.k % stride.coef; left.k < 0 {
			part.k, left.k = part.k-1, left.k+stride.coef
		}
	}
	for _, t := range s.terms {
		list, has := t.list(), t.coef%stride.coef == 0
		for _, v := range by {
			at := slices.Index(list, v)
			if has = has && at >= 0; has {
				list = slices.Delete(list, at, at+1)
			}
		}
		switch {
		case !has:
			left.terms = append(left.terms, t)
		case len(list) == 0:
			part.k += t.coef / stride.coef
		default:
			t = summand{coef: t.coef / stride.coef}
			copy(t.factors[:], list)
			part.add(t)
		}
	}
	return part, left
}

// inSize reports whether the sum s is at least 0 and less than c times the work-group's size along
// d. If the size is an unknown number n, the sum s is between these two bounds:
//
//	below*(n-1) + sizes.Lo*n + other.Lo     lower bound of s
//	above*(n-1) + sizes.Hi*n + other.Hi     upper bound of s.
//
// In these bounds, below is the sum of the negative coefficients of factors in [0,n-1], and above
// is the sum of the positive coefficients. Both bounds are linear in n, so it suffices to check n =
// 1 and the coefficient of n.
func (x *indexer) inSize(s sum, c int64, d int) bool {
	if n := int64(x.f.m.WorkGroup[d]); n > 0 && c < math.MaxInt32 && x.interval(s).Within(Interval{0, c*n - 1}) {
		return true
	}
	var above, below int64
	sizes, other := sum{}, sum{k: s.k}
	for _, t := range s.terms {
		if t.coef <= math.MinInt32 || t.coef >= math.MaxInt32 {
			return false
		}
		list := t.list()
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
	n, p := x.interval(sizes), x.interval(other)
	return n.Within(small) && p.Within(small) && below+n.Lo >= 0 && n.Lo+p.Lo >= 0 && above+n.Hi <= c && n.Hi+p.Hi <= c-1
}
