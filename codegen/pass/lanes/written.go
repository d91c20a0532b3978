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

// writtenFirst reports whether the work-group writes the variable of the ZeroLocal op z before it
// reads any element of the variable. A work-group that writes all elements first never reads the
// zeros. For example:
//
//	tile := dsl.Local[[16][17]float32](it)   ZeroLocal, which is not needed
//	tile[y][x] = in[row][col]                Store by each work-item
//	it.Barrier()
//	… tile[x][y] …                           Load after the barrier.
//
// writtenFirst returns true only if a barrier dominates all accesses to the variable other than
// stores. All work-items execute the stores that dominate the barrier. The stores that dominate the
// barrier must write each element that a later load may read. Dead lanes skip only stores in
// conditional blocks, which do not dominate the barrier. The size of the work-group must be known
// at compile time. Each index of a store must be a constant plus multiples of the work-item's ids.
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
			if len(first) > 0 && c.coversLoads(first, others) {
				return true
			}
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

// newCoverage returns writtenElems for the variable that z zeroes, with no element marked as
// written. newCoverage returns false if the variable does not consist of scalars in arrays of
// constant length, or if the size of the work-group is unknown.
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

// coversLoads reports whether all work-items together write each element that an instruction of the
// list "uses" may read. All work-items execute the given stores.
func (c *writtenElems) coversLoads(stores, uses []*ir.Value) bool {
	size := [3]int{max(c.m.WorkGroup[0], 1), max(c.m.WorkGroup[1], 1), max(c.m.WorkGroup[2], 1)}
	if len(stores)*size[0]*size[1]*size[2] > maxIndexed {
		return false
	}
	for _, s := range stores {
		var at []indexFunc
		for _, p := range s.Path() {
			nodes := maxIndexNodes
			a := indexOfIDs(p, size, &nodes)
			if a == nil {
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
func (c *writtenElems) elementIndex(at []indexFunc, x, y, z int) (int, bool) {
	e := 0
	for d, index := range at {
		i, ok := index([3]uint64{uint64(x), uint64(y), uint64(z)})
		if !ok || i >= uint64(c.arrayLens[d]) {
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
