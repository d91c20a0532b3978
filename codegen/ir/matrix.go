package ir

// This file has the matrices of sub-groups. A matrix is a Function variable of a type that MatrixOf makes.
// It is an array, in which an invocation has those elements of the matrix, counted row by row, whose
// number modulo the size of its sub-group is its own number there. Loads and stores of single elements are
// those of arrays; MatrixLoad, MatrixStore and MatrixMulAdd are about whole matrices, and all
// invocations of the sub-group meet there. Where a device has matrices of its own, such a variable can
// be one of these: the elements of an accumulator that an invocation has are nothing that a kernel
// may rely on.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
)

// Tile is the auxiliary of ops that a matrix, and memory that has its elements, take part in.
type Tile struct {
	Matrix *Var
	// Mem is the memory of the matrix's first element, with the path; nil in MatrixLength.
	Mem *Ref
	// Columns says that the elements of a column stand side by side, and not those of a row.
	Columns bool
}

// Product is the auxiliary of MatrixMulAdd: To = A*B + C. To may be C.
type Product struct{ To, A, B, C *Var }

// Matrices returns the matrices that v, one of their ops, is about; nil for other ops.
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

// MatrixOf returns the type of variables that are matrices of the given shape. An invocation has at most
// ⌈elements / n⌉ elements, where n is the size of the work-group's smallest sub-group.
func (m *Module) MatrixOf(s matrix.Shape) *Type {
	elem := TypeI32
	if s.Elem == matrix.Float32 || s.Use != matrix.Accumulator && s.Elem >= matrix.Float16 {
		elem = TypeF32 // other numbers of 16 bits are held as their bits
	}
	word := func(op Op, x, y *Value) *Value { return m.ConstExpr(op, TypeI32, x, y) }
	least := m.SmallestSubGroup()
	n := m.Int(TypeI32, int64(s.Len()-1))
	return m.arrayOf(elem, word(OpUDiv, word(OpIAdd, n, least), least), s)
}

// SmallestSubGroup returns a constant expression for a size that none of a work-group's sub-groups is below. The
// last one is smaller than the others if they do not divide the work-group.
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

// SubGroupSize returns the constant that the size of sub-groups, but for a last one, is a multiple of.
func (m *Module) SubGroupSize() *Value {
	return m.ReservedSpec(abi.SpecSubGroup, "SubGroupSize", TypeI32, 1)
}

// GroupSize returns the number of work-items of a work-group, a constant expression.
func (m *Module) GroupSize() *Value {
	n := m.ReservedSpec(abi.SpecLocalSizeX, "LocalSizeX", TypeI32, 1)
	for d := 1; d < m.Rank; d++ {
		n = m.ConstExpr(OpIMul, TypeI32, n, m.ReservedSpec(abi.SpecLocalSizeX+uint32(d), "LocalSize"+"XYZ"[d:d+1], TypeI32, 1))
	}
	return n
}

// MatrixElem returns the type of a matrix's elements in memory: device memory, or a work-group's.
func MatrixElem(e matrix.Elem, device bool) *Type {
	switch {
	case e == matrix.Float32:
		return TypeF32
	case !device || e.Size() == 4:
		return TypeI32
	case e.Size() == 2:
		return TypeI16
	}
	return TypeI8
}

// matrices verifies an op of matrices.
func (x *verifier) matrices(v *Value) {
	for _, a := range v.Matrices() {
		if a == nil || a.Storage != Function || a.Type.Matrix == nil || !x.owns(a) {
			x.errorf(v, "not a matrix of the function")
			return
		}
	}
	switch a := v.Aux.(type) {
	case *Tile:
		s := a.Matrix.Type.Matrix
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
		x.ref(v, a.Mem)
	case *Product:
		to, c := a.To.Type.Matrix, a.C.Type.Matrix
		if p := matrix.Product(*a.A.Type.Matrix, *a.B.Type.Matrix, *c); p.Text != "" {
			x.errorf(v, "%s", p.Text)
		}
		if *to != *c || a.A.Type.Matrix.Use != matrix.A || a.B.Type.Matrix.Use != matrix.B || c.Use != matrix.Accumulator {
			x.errorf(v, "not a product of an A and a B, and a sum with an accumulator")
		}
	}
}
