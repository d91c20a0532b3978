package spirv

// This file builds types and constants.

import "fmt"

// TypeVoid returns OpTypeVoid.
func (b *Builder) TypeVoid() ID { return b.plain(OpTypeVoid, 0) }

// TypeBool returns OpTypeBool.
func (b *Builder) TypeBool() ID { return b.plain(OpTypeBool, 0) }

// TypeInt returns OpTypeInt.
func (b *Builder) TypeInt(width uint32, signed bool) ID {
	var s uint32
	if signed {
		s = 1
	}
	return b.plain(OpTypeInt, 0, width, s)
}

// TypeFloat returns OpTypeFloat.
func (b *Builder) TypeFloat(width uint32) ID { return b.plain(OpTypeFloat, 0, width) }

// TypeVector returns OpTypeVector.
func (b *Builder) TypeVector(component ID, n uint32) ID {
	return b.plain(OpTypeVector, 0, uint32(component), n)
}

// TypeArray returns OpTypeArray without a stride. lengthID is the id of a constant or a specialization
// constant.
func (b *Builder) TypeArray(elem, lengthID ID) ID {
	return b.plain(OpTypeArray, 0, uint32(elem), uint32(lengthID))
}

// TypeRuntimeArray returns OpTypeRuntimeArray without a stride.
func (b *Builder) TypeRuntimeArray(elem ID) ID { return b.plain(OpTypeRuntimeArray, 0, uint32(elem)) }

// ArrayStride returns OpTypeArray with decoration ArrayStride. The stride is a number of bytes.
func (b *Builder) ArrayStride(elem, length ID, stride uint32) ID {
	return b.strided(stride, OpTypeArray, uint32(elem), uint32(length))
}

// RuntimeArrayStride returns OpTypeRuntimeArray decorated with ArrayStride.
func (b *Builder) RuntimeArrayStride(elem ID, stride uint32) ID {
	return b.strided(stride, OpTypeRuntimeArray, uint32(elem))
}

func (b *Builder) strided(stride uint32, op Op, words ...uint32) ID {
	id, fresh := b.defineOnce(op, 0, b.sequenceOf(0, uint32(DecorationArrayStride), stride), words...)
	if fresh {
		b.Decorate(id, DecorationArrayStride, stride)
	}
	return id
}

// TypeStruct returns OpTypeStruct without a layout.
func (b *Builder) TypeStruct(members ...ID) ID {
	return b.plain(OpTypeStruct, 0, IDWords(members...)...)
}

// Member is a member of a structure with an explicit layout.
type Member struct {
	Type        ID
	Offset      uint32 // offset in bytes
	Decorations []MemberDecoration
}

// MemberDecoration is a decoration of a struct member. The decoration Offset is not a
// MemberDecoration, but the field Member.Offset.
type MemberDecoration struct {
	Decoration Decoration
	Operands   []uint32
}

// StructLayout returns OpTypeStruct. Each member has the decoration Offset and the decorations in its
// Member value. If block is true, the type has the decoration Block (SPIR-V 2.16.2, "Validation Rules
// for Shader Capabilities").
func (b *Builder) StructLayout(members []Member, block bool) ID {
	var types []uint32
	key := b.sequenceOf(0, uint32(DecorationOffset))
	if block {
		key = b.sequenceOf(0, uint32(DecorationBlock))
	}
	for _, m := range members {
		types = append(types, uint32(m.Type))
		key = b.sequenceOf(key, m.Offset, uint32(len(m.Decorations)))
		for _, d := range m.Decorations {
			key = b.sequenceOf(key, uint32(d.Decoration), uint32(len(d.Operands)))
			key = b.sequenceOf(key, d.Operands...)
		}
	}
	id, fresh := b.defineOnce(OpTypeStruct, 0, key, types...)
	if !fresh {
		return id
	}
	if block {
		b.Decorate(id, DecorationBlock)
	}
	for i, m := range members {
		b.MemberDecorate(id, uint32(i), DecorationOffset, m.Offset)
		for _, d := range m.Decorations {
			b.MemberDecorate(id, uint32(i), d.Decoration, d.Operands...)
		}
	}
	return id
}

// TypePointer returns OpTypePointer.
func (b *Builder) TypePointer(class StorageClass, pointee ID) ID {
	return b.plain(OpTypePointer, 0, uint32(class), uint32(pointee))
}

// ForwardPointer declares a pointer type (OpTypeForwardPointer). A later call of DefinePointer sets
// the pointee. A structure may use the pointer type before DefinePointer is called.
func (b *Builder) ForwardPointer(class StorageClass) ID {
	id := b.NewID()
	b.appendGlobal(Instruction{Op: OpTypeForwardPointer, Words: []uint32{uint32(id), uint32(class)}})
	return id
}

// DefinePointer defines the pointer type that ForwardPointer has declared. After the call of
// DefinePointer, TypePointer returns the defined type, unless TypePointer has already defined an equal
// type.
func (b *Builder) DefinePointer(forward ID, class StorageClass, pointee ID) {
	words := []uint32{uint32(class), uint32(pointee)}
	b.appendGlobal(Instruction{Op: OpTypePointer, Result: forward, Words: words})
	k := defKey{OpTypePointer, 0, b.sequenceOf(0, words...), 0}
	if _, ok := b.defs[k]; !ok {
		b.defs[k] = forward
	}
}

// TypeFunction returns OpTypeFunction.
func (b *Builder) TypeFunction(ret ID, params ...ID) ID {
	return b.plain(OpTypeFunction, 0, IDWords(append([]ID{ret}, params...)...)...)
}

// ConstBits returns OpConstant of an integer or floating-point type. The low bits of valueBits are the
// value, encoded as two's complement or IEEE 754. ConstBits ignores bits above the width of the type, so
// callers may convert a negative int64 to bits.
func (b *Builder) ConstBits(typ ID, valueBits uint64) ID {
	return b.plain(OpConstant, typ, b.literalWords(typ, valueBits)...)
}

// literalWords encodes a number as 32-bit words. A signed number of less than 32 bits is sign-extended. All
// numbers that are unsigned or have at least 32 bits are zero-extended (SPIR-V 2.2.1).
func (b *Builder) literalWords(typ ID, bits uint64) []uint32 {
	t, ok := b.d.numeric[typ]
	if !ok || t.Kind == Bool {
		panic(fmt.Sprintf("BUG: %%%d is no integer or floating-point type", typ))
	}
	bits = truncateBits(bits, t.Width)
	if t.Width > 32 {
		return []uint32{uint32(bits), uint32(bits >> 32)}
	}
	if t.Kind == Int {
		shift := 32 - t.Width
		return []uint32{uint32(int32(uint32(bits)<<shift) >> shift)}
	}
	return []uint32{uint32(bits)}
}

// ConstU32 returns a constant of type TypeInt(32, false), which is the type of scopes, memory semantics and
// most indices.
func (b *Builder) ConstU32(v uint32) ID { return b.ConstBits(b.TypeInt(32, false), uint64(v)) }

// ConstBool returns OpConstantTrue or OpConstantFalse.
func (b *Builder) ConstBool(v bool) ID {
	if v {
		return b.plain(OpConstantTrue, b.TypeBool())
	}
	return b.plain(OpConstantFalse, b.TypeBool())
}

// ConstNull returns OpConstantNull.
func (b *Builder) ConstNull(typ ID) ID { return b.plain(OpConstantNull, typ) }

// ConstComposite returns OpConstantComposite.
func (b *Builder) ConstComposite(typ ID, parts ...ID) ID {
	return b.plain(OpConstantComposite, typ, IDWords(parts...)...)
}

// Undef returns a module-level OpUndef.
func (b *Builder) Undef(typ ID) ID { return b.plain(OpUndef, typ) }

// SpecConst defines OpSpecConstant with a SpecId and a default. Each call of a method whose name begins with SpecConst
// defines a new specialization constant.
func (b *Builder) SpecConst(typ ID, specID uint32, bits uint64) ID {
	return b.spec(specID, Instruction{Op: OpSpecConstant, Type: typ, Words: b.literalWords(typ, bits)})
}

// SpecConstBool defines OpSpecConstantTrue or OpSpecConstantFalse with a SpecId.
func (b *Builder) SpecConstBool(specID uint32, v bool) ID {
	in := Instruction{Op: OpSpecConstantFalse, Type: b.TypeBool()}
	if v {
		in.Op = OpSpecConstantTrue
	}
	return b.spec(specID, in)
}

func (b *Builder) spec(specID uint32, in Instruction) ID {
	id := b.appendGlobal(in)
	b.Decorate(id, DecorationSpecId, specID)
	return id
}

// SpecConstComposite defines OpSpecConstantComposite.
func (b *Builder) SpecConstComposite(typ ID, parts ...ID) ID {
	return b.appendGlobal(Instruction{Op: OpSpecConstantComposite, Type: typ, Words: IDWords(parts...)})
}

// SpecConstOp defines OpSpecConstantOp for an opcode whose operands are all ids.
func (b *Builder) SpecConstOp(typ ID, op Op, args ...ID) ID {
	return b.SpecConstOpWords(typ, op, IDWords(args...)...)
}

// SpecConstOpWords defines OpSpecConstantOp for an opcode that also has literal operands, such as
// OpCompositeExtract.
func (b *Builder) SpecConstOpWords(typ ID, op Op, args ...uint32) ID {
	return b.appendGlobal(Instruction{Op: OpSpecConstantOp, Type: typ, Words: append([]uint32{uint32(op)}, args...)})
}
