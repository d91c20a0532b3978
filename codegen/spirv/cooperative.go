package spirv

// This file has the instructions of SPV_KHR_cooperative_matrix and of SPV_KHR_bfloat16, for matrices that the invocations of a sub-group hold
// together. The grammar that the tables are made of is older than the extension.

import "slices"

// The instructions of SPV_KHR_cooperative_matrix.
const (
	OpTypeCooperativeMatrixKHR   Op = 4456
	OpCooperativeMatrixLoadKHR   Op = 4457
	OpCooperativeMatrixStoreKHR  Op = 4458
	OpCooperativeMatrixMulAddKHR Op = 4459
	OpCooperativeMatrixLengthKHR Op = 4460
)

// The capabilities of these instructions, and of SPV_KHR_bfloat16 for matrices of BFloat16s.
const (
	CapabilityCooperativeMatrixKHR         Capability = 6022
	CapabilityBFloat16TypeKHR              Capability = 5116
	CapabilityBFloat16CooperativeMatrixKHR Capability = 5118
)

// encodingBFloat16 is the operand of OpTypeFloat for BFloat16s, in place of none.
const encodingBFloat16 = 0

// The uses of a matrix, and the layouts of its memory, which are constants of a module.
const (
	MatrixUseA           = 0
	MatrixUseB           = 1
	MatrixUseAccumulator = 2
	MatrixRowMajor       = 0
	MatrixColumnMajor    = 1
)

// The operands of OpCooperativeMatrixMulAddKHR, which say of integers that they have signs.
const (
	MatrixASigned      = 1
	MatrixBSigned      = 2
	MatrixCSigned      = 4
	MatrixResultSigned = 8
)

// cooperativeRows are more rows of the table opRows.
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

// floatRow is the row of OpTypeFloat, which may have an encoding.
var floatRow = opRow{OpTypeFloat, "OpTypeFloat", secGlobal, hasResult, []OperandInfo{{KindLiteralInteger, One}, {KindLiteralInteger, Optional}}}

// cooperativeRow returns the row of one of these instructions, or nil.
func cooperativeRow(op Op) *opRow {
	if i := slices.IndexFunc(cooperativeRows[:], func(r opRow) bool { return r.op == op }); i >= 0 {
		return &cooperativeRows[i]
	}
	return nil
}

// TypeCooperativeMatrix returns OpTypeCooperativeMatrixKHR of a sub-group.
func (b *Builder) TypeCooperativeMatrix(component ID, rows, cols, use uint32) ID {
	return b.plain(OpTypeCooperativeMatrixKHR, 0, IDWords(component, b.ConstU32(uint32(ScopeSubgroup)), b.ConstU32(rows), b.ConstU32(cols), b.ConstU32(use))...)
}

// TypeBFloat16 returns OpTypeFloat for BFloat16s.
func (b *Builder) TypeBFloat16() ID { return b.plain(OpTypeFloat, 0, 16, encodingBFloat16) }

// LoadMatrix adds OpCooperativeMatrixLoadKHR. The stride counts elements of the type that ptr points to.
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
