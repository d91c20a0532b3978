package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// A rule is a function that checks the operands and the result type of an instruction. Parameter t, the result type, is
// nil if the instruction has no result.
type rule func(c *checker, in *spirv.Instruction, t *typ)

// The table rules maps the opcode of each instruction that a kernel's functions may contain to its rule. The table does
// not contain the instructions that method body checks.
var rules = join(arithmeticRules, compositeRules, memoryRules, atomicRules, groupRules, cooperativeRules, map[spirv.Op]rule{
	spirv.OpExtInst:           extInst,
	spirv.OpFunctionCall:      (*checker).call,
	spirv.OpSelectionMerge:    nothing, // method structured checks this instruction
	spirv.OpLoopMerge:         nothing,
	spirv.OpBranch:            nothing,
	spirv.OpReturn:            returns,
	spirv.OpUnreachable:       nothing,
	spirv.OpNop:               nothing,
	spirv.OpBranchConditional: branchConditional,
	spirv.OpSwitch:            switches,
	spirv.OpReturnValue:       returnValue,
})

func join(maps ...map[spirv.Op]rule) map[spirv.Op]rule {
	out := map[spirv.Op]rule{}
	for _, m := range maps {
		for op, r := range m {
			out[op] = r
		}
	}
	return out
}

func nothing(*checker, *spirv.Instruction, *typ) {}

func returns(c *checker, _ *spirv.Instruction, _ *typ) {
	c.need(c.fn.typ.elem.op == spirv.OpTypeVoid, "the function has a result")
}

func returnValue(c *checker, in *spirv.Instruction, _ *typ) {
	t := c.operand(in.Words[0])
	c.need(t == c.fn.typ.elem, "the value has not the type of the function's result")
	c.need(!t.logical, "a pointer without an address is returned")
}

func branchConditional(c *checker, in *spirv.Instruction, _ *typ) {
	c.need(c.operand(in.Words[0]).isBool(), "the condition is not a Bool")
	weights := in.Words[3:]
	c.need(len(weights) == 0 || len(weights) == 2 && weights[0]|weights[1] != 0, "there are not two weights")
}

func switches(c *checker, in *spirv.Instruction, _ *typ) {
	t := c.operand(in.Words[0])
	c.need(t.isInt(), "the selector is not an integer")
	seen := map[uint64]bool{}
	c.cases(in, func(v uint64, _ uint32) {
		c.need(!seen[v], "the case %d stands twice", v)
		seen[v] = true
	})
}

// The method computes refuses type t if the module may use numbers of this type only in memory.
func (c *checker) computes(t *typ) {
	s := t.scalar()
	c.need(s == nil || !s.storage, "the module declares no arithmetic on numbers of %d bits", t.width)
}

// integers returns a rule for n operands with the same width and number of components as the
// result.
func integers(n int) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(t.ints(), "the result is not of integers")
		c.computes(t)
		for _, id := range in.Words[:n] {
			p := c.operand(id)
			c.need(p.ints() && p.count() == t.count() && p.scalar().width == t.scalar().width, "%%%d is not of integers like the result's", id)
		}
	}
}

// The rule unsigned checks that all operands have the result's type. The result type must be unsigned.
func unsigned(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.ints() && !t.scalar().signed, "the result is not of unsigned integers")
	c.computes(t)
	for _, id := range in.Words {
		c.need(c.operand(id) == t, "%%%d has not the result's type", id)
	}
}

// The function same returns a rule that requires operands of the result's type. Parameter ok must return true for the
// result's type.
func same(what string, ok func(*typ) bool) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(ok(t), "the result is not of %s", what)
		c.computes(t)
		for _, id := range in.Words {
			c.need(c.operand(id) == t, "%%%d has not the result's type", id)
		}
	}
}

func floatsOrMatrix(t *typ) bool { return t.floats() }

// The rule shift checks a shift instruction. The width of the shift count may differ from the width of the result.
func shift(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.ints(), "the result is not of integers")
	c.computes(t)
	base, by := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(base.ints() && base.count() == t.count() && base.scalar().width == t.scalar().width, "the base is not of integers like the result's")
	c.need(by.ints() && by.count() == t.count(), "the shift is not of as many integers")
	c.computes(by)
}

// compare returns a rule for comparisons, whose operands have similar types and whose result is Bool.
func compare(ok func(*typ) bool, exact bool) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(t.bools(), "the result is not of Bools")
		var first *typ
		for _, id := range in.Words {
			p := c.operand(id)
			c.need(ok(p) && p.count() == t.count(), "%%%d is not an operand of this comparison", id)
			c.computes(p)
			if first == nil {
				first = p
			}
			if exact {
				c.need(p == first, "the operands have different types")
			} else {
				c.need(p.scalar().width == first.scalar().width, "the operands have different widths")
			}
		}
	}
}

// convert returns a rule for conversions between kinds of numbers.
func convert(from, to func(*typ) bool, check func(c *checker, p, t *typ)) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		p := c.operand(in.Words[0])
		c.need(to(t), "the result is not what this converts to")
		c.need(from(p) && p.count() == t.count(), "%%%d is not what this converts", in.Words[0])
		if check != nil {
			check(c, p, t)
		}
	}
}

func widths(c *checker, p, t *typ) {
	c.need(p.scalar().width != t.scalar().width, "both have %d bits", t.scalar().width)
}

func unsignedInts(t *typ) bool { return t.ints() && !t.scalar().signed }

// bitcast checks that the operand and the result have the same number of bits. Pointers that can be converted to an
// address have 64 bits.
func bitcast(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[0])
	bits := func(t *typ) uint64 {
		switch s := t.scalar(); {
		case t.hasAddress():
			return 64
		case s != nil && (s.isInt() || s.isFloat()):
			return uint64(s.width) * t.count()
		}
		c.fail("%%%d has no bits", t.id)
		return 0
	}
	c.need(bits(p) == bits(t), "%d bits are not %d", bits(p), bits(t))
	if p.hasAddress() != t.hasAddress() {
		other := p
		if p.hasAddress() {
			other = t
		}
		c.need(other.ints(), "an address is made of floats")
	}
}

func pointerOfInt(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[0])
	c.need(t.hasAddress() && p.isInt() && !p.signed && p.width == 64, "an address is made of an unsigned integer of 64 bits")
}

func intOfPointer(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[0])
	c.need(p.hasAddress() && t.isInt() && !t.signed && t.width == 64, "an address is an unsigned integer of 64 bits")
}

// The function scaled returns a rule for products of a vector or matrix with a scalar.
func scaled(ok func(*typ) bool, elem func(*typ) *typ) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(ok(t), "the result is not a vector or matrix of floats")
		c.computes(elem(t))
		c.need(c.operand(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
		c.need(c.operand(in.Words[1]) == elem(t), "%%%d is not a scalar of the result's type", in.Words[1])
	}
}

func vectorTimesMatrix(c *checker, in *spirv.Instruction, t *typ) {
	v, m := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(t.isVector() && m.isMatrix() && v == m.elem && t.elem == v.elem && t.n == m.n, "the sizes do not fit")
}

func matrixTimesVector(c *checker, in *spirv.Instruction, t *typ) {
	m, v := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(m.isMatrix() && v.isVector() && t == m.elem && v.elem == t.elem && v.n == m.n, "the sizes do not fit")
}

func matrixTimesMatrix(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(t.isMatrix() && a.isMatrix() && b.isMatrix() && t.elem == a.elem && t.n == b.n && b.elem.n == a.n && b.elem.elem == a.elem.elem, "the sizes do not fit")
}

func outerProduct(c *checker, in *spirv.Instruction, t *typ) {
	a, b := c.operand(in.Words[0]), c.operand(in.Words[1])
	c.need(t.isMatrix() && a == t.elem && b.isVector() && b.elem == a.elem && b.n == t.n, "the sizes do not fit")
}

func transpose(c *checker, in *spirv.Instruction, t *typ) {
	a := c.operand(in.Words[0])
	c.need(t.isMatrix() && a.isMatrix() && a.elem.elem == t.elem.elem && a.n == t.elem.n && t.n == a.elem.n, "the sizes do not fit")
}

func dot(c *checker, in *spirv.Instruction, t *typ) {
	a := c.operand(in.Words[0])
	c.need(t.isFloat() && a.isVector() && a.elem == t && c.operand(in.Words[1]) == a, "the operands are not vectors of the result's type")
	c.computes(t)
}

// The rule extended checks an arithmetic instruction that returns two results in a structure.
func extended(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.isStruct() && len(t.members) == 2 && t.members[0] == t.members[1] && t.members[0].ints(), "the result is not a structure of two integers")
	m := t.members[0]
	c.computes(m)
	if in.Op != spirv.OpSMulExtended {
		c.need(!m.scalar().signed, "the result is not of unsigned integers")
	}
	for _, id := range in.Words {
		c.need(c.operand(id) == m, "%%%d has not the members' type", id)
	}
}

func selects(c *checker, in *spirv.Instruction, t *typ) {
	cond := c.operand(in.Words[0])
	c.need(!t.logical, "pointers without addresses are selected")
	switch {
	case t.isVector():
		c.need(cond.isBool() && c.m.Version >= spirv.Version14 || cond.isVector() && cond.bools() && cond.n == t.n, "the condition is not of as many Bools")
	case t.scalar() != nil, t.hasAddress():
		c.need(cond.isBool(), "the condition is not a Bool")
	default:
		c.need(cond.isBool() && c.m.Version >= spirv.Version14, "composites are selected, which needs version 1.4")
	}
	for _, id := range in.Words[1:] {
		c.need(c.operand(id) == t, "%%%d has not the result's type", id)
	}
}

func anyAll(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[0])
	c.need(t.isBool() && p.isVector() && p.bools(), "the operand is not a vector of Bools, or the result no Bool")
}

// bitField returns a rule for the insertion and extraction of bit fields. The offset and the count of a bit field must
// be scalars. Vulkan allows bit-field instructions only for 32-bit integers.
func bitField(values int) rule {
	return func(c *checker, in *spirv.Instruction, t *typ) {
		c.need(t.ints() && t.is(32), "the result is not of integers of 32 bits")
		for _, id := range in.Words[:values] {
			c.need(c.operand(id) == t, "%%%d has not the result's type", id)
		}
		for _, id := range in.Words[values:] {
			c.need(c.operand(id).isInt(), "%%%d is not an integer", id)
		}
	}
}

func bitReverse(c *checker, in *spirv.Instruction, t *typ) {
	c.need(t.ints() && t.is(32), "the result is not of integers of 32 bits")
	c.need(c.operand(in.Words[0]) == t, "%%%d has not the result's type", in.Words[0])
}

func bitCount(c *checker, in *spirv.Instruction, t *typ) {
	p := c.operand(in.Words[0])
	c.need(t.ints() && p.ints() && p.is(32) && p.count() == t.count(), "the operand is not of as many integers of 32 bits")
	c.computes(t)
}

var arithmeticRules = map[spirv.Op]rule{
	spirv.OpIAdd: integers(2), spirv.OpISub: integers(2), spirv.OpIMul: integers(2), spirv.OpSDiv: integers(2), spirv.OpSRem: integers(2),
	spirv.OpSMod: integers(2), spirv.OpSNegate: integers(1), spirv.OpNot: integers(1),
	spirv.OpBitwiseAnd: integers(2), spirv.OpBitwiseOr: integers(2), spirv.OpBitwiseXor: integers(2),
	spirv.OpUDiv: unsigned, spirv.OpUMod: unsigned,
	spirv.OpShiftLeftLogical: shift, spirv.OpShiftRightLogical: shift, spirv.OpShiftRightArithmetic: shift,

	spirv.OpFAdd: same("floats", floatsOrMatrix), spirv.OpFSub: same("floats", floatsOrMatrix), spirv.OpFMul: same("floats", floatsOrMatrix),
	spirv.OpFDiv: same("floats", floatsOrMatrix), spirv.OpFRem: same("floats", floatsOrMatrix), spirv.OpFMod: same("floats", floatsOrMatrix),
	spirv.OpFNegate:       same("floats", floatsOrMatrix),
	spirv.OpQuantizeToF16: same("floats of 32 bits", func(t *typ) bool { return t.floats() && t.is(32) }),

	spirv.OpVectorTimesScalar: scaled(func(t *typ) bool { return t.isVector() && t.floats() }, func(t *typ) *typ { return t.elem }),
	spirv.OpMatrixTimesScalar: scaled((*typ).isMatrix, func(t *typ) *typ { return t.elem.elem }),
	spirv.OpVectorTimesMatrix: vectorTimesMatrix, spirv.OpMatrixTimesVector: matrixTimesVector, spirv.OpMatrixTimesMatrix: matrixTimesMatrix,
	spirv.OpOuterProduct: outerProduct, spirv.OpTranspose: transpose, spirv.OpDot: dot,
	spirv.OpIAddCarry: extended, spirv.OpISubBorrow: extended, spirv.OpUMulExtended: extended, spirv.OpSMulExtended: extended,

	spirv.OpIEqual: compare((*typ).ints, false), spirv.OpINotEqual: compare((*typ).ints, false),
	spirv.OpUGreaterThan: compare((*typ).ints, false), spirv.OpSGreaterThan: compare((*typ).ints, false),
	spirv.OpUGreaterThanEqual: compare((*typ).ints, false), spirv.OpSGreaterThanEqual: compare((*typ).ints, false),
	spirv.OpULessThan: compare((*typ).ints, false), spirv.OpSLessThan: compare((*typ).ints, false),
	spirv.OpULessThanEqual: compare((*typ).ints, false), spirv.OpSLessThanEqual: compare((*typ).ints, false),
	spirv.OpFOrdEqual: compare((*typ).floats, true), spirv.OpFUnordEqual: compare((*typ).floats, true),
	spirv.OpFOrdNotEqual: compare((*typ).floats, true), spirv.OpFUnordNotEqual: compare((*typ).floats, true),
	spirv.OpFOrdLessThan: compare((*typ).floats, true), spirv.OpFUnordLessThan: compare((*typ).floats, true),
	spirv.OpFOrdGreaterThan: compare((*typ).floats, true), spirv.OpFUnordGreaterThan: compare((*typ).floats, true),
	spirv.OpFOrdLessThanEqual: compare((*typ).floats, true), spirv.OpFUnordLessThanEqual: compare((*typ).floats, true),
	spirv.OpFOrdGreaterThanEqual: compare((*typ).floats, true), spirv.OpFUnordGreaterThanEqual: compare((*typ).floats, true),
	spirv.OpIsNan: compare((*typ).floats, true), spirv.OpIsInf: compare((*typ).floats, true),
	spirv.OpLogicalAnd: same("Bools", (*typ).bools), spirv.OpLogicalOr: same("Bools", (*typ).bools), spirv.OpLogicalNot: same("Bools", (*typ).bools),
	spirv.OpLogicalEqual: same("Bools", (*typ).bools), spirv.OpLogicalNotEqual: same("Bools", (*typ).bools),
	spirv.OpSelect: selects, spirv.OpAny: anyAll, spirv.OpAll: anyAll,

	spirv.OpConvertFToU: convert((*typ).floats, unsignedInts, nil), spirv.OpConvertFToS: convert((*typ).floats, (*typ).ints, nil),
	spirv.OpConvertSToF: convert((*typ).ints, (*typ).floats, nil), spirv.OpConvertUToF: convert((*typ).ints, (*typ).floats, nil),
	spirv.OpUConvert: convert((*typ).ints, unsignedInts, widths), spirv.OpSConvert: convert((*typ).ints, (*typ).ints, widths),
	spirv.OpFConvert: convert((*typ).floats, (*typ).floats, widths),
	spirv.OpBitcast:  bitcast, spirv.OpConvertPtrToU: intOfPointer, spirv.OpConvertUToPtr: pointerOfInt,

	spirv.OpBitFieldInsert: bitField(2), spirv.OpBitFieldSExtract: bitField(1), spirv.OpBitFieldUExtract: bitField(1),
	spirv.OpBitReverse: bitReverse, spirv.OpBitCount: bitCount,
}
