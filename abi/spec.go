package abi

// SpecConstant is one scalar of a specialization constant. The scalars of a constant are consecutive in the kernel's
// list.
type SpecConstant struct {
	ID       uint32
	Name     string // package path and identifier of the constant
	Path     string // path from the constant to the scalar, such as ".N.B" or "[1]"
	Type     string // Go scalar type, such as "int32"
	Size     int    // number of bytes of the value for Vulkan: 4 for a bool, int, uint, and integers of up to 32 bits
	Offset   int    // offset of the scalar in the Go value of the constant
	Default  uint64 // bits of the default value for Vulkan
	Required bool
	Pinned   bool // whether a directive in the source chose the id
	// Min and Max are the limits of the constant's value if the length of an array depends on the constant. Max is zero
	// if no array length depends on the constant.
	Min, Max int
}

// MaxLength is the largest length of an array whose length depends on specialization constants. No device has enough
// memory for longer arrays.
const MaxLength = 1 << 20

// Local describes a work-group variable, which the kernel declares.
type Local struct {
	Name     string
	ElemSize int
	// Len is the number of elements, or -1. If Len is -1, the number of elements is the length of the accessor or the
	// value of Expr. If Len is -1 and Local has neither an accessor nor an Expr, the number of elements is the number
	// of work-items of the group.
	Len      int
	Accessor int  // index of the accessor that has the length, or -1
	Matrices bool // whether the memory is for products of matrices and has Len elements for each sub-group
	// If Shape is not "", the work-group memory can store a matrix of this shape. It stores the matrix if the number of
	// the matrix's elements, divided by the size of the smallest sub-group, is above 256. Otherwise work-items store the
	// elements, and the memory has only one element.
	Shape string
	Expr  Expr // length computed from specialization constants, or ""
}

// Private describes a private array of each work-item. The kernel declares the array, or a call of
// dsl.PrivateAlloca makes it.
type Private struct {
	Name     string
	ElemSize int
	Align    int  // alignment that the source requests, or else the alignment of the element type
	Len      int  // number of elements; -1 if Expr is the number of elements
	Expr     Expr // number of elements in a call of PrivateAlloca
}
