package blas

import (
	"math"

	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// Float is the type of the elements of matrices.
type Float interface{ ~float32 | ~float64 }

// Shape describes how the elements of a matrix, or of a batch of matrices, are stored in memory.
// Row i of matrix b begins at element b*Step + i*Stride.
type Shape struct {
	Rows, Cols int
	// Stride is the distance between the starts of two rows, in elements. Stride is at least Cols.
	// A Stride of 0 means Cols.
	Stride int
	// Batch is the number of matrices. A Batch of 0 means one matrix.
	Batch int
	// Step is the distance between the starts of two matrices of a batch, in elements. If Step is 0,
	// all matrices of the batch are the same.
	Step int

	transposed bool
}

// Matrix is a matrix in a slice.
type Matrix[T any] struct {
	Shape
	Data []T
}

// View is a matrix in device memory.
type View[T any] struct {
	Shape
	Data runtime.View[T]
}

// T returns the transpose of the matrix, or of each matrix of a batch, in the same memory. T swaps
// Rows and Cols, so set these fields before calling T.
func (m Matrix[T]) T() Matrix[T] { return Matrix[T]{m.Shape.turned(), m.Data} }

// T returns the transpose of the matrix, or of each matrix of a batch, in the same memory. T swaps
// Rows and Cols, so set these fields before calling T.
func (m View[T]) T() View[T] { return View[T]{m.Shape.turned(), m.Data} }

func (s Shape) turned() Shape {
	s.Stride = s.stride()
	s.Rows, s.Cols, s.transposed = s.Cols, s.Rows, !s.transposed
	return s
}

// storedShape returns how many rows and columns the matrix in memory has.
func (s Shape) storedShape() (rows, cols int) {
	if s.transposed {
		return s.Cols, s.Rows
	}
	return s.Rows, s.Cols
}

func (s Shape) stride() int {
	if s.Stride == 0 {
		_, cols := s.storedShape()
		return cols
	}
	return s.Stride
}

func (s Shape) batch() int { return max(s.Batch, 1) }

// matrixSpan returns the number of elements in the memory from the first to the last element of a
// matrix.
func (s Shape) matrixSpan() int {
	rows, cols := s.storedShape()
	if rows <= 0 || cols <= 0 {
		return 0
	}
	return atMost((int64(rows)-1)*int64(s.stride()) + int64(cols))
}

// batchSpan returns the number of elements in the memory from the first to the last element of a
// batch.
func (s Shape) batchSpan() int {
	if s.matrixSpan() == 0 {
		return 0
	}
	return atMost((int64(s.batch())-1)*int64(s.Step) + int64(s.matrixSpan()))
}

// atMost returns n, or the largest int if n does not fit into an int.
func atMost(n int64) int { return int(min(n, math.MaxInt)) }

// cols4 reports whether the number of columns is a multiple of 4.
func cols4(s Shape) bool { _, cols := s.storedShape(); return cols%4 == 0 }

// isQuads reports whether the number of columns and the fields Stride and Step are multiples of 4.
func (s Shape) isQuads() bool { return cols4(s) && s.stride()%4 == 0 && s.Step%4 == 0 }

// mostRows is the limit for the numbers of rows, columns and matrices, and for the fields Stride
// and Step. With this limit, no index overflows.
const mostRows = 1<<31 - 1

// checkShape adds an error to the call if the shape is invalid.
func (s Shape) checkShape(c *call.Call, name string) {
	_, cols := s.storedShape()
	switch {
	case s.Rows < 0 || s.Cols < 0 || s.Stride < 0 || s.Batch < 0 || s.Step < 0:
		c.Refuse("", "%s has a negative number of rows, columns or matrices, or a negative distance: %+v", name, s)
	case s.Rows > mostRows || s.Cols > mostRows || s.Stride > mostRows || s.Batch > mostRows || s.Step > mostRows:
		c.Refuse("", "%s has more than %d rows, columns or matrices, or too large a distance: %+v", name, mostRows, s)
	case s.stride() < cols:
		c.Refuse("", "the rows of %s have %d elements, and are %d apart", name, cols, s.stride())
	}
}

// refuseShort adds an error to the call if a view of n elements is too short for the shape.
func (s Shape) refuseShort(c *call.Call, name string, n int) {
	if s.batchSpan() > n {
		c.Refuse("", "%s has %d elements, and its rows and columns take %d", name, n, s.batchSpan())
	}
}

// refuseOverlap is for a batch that the call writes. It adds an error to the call if two matrices
// of the batch share elements.
func (s Shape) refuseOverlap(c *call.Call, name string) {
	if s.batch() > 1 && s.Step < s.matrixSpan() {
		c.Refuse("", "the matrices of %s, which are written, take %d elements each, and are %d apart", name, s.matrixSpan(), s.Step)
	}
}
