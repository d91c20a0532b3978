package emit

// This file emits arithmetic and conversions.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// emitInstruction emits the code of an op that needs only one SPIR-V instruction.
func (f *funcEmitter) emitInstruction(in *singleInstruction, v *ir.Value) spirv.ID {
	args := f.values(v.Args)
	t := f.e.registerType(v.Type)
	if in.op == 0 {
		return f.GLSL(t, in.glsl, args...)
	}
	id := f.Op(in.op, t, args...)
	if in.exact {
		f.e.b.Decorate(id, spirv.DecorationNoContraction)
	}
	return id
}

func emitUMulHi(f *funcEmitter, v *ir.Value) spirv.ID {
	u32 := f.e.u32()
	both := f.Op(spirv.OpUMulExtended, f.e.b.TypeStruct(u32, u32), f.values(v.Args)...)
	return f.CompositeExtract(u32, both, 1)
}

func emitAddrIsNull(f *funcEmitter, v *ir.Value) spirv.ID {
	u32 := f.e.u32()
	a := f.valueID(v.Args[0])
	or := f.Op(spirv.OpBitwiseOr, u32, f.CompositeExtract(u32, a, 0), f.CompositeExtract(u32, a, 1))
	return f.Op(spirv.OpIEqual, f.e.b.TypeBool(), or, f.e.b.ConstU32(0))
}

func isConversion(op ir.Op) bool { return op == ir.OpSConvert || op == ir.OpUConvert }

// extendNarrow returns an integer of 8 or 16 bits as a 32-bit word, which is sign-extended or zero-extended.
func (f *funcEmitter) extendNarrow(v *ir.Value, signed bool) spirv.ID {
	b, u32 := f.e.b, f.e.u32()
	if v.IsConst() {
		if signed {
			return b.ConstU32(uint32(v.Int()))
		}
		return b.ConstU32(uint32(v.Bits))
	}
	if raw, ok := f.raw[v]; ok {
		if signed {
			return f.Op(spirv.OpSConvert, u32, raw)
		}
		return f.Op(spirv.OpUConvert, u32, raw)
	}
	n := uint32(v.Type.Bits())
	if signed {
		return f.Op(spirv.OpBitFieldSExtract, u32, f.valueID(v), b.ConstU32(0), b.ConstU32(n))
	}
	return f.Op(spirv.OpBitwiseAnd, u32, f.valueID(v), b.ConstU32(1<<n-1))
}

func emitConvert(f *funcEmitter, v *ir.Value) spirv.ID {
	x := v.Args[0]
	signed := v.Op == ir.OpSConvert
	to, op := f.e.registerType(v.Type), singleInstructions[v.Op].op
	switch {
	case v.Type == x.Type:
		return f.valueID(x)
	case !isNarrow(x.Type) && f.e.registerType(x.Type) == to:
		return f.valueID(x) // truncating a 32-bit word to 8 or 16 bits needs no code
	case signed && x.Type == ir.TypeI32 && v.Type == ir.TypeI64 && !x.IsConst():
		return f.signExtend(f.valueID(x))
	case !isNarrow(x.Type):
		return f.Op(op, to, f.valueID(x))
	case isNarrow(v.Type) && v.Type.Size < x.Type.Size:
		return f.valueID(x)
	case v.Type.Kind != ir.I64:
		return f.extendNarrow(x, signed)
	}
	if raw, ok := f.raw[x]; ok {
		return f.Op(op, to, raw)
	}
	return f.Op(op, to, f.extendNarrow(x, signed))
}

// signExtend converts an i32 to an i64 by computing the two 32-bit words, as devices do internally.
// signExtend avoids OpSConvert because of a driver bug. The quirk sign-extension of lavapipe
// describes the bug.
func (f *funcEmitter) signExtend(x spirv.ID) spirv.ID {
	b := f.e.b
	u32 := f.e.registerType(ir.TypeI32)
	high := f.Op(spirv.OpShiftRightArithmetic, u32, x, b.ConstU32(31))
	pair := f.Op(spirv.OpCompositeConstruct, b.TypeVector(u32, 2), x, high)
	return f.Op(spirv.OpBitcast, f.e.registerType(ir.TypeI64), pair)
}

func emitFConvert(f *funcEmitter, v *ir.Value) spirv.ID {
	if v.Type == v.Args[0].Type {
		return f.valueID(v.Args[0])
	}
	return f.Op(spirv.OpFConvert, f.e.registerType(v.Type), f.valueID(v.Args[0]))
}

// emitFromHalf emits the conversion of a float16 to float32 with an instruction that needs no
// 16-bit type. When a module is loaded, package adapt replaces the conversion instruction. The new
// code is exact on the device and computes the correct bits for NaNs.
func emitFromHalf(f *funcEmitter, v *ir.Value) spirv.ID {
	f32 := f.e.registerType(ir.TypeF32)
	pair := f.GLSL(f.e.b.TypeVector(f32, 2), spirv.GLSLstd450UnpackHalf2x16, f.valueID(v.Args[0]))
	return f.CompositeExtract(f32, pair, 0)
}

// emitToHalf emits the conversion of a float32 to float16. The result of the conversion is a 32-bit word whose upper 16
// bits are 0.
func emitToHalf(f *funcEmitter, v *ir.Value) spirv.ID {
	f32 := f.e.registerType(ir.TypeF32)
	pair := f.Op(spirv.OpCompositeConstruct, f.e.b.TypeVector(f32, 2), f.valueID(v.Args[0]), f.e.b.ConstNull(f32))
	return f.GLSL(f.e.u32(), spirv.GLSLstd450PackHalf2x16, pair)
}

// emitMark returns an emitter for a float16 value or sum of products that earlier ops computed. The emitter marks the
// value with a name. The emitter also writes the operands of the computation, because package adapt needs them.
func emitMark(name string) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		u32 := f.e.u32()
		t := spirv.ID(0)
		if n := uint32(len(v.Args)); n <= 4 {
			t = f.e.b.TypeVector(u32, n)
		} else {
			t = f.e.b.TypeArray(u32, f.e.b.ConstU32(n))
		}
		all := f.Op(spirv.OpCompositeConstruct, t, f.values(v.Args)...)
		id := f.CompositeExtract(u32, all, 0)
		f.e.b.Mark(id, name)
		return id
	}
}

func emitToFloat(f *funcEmitter, v *ir.Value) spirv.ID {
	op := spirv.OpConvertUToF
	if v.Op == ir.OpSToF {
		op = spirv.OpConvertSToF
	}
	return f.Op(op, f.e.registerType(v.Type), f.valueID(v.Args[0]))
}

func emitFromFloat(f *funcEmitter, v *ir.Value) spirv.ID {
	op := spirv.OpConvertFToU
	if v.Op == ir.OpFToS {
		op = spirv.OpConvertFToS
	}
	return f.Op(op, f.e.registerType(v.Type), f.valueID(v.Args[0]))
}

func emitBitcast(f *funcEmitter, v *ir.Value) spirv.ID {
	from, to := v.Args[0].Type, v.Type
	x := f.valueID(v.Args[0])
	switch {
	case from == to:
		return x
	case to.Kind == ir.F16:
		return f.halfOf(x)
	case from.Kind == ir.F16:
		f16 := f.e.registerType(from)
		pair := f.Op(spirv.OpCompositeConstruct, f.e.b.TypeVector(f16, 2), x, x)
		return f.Op(spirv.OpBitcast, f.e.u32(), pair)
	}
	return f.Op(spirv.OpBitcast, f.e.registerType(to), x)
}

func emitPair(f *funcEmitter, v *ir.Value) spirv.ID {
	return f.Op(spirv.OpCompositeConstruct, f.e.uvec2(), f.values(v.Args)...)
}

// emitHalf returns an emitter that extracts 32-bit word i of a 64-bit value.
func emitHalf(i uint32) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		return f.CompositeExtract(f.e.u32(), f.valueID(v.Args[0]), i)
	}
}

// halfOf returns the low 16 bits of a 32-bit word as a float16.
func (f *funcEmitter) halfOf(word spirv.ID) spirv.ID {
	f16 := f.e.registerType(ir.TypeF16)
	pair := f.Op(spirv.OpBitcast, f.e.b.TypeVector(f16, 2), word)
	return f.CompositeExtract(f16, pair, 0)
}
