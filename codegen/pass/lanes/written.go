package lanes

// This file is part of the pass zerolocal. The code in this file finds variables in work-group
// memory that do not need to be zeroed.

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
//	tile := dsl.Local[[16][17]float32](it)   ZeroLocal, which is not needed
//	tile[y][x] = in[row][col]                Store by each work-item
//	it.Barrier()
//	… tile[x][y] …                           Load after the barrier.
//
// writtenFirst returns true only if a barrier dominates all accesses to the variable other than
// stores. The stores that dominate the barrier, executed by all work-items, must write each element
// that a later load may read. Dead lanes skip only stores in conditional blocks. These blocks do
// not dominate the barrier, so dead lanes need no special treatment. The size of the work-group
// must be known at compile time. Each index of a store must be a sum of a constant and of the
// work-item's ids times constants.
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
			case v.Op == ir.OpStore && len(v.Path()) == len(c.arrayLens):
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
			return len(first) > 0 && c.coversLoads(first, others)
		}
	}
	return false
}

// writtenElems records the elements of a variable that a work-group writes.
type writtenElems struct {
	m         *ir.Module
	v         *ir.Var
	arrayLens []int  // lengths of the variable's nested arrays, outermost first
	isWritten []bool // whether each element is written; the last index varies fastest
}

// newCoverage returns an empty record of the elements of the variable that z zeroes. newCoverage
// returns false if the variable does not consist of scalars in arrays of constant length, or if the
// size of the work-group is unknown.
func newCoverage(m *ir.Module, z *ir.Value) (*writtenElems, bool) {
	c := &writtenElems{m: m, v: z.Ref().Var}
	n := 1
	t := c.v.Type
	for ; t.Kind == ir.Array; t = t.Elem {
		l, ok := t.ArrayLen()
		if !ok || l > maxCovered {
			return nil, false
		}
		c.arrayLens = append(c.arrayLens, l)
		if n *= l; n > maxCovered {
			return nil, false
		}
	}
	if t.Kind == ir.Struct || slices.Contains(m.WorkGroup[:m.Rank], 0) {
		return nil, false
	}
	c.isWritten = make([]bool, n)
	return c, true
}

// coversLoads reports whether the given stores, executed by all work-items, write each element that
// an instruction in uses may read.
func (c *writtenElems) coversLoads(stores, uses []*ir.Value) bool {
	size := [3]int{max(c.m.WorkGroup[0], 1), max(c.m.WorkGroup[1], 1), max(c.m.WorkGroup[2], 1)}
	if len(stores)*size[0]*size[1]*size[2] > maxIndexed {
		return false
	}
	for _, s := range stores {
		var at []idSumIndex
		for _, p := range s.Path() {
			a, ok := c.idSum(p, size)
			if !ok {
				break
			}
			at = append(at, a)
		}
		if len(at) < len(c.arrayLens) {
			continue
		}
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if e, ok := c.elementIndex(at, x, y, z); ok {
						c.isWritten[e] = true
					}
				}
			}
		}
	}
	if !slices.Contains(c.isWritten, false) {
		return true
	}
	r := facts.NewRanges(c.m)
	r.Solve()
	return !slices.ContainsFunc(uses, func(v *ir.Value) bool { return !c.withinWritten(v, r) })
}

// elementIndex returns the linear index of the element that the given indices select for the
// work-item with the ids x, y and z.
func (c *writtenElems) elementIndex(at []idSumIndex, x, y, z int) (int, bool) {
	e := 0
	for d, a := range at {
		i := a.k + a.perID[0]*int64(x) + a.perID[1]*int64(y) + a.perID[2]*int64(z)
		if i < 0 || i >= int64(c.arrayLens[d]) {
			return 0, false
		}
		e = e*c.arrayLens[d] + int(i)
	}
	return e, true
}

// withinWritten reports whether v accesses only elements that are written.
func (c *writtenElems) withinWritten(v *ir.Value, r *facts.Ranges) bool {
	path := v.Path()
	if len(path) != len(c.arrayLens) {
		return false
	}
	elements := []int{0}
	for d, p := range path {
		in := r.At(p, v.Block)
		if in.Lo < 0 || in.Hi >= int64(c.arrayLens[d]) {
			return false
		}
		var next []int
		for _, e := range elements {
			for i := in.Lo; i <= in.Hi; i++ {
				next = append(next, e*c.arrayLens[d]+int(i))
			}
		}
		elements = next
	}
	return !slices.ContainsFunc(elements, func(e int) bool { return !c.isWritten[e] })
}

// idSumIndex represents an index as a sum. The index is the constant k plus the work-item's local
// ids along x, y and z, each multiplied by an element of perID.
type idSumIndex struct {
	k     int64
	perID [3]int64
}

// idSum returns v as a constant plus multiples of the work-item's local ids. If v is not such a
// sum, or the sum may wrap, idSum returns false.
func (c *writtenElems) idSum(v *ir.Value, size [3]int) (s idSumIndex, ok bool) {
	if v.IsConst() {
		return idSumIndex{k: v.Int()}, true
	}
	switch v.Op {
	case ir.OpBuiltIn:
		switch b := v.Aux.(ir.BuiltIn); b {
		case ir.LocalInvocationIDX, ir.LocalInvocationIDX + 1, ir.LocalInvocationIDX + 2:
			s.perID[b-ir.LocalInvocationIDX] = 1
		case ir.LocalInvocationIndex:
			s.perID = [3]int64{1, int64(size[0]), int64(size[0] * size[1])}
		default:
			return s, false
		}
		return s, true
	case ir.OpIAdd, ir.OpISub, ir.OpIMul:
		x, ok1 := c.idSum(v.Args[0], size)
		y, ok2 := c.idSum(v.Args[1], size)
		if !ok1 || !ok2 {
			return s, false
		}
		switch {
		case v.Op == ir.OpIAdd:
			s = x.plusTimes(y, 1)
		case v.Op == ir.OpISub:
			s = x.plusTimes(y, -1)
		case x.perID == [3]int64{}:
			s = idSumIndex{}.plusTimes(y, x.k)
		case y.perID == [3]int64{}:
			s = idSumIndex{}.plusTimes(x, y.k)
		default:
			return s, false
		}
	case ir.OpShl:
		x, ok := c.idSum(v.Args[0], size)
		if by := v.Args[1]; !ok || !by.IsConst() || by.Bits > 16 {
			return s, false
		} else {
			s = idSumIndex{}.plusTimes(x, 1<<by.Bits)
		}
	case ir.OpUConvert, ir.OpSConvert:
		if v.Type.Bits() < 32 {
			return s, false // the conversion may truncate
		}
		return c.idSum(v.Args[0], size)
	default:
		return s, false
	}
	// All terms of the sum are small, so no operation wraps, and a conversion to more bits does not
	// change the value.
	lo, hi := s.k, s.k
	for d, by := range s.perID {
		lo, hi = lo+min(0, by*int64(size[d]-1)), hi+max(0, by*int64(size[d]-1))
	}
	return s, lo >= 0 && hi < maxCovered && v.Type.Bits() >= 32
}

// plusTimes returns the sum s + f*t.
func (s idSumIndex) plusTimes(t idSumIndex, f int64) idSumIndex {
	s.k += f * t.k
	for d := range s.perID {
		s.perID[d] += f * t.perID[d]
	}
	return s
}
