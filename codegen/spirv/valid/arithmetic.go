package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// A checkRule checks the operands and the result type of an instruction. The result type t is nil if the
// instruction has no result.
type checkRule func(c *checker, in *spirv.Instruction, t *typ)

// ruleTable has a rule for each instruction that a kernel's functions may contain. ruleTable does
// not contain the instructions that checkBody checks.
var ruleTable = join(arithmeticRules, compositeRules, memoryRules, atomicRules, groupRules, cooperativeRules, map[spirv.Op]checkRule{
	spirv.OpExtInst:           extInst,
	spirv.OpFunctionCall:      (*checker).checkCall,
	spirv.OpSelectionMerge:    nothing, // checkStructured checks this instruction
	spirv.OpLoopMerge:         nothing,
	spirv.OpBranch:            nothing,
	spirv.OpReturn:            returns,
	spirv.OpUnreachable:       nothing,
	spirv.OpNop:               nothing,
	spirv.OpBranchConditional: branchConditional,
	spirv.OpSwitch:            switches,
	spirv.OpReturnValue:       returnValue,
})

func join(maps ...map[spirv.Op]checkRule) map[spirv.Op]checkRule {
	out := map[spirv.Op]checkRule{}
	for _, m := range maps {
		for op, r := range m {
			out[op] = r
		}
	}
	return out
}

func nothing(*checker, *spirv.Instruction, *typ) {}

func returns(c *checker, _ *spirv.Instruction, _ *typ) {
	c.require(c.fn.typ.elem.op == spirv.OpTypeVoid, "the function has a result")
}

func returnValue(c *checker, in *spirv.Instruction, _ *typ) {
	t := c.operandType(in.Words[0])
	c.require(t == c.fn.typ.elem, "the value has not the type of the function's result")
	c.require(!t.hasLogicalPtr, "a pointer without an address is returned")
}

func branchConditional(c *checker, in *spirv.Instruction, _ *typ) {
	c.require(c.operandType(in.Words[0]).isBool(), "the condition is not a Bool")
	weights := in.Words[3:]
	c.require(len(weights) == 0 || len(weights) == 2 && weights[0]|weights[1] != 0, "there are not two weights")
}

func switches(c *checker, in *spirv.Instruction, _ *typ) {
	t := c.operandType(in.Words[0])
	c.require(t.isInt(), "the selector is not an integer")
	seen := map[uint64]bool{}
	c.eachCase(in, func(v uint64, _ uint32) {
		c.require(!seen[v], "the case %d stands twice", v)
		seen[v] = true
	})
}

// checkComputes refuses type t if the module may load and store numbers of this type, but not
// compute with them.
func (c *checker) checkComputes(t *typ) {
	s := t.scalarType()
	c.require(s == nil || !s.storageOnly, "the module declares no arithmetic on numbers of %d bits", t.width)
}

// integerRule returns a rule for n operands with the same width and number of components as the
// result.
func integerRule(n int) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(t.ints(), "the result is not of integers")
		c.checkComputes(t)
		for _, id := range in.Words[:n] {
			p := c.operandType(id)
			c.require(p.ints() && p.componentCount() == t.componentCount() && p.scalarType().width == t.scalarType().width, "%%%d is not of integers like the result's", id)
		}
	}
}

// unsignedRule checks that all operands have the result's type. The result type must be unsigned.
func unsignedRule(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.ints() && !t.scalarType().signed, "the result is not of unsigned integers")
	c.checkComputes(t)
	for _, id := range in.Words {
		c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
	}
}

// sameTypeRule returns a rule that requires operands of the result's type. The rule also requires
// that the function `ok` returns true for the result's type.
func sameTypeRule(what string, ok func(*typ) bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(ok(t), "the result is not of %s", what)
		c.checkComputes(t)
		for _, id := range in.Words {
			c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
		}
	}
}

func floatsOrMatrix(t *typ) bool { return t.floats() }

// shiftRule checks a shift instruction. The width of the shift count may differ from the width of the result.
func shiftRule(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.ints(), "the result is not of integers")
	c.checkComputes(t)
	base, by := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(base.ints() && base.componentCount() == t.componentCount() && base.scalarType().width == t.scalarType().width, "the base is not of integers like the result's")
	c.require(by.ints() && by.componentCount() == t.componentCount(), "the shift is not of as many integers")
	c.checkComputes(by)
}

// compareRule returns a rule for comparisons, whose operands have similar types and whose result is Bool.
func compareRule(ok func(*typ) bool, exact bool) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(t.bools(), "the result is not of Bools")
		var first *typ
		for _, id := range in.Words {
			p := c.operandType(id)
			c.require(ok(p) && p.componentCount() == t.componentCount(), "%%%d is not an operand of this comparison", id)
			c.checkComputes(p)
			if first == nil {
				first = p
			}
			if exact {
				c.require(p == first, "the operands have different types")
			} else {
				c.require(p.scalarType().width == first.scalarType().width, "the operands have different widths")
			}
		}
	}
}

// convertRule returns a rule for conversions between kinds of numbers.
func convertRule(from, to func(*typ) bool, check func(c *checker, p, t *typ)) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		p := c.operandType(in.Words[0])
		c.require(to(t), "the result is not what this converts to")
		c.require(from(p) && p.componentCount() == t.componentCount(), "%%%d is not what this converts", in.Words[0])
		if check != nil {
			check(c, p, t)
		}
	}
}

func widths(c *checker, p, t *typ) {
	c.require(p.scalarType().width != t.scalarType().width, "both have %d bits", t.scalarType().width)
}

func unsignedInts(t *typ) bool { return t.ints() && !t.scalarType().signed }

// bitcastRule checks that the operand and the result have the same number of bits. Pointers that can be converted to an
// address have 64 bits.
func bitcastRule(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[0])
	bits := func(t *typ) uint64 {
		switch s := t.scalarType(); {
		case t.hasAddress():
			return 64
		case s != nil && (s.isInt() || s.isFloat()):
			return uint64(s.width) * t.componentCount()
		}
		c.failRule("%%%d has no bits", t.id)
		return 0
	}
	c.require(bits(p) == bits(t), "%d bits are not %d", bits(p), bits(t))
	if p.hasAddress() != t.hasAddress() {
		other := p
		if p.hasAddress() {
			other = t
		}
		c.require(other.ints(), "an address is made of floats")
	}
}

func pointerOfInt(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[0])
	c.require(t.hasAddress() && p.isInt() && !p.signed && p.width == 64, "an address is made of an unsigned integer of 64 bits")
}

func intOfPointer(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[0])
	c.require(p.hasAddress() && t.isInt() && !t.signed && t.width == 64, "an address is an unsigned integer of 64 bits")
}

// scaledRule returns a rule for products of a vector or matrix with a scalar.
func scaledRule(ok func(*typ) bool, elem func(*typ) *typ) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(ok(t), "the result is not a vector or matrix of floats")
		c.checkComputes(elem(t))
		c.require(c.operandType(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
		c.require(c.operandType(in.Words[1]) == elem(t), "%%%d is not a scalar of the result's type", in.Words[1])
	}
}

func vectorTimesMatrix(c *checker, in *spirv.Instruction, t *typ) {
	v, m := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(t.isVector() && m.isMatrix() && v == m.elem && t.elem == v.elem && t.n == m.n, "the sizes do not fit")
}

func matrixTimesVector(c *checker, in *spirv.Instruction, t *typ) {
	m, v := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(m.isMatrix() && v.isVector() && t == m.elem && v.elem == t.elem && v.n == m.n, "the sizes do not fit")
}

func matrixTimesMatrix(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(t.isMatrix() && a.isMatrix() && b.isMatrix() && t.elem == a.elem && t.n == b.n && b.elem.n == a.n && b.elem.elem == a.elem.elem, "the sizes do not fit")
}

func outerProduct(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operandType(in.Words[0]), c.operandType(in.Words[1])
	c.require(t.isMatrix() && a == t.elem && b.isVector() && b.elem == a.elem && b.n == t.n, "the sizes do not fit")
}

func transpose(c *checker, in *spirv.Instruction, t *typ) {
	a := c.operandType(in.Words[0])
	c.require(t.isMatrix() && a.isMatrix() && a.elem.elem == t.elem.elem && a.n == t.elem.n && t.n == a.elem.n, "the sizes do not fit")
}

func dot(c *checker, in *spirv.Instruction, t *typ) {
	a := c.operandType(in.Words[0])
	c.require(t.isFloat() && a.isVector() && a.elem == t && c.operandType(in.Words[1]) == a, "the operands are not vectors of the result's type")
	c.checkComputes(t)
}

// extendedRule checks an arithmetic instruction that returns two results in a structure.
func extendedRule(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isStruct() && len(t.members) == 2 && t.members[0] == t.members[1] && t.members[0].ints(), "the result is not a structure of two integers")
	m := t.members[0]
	c.checkComputes(m)
	if in.Op != spirv.OpSMulExtended {
		c.require(!m.scalarType().signed, "the result is not of unsigned integers")
	}
	for _, id := range in.Words {
		c.require(c.operandType(id) == m, "%%%d has not the members' type", id)
	}
}

func selects(c *checker, in *spirv.Instruction, t *typ) {
	cond := c.operandType(in.Words[0])
	c.require(!t.hasLogicalPtr, "pointers without addresses are selected")
	switch {
	case t.isVector():
		c.require(cond.isBool() && c.m.Version >= spirv.Version14 || cond.isVector() && cond.bools() && cond.n == t.n, "the condition is not of as many Bools")
	case t.scalarType() != nil, t.hasAddress():
		c.require(cond.isBool(), "the condition is not a Bool")
	default:
		c.require(cond.isBool() && c.m.Version >= spirv.Version14, "composites are selected, which needs version 1.4")
	}
	for _, id := range in.Words[1:] {
		c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
	}
}

func anyAll(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[0])
	c.require(t.isBool() && p.isVector() && p.bools(), "the operand is not a vector of Bools, or the result no Bool")
}

// bitField returns a rule for the insertion and extraction of bit fields. The offset and the count of a bit field must
// be scalars. Vulkan allows bit-field instructions only for 32-bit integers.
func bitField(values int) checkRule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.require(t.ints() && t.is(32), "the result is not of integers of 32 bits")
		for _, id := range in.Words[:values] {
			c.require(c.operandType(id) == t, "%%%d has not the result's type", id)
		}
		for _, id := range in.Words[values:] {
			c.require(c.operandType(id).isInt(), "%%%d is not an integer", id)
		}
	}
}

func bitReverse(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.ints() && t.is(32), "the result is not of integers of 32 bits")
	c.require(c.operandType(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
}

func bitCount(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operandType(in.Words[0])
	c.require(t.ints() && p.ints() && p.is(32) && p.componentCount() == t.componentCount(), "the operand is not of as many integers of 32 bits")
	c.checkComputes(t)
}

var arithmeticRules = map[spirv.Op]checkRule{
	spirv.OpIAdd: integerRule(2), spirv.OpISub: integerRule(2), spirv.OpIMul: integerRule(2), spirv.OpSDiv: integerRule(2), spirv.OpSRem: integerRule(2),
	spirv.OpSMod: integerRule(2), spirv.OpSNegate: integerRule(1), spirv.OpNot: integerRule(1),
	spirv.OpBitwiseAnd: integerRule(2), spirv.OpBitwiseOr: integerRule(2), spirv.OpBitwiseXor: integerRule(2),
	spirv.OpUDiv: unsignedRule, spirv.OpUMod: unsignedRule,
	spirv.OpShiftLeftLogical: shiftRule, spirv.OpShiftRightLogical: shiftRule, spirv.OpShiftRightArithmetic: shiftRule,

	spirv.OpFAdd: sameTypeRule("floats", floatsOrMatrix), spirv.OpFSub: sameTypeRule("floats", floatsOrMatrix), spirv.OpFMul: sameTypeRule("floats", floatsOrMatrix),
	spirv.OpFDiv: sameTypeRule("floats", floatsOrMatrix), spirv.OpFRem: sameTypeRule("floats", floatsOrMatrix), spirv.OpFMod: sameTypeRule("floats", floatsOrMatrix),
	spirv.OpFNegate:       sameTypeRule("floats", floatsOrMatrix),
	spirv.OpQuantizeToF16: sameTypeRule("floats of 32 bits", func(t *typ) bool { return t.floats() && t.is(32) }),

	spirv.OpVectorTimesScalar: scaledRule(func(t *typ) bool { return t.isVector() && t.floats() }, func(t *typ) *typ { return t.elem }),
	spirv.OpMatrixTimesScalar: scaledRule((*typ).isMatrix, func(t *typ) *typ { return t.elem.elem }),
	spirv.OpVectorTimesMatrix: vectorTimesMatrix, spirv.OpMatrixTimesVector: matrixTimesVector, spirv.OpMatrixTimesMatrix: matrixTimesMatrix,
	spirv.OpOuterProduct: outerProduct, spirv.OpTranspose: transpose, spirv.OpDot: dot,
	spirv.OpIAddCarry: extendedRule, spirv.OpISubBorrow: extendedRule, spirv.OpUMulExtended: extendedRule, spirv.OpSMulExtended: extendedRule,

	spirv.OpIEqual: compareRule((*typ).ints, false), spirv.OpINotEqual: compareRule((*typ).ints, false),
	spirv.OpUGreaterThan: compareRule((*typ).ints, false), spirv.OpSGreaterThan: compareRule((*typ).ints, false),
	spirv.OpUGreaterThanEqual: compareRule((*typ).ints, false), spirv.OpSGreaterThanEqual: compareRule((*typ).ints, false),
	spirv.OpULessThan: compareRule((*typ).ints, false), spirv.OpSLessThan: compareRule((*typ).ints, false),
	spirv.OpULessThanEqual: compareRule((*typ).ints, false), spirv.OpSLessThanEqual: compareRule((*typ).ints, false),
	spirv.OpFOrdEqual: compareRule((*typ).floats, true), spirv.OpFUnordEqual: compareRule((*typ).floats, true),
	spirv.OpFOrdNotEqual: compareRule((*typ).floats, true), spirv.OpFUnordNotEqual: compareRule((*typ).floats, true),
	spirv.OpFOrdLessThan: compareRule((*typ).floats, true), spirv.OpFUnordLessThan: compareRule((*typ).floats, true),
	spirv.OpFOrdGreaterThan: compareRule((*typ).floats, true), spirv.OpFUnordGreaterThan: compareRule((*typ).floats, true),
	spirv.OpFOrdLessThanEqual: compareRule((*typ).floats, true), spirv.OpFUnordLessThanEqual: compareRule((*typ).floats, true),
	spirv.OpFOrdGreaterThanEqual: compareRule((*typ).floats, true), spirv.OpFUnordGreaterThanEqual: compareRule((*typ).floats, true),
	spirv.OpIsNan: compareRule((*typ).floats, true), spirv.OpIsInf: compareRule((*typ).floats, true),
	spirv.OpLogicalAnd: sameTypeRule("Bools", (*typ).bools), spirv.OpLogicalOr: sameTypeRule("Bools", (*typ).bools), spirv.OpLogicalNot: sameTypeRule("Bools", (*typ).bools),
	spirv.OpLogicalEqual: sameTypeRule("Bools", (*typ).bools), spirv.OpLogicalNotEqual: sameTypeRule("Bools", (*typ).bools),
	spirv.OpSelect: selects, spirv.OpAny: anyAll, spirv.OpAll: anyAll,

	spirv.OpConvertFToU: convertRule((*typ).floats, unsignedInts, nil), spirv.OpConvertFToS: convertRule((*typ).floats, (*typ).ints, nil),
	spirv.OpConvertSToF: convertRule((*typ).ints, (*typ).floats, nil), spirv.OpConvertUToF: convertRule((*typ).ints, (*typ).floats, nil),
	spirv.OpUConvert: convertRule((*typ).ints, unsignedInts, widths), spirv.OpSConvert: convertRule((*typ).ints, (*typ).ints, widths),
	spirv.OpFConvert: convertRule((*typ).floats, (*typ).floats, widths),
	spirv.OpBitcast:  bitcastRule, spirv.OpConvertPtrToU: intOfPointer, spirv.OpConvertUToPtr: pointerOfInt,

	spirv.OpBitFieldInsert: bitField(2), spirv.OpBitFieldSExtract: bitField(1), spirv.OpBitFieldUExtract: bitField(1),
	spirv.OpBitReverse: bitReverse, spirv.OpBitCount: bitCount,
}
