package facts

// This file finds whether an index stays within the elements of the work-item's work-group, or of a
// smaller block of work-items. It is part of footprint.go's analysis. indices.go writes the index
// as a sum; here each id in it is split into the first id of its block and the place in the block:
//
//	tile[i^1]                     base + rest         base a multiple of 2, rest in [0,1]
//	tile[group*size + size-1-l]   base + size-1-l     base the group's first id, l the local id
//
// The index is within the block under two conditions. First, base takes the place that the id has
// in an index of the work-item's own element. Second, the rest is not negative and less than the
// size of the block.

import (
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// blocks says how ids are split. In the sums of an indexer with blocks, GlobalInvocationId
// represents the first id of the work-item's block.
type blocks struct {
	// size is the number of work-items in a block, or wholeGroup. The first id of a block is a
	// multiple of size. If size divides the work-group's size, a block lies within a work-group.
	size int64
	seen []int64 // sizes of blocks found in the index, such as 2 in i^1
	// low, first, quotient and firstQuotient are not values of the module. low represents the place
	// of an id in its block, and first the first local id of the block. quotient and firstQuotient
	// represent ids and local ids divided by size.
	low, first, quotient, firstQuotient *ir.Value
	rest                                map[*ir.Value]*ir.Value // values of the other elements of a block whose indices are computed
}

// These values of blocks.size are not sizes.
const (
	wholeGroup = 0
	noBlock    = -1 // the index is only searched for sizes of blocks
)

// restID is the ID of the first value in blocks.rest; the others have smaller IDs.
const restID = -1 << 20

func newBlocks(size int64) *blocks {
	k := &blocks{size: size, rest: map[*ir.Value]*ir.Value{}}
	for i, v := range []**ir.Value{&k.low, &k.first, &k.quotient, &k.firstQuotient} {
		*v = &ir.Value{ID: -1 - i, Type: ir.TypeI32}
	}
	return k
}

// group returns how access v divides a slice among work-groups. It returns false if a work-item may
// access elements of another group.
func (f *footprinter) group(v *ir.Value) (s share, ok bool) {
	var sizes []int64
	if f.m.Form == abi.NDRange {
		sizes = append(sizes, wholeGroup)
	}
	look := newBlocks(noBlock)
	if f.index(v, look); f.m.Rank == 1 && len(look.seen) > 0 {
		sizes = append(sizes, slices.Max(look.seen)) // a block of 2 lies within one of 4
	}
	for _, size := range sizes {
		if s, why := f.index(v, newBlocks(size)); why == WhyNot {
			s.reach, s.multiple = abi.ReachGroup, max(size, 1)
			return s, true
		}
	}
	return share{}, false
}

// id writes an id as the sum of the first id of its block and the place in the block.
func (x *indexer) id(v *ir.Value) sum {
	d, global := dimension(v)
	first, place := x.one(v), (*ir.Value)(nil)
	switch size := x.blocks.size; {
	case global && d < x.f.m.Rank && size == wholeGroup:
		place = x.f.builtIn(ir.LocalInvocationIDX + ir.BuiltIn(d))
	case global && d == 0 && size > 0:
		place = x.blocks.low
	case v.Aux == ir.LocalInvocationIDX && size > 0:
		// The work-group's first id is a multiple of size, so the place of the local id is that of
		// the global id.
		first, place = x.blocks.first, x.blocks.low
	}
	s := atom(first)
	if place != nil {
		s.terms = append(s.terms, atom(place).terms...)
	}
	return s
}

// block returns the values that represent the first id of v's block and the number of that block. A
// block has a multiple of n work-items. If v is not an id, block returns nil.
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

// blocked writes v as a sum if its op has a special rule for blocks.
func (x *indexer) blocked(v *ir.Value) (sum, bool) {
	switch v.Op {
	case ir.OpISub:
		// The remainder of an id is written as the place in the id's block. Any other remainder
		// stays one value, since more is known of a remainder than of the difference that computes
		// it.
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

// divisor returns the divisor of v, which is a division or a shift to the right.
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

// sameBlock writes v as a sum, where v is id with changes only in the bits of most and the bits
// below them.
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

// rebased rewrites products that are the first id of a work-group or block. They become the value
// that represents the first id, or are expressed by the id:
//
//	group*size     id - local      without blocks
//	group*size     base            by work-groups
//	group*size     base - first    by blocks in work-groups
func (x *indexer) rebased(s sum) sum {
	out := sum{k: s.k}
	for _, t := range s.terms {
		group, d := x.groupStart(t)
		switch k := x.blocks; {
		case d < 0:
			out.add(x.blockStart(t))
			continue
		case k == nil:
			out.add(group.of(-1, x.f.builtIn(ir.LocalInvocationIDX+ir.BuiltIn(d))))
		case k.size != wholeGroup:
			out.add(group.of(-1, k.first))
		}
		out.add(group.of(1, x.f.builtIn(ir.GlobalInvocationIDX+ir.BuiltIn(d))))
	}
	return out
}

// of returns the summand times c*v. The summand has less than maxFactors factors.
func (x summand) of(c int64, v *ir.Value) summand {
	x, _ = x.times(summand{c, [maxFactors]*ir.Value{v}})
	return x
}

// groupStart divides a product by the number of a work-group and its size along a dimension d. If
// the product does not contain these, it returns a d of -1.
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

// blockStart replaces the product of a block's number and its size by the first id of the block.
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

// builtIn returns the value that represents an id in sums, even if the kernel does not use the id.
func (f *footprinter) builtIn(id ir.BuiltIn) *ir.Value {
	return f.canonical(&ir.Value{ID: -1<<10 - int(id), Op: ir.OpBuiltIn, Type: ir.TypeI32, Aux: id})
}

// groupID returns the dimension d if v is the work-group's number along d, or else -1.
func (x *indexer) groupID(v *ir.Value) int {
	if v.Op == ir.OpBuiltIn {
		if d := int(v.Aux.(ir.BuiltIn)) - int(ir.WorkgroupIDX); d >= 0 && d < x.f.m.Rank {
			return d
		}
	}
	return -1
}

// localSize returns the dimension d if v is the work-group's size along d, or else -1.
func (x *indexer) localSize(v *ir.Value) int {
	for (v.Op == ir.OpUConvert || v.Op == ir.OpSConvert) && v.Type.Bits() >= 32 {
		v = v.Args[0] // a size fits in 32 bits, but not always in 16
	}
	if v.Op == ir.OpSpecConst {
		if d := int(v.Aux.(*ir.Spec).ID) - abi.SpecLocalSizeX; d >= 0 && d < x.f.m.Rank {
			return d
		}
	}
	return -1
}

// belowSize reports whether v is at least 0 and less than the work-group's size along d. v may be a
// local id, a value that a branch compares with the size, or a remainder.
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
	// In for j := range size, the phi's arguments are 0 and a j+1 that is less than size.
	for k, a := range v.Args {
		if a.IsConst() && a.Int() != 0 || !a.IsConst() && !less(a, v.Block.Preds[k]) {
			return less(v, x.b)
		}
	}
	return true
}

// at returns the interval of a factor that is not a value of the module.
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

// inBlock reports whether an index stays within the elements of the block. The index is the sum of
// rest and the first ids of the block, each multiplied by an element of of. In an index of rows,
// such as
//
//	W*baseY + baseX + W*localX + localY
//
// each dimension has its part of the rest: here localX must be below y's size, and localY below
// x's.
func (x *indexer) inBlock(rest sum, of []summand) bool {
	if size := x.blocks.size; size > 0 {
		return x.interval(rest).Within(Interval{0, of[0].coef*size - 1})
	}
	for d := len(of) - 1; d > 0; d-- {
		part, left := rest.partOf(of[d])
		if !x.inSize(part, 1, d) {
			return false
		}
		rest = left
	}
	return x.inSize(rest, of[0].coef, 0)
}

// partOf divides a sum by a stride: s = part*stride + left.
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

// inSize reports whether a sum is at least 0 and less than c times the work-group's size along d.
// If the size is an unknown n, the sum is bounded by
//
//	below*(n-1) + sizes.Lo*n + other.Lo     at least
//	above*(n-1) + sizes.Hi*n + other.Hi     at most
//
// below is the sum of the negative coefficients of factors in [0,n-1], and above the sum of the
// positive ones. Both bounds are linear in n, so it suffices to check n = 1 and the coefficient of
// n.
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
