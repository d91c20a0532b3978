package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// evalScalar computes an operation on scalar integers and Bools, whose types have been checked.
// evalScalar returns false as its second result for other types, and for operations whose result SPIR-V
// leaves undefined.
func (c *checker) evalScalar(in *spirv.Instruction, t *typ) (uint64, bool) {
	if !t.isInt() && !t.isBool() {
		return 0, false
	}
	if in.Op == spirv.OpCompositeExtract {
		return c.evalExtract(in)
	}
	var v [3]uint64
	var types [3]*typ
	for i, id := range in.Words {
		x, ok := c.values[spirv.ID(id)]
		if !ok || i >= len(v) {
			return 0, false
		}
		v[i], types[i] = x, c.defs[id].typ
	}
	a, b := v[0], v[1]
	at := types[0]
	bit := func(cond bool) (uint64, bool) {
		if cond {
			return 1, true
		}
		return 0, true
	}
	// signedAt and unsignedAt interpret the bits of operand i as a signed or unsigned number, and ignore
	// the operand's type.
	signedAt := func(i int) int64 {
		return int64(wrapInt(&typ{op: spirv.OpTypeInt, width: types[i].width, signed: true}, v[i]))
	}
	unsignedAt := func(i int) uint64 { return wrapInt(&typ{op: spirv.OpTypeInt, width: types[i].width}, v[i]) }
	var out uint64
	switch in.Op {
	case spirv.OpSelect:
		if out = v[2]; a != 0 {
			out = b
		}
	case spirv.OpLogicalNot:
		return bit(a == 0)
	case spirv.OpLogicalOr, spirv.OpBitwiseOr:
		out = a | b
	case spirv.OpLogicalAnd, spirv.OpBitwiseAnd:
		out = a & b
	case spirv.OpBitwiseXor:
		out = a ^ b
	case spirv.OpLogicalEqual:
		return bit(a == b)
	case spirv.OpLogicalNotEqual:
		return bit(a != b)
	case spirv.OpNot:
		out = ^a
	case spirv.OpSNegate:
		out = -a
	case spirv.OpIAdd:
		out = a + b
	case spirv.OpISub:
		out = a - b
	case spirv.OpIMul:
		out = a * b
	case spirv.OpSConvert:
		out = uint64(signedAt(0))
	case spirv.OpUConvert:
		out = unsignedAt(0)
	default:
		if at.isBool() {
			return 0, false
		}
		return c.evalOrdered(in.Op, t, signedAt, unsignedAt)
	}
	return wrapInt(t, out), true
}

// evalOrdered computes divisions, shifts and comparisons.
func (c *checker) evalOrdered(op spirv.Op, t *typ, signed func(int) int64, unsigned func(int) uint64) (uint64, bool) {
	var cond bool
	var out uint64
	switch op {
	case spirv.OpUDiv, spirv.OpUMod, spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod:
		if unsigned(1) == 0 || signed(1) == -1 && op != spirv.OpUDiv && op != spirv.OpUMod {
			return 0, false
		}
		switch op {
		case spirv.OpUDiv:
			out = unsigned(0) / unsigned(1)
		case spirv.OpUMod:
			out = unsigned(0) % unsigned(1)
		case spirv.OpSDiv:
			out = uint64(signed(0) / signed(1))
		default:
			r := signed(0) % signed(1)
			if op == spirv.OpSMod && r != 0 && (r < 0) != (signed(1) < 0) {
				r += signed(1)
			}
			out = uint64(r)
		}
		return wrapInt(t, out), true
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		n := unsigned(1)
		if n >= uint64(t.width) {
			return 0, false
		}
		switch op {
		case spirv.OpShiftLeftLogical:
			out = unsigned(0) << n
		case spirv.OpShiftRightLogical:
			out = unsigned(0) >> n
		default:
			out = uint64(signed(0) >> n)
		}
		return wrapInt(t, out), true
	case spirv.OpIEqual:
		cond = unsigned(0) == unsigned(1)
	case spirv.OpINotEqual:
		cond = unsigned(0) != unsigned(1)
	case spirv.OpULessThan:
		cond = unsigned(0) < unsigned(1)
	case spirv.OpULessThanEqual:
		cond = unsigned(0) <= unsigned(1)
	case spirv.OpUGreaterThan:
		cond = unsigned(0) > unsigned(1)
	case spirv.OpUGreaterThanEqual:
		cond = unsigned(0) >= unsigned(1)
	case spirv.OpSLessThan:
		cond = signed(0) < signed(1)
	case spirv.OpSLessThanEqual:
		cond = signed(0) <= signed(1)
	case spirv.OpSGreaterThan:
		cond = signed(0) > signed(1)
	case spirv.OpSGreaterThanEqual:
		cond = signed(0) >= signed(1)
	default:
		return 0, false
	}
	if cond {
		return 1, true
	}
	return 0, true
}

// evalExtract evaluates an OpCompositeExtract. evalExtract follows the indices into nested constant composites.
func (c *checker) evalExtract(in *spirv.Instruction) (uint64, bool) {
	id := in.Words[0]
	for _, i := range in.Words[1:] {
		d := c.defs[id]
		if d.in.Op != spirv.OpConstantComposite && d.in.Op != spirv.OpSpecConstantComposite {
			return 0, false
		}
		id = d.in.Words[i]
	}
	v, ok := c.values[spirv.ID(id)]
	return v, ok
}
