package abi

// SpecConstant is one scalar of a specialization constant. The scalars of a constant follow each
// other.
type SpecConstant struct {
	ID       uint32
	Name     string // package path and identifier of the constant
	Path     string // path from the constant to the scalar, such as ".N.B" or "[1]"
	Type     string // Go scalar type, such as "int32"
	Size     int    // bytes of the value that Vulkan gets: 4 for a bool, int, uint, and integers of up to 32 bits
	Offset   int    // offset of the scalar in the Go value of the constant
	Default  uint64 // bits of the value that Vulkan gets by default
	Required bool
	Pinned   bool // a directive in the source chose the id
	// Min and Max are the limits of the constant's value, if sums and products of the constant are
	// the length of an array. Otherwise Max is zero.
	Min, Max int
}

// MaxLength is the largest length of an array whose length specialization constants set. No device
// has enough memory for longer arrays.
const MaxLength = 1 << 20

// Local is a variable in work-group memory that a kernel declares.
type Local struct {
	Name     string
	ElemSize int
	// Len is the number of elements, or -1. If Len is -1, the length is that of the accessor, or
	// the value of Expr. If there is neither, the length is the number of work-items of the group.
	Len      int
	Accessor int  // index of the accessor that has the length, or -1
	Matrices bool // memory for products of matrices: Len elements for each sub-group
	// Shape, if not "", is the shape of a matrix. The memory is for the matrix if its Len elements
	// are more than 256 for each work-item of the smallest sub-group. Otherwise the memory is one
	// element.
	Shape string
	Expr  Expr // length computed from specialization constants, or ""
}

// Private is a private array of a work-item, which a kernel declares, or which a call of
// dsl.PrivateAlloca makes.
type Private struct {
	Name     string
	ElemSize int
	Align    int  // alignment that the source asks for, or that of the element
	Len      int  // number of elements; -1 if Expr says it
	Expr     Expr // length in a call of PrivateAlloca
}
