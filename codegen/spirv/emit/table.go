package emit

// This file contains the tables of emitters.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// singleInstruction describes the only SPIR-V instruction that an op needs. The instruction has a
// SPIR-V opcode or belongs to GLSL.std.450.
type singleInstruction struct {
	op   spirv.Op
	glsl spirv.GLSLstd450
	// If fold is true, the opcode may be used in OpSpecConstantOp.
	fold bool
	// If exact is true, the result is decorated with NoContraction. Without NoContraction, a driver may contract and
	// reassociate the operation.
	exact bool
}

// singleInstructions maps an op to the only SPIR-V instruction that the op needs.
var singleInstructions = [256]singleInstruction{
	ir.OpIAdd: {op: spirv.OpIAdd, fold: true},
	ir.OpISub: {op: spirv.OpISub, fold: true},
	ir.OpIMul: {op: spirv.OpIMul, fold: true},
	ir.OpSDiv: {op: spirv.OpSDiv, fold: true},
	ir.OpUDiv: {op: spirv.OpUDiv, fold: true},
	ir.OpUMod: {op: spirv.OpUMod, fold: true},

	ir.OpAnd:  {op: spirv.OpBitwiseAnd, fold: true},
	ir.OpOr:   {op: spirv.OpBitwiseOr, fold: true},
	ir.OpXor:  {op: spirv.OpBitwiseXor, fold: true},
	ir.OpNot:  {op: spirv.OpNot, fold: true},
	ir.OpShl:  {op: spirv.OpShiftLeftLogical, fold: true},
	ir.OpShrL: {op: spirv.OpShiftRightLogical, fold: true},
	ir.OpShrA: {op: spirv.OpShiftRightArithmetic, fold: true},

	ir.OpBitCount:   {op: spirv.OpBitCount},
	ir.OpBitReverse: {op: spirv.OpBitReverse},
	ir.OpFindLsb:    {glsl: spirv.GLSLstd450FindILsb},
	ir.OpFindUMsb:   {glsl: spirv.GLSLstd450FindUMsb},

	ir.OpFAdd:    {op: spirv.OpFAdd, exact: true},
	ir.OpFSub:    {op: spirv.OpFSub, exact: true},
	ir.OpFMul:    {op: spirv.OpFMul, exact: true},
	ir.OpFDiv:    {op: spirv.OpFDiv, exact: true},
	ir.OpFNegate: {op: spirv.OpFNegate, exact: true},

	ir.OpFma:        {glsl: spirv.GLSLstd450Fma},
	ir.OpFmaOnce:    {glsl: spirv.GLSLstd450Fma},
	ir.OpFAbs:       {glsl: spirv.GLSLstd450FAbs},
	ir.OpFSqrt:      {glsl: spirv.GLSLstd450Sqrt},
	ir.OpFFloor:     {glsl: spirv.GLSLstd450Floor},
	ir.OpFCeil:      {glsl: spirv.GLSLstd450Ceil},
	ir.OpFTrunc:     {glsl: spirv.GLSLstd450Trunc},
	ir.OpFRoundEven: {glsl: spirv.GLSLstd450RoundEven},
	ir.OpFSin:       {glsl: spirv.GLSLstd450Sin},
	ir.OpFCos:       {glsl: spirv.GLSLstd450Cos},
	ir.OpFTan:       {glsl: spirv.GLSLstd450Tan},
	ir.OpFExp:       {glsl: spirv.GLSLstd450Exp},
	ir.OpFExp2:      {glsl: spirv.GLSLstd450Exp2},
	ir.OpFLog:       {glsl: spirv.GLSLstd450Log},
	ir.OpFLog2:      {glsl: spirv.GLSLstd450Log2},
	ir.OpFPow:       {glsl: spirv.GLSLstd450Pow},
	ir.OpFRsqrt:     {glsl: spirv.GLSLstd450InverseSqrt},

	ir.OpIEq: {op: spirv.OpIEqual, fold: true},
	ir.OpINe: {op: spirv.OpINotEqual, fold: true},
	ir.OpSLt: {op: spirv.OpSLessThan, fold: true},
	ir.OpSLe: {op: spirv.OpSLessThanEqual, fold: true},
	ir.OpULt: {op: spirv.OpULessThan, fold: true},
	ir.OpULe: {op: spirv.OpULessThanEqual, fold: true},
	ir.OpFEq: {op: spirv.OpFOrdEqual},
	ir.OpFNe: {op: spirv.OpFUnordNotEqual},
	ir.OpFLt: {op: spirv.OpFOrdLessThan},
	ir.OpFLe: {op: spirv.OpFOrdLessThanEqual},

	ir.OpLAnd:   {op: spirv.OpLogicalAnd, fold: true},
	ir.OpLOr:    {op: spirv.OpLogicalOr, fold: true},
	ir.OpLNot:   {op: spirv.OpLogicalNot, fold: true},
	ir.OpLEq:    {op: spirv.OpLogicalEqual, fold: true},
	ir.OpLNe:    {op: spirv.OpLogicalNotEqual, fold: true},
	ir.OpSelect: {op: spirv.OpSelect, fold: true},

	// In functions, the emitters in specialEmitters emit the integer conversions.
	ir.OpSConvert: {op: spirv.OpSConvert, fold: true},
	ir.OpUConvert: {op: spirv.OpUConvert, fold: true},
}

// An emitFunc emits the code of one value at the function's current position. The returned id is the op's result, or 0
// if the op has no result.
type emitFunc func(f *funcEmitter, v *ir.Value) spirv.ID

// specialEmitters has the emitter of each op that needs several instructions. The ops Fault and
// ZeroLocal have no emitter, because they never occur in Legal modules.
var specialEmitters = [256]emitFunc{
	ir.OpConst:     func(f *funcEmitter, v *ir.Value) spirv.ID { return f.e.constantID(v) },
	ir.OpSpecConst: func(f *funcEmitter, v *ir.Value) spirv.ID { return f.e.constantID(v) },
	ir.OpPhi:       emitPhi,
	ir.OpArg:       emitArg,
	ir.OpBuiltIn:   emitBuiltIn,

	ir.OpUMulHi:     emitUMulHi,
	ir.OpAddrIsNull: emitAddrIsNull,

	ir.OpSConvert:  emitConvert,
	ir.OpUConvert:  emitConvert,
	ir.OpFConvert:  emitFConvert,
	ir.OpFFromHalf: emitFromHalf,
	ir.OpFToHalf:   emitToHalf,
	ir.OpHalfDiv:   emitMark(spirv.MarkHalfDiv),
	ir.OpHalfSqrt:  emitMark(spirv.MarkHalfSqrt),
	ir.OpHalfFma:   emitMark(spirv.MarkHalfFma),

	ir.OpSDot:        emitMark(spirv.MarkSDot),
	ir.OpUDot:        emitMark(spirv.MarkUDot),
	ir.OpSUDot:       emitMark(spirv.MarkSUDot),
	ir.OpSDotAccSat:  emitMark(spirv.MarkSDotAccSat),
	ir.OpUDotAccSat:  emitMark(spirv.MarkUDotAccSat),
	ir.OpSUDotAccSat: emitMark(spirv.MarkSUDotAccSat),

	ir.OpSToF:    emitToFloat,
	ir.OpUToF:    emitToFloat,
	ir.OpUToNear: emitToFloat,
	ir.OpFToS:    emitFromFloat,
	ir.OpFToU:    emitFromFloat,
	ir.OpBitcast: emitBitcast,
	ir.OpPair:    emitPair,
	ir.OpLow:     emitHalf(0),
	ir.OpHigh:    emitHalf(1),

	ir.OpVecMake:    emitVecMake,
	ir.OpVecExtract: emitVecExtract,

	ir.OpLoad:                  emitLoad,
	ir.OpStore:                 emitStore,
	ir.OpAddrOf:                emitAddrOf,
	ir.OpZero:                  emitZero,
	ir.OpCopyVar:               emitCopyVar,
	ir.OpAtomicCompareExchange: emitAtomicCompareExchange,
	ir.OpAtomicLoad:            emitAtomicLoad,
	ir.OpAtomicLoadRelaxed:     emitLooseLoad(spirv.MemorySemanticsNone),
	ir.OpAtomicLoadVolatile:    emitLooseLoad(spirv.MemorySemanticsVolatile),
	ir.OpAtomicStore:           emitAtomicStore,
	ir.OpAtomicStoreRelaxed:    emitRelaxedStore,
	ir.OpAtomicExchange:        emitAtomic(spirv.OpAtomicExchange),
	ir.OpAtomicIAdd:            emitAtomic(spirv.OpAtomicIAdd),
	ir.OpAtomicIAddRelaxed:     emitRelaxedAdd,
	ir.OpAtomicSMin:            emitAtomic(spirv.OpAtomicSMin),
	ir.OpAtomicUMin:            emitAtomic(spirv.OpAtomicUMin),
	ir.OpAtomicSMax:            emitAtomic(spirv.OpAtomicSMax),
	ir.OpAtomicUMax:            emitAtomic(spirv.OpAtomicUMax),
	ir.OpAtomicAnd:             emitAtomic(spirv.OpAtomicAnd),
	ir.OpAtomicOr:              emitAtomic(spirv.OpAtomicOr),
	ir.OpAtomicFAddNative:      emitAtomic(spirv.OpAtomicFAddEXT),
	ir.OpAtomicFence:           emitAtomicFence,

	ir.OpBarrier:            emitBarrier(acquireRelease),
	ir.OpBarrierLocal:       emitBarrier(acquireRelease &^ spirv.MemorySemanticsUniformMemory),
	ir.OpGroupSelect:        emitGroupSelect,
	ir.OpGroupBallot:        emitBallot,
	ir.OpGroupAny:           emitVote(spirv.OpGroupNonUniformAny),
	ir.OpGroupAll:           emitVote(spirv.OpGroupNonUniformAll),
	ir.OpGroupReduce:        emitCombine(spirv.GroupOperationReduce),
	ir.OpGroupInclusiveScan: emitCombine(spirv.GroupOperationInclusiveScan),
	ir.OpGroupExclusiveScan: emitCombine(spirv.GroupOperationExclusiveScan),

	ir.OpMatrixLoad:   emitMatrixLoad,
	ir.OpMatrixStore:  emitMatrixStore,
	ir.OpMatrixMulAdd: emitMatrixMulAdd,
	ir.OpMatrixLength: emitMatrixLength,

	ir.OpCall: emitCall,
}
