package valid

import "github.com/kgen-go/kgen/codegen/spirv"

// This file checks the rules of SPV_KHR_cooperative_matrix, and Vulkan's rules for the instructions
// of this extension. The scope of a matrix must be the sub-group.

// matrixShape is the shape of a cooperative matrix.
type matrixShape struct{ rows, cols, use uint64 }

func (t *typ) isCooperative() bool { return t.op == spirv.OpTypeCooperativeMatrixKHR }

// cooperative checks OpTypeCooperativeMatrixKHR.
func (c *checker) cooperative(t *typ, in *spirv.Instruction) {
	c.declareOnce(in)
	c.require(c.caps[spirv.CapabilityCooperativeMatrixKHR], "it needs the capability %v", spirv.CapabilityCooperativeMatrixKHR)
	t.elem = c.typeID(spirv.ID(in.Words[0]))
	c.require(t.elem.isInt() || t.elem.isFloat(), "its elements are not numbers")
	c.require(c.constantCount(in.Words[1]) == uint64(spirv.ScopeSubgroup), "its scope is not the sub-group")
	t.coopShape = matrixShape{c.constantCount(in.Words[2]), c.constantCount(in.Words[3]), c.constantCount(in.Words[4])}
	const most = 1 << 16
	for _, n := range []uint64{t.coopShape.rows, t.coopShape.cols} {
		c.require(n > 0 && n <= most, "it has not 1 to %d rows and columns", most)
	}
	c.require(t.coopShape.use <= spirv.MatrixUseAccumulator, "there is no such use")
	for _, id := range in.Words[2:5] {
		t.spec = t.spec || c.valueOf(id).spec
	}
	t.hasMatrix = true
	t.bytes = (t.coopShape.rows*t.coopShape.cols*t.elem.bytes + 7) / 8 // bytes in each work-item, if sub-groups have at least 8 work-items
}

// constantCount returns the value of a constant, which must be a 32-bit integer.
func (c *checker) constantCount(id uint32) uint64 {
	d := c.valueOf(id)
	v, known := c.values[spirv.ID(id)]
	c.require(d.kind == isConstant && d.typ.isInt() && d.typ.width == 32 && known, "%%%d is not a constant of 32 bits", id)
	return v
}

// matrixMemory checks the pointer, layout, stride and memory operands of a load or store of a matrix.
func (c *checker) matrixMemory(p *typ, layout uint32, rest []uint32, load bool) {
	c.require(p.hasAddress() || p.class == spirv.StorageClassWorkgroup, "the pointer is not to memory of the device or of work-groups")
	s := p.elem.scalarType()
	c.require(s != nil && (s.isInt() || s.isFloat()), "the pointer is not to numbers")
	c.require(c.constantCount(layout) <= spirv.MatrixColumnMajor, "there is no such layout")
	c.require(len(rest) > 0, "the layout needs a stride")
	c.require(c.operandType(rest[0]).isInt(), "the stride is not an integer")
	rest = c.memoryOperands(p, rest[1:], load, !load)
	c.require(len(rest) == 0, "it has too many operands")
}

func loadMatrix(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isCooperative(), "the result is not a cooperative matrix")
	c.matrixMemory(c.pointerOperand(in.Words[0]), in.Words[1], in.Words[2:], true)
}

func storeMatrix(c *checker, in *spirv.Instruction, _ *typ) {
	c.require(c.operandType(in.Words[1]).isCooperative(), "%%%d is not a cooperative matrix", in.Words[1])
	c.matrixMemory(c.pointerOperand(in.Words[0]), in.Words[2], in.Words[3:], false)
}

func mulAddMatrix(c *checker, in *spirv.Instruction, t *typ) {
	x, y, z := c.operandType(in.Words[0]), c.operandType(in.Words[1]), c.operandType(in.Words[2])
	for _, m := range []*typ{x, y, z, t} {
		c.require(m.isCooperative(), "%%%d is not a cooperative matrix", m.id)
	}
	c.require(x.coopShape.use == spirv.MatrixUseA && y.coopShape.use == spirv.MatrixUseB && z.coopShape.use == spirv.MatrixUseAccumulator &&
		t.coopShape.use == spirv.MatrixUseAccumulator, "the matrices have other uses")
	c.require(x.coopShape.cols == y.coopShape.rows && x.coopShape.rows == z.coopShape.rows && y.coopShape.cols == z.coopShape.cols &&
		t.coopShape.rows == z.coopShape.rows && t.coopShape.cols == z.coopShape.cols, "the sizes do not fit")
	operands := uint32(0)
	if len(in.Words) > 3 {
		operands = in.Words[3]
	}
	const signs = spirv.MatrixASigned | spirv.MatrixBSigned | spirv.MatrixCSigned | spirv.MatrixResultSigned
	c.require(operands <= 0x1f, "there are no such operands")
	c.require(operands&signs == 0 || x.elem.isInt() && y.elem.isInt() && z.elem.isInt() && t.elem.isInt(), "the signs are not those of integers")
}

func matrixLength(c *checker, in *spirv.Instruction, t *typ) {
	c.require(t.isInt() && t.width == 32 && !t.signed, "the result is not an unsigned integer of 32 bits")
	c.require(c.typeID(spirv.ID(in.Words[0])).isCooperative(), "%%%d is not a type of cooperative matrices", in.Words[0])
}

var cooperativeRules = map[spirv.Op]checkRule{
	spirv.OpCooperativeMatrixLoadKHR: loadMatrix, spirv.OpCooperativeMatrixStoreKHR: storeMatrix,
	spirv.OpCooperativeMatrixMulAddKHR: mulAddMatrix, spirv.OpCooperativeMatrixLengthKHR: matrixLength,
}
