package lanes

// This file is part of the pass zerolocal. It finds variables in work-group memory that do not need
// to be zeroed.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// These constants limit the number of elements of an analysed variable and the number of computed
// indices.
const (
	maxCovered = 1 << 16
	maxIndexed = 1 << 18
)

// writtenFirst reports whether the work-group writes the variable that z zeroes before it reads any
// element, so that no work-item reads the zeros. For example:
//
//	tile := dsl.Local[[16][17]float32](it)   ZeroLocal [var tile]
//	tile[y][x] = in[row][col]                Store [var tile, %y, %x], …    by each work-item
//	it.Barrier()                             Barrier WorkGroup
//	… tile[x][y] …                           Load [var tile, %x, %y]
//
// The result is true only if a barrier dominates all accesses to the variable other than stores.
// The stores that dominate the barrier, executed by all work-items, must write each element that a
// later load may read. Dead lanes need no special case, because a store that they skip is in a
// conditional block, which does not dominate the barrier. The size of the work-group must be known.
// Each index of a store must be a sum of a constant and of the work-item's ids times constants.
func writtenFirst(m *ir.Module, z *ir.Value) bool {
	c, ok := newCoverage(m, z)
	if !ok {
		return false
	}
	var stores, others []*ir.Value
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			switch ref := v.Ref(); {
			case v == z || ref == nil || ref.Var != c.v:
			case v.Op == ir.OpZeroLocal:
				return false
			case v.Op == ir.OpStore && len(v.Path()) == len(c.lens):
				stores = append(stores, v)
			default:
				others = append(others, v)
			}
		}
	}
	if len(others) == 0 {
		return true // no instruction reads the variable
	}
	dom := m.Kernel.Dominators()
	before := func(x, y *ir.Value) bool {
		if x.Block == y.Block {
			return slices.Index(x.Block.Insts, x) < slices.Index(x.Block.Insts, y)
		}
		return dom.Dominates(x.Block, y.Block)
	}
	for _, b := range m.Kernel.Blocks {
		for _, meet := range b.Insts {
			if !isGroupBarrier(meet) || !before(z, meet) || slices.ContainsFunc(others, func(v *ir.Value) bool { return !before(meet, v) }) {
				continue
			}
			first := slices.DeleteFunc(slices.Clone(stores), func(s *ir.Value) bool { return !before(z, s) || !before(s, meet) })
			return len(first) > 0 && c.covers(first, others)
		}
	}
	return false
}

// A coverage records the elements of a variable that a work-group writes.
type coverage struct {
	m       *ir.Module
	v       *ir.Var
	lens    []int  // lengths of the variable's nested arrays, outermost first
	written []bool // whether each element is written; the last index varies fastest
}

// newCoverage returns an empty coverage of the variable that z zeroes. It returns false if the
// variable does not consist of scalars in arrays of constant length, or if the size of the
// work-group is unknown.
func newCoverage(m *ir.Module, z *ir.Value) (*coverage, bool) {
	c := &coverage{m: m, v: z.Ref().Var}
	n := 1
	t := c.v.Type
	for ; t.Kind == ir.Array; t = t.Elem {
		l, ok := t.ArrayLen()
		if !ok || l > maxCovered {
			return nil, false
		}
		c.lens = append(c.lens, l)
		if n *= l; n > maxCovered {
			return nil, false
		}
	}
	if t.Kind == ir.Struct || slices.Contains(m.WorkGroup[:m.Rank], 0) {
		return nil, false
	}
	c.written = make([]bool, n)
	return c, true
}

// The method covers reports whether the given stores, executed by all work-items, write each
// element that the instructions in the argument uses may read.
func (c *coverage) covers(stores, uses []*ir.Value) bool {
	size := [3]int{max(c.m.WorkGroup[0], 1), max(c.m.WorkGroup[1], 1), max(c.m.WorkGroup[2], 1)}
	if len(stores)*size[0]*size[1]*size[2] > maxIndexed {
		return false
	}
	for _, s := range stores {
		var at []ofIDs
		for _, p := range s.Path() {
			a, ok := c.index(p, size)
			if !ok {
				break
			}
			at = append(at, a)
		}
		if len(at) < len(c.lens) {
			continue
		}
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if e, ok := c.element(at, x, y, z); ok {
						c.written[e] = true
					}
				}
			}
		}
	}
	if !slices.Contains(c.written, false) {
		return true
	}
	r := facts.NewRanges(c.m)
	r.Solve()
	return !slices.ContainsFunc(uses, func(v *ir.Value) bool { return !c.within(v, r) })
}

// The method element returns the linear index of the element that the given indices select for the
// work-item with the ids x, y and z.
func (c *coverage) element(at []ofIDs, x, y, z int) (int, bool) {
	e := 0
	for d, a := range at {
		i := a.k + a.by[0]*int64(x) + a.by[1]*int64(y) + a.by[2]*int64(z)
		if i < 0 || i >= int64(c.lens[d]) {
			return 0, false
		}
		e = e*c.lens[d] + int(i)
	}
	return e, true
}

// The method within reports whether v accesses only elements that are written.
func (c *coverage) within(v *ir.Value, r *facts.Ranges) bool {
	path := v.Path()
	if len(path) != len(c.lens) {
		return false
	}
	elements := []int{0}
	for d, p := range path {
		in := r.At(p, v.Block)
		if in.Lo < 0 || in.Hi >= int64(c.lens[d]) {
			return false
		}
		var next []int
		for _, e := range elements {
			for i := in.Lo; i <= in.Hi; i++ {
				next = append(next, e*c.lens[d]+int(i))
			}
		}
		elements = next
	}
	return !slices.ContainsFunc(elements, func(e int) bool { return !c.written[e] })
}

// The type ofIDs represents an index. The index is the constant k plus the work-item's local ids
// along x, y and z, each multiplied by an element of the field by.
type ofIDs struct {
	k  int64
	by [3]int64
}

// The method index returns v as an ofIDs. It returns false if v is not such a sum or may wrap.
func (c *coverage) index(v *ir.Value, size [3]int) (s ofIDs, ok bool) {
	if v.IsConst() {
		return ofIDs{k: v.Int()}, true
	}
	switch v.Op {
	case ir.OpBuiltIn:
		switch b := v.Aux.(ir.BuiltIn); b {
		case ir.LocalInvocationIDX, ir.LocalInvocationIDX + 1, ir.LocalInvocationIDX + 2:
			s.by[b-ir.LocalInvocationIDX] = 1
		case ir.LocalInvocationIndex:
			s.by = [3]int64{1, int64(size[0]), int64(size[0] * size[1])}
		default:
			return s, false
		}
		return s, true
	case ir.OpIAdd, ir.OpISub, ir.OpIMul:
		x, ok1 := c.index(v.Args[0], size)
		y, ok2 := c.index(v.Args[1], size)
		if !ok1 || !ok2 {
			return s, false
		}
		switch {
		case v.Op == ir.OpIAdd:
			s = x.plus(y, 1)
		case v.Op == ir.OpISub:
			s = x.plus(y, -1)
		case x.by == [3]int64{}:
			s = ofIDs{}.plus(y, x.k)
		case y.by == [3]int64{}:
			s = ofIDs{}.plus(x, y.k)
		default:
			return s, false
		}
	case ir.OpShl:
		x, ok := c.index(v.Args[0], size)
		if by := v.Args[1]; !ok || !by.IsConst() || by.Bits > 16 {
			return s, false
		} else {
			s = ofIDs{}.plus(x, 1<<by.Bits)
		}
	case ir.OpUConvert, ir.OpSConvert:
		if v.Type.Bits() < 32 {
			return s, false // the conversion may truncate
		}
		return c.index(v.Args[0], size)
	default:
		return s, false
	}
	// All values of the sum are small, so no operation wraps, and a conversion to more bits does
	// not change the value.
	lo, hi := s.k, s.k
	for d, by := range s.by {
		lo, hi = lo+min(0, by*int64(size[d]-1)), hi+max(0, by*int64(size[d]-1))
	}
	return s, lo >= 0 && hi < maxCovered && v.Type.Bits() >= 32
}

// The method plus returns the sum s + f*t.
func (s ofIDs) plus(t ofIDs, f int64) ofIDs {
	s.k += f * t.k
	for d := range s.by {
		s.by[d] += f * t.by[d]
	}
	return s
}
