package valid

import (
	"github.com/kgen-go/kgen/codegen/spirv"
)

// extInst checks an instruction of GLSL.std.450, or a non-semantic instruction.
func extInst(c *checker, in *spirv.Instruction, t *typ) {
	d := c.lookupID(in.Words[0])
	c.require(d.kind == isSet, "%%%d is not a set of instructions", in.Words[0])
	if setName(d.in) != spirv.GLSLstd450Name {
		return // drivers ignore non-semantic instructions
	}
	c.checkConcrete(t)
	inst := spirv.GLSLstd450(in.Words[1])
	args := spirv.Instruction{Op: in.Op, Type: in.Type, Result: in.Result, Words: in.Words[2:]}
	r := glslRules[inst]
	c.require(r != nil, "kernels cannot use the instruction %v", inst)
	r(c, &args, t)
}

func shortFloats(t *typ) bool { return t.floats() && t.scalarType().width <= 32 }

func ints32(t *typ) bool { return t.ints() && t.is(32) }

func vectorOfFloats(t *typ) bool { return t.isVector() && t.floats() }

// firstFloats returns a rule for instructions whose operands have the result's type. The rule also
// requires that the function `ok` returns true for the result's type.
func firstFloats(ok func(*typ) bool) checkRule {
	return sameTypeRule("floats that this instruction has", ok)
}

// glslInts checks that operands are signed or unsigned integers with the width and the number of
// components of the result.
func glslInts(c *checker, in *spirv.Instruction, t *typ) { integerRule(len(in.Words))(c, in, t) }

// glslInts32 checks an instruction that finds the lowest or highest bit. Vulkan allows bit searches only for 32-bit
// integers.
func glslInts32(c *checker, in *spirv.Instruction, t *typ) {
	c.require(ints32(t), "the result is not of integers of 32 bits")
	glslInts(c, in, t)
}

// lengthOf checks an instruction with a scalar result and vector or scalar operands.
func lengthOf(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isFloat(), "the result is not a float")
	c.checkComputes(t)
	first := c.operandType(in.Words[0])
	for _, id := range in.Words {
		p := c.operandType(id)
		c.require(p == first && p.floats() && p.scalarType() == t, "%%%d is not of the result's floats", id)
	}
}

func cross(c *checker, in *spirv.Instruction, t *typ) {
	c.require(vectorOfFloats(t) && t.n == 3, "the result is not a vector of three floats")
	sameTypeRule("floats", (*typ).floats)(c, in, t)
}

func refract(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.floats() && c.operandType(in.Words[0]) == t && c.operandType(in.Words[1]) == t, "the vectors have not the result's type")
	c.require(c.operandType(in.Words[2]).isFloat(), "%%%d is not a float", in.Words[2])
	c.checkComputes(t)
}

func determinant(c *checker, in *spirv.Instruction, t *typ) {
	m := c.operandType(in.Words[0])
	c.require(m.isMatrix() && m.n == m.elem.n && m.elem.elem == t, "it is not about a square matrix of the result's floats")
}

func inverse(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isMatrix() && t.n == t.elem.n && c.operandType(in.Words[0]) == t, "it is not about a square matrix")
}

// twoResultsRule returns a rule for instructions with two results. The instruction stores its second
// result through a pointer, or returns both results in a structure.
func twoResultsRule(second func(c *checker, t, other *typ) bool, structure bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		first, other := t, (*typ)(nil)
		if structure {
			c.require(t.isStruct() && len(t.members) == 2, "the result is not a structure of two")
			first, other = t.members[0], t.members[1]
		} else {
			p := c.pointerOperand(in.Words[1])
			c.writable(p)
			c.require(!p.hasAddress(), "the pointer has an address")
			other = p.elem
		}
		c.require(first.floats() && c.operandType(in.Words[0]) == first, "the operand has not the result's type")
		c.checkComputes(first)
		c.require(second(c, first, other), "the second result has another type")
	}
}

func sameType(_ *checker, t, other *typ) bool { return t == other }

func exponent(_ *checker, t, other *typ) bool {
	return ints32(other) && other.componentCount() == t.componentCount()
}

func ldexp(c *checker, in *spirv.Instruction, t *typ) {
	e := c.operandType(in.Words[1])
	c.require(t.floats() && c.operandType(in.Words[0]) == t && e.ints() && e.componentCount() == t.componentCount(), "the operands do not fit the result")
	c.require(e.scalarType().width <= 32, "the exponent has more than 32 bits")
	c.checkComputes(t)
	c.checkComputes(e)
}

// packRule returns a rule for conversions between an integer and n floats of the given width.
func packRule(n uint64, width uint32, back bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		i, v := t, c.operandType(in.Words[0])
		if back {
			i, v = v, i
		}
		c.require(i.isInt() && i.width == 32 && vectorOfFloats(v) && v.n == n && v.is(width), "it is not about an integer and a vector of %d floats", n)
	}
}

func packDouble(back bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		d, v := t, c.operandType(in.Words[0])
		if back {
			d, v = v, d
		}
		c.require(d.isFloat() && d.width == 64 && v.isVector() && v.n == 2 && unsigned32(v.elem), "it is not about a float of 64 bits and two integers")
	}
}

var glslRules = map[spirv.GLSLstd450]checkRule{
	spirv.GLSLstd450Round: firstFloats((*typ).floats), spirv.GLSLstd450RoundEven: firstFloats((*typ).floats), spirv.GLSLstd450Trunc: firstFloats((*typ).floats),
	spirv.GLSLstd450FAbs: firstFloats((*typ).floats), spirv.GLSLstd450FSign: firstFloats((*typ).floats), spirv.GLSLstd450Floor: firstFloats((*typ).floats),
	spirv.GLSLstd450Ceil: firstFloats((*typ).floats), spirv.GLSLstd450Fract: firstFloats((*typ).floats), spirv.GLSLstd450Sqrt: firstFloats((*typ).floats),
	spirv.GLSLstd450InverseSqrt: firstFloats((*typ).floats), spirv.GLSLstd450FMin: firstFloats((*typ).floats), spirv.GLSLstd450FMax: firstFloats((*typ).floats),
	spirv.GLSLstd450FClamp: firstFloats((*typ).floats), spirv.GLSLstd450FMix: firstFloats((*typ).floats), spirv.GLSLstd450Step: firstFloats((*typ).floats),
	spirv.GLSLstd450SmoothStep: firstFloats((*typ).floats), spirv.GLSLstd450Fma: firstFloats((*typ).floats), spirv.GLSLstd450NMin: firstFloats((*typ).floats),
	spirv.GLSLstd450NMax: firstFloats((*typ).floats), spirv.GLSLstd450NClamp: firstFloats((*typ).floats), spirv.GLSLstd450Normalize: firstFloats((*typ).floats),
	spirv.GLSLstd450FaceForward: firstFloats((*typ).floats), spirv.GLSLstd450Reflect: firstFloats((*typ).floats),

	spirv.GLSLstd450Radians: firstFloats(shortFloats), spirv.GLSLstd450Degrees: firstFloats(shortFloats), spirv.GLSLstd450Sin: firstFloats(shortFloats),
	spirv.GLSLstd450Cos: firstFloats(shortFloats), spirv.GLSLstd450Tan: firstFloats(shortFloats), spirv.GLSLstd450Asin: firstFloats(shortFloats),
	spirv.GLSLstd450Acos: firstFloats(shortFloats), spirv.GLSLstd450Atan: firstFloats(shortFloats), spirv.GLSLstd450Sinh: firstFloats(shortFloats),
	spirv.GLSLstd450Cosh: firstFloats(shortFloats), spirv.GLSLstd450Tanh: firstFloats(shortFloats), spirv.GLSLstd450Asinh: firstFloats(shortFloats),
	spirv.GLSLstd450Acosh: firstFloats(shortFloats), spirv.GLSLstd450Atanh: firstFloats(shortFloats), spirv.GLSLstd450Atan2: firstFloats(shortFloats),
	spirv.GLSLstd450Pow: firstFloats(shortFloats), spirv.GLSLstd450Exp: firstFloats(shortFloats), spirv.GLSLstd450Log: firstFloats(shortFloats),
	spirv.GLSLstd450Exp2: firstFloats(shortFloats), spirv.GLSLstd450Log2: firstFloats(shortFloats),

	spirv.GLSLstd450SAbs: glslInts, spirv.GLSLstd450SSign: glslInts, spirv.GLSLstd450UMin: glslInts, spirv.GLSLstd450SMin: glslInts,
	spirv.GLSLstd450UMax: glslInts, spirv.GLSLstd450SMax: glslInts, spirv.GLSLstd450UClamp: glslInts, spirv.GLSLstd450SClamp: glslInts,
	spirv.GLSLstd450FindILsb: glslInts32, spirv.GLSLstd450FindSMsb: glslInts32, spirv.GLSLstd450FindUMsb: glslInts32,

	spirv.GLSLstd450Length: lengthOf, spirv.GLSLstd450Distance: lengthOf, spirv.GLSLstd450Cross: cross, spirv.GLSLstd450Refract: refract,
	spirv.GLSLstd450Determinant: determinant, spirv.GLSLstd450MatrixInverse: inverse,
	spirv.GLSLstd450Modf: twoResultsRule(sameType, false), spirv.GLSLstd450ModfStruct: twoResultsRule(sameType, true),
	spirv.GLSLstd450Frexp: twoResultsRule(exponent, false), spirv.GLSLstd450FrexpStruct: twoResultsRule(exponent, true), spirv.GLSLstd450Ldexp: ldexp,
	spirv.GLSLstd450PackSnorm4x8: packRule(4, 32, false), spirv.GLSLstd450PackUnorm4x8: packRule(4, 32, false),
	spirv.GLSLstd450PackSnorm2x16: packRule(2, 32, false), spirv.GLSLstd450PackUnorm2x16: packRule(2, 32, false), spirv.GLSLstd450PackHalf2x16: packRule(2, 32, false),
	spirv.GLSLstd450UnpackSnorm4x8: packRule(4, 32, true), spirv.GLSLstd450UnpackUnorm4x8: packRule(4, 32, true),
	spirv.GLSLstd450UnpackSnorm2x16: packRule(2, 32, true), spirv.GLSLstd450UnpackUnorm2x16: packRule(2, 32, true), spirv.GLSLstd450UnpackHalf2x16: packRule(2, 32, true),
	spirv.GLSLstd450PackDouble2x32: packDouble(false), spirv.GLSLstd450UnpackDouble2x32: packDouble(true),
}
