package ir

// This file defines the types of values and memory.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/properties"
)

// Kind distinguishes scalars, vectors, arrays and structs.
type Kind uint8

const (
	Void Kind = iota
	Bool
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	// Addr is a device address, which SPIR-V code represents by two 32-bit words.
	Addr
	Array
	Struct
	// These are the kinds of vectors, which have 8 or 16 bytes. The elements of a vector are
	// adjacent in memory.
	F32x4
	I32x4
	F64x2
	F32x2
	I32x2
)

var kindNames = [...]string{"void", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "addr", "array", "struct", "f32x4", "i32x4", "f64x2", "f32x2", "i32x2"}

// String returns the kind's printed name.
func (k Kind) String() string { return kindNames[k] }

var kindAspects = [len(kindNames)]properties.Aspect{
	I8: properties.Int8, I16: properties.Int16, F16: properties.FP16, F64: properties.FP64,
}

// Aspect returns the aspect that each use of a number of kind k requires, or AspectInvalid. Kind I64 requires
// no aspect, because int and uint do not count as uses of Int64.
func (k Kind) Aspect() properties.Aspect { return kindAspects[k] }

// OfKind reports whether Kind.Aspect returns the aspect `a` for some kind.
func OfKind(a properties.Aspect) bool {
	return a != properties.AspectInvalid && slices.Contains(kindAspects[:], a)
}

// Type is the type of a value or of memory. Types of one module are interned, so two types are equal if and
// only if their pointers are equal.
type Type struct {
	Kind   Kind
	Elem   *Type   // element type of an Array or vector
	Len    *Value  // length of an Array: an i32 constant or specialization-constant expression
	Fields []Field // fields of a Struct
	// Matrix is the shape of a matrix, or nil. The Kind of a matrix type is Array (see MatrixOf).
	Matrix *matrix.Shape
	// If a matrix consists of native matrices, Part contains the numbers of rows and columns of each native matrix.
	// Part is zero if invocations store the elements in arrays.
	Part [2]int
	// Size and Align are the size and alignment that gc uses on amd64, in bytes. If the length of an
	// array is not a plain constant, the array's Size is 0 and the array is never in device memory.
	Size, Align int
}

// Field is a member of a struct with its byte offset.
type Field struct {
	Name   string
	Type   *Type
	Offset int
}

// The scalar types.
var (
	TypeVoid = &Type{Kind: Void}
	TypeBool = &Type{Kind: Bool, Size: 1, Align: 1}
	TypeI8   = &Type{Kind: I8, Size: 1, Align: 1}
	TypeI16  = &Type{Kind: I16, Size: 2, Align: 2}
	TypeI32  = &Type{Kind: I32, Size: 4, Align: 4}
	TypeI64  = &Type{Kind: I64, Size: 8, Align: 8}
	TypeF16  = &Type{Kind: F16, Size: 2, Align: 2}
	TypeF32  = &Type{Kind: F32, Size: 4, Align: 4}
	TypeF64  = &Type{Kind: F64, Size: 8, Align: 8}
	TypeAddr = &Type{Kind: Addr, Size: 8, Align: 8}
)

var scalarTypes = [...]*Type{
	Void: TypeVoid, Bool: TypeBool, I8: TypeI8, I16: TypeI16, I32: TypeI32, I64: TypeI64,
	F16: TypeF16, F32: TypeF32, F64: TypeF64, Addr: TypeAddr,
}

// The vector types. Vector values are the results of loads and VecMake, and the operands of stores and
// VecExtract. Constants, phis and variables cannot have vector types. Only arrays of TypeI32x4 may be
// in work-group memory.
var (
	TypeF32x4 = &Type{Kind: F32x4, Elem: TypeF32, Size: 16, Align: 16}
	TypeI32x4 = &Type{Kind: I32x4, Elem: TypeI32, Size: 16, Align: 16}
	TypeF64x2 = &Type{Kind: F64x2, Elem: TypeF64, Size: 16, Align: 16}
	TypeF32x2 = &Type{Kind: F32x2, Elem: TypeF32, Size: 8, Align: 8}
	TypeI32x2 = &Type{Kind: I32x2, Elem: TypeI32, Size: 8, Align: 8}
)

// VectorTypes lists all vector types.
var VectorTypes = [...]*Type{TypeF32x4, TypeI32x4, TypeF64x2, TypeF32x2, TypeI32x2}

// VectorOf returns the vector type with elements of type t and the given size in bytes, or nil if
// no such type exists.
func VectorOf(t *Type, size int) *Type {
	for _, v := range VectorTypes {
		if v.Elem == t && v.Size == size {
			return v
		}
	}
	return nil
}

// IsVector reports whether the type is a vector type.
func (t *Type) IsVector() bool { return t.Kind >= F32x4 }

// Lanes returns the number of elements of a vector type.
func (t *Type) Lanes() int { return t.Size / t.Elem.Size }

// IsScalar reports whether the type is a bool, integer, float or address.
func (t *Type) IsScalar() bool { return t.Kind > Void && t.Kind < Array }

// IsInt reports whether the type is an integer type.
func (t *Type) IsInt() bool { return t.Kind >= I8 && t.Kind <= I64 }

// IsFloat reports whether the type is a floating-point type.
func (t *Type) IsFloat() bool { return t.Kind >= F16 && t.Kind <= F64 }

// Bits returns the width of a scalar type in bits. A bool has 1 bit.
func (t *Type) Bits() int {
	if t.Kind == Bool {
		return 1
	}
	return t.Size * 8
}

// ArrayLen returns the array's length, and true if the length is a plain constant.
func (t *Type) ArrayLen() (int, bool) {
	if t.Kind == Array && t.Len.Op == OpConst {
		return int(t.Len.Bits), true
	}
	return 0, false
}

// String prints the type.
func (t *Type) String() string {
	switch t.Kind {
	case Array:
		if t.Matrix != nil {
			return t.matrixText() + fmt.Sprintf("[%s]%v", constString(t.Len), t.Elem)
		}
		if n, ok := t.ArrayLen(); ok {
			return fmt.Sprintf("[%d]%v", n, t.Elem)
		}
		return fmt.Sprintf("[%s]%v", constString(t.Len), t.Elem)
	case Struct:
		var b strings.Builder
		b.WriteByte('{')
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d: %v", f.Offset, f.Type)
		}
		fmt.Fprintf(&b, "; %d/%d}", t.Size, t.Align)
		return b.String()
	}
	return t.Kind.String()
}

// matrixShape returns the shape of a matrix type, or the zero Shape for other types.
func (t *Type) matrixShape() (s matrix.Shape) {
	if t.Matrix != nil {
		s = *t.Matrix
	}
	return s
}

// matrixText returns the beginning of a matrix type's text. The text describes the shape of the
// matrix and the size of its native matrices.
func (t *Type) matrixText() string {
	s, of := t.Matrix, ""
	if t.Part != [2]int{} {
		of = fmt.Sprintf(" of %d %d", t.Part[0], t.Part[1])
	}
	return fmt.Sprintf("<%v %d %d %v%s>", s.Use, s.Rows, s.Cols, s.Elem, of)
}

type arrayKey struct {
	elem  *Type
	len   *Value
	shape matrix.Shape // zero for an array that is not a matrix
	part  [2]int
}

// ArrayOf returns the array type with the given element type and length. The length n is a constant
// expression of module m with type i32.
func (m *Module) ArrayOf(elem *Type, n *Value) *Type {
	return m.arrayOf(elem, n, matrix.Shape{}, [2]int{})
}

func (m *Module) arrayOf(elem *Type, n *Value, s matrix.Shape, part [2]int) *Type {
	k := arrayKey{elem, n, s, part}
	t := m.arrays[k]
	if t == nil {
		t = &Type{Kind: Array, Elem: elem, Len: n, Align: elem.Align}
		if s.Elem != matrix.None {
			t.Matrix, t.Part = &s, part
		}
		if n.Op == OpConst {
			t.Size = int(n.Bits) * elem.Size
		}
		m.arrays[k] = t
	}
	return t
}

// StructOf returns the struct type with the given fields, size and alignment. Structs that differ only in field names
// have the same type.
func (m *Module) StructOf(fields []Field, size, align int) *Type {
	t := &Type{Kind: Struct, Fields: fields, Size: size, Align: align}
	k := structKey(t)
	if u := m.structs[k]; u != nil {
		return u
	}
	m.structs[k] = t
	return t
}

// structKey returns a key for a struct's layout. The key of a struct contains pointers to the field
// types, which are interned. The struct's key does not contain the texts of types, because
// specialization constants with equal names would make the texts ambiguous.
func structKey(t *Type) string {
	var b strings.Builder
	for _, f := range t.Fields {
		fmt.Fprintf(&b, "%d:%p ", f.Offset, f.Type)
	}
	fmt.Fprintf(&b, "%d/%d", t.Size, t.Align)
	return b.String()
}
