package abi

// SpecConstant is one scalar of a specialization constant. The scalars of a constant are
// consecutive in Kernel.Specs.
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

// Local describes a variable that a kernel declares in work-group memory.
type Local struct {
	Name     string
	ElemSize int
	// Len is the number of elements, or -1. If Len is -1, the number of elements is the length of
	// the local accessor or the value of Expr. If Len is -1 and Local has neither an accessor nor
	// an Expr, the number of elements is the number of work-items of the group.
	Len      int
	Accessor int  // index of the local accessor whose length is the number of elements, or -1
	Matrices bool // whether the variable is for products of matrices and has Len elements for each sub-group
	// Shape, if not "", is the shape of a matrix that may be stored in the variable. The matrix is
	// stored in the variable if a work-item of the smallest sub-groups would otherwise store more
	// than 256 elements. If work-items store the elements of the matrix instead, the variable has
	// only one element.
	Shape string
	Expr  Expr // length computed from specialization constants, or ""
}

// Private describes a private array of each work-item. A private array is declared by the kernel,
// or made by a call of dsl.PrivateAlloca.
type Private struct {
	Name     string
	ElemSize int
	Align    int  // alignment that the source requests, or else the alignment of the element type
	Len      int  // number of elements; -1 if Expr is the number of elements
	Expr     Expr // number of elements in a call of PrivateAlloca
}
