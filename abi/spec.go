package abi

// SpecConstant is one scalar leaf of a specialization constant. The leaves of
// one constant follow each other.
type SpecConstant struct {
	ID       uint32
	Name     string // package path and identifier of the constant
	Path     string // from the constant to the leaf, such as ".N.B" or "[1]"
	Type     string // Go scalar type, such as "int32"
	Size     int    // bytes of the value handed to Vulkan (a bool, and integers of up to 32 bits, have 4; so do int and uint)
	Offset   int    // of the leaf in the identifier's Go value
	Default  uint64 // bits of the value handed to Vulkan
	Required bool
	Pinned   bool // its id was chosen in the source
	// Min and Max bound the values of a constant that the length of an array is
	// made of by sums and products; Max is zero for others.
	Min, Max int
}

// MaxLength is the largest length of an array that specialization constants set:
// no device has as many bytes for it.
const MaxLength = 1 << 20

// Local is work-group memory that a kernel declares.
type Local struct {
	Name     string
	ElemSize int
	// Len is the number of elements. It is -1 where that is the length of an
	// accessor, or what Expr says, or, without either, the number of work-items of
	// the group.
	Len      int
	Accessor int  // index of the accessor that gives the length, or -1
	Matrices bool // for products of matrices: Len elements for each sub-group
	// Shape, if not "", is the matrix that lies here if its Len elements are more than 256 for each work-item
	// of the smallest sub-group. Otherwise the memory is one element.
	Shape string
	Expr  Expr // the length, made of specialization constants, or ""
}

// Private is memory of a work-item's own: an array that a kernel declares, or
// that a call of dsl.PrivateAlloca makes.
type Private struct {
	Name     string
	ElemSize int
	Align    int  // that was asked for, or the element's
	Len      int  // -1 where Expr says
	Expr     Expr // of a PrivateAlloca
}
