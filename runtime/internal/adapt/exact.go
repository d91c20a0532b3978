package adapt

import (
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Subnormals returns a module for a device that flushes subnormals. The module computes conversions
// to float64, absolute values, floors and ceilings from the bits of float32s. In Go, conversions to
// float64, absolute values, floors and ceilings are exact, but the device may flush their subnormal
// operands. Operations such as truncation need no change, because their results for a subnormal and
// for zero are equal. Subnormals does not modify its argument.
func Subnormals(words []uint32, kept *hal.Subnormals) ([]uint32, error) {
	if kept.ToFloat64 && kept.Abs && kept.Rounding {
		return words, nil
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	x := &exactRewriter{e: spirv.Edit(m), kept: kept}
	for _, in := range m.ExtInstImports {
		if spirv.String(in.Words) == spirv.GLSLstd450Name {
			x.glsl = in.Result
		}
	}
	changed := false
	for i := range m.Functions {
		f := &m.Functions[i]
		var out []spirv.Instruction
		for _, in := range f.Code {
			if list := x.replaceExact(in); list != nil {
				out, changed = append(out, list...), true
				continue
			}
			out = append(out, in)
		}
		f.Code = out
	}
	if !changed {
		return words, nil
	}
	return m.Words(), nil
}

// exactRewriter replaces instructions of a module by code with exact results for subnormals.
type exactRewriter struct {
	e    *spirv.Editor
	kept *hal.Subnormals
	glsl spirv.ID // ID of the GLSL instruction set, or 0 if the module does not import this set
}

func (x *exactRewriter) u32() spirv.ID { return x.e.Global(spirv.OpTypeInt, 0, 32, 0) }

func (x *exactRewriter) word(n uint32) spirv.ID { return x.e.Global(spirv.OpConstant, x.u32(), n) }

// replaceExact returns code that replaces the given instruction. For an instruction that stays
// unchanged, replaceExact returns nil.
func (x *exactRewriter) replaceExact(in spirv.Instruction) []spirv.Instruction {
	width, lanes := x.e.Float(in.Type)
	var one func(c *spirv.Code, typ, v spirv.ID) spirv.ID
	var operand spirv.ID
	switch in.Op {
	case spirv.OpFConvert:
		operand, one = spirv.ID(in.Words[0]), x.toFloat64
		if from, _ := x.e.Float(x.e.TypeOf(operand)); x.kept.ToFloat64 || width != 64 || from != 32 {
			return nil
		}
	case spirv.OpExtInst:
		if width != 32 || spirv.ID(in.Words[0]) != x.glsl {
			return nil
		}
		switch inst := spirv.GLSLstd450(in.Words[1]); {
		case inst == spirv.GLSLstd450FAbs && !x.kept.Abs:
			one = x.absCode
		case inst == spirv.GLSLstd450Floor && !x.kept.Rounding:
			one = x.roundingCode(inst, 0)
		case inst == spirv.GLSLstd450Ceil && !x.kept.Rounding:
			one = x.roundingCode(inst, oneBits)
		default:
			return nil
		}
		operand = spirv.ID(in.Words[2])
	default:
		return nil
	}
	c := x.e.NewCode()
	if lanes == 1 {
		one(c, in.Type, operand)
	} else {
		from := x.e.Global(spirv.OpTypeFloat, 0, 32)
		to := x.e.Global(spirv.OpTypeFloat, 0, width)
		var parts []spirv.ID
		for i := range lanes {
			parts = append(parts, one(c, to, c.Op(spirv.OpCompositeExtract, from, operand, spirv.ID(i))))
		}
		c.Op(spirv.OpCompositeConstruct, in.Type, parts...)
	}
	c.Last(in.Result)
	return c.List
}

// splitFloat writes code that splits v, a float32. The results are the bits without the sign, the
// sign as 0 or -1, and a bool that says whether v is subnormal. A float32 is subnormal if its bits
// without the sign, minus 1, are below 1<<23 - 1.
func (x *exactRewriter) splitFloat(c *spirv.Code, v spirv.ID) (magnitude, sign, subnormal spirv.ID) {
	u32 := x.u32()
	bits := c.Op(spirv.OpBitcast, u32, v)
	magnitude = c.Op(spirv.OpBitwiseAnd, u32, bits, x.word(1<<31-1))
	sign = c.Op(spirv.OpShiftRightArithmetic, u32, bits, x.word(31))
	less := c.Op(spirv.OpISub, u32, magnitude, x.word(1))
	return magnitude, sign, c.Op(spirv.OpULessThan, x.e.Global(spirv.OpTypeBool, 0), less, x.word(1<<23-1))
}

// toFloat64 writes code that converts v, a float32, to float64. A subnormal v is converted as an
// integer multiple of 2^-149.
func (x *exactRewriter) toFloat64(c *spirv.Code, f64, v spirv.ID) spirv.ID {
	u32 := x.u32()
	magnitude, sign, subnormal := x.splitFloat(c, v)
	units := c.Op(spirv.OpISub, u32, c.Op(spirv.OpBitwiseXor, u32, magnitude, sign), sign)
	const unit = (1023 - 149) << 52
	scaled := c.Op(spirv.OpFMul, f64, c.Op(spirv.OpConvertSToF, f64, units), x.e.Global(spirv.OpConstant, f64, unit&(1<<32-1), unit>>32))
	return c.Op(spirv.OpSelect, f64, subnormal, scaled, c.Op(spirv.OpFConvert, f64, v))
}

// oneBits are the bits of the float32 1.
const oneBits = 127 << 23

// roundingCode returns a function that writes code for a floor or a ceiling. The parameter `above`
// contains the bits of the result for positive subnormal numbers, which are 0 for a floor and
// oneBits for a ceiling. For negative subnormal numbers the result is -1 for a floor and -0 for a
// ceiling. These are the bits of -1, XORed with the parameter `above`.
func (x *exactRewriter) roundingCode(inst spirv.GLSLstd450, above uint32) func(c *spirv.Code, f32, v spirv.ID) spirv.ID {
	return func(c *spirv.Code, f32, v spirv.ID) spirv.ID {
		u32 := x.u32()
		_, sign, subnormal := x.splitFloat(c, v)
		bits := c.Op(spirv.OpBitwiseXor, u32, c.Op(spirv.OpBitwiseAnd, u32, sign, x.word(1<<31|oneBits)), x.word(above))
		whole := c.Op(spirv.OpExtInst, f32, x.glsl, spirv.ID(inst), v)
		return c.Op(spirv.OpSelect, f32, subnormal, c.Op(spirv.OpBitcast, f32, bits), whole)
	}
}

// absCode writes code that clears the sign of v, a float32.
func (x *exactRewriter) absCode(c *spirv.Code, f32, v spirv.ID) spirv.ID {
	bits := c.Op(spirv.OpBitcast, x.u32(), v)
	return c.Op(spirv.OpBitcast, f32, c.Op(spirv.OpBitwiseAnd, x.u32(), bits, x.word(1<<31-1)))
}
