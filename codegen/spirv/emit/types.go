package emit

// This file emits types.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

func (e *emitter) u32() spirv.ID   { return e.b.TypeInt(32, false) }
func (e *emitter) uvec2() spirv.ID { return e.b.TypeVector(e.u32(), 2) }

// isNarrow reports whether t is i8 or i16. In SPIR-V, values of types i8 and i16 are represented by 32-bit
// words.
func isNarrow(t *ir.Type) bool { return t.Kind == ir.I8 || t.Kind == ir.I16 }

// registerType returns the SPIR-V type of values of type t. Type t is a scalar or a vector.
func (e *emitter) registerType(t *ir.Type) spirv.ID {
	switch t.Kind {
	case ir.Bool:
		return e.b.TypeBool()
	case ir.I8, ir.I16, ir.I32:
		return e.u32()
	case ir.I64:
		e.needCapability(spirv.CapabilityInt64)
		return e.b.TypeInt(64, false)
	case ir.F16:
		e.needCapability(spirv.CapabilityFloat16)
		return e.b.TypeFloat(16)
	case ir.F32:
		return e.b.TypeFloat(32)
	case ir.F64:
		e.needCapability(spirv.CapabilityFloat64)
		return e.b.TypeFloat(64)
	case ir.Addr:
		return e.uvec2()
	case ir.F32x4, ir.I32x4, ir.F64x2, ir.F32x2, ir.I32x2:
		return e.b.TypeVector(e.registerType(t.Elem), uint32(t.Lanes()))
	}
	panic("BUG: no values of type " + t.String())
}

// packedType returns the SPIR-V type of packed work-group memory of type t. In packed memory, integers of
// 8 and 16 bits are adjacent.
func (e *emitter) packedType(t *ir.Type) spirv.ID {
	switch t.Kind {
	case ir.Array:
		return e.b.TypeArray(e.packedType(t.Elem), e.lengthID(t))
	case ir.I8:
		e.needCapability(spirv.CapabilityInt8)
		return e.b.TypeInt(8, false)
	case ir.I16:
		e.needCapability(spirv.CapabilityInt16)
		return e.b.TypeInt(16, false)
	}
	return e.registerType(t)
}

// ofVar returns the SPIR-V type of an element of variable v. The argument t is the element's type in the
// IR.
func (e *emitter) ofVar(v *ir.Var, t *ir.Type) spirv.ID {
	if v.Packed() {
		return e.packedType(t)
	}
	return e.variableType(t)
}

// variableType returns the SPIR-V type of a variable of type t, without a layout.
func (e *emitter) variableType(t *ir.Type) spirv.ID {
	if t.IsScalar() || t.IsVector() {
		return e.registerType(t)
	}
	if isNative(t) {
		return e.matrixVariable(t)
	}
	id, ok := e.plainTypes[t]
	if ok {
		return id
	}
	switch t.Kind {
	case ir.Array:
		id = e.b.TypeArray(e.variableType(t.Elem), e.lengthID(t))
	case ir.Struct:
		var members []spirv.ID
		for _, f := range t.Fields {
			if !isEmpty(f.Type) {
				members = append(members, e.variableType(f.Type))
			}
		}
		id = e.b.TypeStruct(members...)
	}
	e.plainTypes[t] = id
	return id
}

// memoryType returns the SPIR-V type of device memory of type t, in gc's layout. Modules have no arithmetic on
// integers of 8 and 16 bits. Nevertheless modules need capabilities Int8 and Int16, because otherwise an address cannot
// be converted to a pointer to an 8-bit or 16-bit integer.
func (e *emitter) memoryType(t *ir.Type) spirv.ID {
	switch t.Kind {
	case ir.Bool:
		panic("BUG: a bool in device memory")
	case ir.I8:
		e.needCapability(spirv.CapabilityInt8)
		e.needCapability(spirv.CapabilityStorageBuffer8BitAccess)
		return e.b.TypeInt(8, false)
	case ir.I16:
		e.needCapability(spirv.CapabilityInt16)
		e.needCapability(spirv.CapabilityStorageBuffer16BitAccess)
		return e.b.TypeInt(16, false)
	case ir.F16:
		e.needCapability(spirv.CapabilityStorageBuffer16BitAccess)
	}
	if t.IsScalar() || t.IsVector() {
		return e.registerType(t)
	}
	id, ok := e.layoutTypes[t]
	if ok {
		return id
	}
	switch t.Kind {
	case ir.Array:
		id = e.b.ArrayStride(e.memoryType(t.Elem), e.lengthID(t), uint32(t.Elem.Size))
	case ir.Struct:
		var members []spirv.Member
		for _, f := range t.Fields {
			if !isEmpty(f.Type) {
				members = append(members, spirv.Member{Type: e.memoryType(f.Type), Offset: uint32(f.Offset)})
			}
		}
		id = e.b.StructLayout(members, false)
	}
	e.layoutTypes[t] = id
	return id
}

// elementsType returns the SPIR-V type to which addresses of elements of type t point. The returned
// SPIR-V type is a block with a runtime array of elements.
func (e *emitter) elementsType(t *ir.Type) spirv.ID {
	array := e.b.RuntimeArrayStride(e.memoryType(t), uint32(t.Size))
	return e.b.StructLayout([]spirv.Member{{Type: array}}, true)
}

// lengthID returns the id of the constant that is the length of an array type.
func (e *emitter) lengthID(t *ir.Type) spirv.ID {
	if !isFoldable(t.Len) {
		e.errorf("the length of %v is no constant of SPIR-V", t)
		return e.b.ConstU32(1)
	}
	return e.constantID(t.Len)
}

// isEmpty reports whether memory of type t has size 0. SPIR-V does not allow memory of size 0. So the
// emitter declares nothing for empty memory, and paths end before empty memory.
func isEmpty(t *ir.Type) bool {
	switch t.Kind {
	case ir.Array:
		n, ok := t.ArrayLen()
		return ok && n == 0 || isEmpty(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if !isEmpty(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// memberIndex returns the index of field i among the fields whose size is not 0.
func memberIndex(t *ir.Type, i int) uint32 {
	n := uint32(0)
	for _, f := range t.Fields[:i] {
		if !isEmpty(f.Type) {
			n++
		}
	}
	return n
}
