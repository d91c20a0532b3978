package valid

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// maxBytes is the largest allowed offset or stride, in bytes. The limit exists because drivers compute sums of offsets
// with 32 bits.
const maxBytes = 1 << 31

// laidOut checks that type t has an explicit layout. Memory that the host accesses must have such a
// layout (Vulkan 1.3, 15.5.4, "Scalar block layout"). Offsets must be aligned and must not overlap,
// and arrays must have strides.
func (c *checker) laidOut(t *typ) {
	if t.laid {
		return
	}
	c.require(!t.hasBool, "%%%d has a Bool, which has no layout", t.id)
	switch {
	case t.isStruct():
		type span struct {
			i      int
			lo, hi uint64
		}
		var spans []span
		for i, m := range t.members {
			at, ok := c.memberDecoration(t, i, spirv.DecorationOffset)
			c.require(ok, "member %d of %%%d has no Offset", i, t.id)
			c.require(at%c.alignOf(m) == 0, "member %d of %%%d lies at %d, which is no multiple of %d", i, t.id, at, c.alignOf(m))
			if mat := matrixIn(m); mat != nil {
				stride, _ := c.memberDecoration(t, i, spirv.DecorationMatrixStride)
				c.require(stride >= mat.elem.n*uint64(mat.elem.elem.width/8) && stride%c.alignOf(mat) == 0 && stride < maxBytes, "member %d of %%%d has no MatrixStride that fits", i, t.id)
			}
			c.laidOut(m)
			size := c.memberSize(t, i, m)
			c.require(addSizes(at, size) < maxBytes || m.hasRuntimeArray && at < maxBytes, "member %d of %%%d lies at %d", i, t.id, at)
			spans = append(spans, span{i, at, at + size})
		}
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
		for i := 1; i < len(spans); i++ {
			c.require(spans[i-1].hi <= spans[i].lo, "members %d and %d of %%%d overlap", spans[i-1].i, spans[i].i, t.id)
		}
	case t.isArray(), t.op == spirv.OpTypeRuntimeArray:
		stride := c.arrayStride(t)
		c.require(stride > 0, "the array %%%d has no ArrayStride", t.id)
		c.laidOut(t.elem)
		if matrixIn(t) == nil {
			c.require(stride >= c.sizeOf(t.elem), "the ArrayStride of %%%d is below the size of its elements, %d", t.id, c.sizeOf(t.elem))
		}
		c.require(stride%c.alignOf(t.elem) == 0 && stride < maxBytes, "the ArrayStride of %%%d is no multiple of %d", t.id, c.alignOf(t.elem))
	}
	t.laid = true
}

// matrixIn returns t itself if t is a matrix. If t is a nested array of matrices, matrixIn returns
// the type of the matrices. For other types, matrixIn returns nil.
func matrixIn(t *typ) *typ {
	for t.isArray() || t.op == spirv.OpTypeRuntimeArray {
		t = t.elem
	}
	if t.isMatrix() {
		return t
	}
	return nil
}

// memberDecoration returns the operand of decoration k. memberDecoration reads the decorations of member
// i of structure type t.
func (c *checker) memberDecoration(t *typ, i int, k spirv.Decoration) (uint64, bool) {
	for _, d := range c.members[t.id][uint32(i)] {
		if d.kind == k {
			return uint64(d.words[0]), true
		}
	}
	return 0, false
}

// arrayStride returns the ArrayStride of an array, or zero if the array type has no ArrayStride.
func (c *checker) arrayStride(t *typ) uint64 {
	for _, d := range c.decor[t.id] {
		if d.kind == spirv.DecorationArrayStride {
			return uint64(d.words[0])
		}
	}
	return 0
}

// alignOf returns the scalar alignment of a type.
func (c *checker) alignOf(t *typ) uint64 {
	if t.aligned > 0 {
		return t.aligned - 1
	}
	n := uint64(1)
	switch {
	case t.isPointer():
		n = 8
	case t.isStruct():
		for _, m := range t.members {
			n = max(n, c.alignOf(m))
		}
	case t.elem != nil:
		n = c.alignOf(t.elem)
	default:
		n = max(1, uint64(t.width/8))
	}
	t.aligned = n + 1
	return n
}

// sizeOf returns the size in bytes of a type with a layout. The size of a runtime array is 0.
func (c *checker) sizeOf(t *typ) uint64 {
	if t.sized > 0 {
		return t.sized - 1
	}
	n := uint64(0)
	switch {
	case t.isPointer():
		n = 8
	case t.op == spirv.OpTypeRuntimeArray:
	case t.isArray():
		n = mul(t.n, c.arrayStride(t))
	case t.isStruct():
		for i, m := range t.members {
			at, _ := c.memberDecoration(t, i, spirv.DecorationOffset)
			n = max(n, addSizes(at, c.memberSize(t, i, m)))
		}
	case t.elem != nil:
		n = t.n * c.sizeOf(t.elem)
	default:
		n = uint64(t.width / 8)
	}
	t.sized = min(n, ^uint64(0)-1) + 1
	return t.sized - 1
}

// memberSize returns the size in bytes of member i of t. If the member is a matrix, the member's decoration determines
// the stride.
func (c *checker) memberSize(t *typ, i int, m *typ) uint64 {
	if !m.isMatrix() {
		return c.sizeOf(m)
	}
	stride, _ := c.memberDecoration(t, i, spirv.DecorationMatrixStride)
	return mul(stride, m.n)
}
