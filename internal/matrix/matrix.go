// Package matrix defines the shapes and element types of matrices that sub-groups can use. Package dsl checks
// the use of matrices on the host, and kgen checks the use of matrices during compilation. dsl and
// kgen report errors with the texts of package matrix.
package matrix

import "fmt"

// Use says whether a matrix is the operand A, B or C of a product A*B + C.
type Use uint8

// The uses.
const (
	A Use = iota
	B
	Accumulator
)

var useNames = [...]string{"A", "B", "Accumulator"}

// String returns the use's name in the text form of modules.
func (u Use) String() string { return useNames[u] }

// Type returns the name of package dsl's type for matrices with use u.
func (u Use) Type() string { return [...]string{"MatrixA", "MatrixB", "Accumulator"}[u] }

// Elem is the type of a matrix's elements.
type Elem uint8

// These constants are the element types of matrices.
const (
	None Elem = iota
	Int8
	Uint8
	Int32
	Uint32
	Float16
	BFloat16
	Float32
)

var elemNames = [...]string{"?", "int8", "uint8", "int32", "uint32", "half.Float16", "half.BFloat16", "float32"}

// String returns the name of the element's Go type, qualified by its package.
func (e Elem) String() string { return elemNames[e] }

// ElemNamed returns the element type whose Go type has the given name, or None.
func ElemNamed(name string) Elem {
	for e, n := range elemNames {
		if n == name && e > 0 {
			return Elem(e)
		}
	}
	return None
}

// Size returns the number of bytes of an element in device memory.
func (e Elem) Size() int { return [...]int{0, 1, 1, 4, 4, 2, 2, 4}[e] }

// MaxElements is the largest number of elements of a matrix. In a sub-group of one work-item, the work-item holds all
// elements of the matrix.
const MaxElements = 4096

// MaxHeld is the largest number of elements of a matrix that a work-item holds in its own memory. If a work-item would
// have to hold more than MaxHeld elements, the matrix is in work-group memory.
const MaxHeld = 256

// Shape is the type of a matrix, which consists of its use, its element type and its size.
type Shape struct {
	Use        Use
	Rows, Cols int
	Elem       Elem
}

// Type returns the shape as Go's array type.
func (s Shape) Type() string { return fmt.Sprintf("[%d][%d]%v", s.Rows, s.Cols, s.Elem) }

// String returns the shape as a Go type.
func (s Shape) String() string { return s.Use.Type() + "[" + s.Type() + "]" }

// Len returns the number of elements.
func (s Shape) Len() int { return s.Rows * s.Cols }

// Problem describes a mistake in the use of matrices. Text describes the mistake, and Hint describes how to
// correct it. The zero Problem means that there is no mistake.
type Problem struct{ Text, Hint string }

// NoShape returns the problem for a type argument that is not an array of arrays.
func NoShape(use Use, t string) Problem {
	return Problem{fmt.Sprintf("the shape of dsl.%s is %s, which is no array of arrays", use.Type(), t),
		"give rows, columns and the type of elements, as in [16][16]float32"}
}

// Check returns the problem with a shape whose elements have the given Go type, or the zero Problem.
func (s Shape) Check(elem string) Problem {
	ok, takes := false, ""
	switch s.Use {
	case Accumulator:
		ok, takes = s.Elem == Int32 || s.Elem == Uint32 || s.Elem == Float32 || s.Elem == Float16, "int32, uint32, float32 or half.Float16"
	default:
		ok, takes = s.Elem == Int8 || s.Elem == Uint8 || s.Elem == Float16 || s.Elem == BFloat16, "int8, uint8, half.Float16 or half.BFloat16"
	}
	switch {
	case !ok:
		return Problem{fmt.Sprintf("dsl.%s has no elements of type %s", s.Use.Type(), elem), "use " + takes}
	case s.Rows < 1 || s.Cols < 1:
		return Problem{fmt.Sprintf("the shape [%d][%d]%s has no elements", s.Rows, s.Cols, elem), "use at least one row and one column"}
	case s.Rows > MaxElements || s.Cols > MaxElements || s.Len() > MaxElements:
		return Problem{fmt.Sprintf("the shape [%d][%d]%s has more than %d elements, which a work-item could have to hold alone", s.Rows, s.Cols, elem, MaxElements),
			"use several smaller matrices"}
	}
	return Problem{}
}

// CheckMemory checks a load from, or a store to, a slice whose elements have the given Go type. CheckMemory
// returns the problem, or the zero Problem.
func (s Shape) CheckMemory(elem string) Problem {
	if elem == s.Elem.String() {
		return Problem{}
	}
	return Problem{fmt.Sprintf("a slice of %s for a matrix of shape %s: the types of elements differ", elem, s.Type()),
		fmt.Sprintf("use a slice of %v, or convert the elements in work-group memory", s.Elem)}
}

// CheckValue checks whether a value of the given Go type can be an element of the matrix. CheckValue returns
// the problem, or the zero Problem.
func (s Shape) CheckValue(elem string) Problem {
	if elem == s.Elem.String() {
		return Problem{}
	}
	return Problem{fmt.Sprintf("a value of type %s for a matrix of shape %s: the types differ", elem, s.Type()),
		fmt.Sprintf("convert it, as in %v(x)", s.Elem)}
}

// Product returns the reason why the product a*b + c is invalid, or the zero Problem if it is valid.
func Product(a, b, c Shape) Problem {
	switch {
	case a.Cols != b.Rows:
		return Problem{fmt.Sprintf("a product of shapes %s and %s: the first has %d columns, and the second %d rows", a.Type(), b.Type(), a.Cols, b.Rows),
			"multiply M rows of K elements by K rows of N elements"}
	case c.Rows != a.Rows || c.Cols != b.Cols:
		return Problem{fmt.Sprintf("a product of shapes %s and %s is [%d][%d], and the accumulator %s", a.Type(), b.Type(), a.Rows, b.Cols, c.Type()),
			fmt.Sprintf("use an accumulator of shape [%d][%d]%v", a.Rows, b.Cols, c.Elem)}
	case a.Elem != b.Elem:
		return Problem{fmt.Sprintf("a product of elements of type %v and %v", a.Elem, b.Elem), "use the same type for both"}
	}
	ok, takes := false, ""
	switch a.Elem {
	case Int8:
		ok, takes = c.Elem == Int32, "int32"
	case Uint8:
		ok, takes = c.Elem == Uint32, "uint32"
	case BFloat16:
		ok, takes = c.Elem == Float32, "float32"
	case Float16:
		ok, takes = c.Elem == Float32 || c.Elem == Float16, "float32 or half.Float16"
	}
	if !ok {
		return Problem{fmt.Sprintf("products of %v are not added up as %v", a.Elem, c.Elem), "use an accumulator of " + takes}
	}
	return Problem{}
}

// These constants are the texts of panics about the arguments of matrix loads and stores.
const (
	// BadStride reports a stride that is negative or larger than MaxStride. BadStride also reports a store
	// whose rows or columns overlap.
	BadStride = "dsl: a matrix's stride is negative, too large, or less than the elements of a stored row"
	// Left reports that a matrix is incomplete because a work-item has returned.
	Left = "dsl: a work-item of the sub-group has left before this use of a matrix"
	// NotSame reports that work-items of a sub-group load or store with different arguments.
	NotSame = "dsl: the work-items of a sub-group use a matrix with different slices, strides or layouts"
	// NoSubGroup reports a matrix that is used with a work-group instead of a sub-group.
	NoSubGroup = "dsl: matrices are of sub-groups: pass it.SubGroup()"
	// BadLayout reports an invalid layout argument.
	BadLayout = "dsl: a layout is dsl.RowMajor or dsl.ColumnMajor"
)

// MaxStride is the largest stride, in elements.
const MaxStride = 1 << 40
