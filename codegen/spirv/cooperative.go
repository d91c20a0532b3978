package spirv

// This file defines the instructions of SPV_KHR_cooperative_matrix and SPV_KHR_bfloat16. The
// instructions operate on matrices whose elements are distributed over the invocations of a
// sub-group. The generated tables do not contain the instructions of these extensions, because the
// grammar is older than the extensions.

import "slices"

// The opcodes of SPV_KHR_cooperative_matrix.
const (
	OpTypeCooperativeMatrixKHR   Op = 4456
	OpCooperativeMatrixLoadKHR   Op = 4457
	OpCooperativeMatrixStoreKHR  Op = 4458
	OpCooperativeMatrixMulAddKHR Op = 4459
	OpCooperativeMatrixLengthKHR Op = 4460
)

// The capabilities for instructions on matrices, and the capabilities of SPV_KHR_bfloat16 for BFloat16 matrices.
const (
	CapabilityCooperativeMatrixKHR         Capability = 6022
	CapabilityBFloat16TypeKHR              Capability = 5116
	CapabilityBFloat16CooperativeMatrixKHR Capability = 5118
)

// encodingBFloat16 is the additional operand of OpTypeFloat for BFloat16. OpTypeFloat for floats other
// than BFloat16 has no additional operand.
const encodingBFloat16 = 0

// These constants are the possible uses of a matrix and the possible layouts of a matrix in memory.
// The operand for a matrix use or layout is the id of an OpConstant that contains one of these
// constants.
const (
	MatrixUseA           = 0
	MatrixUseB           = 1
	MatrixUseAccumulator = 2
	MatrixRowMajor       = 0
	MatrixColumnMajor    = 1
)

// The bits of the mask operand of OpCooperativeMatrixMulAddKHR. Each bit of the mask operand means that
// one matrix of the multiplication has signed integers.
const (
	MatrixASigned      = 1
	MatrixBSigned      = 2
	MatrixCSigned      = 4
	MatrixResultSigned = 8
)

// cooperativeRows describes the instructions of SPV_KHR_cooperative_matrix, which are missing in
// the generated table opRows.
var cooperativeRows = [...]opRow{
	{OpTypeCooperativeMatrixKHR, "OpTypeCooperativeMatrixKHR", secGlobal, hasResult,
		[]OperandInfo{{KindIdRef, One}, {KindIdScope, One}, {KindIdRef, One}, {KindIdRef, One}, {KindIdRef, One}}},
	{OpCooperativeMatrixLoadKHR, "OpCooperativeMatrixLoadKHR", secFunction, hasBoth,
		[]OperandInfo{{KindIdRef, One}, {KindIdRef, One}, {KindIdRef, Optional}, {KindMemoryAccess, Optional}}},
	{OpCooperativeMatrixStoreKHR, "OpCooperativeMatrixStoreKHR", secFunction, 0,
		[]OperandInfo{{KindIdRef, One}, {KindIdRef, One}, {KindIdRef, One}, {KindIdRef, Optional}, {KindMemoryAccess, Optional}}},
	{OpCooperativeMatrixMulAddKHR, "OpCooperativeMatrixMulAddKHR", secFunction, hasBoth,
		[]OperandInfo{{KindIdRef, One}, {KindIdRef, One}, {KindIdRef, One}, {KindLiteralInteger, Optional}}},
	{OpCooperativeMatrixLengthKHR, "OpCooperativeMatrixLengthKHR", secFunction, hasBoth, []OperandInfo{{KindIdRef, One}}},
}

// floatRow describes OpTypeFloat with the optional operand for the encoding.
var floatRow = opRow{OpTypeFloat, "OpTypeFloat", secGlobal, hasResult, []OperandInfo{{KindLiteralInteger, One}, {KindLiteralInteger, Optional}}}

// cooperativeRow returns the description of op in cooperativeRows, or nil.
func cooperativeRow(op Op) *opRow {
	if i := slices.IndexFunc(cooperativeRows[:], func(r opRow) bool { return r.op == op }); i >= 0 {
		return &cooperativeRows[i]
	}
	return nil
}

// TypeCooperativeMatrix returns OpTypeCooperativeMatrixKHR with the scope of a sub-group.
func (b *Builder) TypeCooperativeMatrix(component ID, rows, cols, use uint32) ID {
	return b.plain(OpTypeCooperativeMatrixKHR, 0, IDWords(component, b.ConstU32(uint32(ScopeSubgroup)), b.ConstU32(rows), b.ConstU32(cols), b.ConstU32(use))...)
}

// TypeBFloat16 returns OpTypeFloat for BFloat16.
func (b *Builder) TypeBFloat16() ID { return b.plain(OpTypeFloat, 0, 16, encodingBFloat16) }

// LoadMatrix adds OpCooperativeMatrixLoadKHR. The stride is a number of elements of the type to which
// ptr points.
func (f *FunctionBuilder) LoadMatrix(typ, ptr, layout, stride ID, mem MemoryOperands) ID {
	return f.Emit(Instruction{Op: OpCooperativeMatrixLoadKHR, Type: typ, Words: append(IDWords(ptr, layout, stride), mem.words()...)})
}

// StoreMatrix adds OpCooperativeMatrixStoreKHR.
func (f *FunctionBuilder) StoreMatrix(ptr, matrix, layout, stride ID, mem MemoryOperands) {
	f.Emit(Instruction{Op: OpCooperativeMatrixStoreKHR, Words: append(IDWords(ptr, matrix, layout, stride), mem.words()...)})
}

// MulAddMatrix adds OpCooperativeMatrixMulAddKHR.
func (f *FunctionBuilder) MulAddMatrix(typ, a, b, c ID, operands uint32) ID {
	words := IDWords(a, b, c)
	if operands != 0 {
		words = append(words, operands)
	}
	return f.Emit(Instruction{Op: OpCooperativeMatrixMulAddKHR, Type: typ, Words: words})
}
