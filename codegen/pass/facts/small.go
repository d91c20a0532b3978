package facts

// This file computes upper bounds of sums and products of sizes in small launches. Integers with a
// small enough bound can be computed in 32 bits instead of 64 bits.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// In a kernel's variant for small launches, sizes and the products in abi.Variant.Products are at
// most abi.MaxSmall. This file finds an upper bound of an integer as a sum of products of sizes,
// such as H*W for y*W + x. Result.Products contains the products of sizes that this analysis
// assumes to be small.

// Solved calls Solve and returns the ranges of the module's integers. The set divergent contains
// blocks whose branches give no facts, and may be nil. If the module is for small launches, Solved
// records its assumptions in r.
func Solved(m *ir.Module, divergent map[*ir.Block]bool, r *Result) *Ranges {
	a := NewRangesOf(m, divergent)
	a.Solve()
	if m.Target.Small {
		// The search for small integers is repeated. After more integers have been found to be
		// small, more products are known not to wrap.
		for range maxSmallRounds {
			if !a.assumeSmall(r) {
				break
			}
			a.Solve()
		}
	}
	a.Known = map[Place]Interval{}
	return a
}

// A size identifies an extent or length of the launch by its offset in the launch block (the
// kernel's push constants). A size that is at least abi.FactorGroups is not an offset, but
// identifies the number of work-groups along a dimension.
type size = int

// isSize reports whether v is a size of the launch, which is at most abi.MaxSmall in small
// launches.
func (a *Ranges) isSize(v *ir.Value) bool {
	if v.Op != ir.OpArg {
		return false
	}
	return v.Type == ir.TypeI64 && (a.lengthOffsets[v.Bits] || a.intOffsets[v.Bits]) || IsRangeArg(v)
}

// upperBound is an upper bound of an integer. The bound is a constant k plus products of sizes.
type upperBound struct {
	k     int64
	terms []sizeProduct
}

// sizeProduct is the product of the constant coef and the launch's sizes in factors.
type sizeProduct struct {
	coef    int64
	factors []size
}

// These constants limit the search for bounds.
const (
	maxSizes       = 3 // largest number of sizes in one product
	maxBoundTerms  = 7
	maxBoundConst  = 1 << 20 // largest absolute value of the constant k of an upper bound
	maxBoundDepth  = 12
	maxBoundTries  = 2000
	maxSmallRounds = 3 // one iteration for each dimension of an index
)

func (s upperBound) plusBound(t upperBound) (upperBound, bool) {
	n := upperBound{k: s.k + t.k}
	for _, x := range slices.Concat(s.terms, t.terms) {
		n.addProduct(x)
	}
	return n, n.ok()
}

// timesBound returns an upper bound of the product of two integers, given their bounds s and t. The
// two integers must not be negative.
func (s upperBound) timesBound(t upperBound) (upperBound, bool) {
	s.k, t.k = max(s.k, 0), max(t.k, 0)
	n := upperBound{k: s.k * t.k}
	for _, x := range s.terms {
		n.addProduct(sizeProduct{x.coef * t.k, x.factors})
		for _, y := range t.terms {
			of := slices.Concat(x.factors, y.factors)
			if len(of) > maxSizes {
				return upperBound{}, false
			}
			slices.Sort(of)
			n.addProduct(sizeProduct{x.coef * y.coef, of})
		}
	}
	for _, y := range t.terms {
		n.addProduct(sizeProduct{y.coef * s.k, y.factors})
	}
	return n, n.ok()
}

// addProduct adds the product x to the bound s.
func (s *upperBound) addProduct(x sizeProduct) {
	if x.coef == 0 {
		return
	}
	for i := range s.terms {
		if slices.Equal(s.terms[i].factors, x.factors) {
			s.terms[i].coef += x.coef
			return
		}
	}
	s.terms = append(s.terms, x)
}

func (s upperBound) ok() bool {
	for _, x := range s.terms {
		if x.coef > abi.MaxSmall { // a product with a larger coefficient is never small; the limit also ensures that a product of two bounds does not wrap
			return false
		}
	}
	return len(s.terms) <= maxBoundTerms && s.k <= maxBoundConst && s.k >= -maxBoundConst
}

// maxValue returns the largest value that the bound s can have in a small launch.
func (s upperBound) maxValue() int64 {
	n := max(s.k, 0)
	for range s.terms {
		n += abi.MaxSmall // the whole product, including its coefficient, is assumed to be small
	}
	return n
}

// boundFinder finds upper bounds of integers.
type boundFinder struct {
	a          *Ranges
	p          *Prover
	trySizes   []*ir.Value // sizes that are tried as bounds, the likeliest first
	proofTries int         // number of proofs attempted
}

// assumeSmall finds integers that fit in 32 bits in small launches, and adds their intervals to
// a.smallIntervals. assumeSmall records in r the products of sizes that must be small. assumeSmall
// reports whether it found any integer.
func (a *Ranges) assumeSmall(r *Result) bool {
	before := len(a.smallIntervals)
	d := &boundFinder{a: a, p: NewProver(a)}
	var lengths, ranges []*ir.Value
	for _, b := range a.Dom.Order {
		for _, v := range b.Insts {
			switch {
			case !a.isSize(v):
			case IsRangeArg(v):
				ranges = append(ranges, v)
			case a.lengthOffsets[v.Bits]:
				lengths = append(lengths, v)
			default:
				d.trySizes = append(d.trySizes, v)
			}
		}
	}
	d.trySizes = slices.Concat(d.trySizes, ranges, lengths)
	for _, v := range d.trySizes {
		r.assumeSmallProduct(size(v.Bits))
	}
	for _, b := range a.Dom.Order {
		for _, v := range b.Insts {
			if v.Type != ir.TypeI64 || v.Op != ir.OpIAdd && v.Op != ir.OpISub && v.Op != ir.OpIMul && v.Op != ir.OpShl {
				continue
			}
			p := a.Value(v)
			if p.Fits32() || p.Lo < math.MinInt32 {
				continue
			}
			s, ok := d.boundOf(v, b, maxBoundDepth)
			if !ok || s.maxValue() > math.MaxInt32 || s.maxValue() < p.Lo {
				continue
			}
			for _, x := range s.terms {
				for _, at := range x.factors {
					r.assumeSmallProduct(at) // needed for a size that the code does not load, such as a range that only bounds an id
				}
				of := x.factors
				if x.coef > 1 {
					of = append([]size{-int(x.coef)}, of...)
				}
				r.assumeSmallProduct(of...)
			}
			a.smallIntervals[v] = Interval{p.Lo, s.maxValue()}
		}
	}
	return len(a.smallIntervals) > before
}

// boundOf returns an upper bound of v in block b, in small launches.
func (d *boundFinder) boundOf(v *ir.Value, b *ir.Block, depth int) (upperBound, bool) {
	p := d.a.At(v, b)
	if p.Hi <= maxBoundConst {
		return upperBound{k: max(p.Hi, -maxBoundConst)}, true
	}
	if d.a.isSize(v) {
		return upperBound{terms: []sizeProduct{{1, []size{size(v.Bits)}}}}, true
	}
	if depth == 0 || v.Block == nil {
		return upperBound{}, false
	}
	arg := func(i int) (upperBound, bool) { return d.boundOf(v.Args[i], b, depth-1) }
	if d.wrapsBelow(v, b) {
		return upperBound{}, false
	}
	switch v.Op {
	case ir.OpBuiltIn:
		if x, ok := d.itemID(v); ok {
			return x, true
		}
	case ir.OpUConvert, ir.OpSConvert:
		if v.Args[0].Type.IsInt() && d.a.keepsValue(v) {
			return arg(0)
		}
	case ir.OpIAdd:
		if s, ok := arg(0); ok {
			if t, ok := arg(1); ok {
				return s.plusBound(t)
			}
		}
	case ir.OpISub:
		if d.a.At(v.Args[1], b).Lo >= 0 {
			return arg(0)
		}
	case ir.OpIMul:
		if x, y := d.a.At(v.Args[0], b), d.a.At(v.Args[1], b); x.Lo < 0 && y.Lo < 0 {
			return upperBound{}, false
		}
		if s, ok := arg(0); ok {
			if t, ok := arg(1); ok {
				return s.timesBound(t)
			}
		}
	case ir.OpShl:
		if n := v.Args[1]; n.IsConst() && n.Bits < 20 {
			if s, ok := arg(0); ok {
				return s.timesBound(upperBound{k: 1 << n.Bits})
			}
		}
	}
	for _, s := range d.trySizes {
		if d.proofTries++; d.proofTries > maxBoundTries {
			break
		}
		if _, ok := d.p.Le(v, s, 0, b); ok {
			return upperBound{terms: []sizeProduct{{1, []size{size(s.Bits)}}}}, true
		}
	}
	return upperBound{}, false
}

// wrapsBelow reports whether the exact result of v may be too small for v's type, so that v wraps.
// wrapsBelow uses the intervals of v's operands in block b. wrapsBelow is needed because the
// analysis computes only upper bounds.
func (d *boundFinder) wrapsBelow(v *ir.Value, b *ir.Block) bool {
	at := func(i int) Interval { return d.a.At(v.Args[i], b) }
	low := func(i int) Interval { return Interval{min(at(i).Lo, 0), 0} }
	var p Interval // interval that contains the least result of the op
	switch v.Op {
	case ir.OpIAdd:
		p = AddRanges(low(0), low(1))
	case ir.OpISub:
		y := at(1)
		if y.Lo == math.MinInt64 {
			return true
		}
		p = AddRanges(low(0), Interval{min(-y.Hi, 0), 0})
	case ir.OpIMul:
		x, y := at(0), at(1)
		p = MulRanges(Interval{min(x.Lo, 0), 0}, Interval{0, max(y.Hi, 0)})
		if q := MulRanges(Interval{0, max(x.Hi, 0)}, Interval{min(y.Lo, 0), 0}); q.Lo > q.Hi || q.Lo < p.Lo {
			p = q
		}
	case ir.OpShl:
		n := v.Args[1]
		if x := at(0); x.Lo < 0 && n.IsConst() && n.Bits < 20 {
			p = MulRanges(Interval{x.Lo, 0}, Interval{1 << n.Bits, 1 << n.Bits})
		}
	default:
		return false
	}
	return p.Lo > p.Hi || p.Lo < FullRange(v.Type).Lo
}

// itemID returns an upper bound of a work-item's id or a work-group's id in an nd-range launch. A
// work-item's id is bounded by the range along the same dimension. A work-group's id is bounded by
// the number of work-groups.
func (d *boundFinder) itemID(v *ir.Value) (upperBound, bool) {
	var at size
	switch x := v.Aux.(ir.BuiltIn); {
	case d.a.Module.Form != abi.NDRange:
		return upperBound{}, false
	case x >= ir.GlobalInvocationIDX && x <= ir.GlobalInvocationIDZ:
		at = abi.OffsetRange + 4*size(x-ir.GlobalInvocationIDX)
	case x >= ir.WorkgroupIDX && x <= ir.WorkgroupIDZ:
		at = abi.FactorGroups + size(x-ir.WorkgroupIDX)
	default:
		return upperBound{}, false
	}
	return upperBound{terms: []sizeProduct{{1, []size{at}}}}, true
}

// ShareSites replaces the site (source position and kind) of each fault in the variant m by the
// equal site of the kernel's first module. If the first module lacks a site of m, ShareSites
// returns false. The first module may have more sites than m.
func ShareSites(m, first *ir.Module) bool {
	var own *ir.Site
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op != ir.OpFault {
					continue
				}
				is := v.Aux.(*ir.Site)
				if is.Kind == abi.FaultCancelled {
					own = is
					continue
				}
				i := slices.IndexFunc(first.Sites, func(s *ir.Site) bool {
					return s.Kind == is.Kind && s.Part == is.Part && s.Pos == is.Pos && s.Message == is.Message && s.Unsigned == is.Unsigned
				})
				if i < 0 {
					return false
				}
				v.Aux = first.Sites[i]
			}
		}
	}
	m.Sites = slices.Clone(first.Sites)
	if own != nil {
		own.Index = len(m.Sites)
		m.Sites = append(m.Sites, own)
	}
	return true
}
