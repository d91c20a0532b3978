package kernelimpl

import (
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/matrix/held"
)

// This file implements the matrices of host forms. Each sub-group has one copy of a matrix, with a 32-bit word for each
// element. A word contains an integer, a float32, or the bits of a Float16 in a matrix of Float16 sums. Other
// floating-point elements become float32s.

// HostElem is a type of matrix elements.
type HostElem = matrix.Elem

// The constants are the types of matrix elements.
const (
	HostInt8     = matrix.Int8
	HostUint8    = matrix.Uint8
	HostInt32    = matrix.Int32
	HostUint32   = matrix.Uint32
	HostFloat16  = matrix.Float16
	HostBFloat16 = matrix.BFloat16
	HostFloat32  = matrix.Float32
)

// HostMatrix is the shape of a matrix, and its layout in memory for loads and stores.
type HostMatrix struct {
	Rows, Cols int
	Elem       HostElem
	Bits       bool // a 16-bit float is stored as its bits, not as a float32
	Columns    bool // consecutive elements in memory belong to a column, not to a row
	Words      bool // each element has a 32-bit word in memory
}

// HostProduct is the shape of a matrix product, and the type of its sums.
type HostProduct struct {
	Rows, Inner, Cols int
	Elem              HostElem
}

// HostAlike reports whether all work-items of a sub-group have the same value. Work-items that have
// returned do not count. If the values differ, HostAlike records a fault at the site with the
// number `site`.
func HostAlike[T comparable](g *HostGroup, sub int, values []T, site int) bool {
	_, hi := g.Members(sub)
	first := g.Leader(sub)
	for li := first + 1; li < hi; li++ {
		if values[li] != values[first] && !g.Dead[li] {
			g.FaultOf(site, li)
			return false
		}
	}
	return true
}

// matrixWords returns the memory of a matrix as a slice.
func matrixWords[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }

// matrixLines returns the memory that a matrix is loaded from or stored to. matrixLines also
// returns the distance between rows and the distance between columns, in elements.
func matrixLines[E any](p unsafe.Pointer, stride int, m *HostMatrix) (mem []E, row, col int) {
	if m.Columns {
		return unsafe.Slice((*E)(p), (m.Cols-1)*stride+m.Rows), 1, stride
	}
	return unsafe.Slice((*E)(p), (m.Rows-1)*stride+m.Cols), stride, 1
}

func load[E, W any](to, from unsafe.Pointer, stride int, m *HostMatrix, convert func(E) W) {
	mem, row, col := matrixLines[E](from, stride, m)
	held.Load(matrixWords[W](to, m.Rows*m.Cols), m.Cols, mem, row, col, convert)
}

func store[E, W any](from, to unsafe.Pointer, stride int, m *HostMatrix, convert func(W) E) {
	mem, row, col := matrixLines[E](to, stride, m)
	held.Store(mem, m.Cols, matrixWords[W](from, m.Rows*m.Cols), row, col, convert)
}

// HostLoadMatrix loads a matrix from memory.
func HostLoadMatrix(to, from unsafe.Pointer, stride int, m HostMatrix) {
	floats := (m.Elem == HostFloat16 || m.Elem == HostBFloat16) && !m.Bits
	switch {
	case m.Words && floats && m.Elem == HostFloat16:
		load(to, from, stride, &m, func(x uint32) float32 { return half.Float16(x).Float32() })
	case m.Words && floats:
		load(to, from, stride, &m, func(x uint32) float32 { return half.BFloat16(x).Float32() })
	case m.Words || m.Elem.Size() == 4:
		load(to, from, stride, &m, func(x uint32) uint32 { return x })
	case floats && m.Elem == HostFloat16:
		mem, row, col := matrixLines[uint16](from, stride, &m)
		held.Load16(matrixWords[float32](to, m.Rows*m.Cols), m.Cols, mem, row, col)
	case floats:
		load(to, from, stride, &m, half.BFloat16.Float32)
	case m.Elem == HostFloat16:
		load(to, from, stride, &m, func(x uint16) uint32 { return uint32(x) })
	case m.Elem == HostInt8:
		load(to, from, stride, &m, func(x int8) uint32 { return uint32(x) })
	case m.Elem == HostUint8:
		load(to, from, stride, &m, func(x uint8) uint32 { return uint32(x) })
	default:
		panic("BUG: a matrix has no such elements")
	}
}

// HostStoreMatrix stores an accumulator matrix to memory.
func HostStoreMatrix(from, to unsafe.Pointer, stride int, m HostMatrix) {
	if m.Words || m.Elem.Size() == 4 {
		store(from, to, stride, &m, func(x uint32) uint32 { return x })
		return
	}
	store(from, to, stride, &m, func(x uint32) uint16 { return uint16(x) }) // x contains the bits of a Float16
}

// HostMulAdd computes a*b + c and stores the result in the matrix `to`. HostMulAdd skips sub-groups
// whose work-items have all returned.
func HostMulAdd(g *HostGroup, to, a, b, c unsafe.Pointer, p HostProduct) {
	sizeA, sizeB, sizeC := p.Rows*p.Inner, p.Inner*p.Cols, p.Rows*p.Cols
	for sub := range g.SubGroups() {
		if g.Leader(sub) < 0 {
			continue
		}
		to, a, b, c := unsafe.Add(to, 4*sub*sizeC), unsafe.Add(a, 4*sub*sizeA), unsafe.Add(b, 4*sub*sizeB), unsafe.Add(c, 4*sub*sizeC)
		if to != c {
			copy(matrixWords[uint32](to, sizeC), matrixWords[uint32](c, sizeC))
		}
		switch p.Elem {
		case HostFloat32:
			held.AddProduct(matrixWords[float32](to, sizeC), matrixWords[float32](a, sizeA), matrixWords[float32](b, sizeB), p.Inner, p.Cols)
		case HostFloat16:
			sum := make([]float32, sizeC)
			for i, x := range matrixWords[uint32](to, sizeC) {
				sum[i] = half.Float16(x).Float32()
			}
			held.AddProduct16(sum, matrixWords[float32](a, sizeA), matrixWords[float32](b, sizeB), p.Inner, p.Cols)
			for i, x := range sum {
				matrixWords[uint32](to, sizeC)[i] = uint32(half.FromFloat32[half.Float16](x))
			}
		default:
			held.AddProductInts(matrixWords[uint32](to, sizeC), matrixWords[uint32](a, sizeA), matrixWords[uint32](b, sizeB), p.Inner, p.Cols)
		}
	}
}
