package valid

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// constantDef checks the definition of a constant (3.52.7).
func (c *checker) constantDef(in *spirv.Instruction) {
	t := c.typeID(in.Type)
	c.checkConcrete(t)
	d := &definition{kind: isConstant, typ: t}
	switch in.Op {
	case spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
		c.require(t.isBool(), "its type is not Bool")
		c.values[in.Result] = 0
		if in.Op == spirv.OpConstantTrue || in.Op == spirv.OpSpecConstantTrue {
			c.values[in.Result] = 1
		}
		d.spec = in.Op == spirv.OpSpecConstantTrue || in.Op == spirv.OpSpecConstantFalse
	case spirv.OpConstant, spirv.OpSpecConstant:
		c.recordLiteral(t, in)
		d.spec = in.Op == spirv.OpSpecConstant
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		d.spec = in.Op == spirv.OpSpecConstantComposite
		c.checkConstituents(t, in.Words, func(id uint32) *typ {
			p := c.valueOf(id)
			c.require(p.kind == isConstant, "%%%d is not a constant", id)
			c.require(d.spec || !p.spec, "%%%d is a specialization constant", id)
			return p.typ
		}, false)
	case spirv.OpConstantNull:
		c.require(!t.hasLogicalPtr, "a pointer without an address is null")
		if t.isInt() || t.isBool() {
			c.values[in.Result] = 0
		}
	case spirv.OpSpecConstantOp:
		d.spec = true
		c.specOp(t, in)
	default:
		c.failRule("kernels cannot use this instruction")
	}
	c.specID(in, d)
	c.defineID(in, d)
}

// recordLiteral records the value of a numeric constant. If a number has less than 32 bits, the
// other bits of its word must be zero or continue the sign (2.2.1).
func (c *checker) recordLiteral(t *typ, in *spirv.Instruction) {
	if !t.isInt() {
		c.require(t.isFloat(), "its type is not numeric")
		c.require(t.width != 16 || in.Words[0] <= 0xffff, "the unused bits are not zero")
		return
	}
	v := uint64(in.Words[0])
	if len(in.Words) > 1 {
		v |= uint64(in.Words[1]) << 32
	} else if t.signed {
		v = uint64(int64(int32(in.Words[0])))
	}
	c.values[in.Result] = wrapInt(t, v)
	c.require(wrapInt(t, v) == v, "the unused bits do not continue the sign")
}

// wrapInt truncates integer v to the width of type t, and sign-extends the result if t is signed.
func wrapInt(t *typ, v uint64) uint64 {
	if t.isBool() {
		return v & 1
	}
	shift := 64 - t.width
	if t.signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

// specID checks the SpecId of a specialization constant.
func (c *checker) specID(in *spirv.Instruction, d *definition) {
	if c.hasDecoration(in.Result, spirv.DecorationSpecId) {
		c.require(in.Op == spirv.OpSpecConstant || in.Op == spirv.OpSpecConstantTrue || in.Op == spirv.OpSpecConstantFalse,
			"it has a SpecId and is no scalar specialization constant")
	}
	for _, b := range c.decor[in.Result] {
		if b.kind == spirv.DecorationSpecId && c.set != nil {
			if v, ok := c.set(b.words[0]); ok && !d.typ.isFloat() {
				c.values[in.Result] = wrapInt(d.typ, v)
			}
		}
		if b.kind == spirv.DecorationBuiltIn {
			t := d.typ
			c.require(spirv.BuiltIn(b.words[0]) == spirv.BuiltInWorkgroupSize, "a constant cannot be this built-in")
			c.require(t.isVector() && t.n == 3 && t.elem.isInt() && t.elem.width == 32, "WorkgroupSize is not a vector of three 32-bit integers")
			c.require(in.Op == spirv.OpConstantComposite || in.Op == spirv.OpSpecConstantComposite, "WorkgroupSize is not a composite constant")
			for _, id := range in.Words {
				_, ok := c.values[spirv.ID(id)]
				c.require(ok && c.valueOf(id).typ.isInt(), "the size %%%d has no value", id)
			}
		}
	}
}

// checkConstituents checks the components of a composite of type t. If vectorParts is true, the
// components of a vector may be vectors.
func (c *checker) checkConstituents(t *typ, ids []uint32, operand func(uint32) *typ, vectorParts bool) {
	switch {
	case t.isVector() && vectorParts:
		n := uint64(0)
		for _, id := range ids {
			p := operand(id)
			c.require(p.scalarType() == t.elem, "%%%d has another component type", id)
			n += p.componentCount()
		}
		c.require(n == t.n && len(ids) >= 2, "%d components make no vector of %d", n, t.n)
	case t.isStruct():
		c.require(len(ids) == len(t.members), "%d parts make no structure of %d members", len(ids), len(t.members))
		for i, id := range ids {
			c.require(operand(id) == t.members[i], "%%%d has not the type of member %d", id, i)
		}
	case t.isCooperative(): // the only constituent is the value of all elements
		c.require(len(ids) == 1 && operand(ids[0]) == t.elem, "the constituent is not one element")
	case t.isVector(), t.isMatrix(), t.isArray():
		c.require(uint64(len(ids)) == t.n && !(t.isArray() && t.lengthSpec()), "%d parts make no composite of %d", len(ids), t.n)
		for _, id := range ids {
			c.require(operand(id) == t.elem, "%%%d has not the type of the parts", id)
		}
	default:
		c.failRule("its type is not a composite")
	}
}

// lengthSpec reports whether an array's length is a specialization constant.
func (t *typ) lengthSpec() bool { return t.spec && !t.elem.spec }

// specOps are the operations on specialization constants that shaders may use (3.52.7,
// OpSpecConstantOp).
var specOps = []spirv.Op{
	spirv.OpSConvert, spirv.OpUConvert, spirv.OpFConvert, spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub, spirv.OpIMul,
	spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
	spirv.OpShiftLeftLogical, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd, spirv.OpVectorShuffle,
	spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot,
	spirv.OpLogicalEqual, spirv.OpLogicalNotEqual, spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan,
	spirv.OpSLessThan, spirv.OpUGreaterThan, spirv.OpSGreaterThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual,
	spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual, spirv.OpQuantizeToF16,
}

// specOp checks an OpSpecConstantOp with the rule for the opcode in its first operand.
func (c *checker) specOp(t *typ, in *spirv.Instruction) {
	op := spirv.Op(in.Words[0])
	c.require(slices.Contains(specOps, op), "it cannot have the operation %v", op)
	c.require(op != spirv.OpUConvert || c.m.Version >= spirv.Version14, "UConvert needs version 1.4")
	inner := spirv.Instruction{Op: op, Type: in.Type, Result: in.Result, Words: in.Words[1:]}
	c.inConst = true
	rule := ruleTable[op]
	c.require(rule != nil, "it cannot have the operation %v", op)
	rule(c, &inner, t)
	c.inConst = false
	if v, ok := c.evalScalar(&inner, t); ok {
		c.values[in.Result] = v
	}
}
