package emit

// This file emits code for native matrices of the device. The SPIR-V type of a matrix variable is
// OpTypeCooperativeMatrixKHR, or an array of this type if the matrix consists of several native matrices.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/matrix"
)

// isNative reports whether variables of type t consist of native matrices of the device.
func isNative(t *ir.Type) bool { return t.Part != [2]int{} }

// hasSeveralParts reports whether a matrix of type t consists of more than one native matrix.
func hasSeveralParts(t *ir.Type) bool {
	rows, cols := t.Parts()
	return rows*cols > 1
}

// componentType returns the SPIR-V type of a matrix's elements.
func (e *emitter) componentType(s *matrix.Shape) spirv.ID {
	switch s.Elem {
	case matrix.Int8, matrix.Uint8:
		e.needCapability(spirv.CapabilityInt8)
		return e.b.TypeInt(8, s.Elem == matrix.Int8)
	case matrix.Float16:
		e.needCapability(spirv.CapabilityFloat16)
		return e.b.TypeFloat(16)
	case matrix.BFloat16:
		e.needCapability(spirv.CapabilityBFloat16TypeKHR)
		e.needCapability(spirv.CapabilityBFloat16CooperativeMatrixKHR)
		return e.b.TypeBFloat16()
	case matrix.Float32:
		return e.b.TypeFloat(32)
	}
	return e.b.TypeInt(32, s.Elem == matrix.Int32)
}

// partType returns the SPIR-V type of a native matrix that is one part of a matrix.
func (e *emitter) partType(t *ir.Type) spirv.ID {
	e.needCapability(spirv.CapabilityCooperativeMatrixKHR)
	use := map[matrix.Use]uint32{matrix.A: spirv.MatrixUseA, matrix.B: spirv.MatrixUseB, matrix.Accumulator: spirv.MatrixUseAccumulator}
	return e.b.TypeCooperativeMatrix(e.componentType(t.Matrix), uint32(t.Part[0]), uint32(t.Part[1]), use[t.Matrix.Use])
}

// matrixVariable returns the SPIR-V type of a matrix variable of type t.
func (e *emitter) matrixVariable(t *ir.Type) spirv.ID {
	rows, cols := t.Parts()
	if !hasSeveralParts(t) {
		return e.partType(t)
	}
	return e.b.TypeArray(e.partType(t), e.b.ConstU32(uint32(rows*cols)))
}

// partAt returns the pointer to one of the native matrices in matrix v. The parts (native matrices) of a
// matrix are numbered from 1.
func (f *funcEmitter) partAt(v *ir.Var, part int) spirv.ID {
	ptr := f.variablePointer(v)
	if !hasSeveralParts(v.Type) {
		return ptr
	}
	t := f.e.b.TypePointer(spirv.StorageClassFunction, f.e.partType(v.Type))
	return f.AccessChain(t, ptr, f.e.b.ConstU32(uint32(part-1)))
}

func (f *funcEmitter) loadPart(v *ir.Var, part int) spirv.ID {
	return f.Load(f.e.partType(v.Type), f.partAt(v, part), spirv.MemoryOperands{})
}

func (f *funcEmitter) storePart(v *ir.Var, part int, x spirv.ID) {
	f.Store(f.partAt(v, part), x, spirv.MemoryOperands{})
}

// partLength returns the number of elements that an invocation stores for one part of a matrix.
func (f *funcEmitter) partLength(t *ir.Type) spirv.ID {
	return f.Op(spirv.OpCooperativeMatrixLengthKHR, f.e.u32(), f.e.partType(t))
}

// elementAt returns the pointer to a matrix element that the invocation stores.
func (f *funcEmitter) elementAt(v *ir.Var, e *ir.Value) spirv.ID {
	t := f.e.b.TypePointer(spirv.StorageClassFunction, f.e.componentType(v.Type.Matrix))
	at := []spirv.ID{f.valueID(e)}
	if hasSeveralParts(v.Type) {
		n := f.partLength(v.Type)
		part := f.Op(spirv.OpUDiv, f.e.u32(), at[0], n)
		at = []spirv.ID{part, f.Op(spirv.OpUMod, f.e.u32(), at[0], n)}
	}
	return f.AccessChain(t, f.variablePointer(v), at...)
}

// loadElement emits the load of a matrix element, and returns the element as a float32 or a 32-bit
// word.
func (f *funcEmitter) loadElement(v *ir.Value) spirv.ID {
	m, b := v.Ref().Var, f.e.b
	x := f.Load(f.e.componentType(m.Type.Matrix), f.elementAt(m, v.Path()[0]), spirv.MemoryOperands{})
	switch m.Type.Matrix.Elem {
	case matrix.Float16:
		half := b.TypeFloat(16)
		pair := f.Op(spirv.OpCompositeConstruct, b.TypeVector(half, 2), x, b.ConstBits(half, 0))
		return f.Op(spirv.OpBitcast, f.e.u32(), pair)
	case matrix.Int32:
		return f.Op(spirv.OpBitcast, f.e.u32(), x)
	}
	return x
}

func (f *funcEmitter) storeElement(v *ir.Value) {
	m, b := v.Ref().Var, f.e.b
	x, t := f.valueID(v.Args[0]), f.e.componentType(m.Type.Matrix)
	switch m.Type.Matrix.Elem {
	case matrix.Float16:
		x = f.CompositeExtract(t, f.Op(spirv.OpBitcast, b.TypeVector(t, 2), x), 0)
	case matrix.Int32:
		x = f.Op(spirv.OpBitcast, t, x)
	}
	f.Store(f.elementAt(m, v.Path()[0]), x, spirv.MemoryOperands{})
}

// eachPart calls visitPart for each part (native matrix) of a matrix.
func eachPart(t *ir.Type, visitPart func(part int)) {
	rows, cols := t.Parts()
	for p := range rows * cols {
		visitPart(p + 1)
	}
}

// tileMemory returns a pointer to the memory that the matrix op v accesses. It also returns the
// layout, the stride and the memory operands of the access.
func (f *funcEmitter) tileMemory(v *ir.Value) (ptr, layout, stride spirv.ID, access spirv.MemoryOperands) {
	t, e := v.Aux.(*ir.Tile), f.e
	p := f.accessedPlace(v)
	n := t.Matrix.Type.Part[1]
	layout = e.b.ConstU32(spirv.MatrixRowMajor)
	if t.Columns {
		n, layout = t.Matrix.Type.Part[0], e.b.ConstU32(spirv.MatrixColumnMajor)
	}
	if p.device {
		p.access.Alignment = uint32(min(16, n*t.Matrix.Type.Matrix.Elem.Size()))
	}
	if s := v.Args[0]; s.IsConst() {
		stride = e.b.ConstU32(uint32(s.Bits))
	} else if stride = f.valueID(s); s.Type == ir.TypeI64 {
		stride = f.Op(spirv.OpUConvert, e.u32(), stride)
	}
	return p.ptr, layout, stride, p.access
}

func emitMatrixLoad(f *funcEmitter, v *ir.Value) spirv.ID {
	t := v.Aux.(*ir.Tile)
	ptr, layout, stride, access := f.tileMemory(v)
	f.storePart(t.Matrix, t.Part, f.LoadMatrix(f.e.partType(t.Matrix.Type), ptr, layout, stride, access))
	return 0
}

func emitMatrixStore(f *funcEmitter, v *ir.Value) spirv.ID {
	t := v.Aux.(*ir.Tile)
	ptr, layout, stride, access := f.tileMemory(v)
	f.StoreMatrix(ptr, f.loadPart(t.Matrix, t.Part), layout, stride, access)
	return 0
}

func emitMatrixMulAdd(f *funcEmitter, v *ir.Value) spirv.ID {
	p := v.Aux.(*ir.Product)
	signs := uint32(0)
	if p.A.Type.Matrix.Elem == matrix.Int8 {
		signs = spirv.MatrixASigned | spirv.MatrixBSigned | spirv.MatrixCSigned | spirv.MatrixResultSigned
	}
	a, b, c := f.loadPart(p.A, p.Parts[0]), f.loadPart(p.B, p.Parts[1]), f.loadPart(p.C, p.Parts[2])
	f.storePart(p.To, p.Parts[2], f.MulAddMatrix(f.e.partType(p.To.Type), a, b, c, signs))
	return 0
}

func emitMatrixLength(f *funcEmitter, v *ir.Value) spirv.ID {
	t := v.Aux.(*ir.Tile).Matrix.Type
	rows, cols := t.Parts()
	n := f.partLength(t)
	if rows*cols == 1 {
		return n
	}
	return f.Op(spirv.OpIMul, f.e.u32(), n, f.e.b.ConstU32(uint32(rows*cols)))
}

// zeroMatrix emits code that sets all elements of a matrix to zero.
func (f *funcEmitter) zeroMatrix(v *ir.Var) {
	zero := f.e.b.ConstComposite(f.e.partType(v.Type), f.e.b.ConstBits(f.e.componentType(v.Type.Matrix), 0))
	eachPart(v.Type, func(part int) { f.storePart(v, part, zero) })
}

// copyMatrix emits code that copies a matrix to another matrix.
func (f *funcEmitter) copyMatrix(to, from *ir.Var) {
	eachPart(to.Type, func(part int) { f.storePart(to, part, f.loadPart(from, part)) })
}
