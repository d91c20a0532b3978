package ir

// This file defines matrices whose elements are distributed over the invocations of a sub-group. A
// matrix is a Function variable with a type from MatrixOf. In each invocation, the variable is an
// array that contains some of the elements of the matrix. The elements of the matrix are numbered
// row by row. In a sub-group of size n, invocation k stores the matrix elements whose number modulo
// n is k.
//
// Single elements of a matrix are loaded and stored like elements of arrays. MatrixLoad,
// MatrixStore and MatrixMulAdd operate on whole matrices, and all invocations of the sub-group must
// reach these ops. On a device that supports matrices natively, the variable can be a native
// matrix. The device chooses which invocation stores each element of a native matrix, so kernels
// must not rely on the numbering of elements.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
)

// Tile is the auxiliary data of MatrixLoad, MatrixStore and MatrixLength. Tile describes a matrix and the
// memory of its elements.
type Tile struct {
	Matrix *Var
	// Mem describes the memory of the matrix's first element. Mem is nil in MatrixLength.
	Mem *Ref
	// Columns is true if the elements of a column are adjacent in memory, and false if the elements of a row are
	// adjacent.
	Columns bool
	// Part is the number of the native matrix on which the op operates. Native matrices are
	// numbered from 1, and 0 selects the whole matrix.
	Part int
}

// Product is the auxiliary data of MatrixMulAdd, which computes To = A*B + C. To and C may be the same matrix.
type Product struct {
	To, A, B, C *Var
	// Parts holds the numbers of the native matrices (parts) of A, B and C on which the op
	// operates. The part of To has the same number as the part of C. Parts are numbered from 1, and
	// 0 selects a whole matrix.
	Parts [3]int
}

// partOf returns the part number for the i-th matrix of the list that Matrices returns.
func (p *Product) partOf(i int) int { return p.Parts[[...]int{2, 0, 1, 2}[i]] }

// Matrices returns the matrices on which v operates, or nil if v is not a matrix op.
func (v *Value) Matrices() []*Var {
	switch a := v.Aux.(type) {
	case *Tile:
		if a != nil {
			return []*Var{a.Matrix}
		}
	case *Product:
		if a != nil {
			return []*Var{a.To, a.A, a.B, a.C}
		}
	}
	return nil
}

// MatrixOf returns the type of matrices of the given shape. The type is an array with ⌈m / n⌉ elements. Here m is the
// number of matrix elements, and n is the size of the smallest sub-group in the work-group.
func (m *Module) MatrixOf(s matrix.Shape) *Type {
	held := m.maxHeldExpr(s)
	// The driver llvmpipe of Mesa 26.1 has sub-groups of size 8, and treats an array of two
	// elements like an array of one element.
	two := m.ConstExpr(OpIEq, TypeBool, held, m.Int(TypeI32, 2))
	held = m.ConstExpr(OpSelect, TypeI32, two, m.Int(TypeI32, 3), held)
	return m.arrayOf(matrixElem(s), held, s, [2]int{})
}

// HostMatrixOf returns the type of matrix variables in host forms (modules for the host device). In a
// host form (a module for the host device), a matrix variable contains a whole matrix for each
// sub-group.
func (m *Module) HostMatrixOf(s matrix.Shape) *Type {
	return m.arrayOf(matrixElem(s), m.eachSubGroup(s.Len()), s, [2]int{})
}

// maxHeldExpr returns a constant expression for the largest number of elements of a matrix that one
// invocation stores.
func (m *Module) maxHeldExpr(s matrix.Shape) *Value {
	least := m.SmallestSubGroup()
	n := m.ConstExpr(OpIAdd, TypeI32, m.Int(TypeI32, int64(s.Len()-1)), least)
	return m.ConstExpr(OpUDiv, TypeI32, n, least)
}

// Crowded returns a constant expression that is true if an invocation would store more than
// matrix.MaxHeld elements of a matrix. Crowded also returns the type of the array that holds an
// invocation's elements. If the constant expression is true, the array has only three elements, and
// kernels do not use the array. Both results are nil for small matrices, which never have more than
// matrix.MaxHeld elements.
func (m *Module) Crowded(t *Type) (*Value, *Type) {
	if t.Matrix.Len() <= matrix.MaxHeld {
		return nil, nil
	}
	crowded := m.ConstExpr(OpULt, TypeBool, m.Int(TypeI32, matrix.MaxHeld), m.maxHeldExpr(*t.Matrix))
	return crowded, m.ArrayOf(t.Elem, m.ConstExpr(OpSelect, TypeI32, crowded, m.Int(TypeI32, 3), t.Len))
}

// OfSubGroups returns an array type with the given number of elements for each sub-group of a work-group.
func (m *Module) OfSubGroups(elem *Type, each int) *Type {
	return m.ArrayOf(elem, m.eachSubGroup(each))
}

// OfSubGroupsIf returns the same type as OfSubGroups if constant expression cond is true. If cond is
// false, the array has one element.
func (m *Module) OfSubGroupsIf(cond *Value, elem *Type, each int) *Type {
	return m.ArrayOf(elem, m.ConstExpr(OpSelect, TypeI32, cond, m.eachSubGroup(each), m.Int(TypeI32, 1)))
}

func (m *Module) eachSubGroup(n int) *Value {
	word := func(op Op, x, y *Value) *Value { return m.ConstExpr(op, TypeI32, x, y) }
	size := m.SubGroupSize()
	groups := word(OpUDiv, word(OpIAdd, m.GroupSize(), word(OpISub, size, m.Int(TypeI32, 1))), size)
	return word(OpIMul, groups, m.Int(TypeI32, int64(n)))
}

// NativeMatrixOf returns the type of a matrix that consists of several native matrices. Each native
// matrix is called a part of the whole matrix, and has part[0] rows and part[1] columns. The parts
// of a matrix are numbered row by row. In the IR, the n invocations of a sub-group share the m
// elements of a part, and each invocation stores ⌈m / n⌉ elements. In SPIR-V, the device chooses
// the invocation that stores an element.
func (m *Module) NativeMatrixOf(s matrix.Shape, part [2]int) *Type {
	word := func(op Op, x, y *Value) *Value { return m.ConstExpr(op, TypeI32, x, y) }
	n := m.SubGroupSize()
	each := word(OpUDiv, word(OpIAdd, m.Int(TypeI32, int64(part[0]*part[1]-1)), n), n)
	parts := s.Len() / (part[0] * part[1])
	return m.arrayOf(matrixElem(s), word(OpIMul, each, m.Int(TypeI32, int64(parts))), s, part)
}

// Parts returns the numbers of rows and columns in the grid of native matrices that form a matrix.
func (t *Type) Parts() (rows, cols int) {
	if t.Part == [2]int{} {
		return 0, 0
	}
	return t.Matrix.Rows / t.Part[0], t.Matrix.Cols / t.Part[1]
}

// matrixElem returns the scalar type in which an invocation stores a matrix element.
func matrixElem(s matrix.Shape) *Type {
	if s.Elem == matrix.Float32 || s.Use != matrix.Accumulator && s.Elem >= matrix.Float16 {
		return TypeF32
	}
	return TypeI32 // other 16-bit elements are stored as raw bits
}

// SmallestSubGroup returns a constant expression for a lower bound of the sizes of a work-group's sub-groups. The last
// sub-group is smaller than the other sub-groups if the size of sub-groups does not divide the work-group's size.
func (m *Module) SmallestSubGroup() *Value {
	sub := m.SubGroupSize()
	n := m.GroupSize()
	if n.IsConst() {
		return sub
	}
	rest := m.ConstExpr(OpUMod, TypeI32, n, sub)
	whole := m.ConstExpr(OpIEq, TypeBool, rest, m.Int(TypeI32, 0))
	return m.ConstExpr(OpSelect, TypeI32, whole, sub, rest)
}

// SubGroupSize returns the specialization constant for the size of sub-groups. The size of each sub-group except the
// last is a multiple of the specialization constant.
func (m *Module) SubGroupSize() *Value {
	return m.ReservedSpec(abi.SpecSubGroup, "SubGroupSize", TypeI32, 1)
}

// GroupSize returns a constant expression for the number of work-items in a work-group.
func (m *Module) GroupSize() *Value {
	n := m.ReservedSpec(abi.SpecLocalSizeX, "LocalSizeX", TypeI32, 1)
	for d := 1; d < m.Rank; d++ {
		n = m.ConstExpr(OpIMul, TypeI32, n, m.ReservedSpec(abi.SpecLocalSizeX+uint32(d), "LocalSize"+"XYZ"[d:d+1], TypeI32, 1))
	}
	return n
}

// LegalMatrixOp reports whether v is a matrix op on native matrices of the device. SPIR-V supports
// only matrix ops on native matrices.
func (v *Value) LegalMatrixOp() bool {
	switch a := v.Aux.(type) {
	case *Tile:
		return v.Op == OpMatrixLength && a.Matrix.Type.Part != [2]int{} || a.Part > 0
	case *Product:
		return !slices.Contains(a.Parts[:], 0)
	}
	return false
}

// Packed reports whether v is a Workgroup variable in which elements of 8 or 16 bits are adjacent. Native matrices of a
// device need packed memory. Lowering uses a 32-bit word for each element of a Workgroup array.
func (v *Var) Packed() bool {
	t := v.Type
	for t.Kind == Array {
		t = t.Elem
	}
	return v.Storage == Workgroup && (t.Kind == I8 || t.Kind == I16)
}

// MatrixElem returns the type of a matrix's elements in memory. A packed element has the width of
// the element type, and an unpacked element occupies a 32-bit word. Elements in device memory are
// always packed.
func MatrixElem(e matrix.Elem, packed bool) *Type {
	switch {
	case e == matrix.Float32:
		return TypeF32
	case !packed || e.Size() == 4:
		return TypeI32
	case e.Size() == 2:
		return TypeI16
	}
	return TypeI8
}

// checkMatrixOp verifies a matrix op.
func (x *verifier) checkMatrixOp(v *Value) {
	for _, a := range v.Matrices() {
		whole := a != nil && x.m.Target.Host && a.Storage == Workgroup
		if a == nil || a.Storage != Function && !whole || a.Type.Matrix == nil || !x.ownsVar(a) {
			x.errorf(v, "not a matrix of the function")
			return
		}
	}
	part := func(a *Var, n int) {
		if rows, cols := a.Type.Parts(); n < 0 || n > rows*cols {
			x.errorf(v, "%s has no part %d", a.Name, n-1)
		}
	}
	switch a := v.Aux.(type) {
	case *Tile:
		s := a.Matrix.Type.Matrix
		part(a.Matrix, a.Part)
		if v.Op == OpMatrixLength {
			if a.Mem != nil {
				x.errorf(v, "the op is about no memory")
			}
			return
		}
		if a.Mem == nil || a.Mem.Var == nil && a.Mem.Elem == nil {
			x.errorf(v, "the op has no memory")
			return
		}
		if v.Op == OpMatrixStore && s.Use != matrix.Accumulator {
			x.errorf(v, "a matrix that is no accumulator is stored")
		}
		x.checkRef(v, a.Mem)
	case *Product:
		to, c := a.To.Type.Matrix, a.C.Type.Matrix
		for i, m := range v.Matrices() {
			part(m, a.partOf(i))
		}
		if p := matrix.Product(*a.A.Type.Matrix, *a.B.Type.Matrix, *c); p.Text != "" {
			x.errorf(v, "%s", p.Text)
		}
		if *to != *c || a.A.Type.Matrix.Use != matrix.A || a.B.Type.Matrix.Use != matrix.B || c.Use != matrix.Accumulator {
			x.errorf(v, "not a product of an A and a B, and a sum with an accumulator")
		}
	}
}
