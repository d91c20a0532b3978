package emit

// This file emits group operations.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// countSubgroup counts the invocations of the sub-group. countSubgroup runs at the kernel's start,
// where all invocations are active. The number of invocations cannot be computed from ids, because
// it depends on how the device divides a work-group into sub-groups.
func (f *funcEmitter) countSubgroup() spirv.ID {
	b, u32 := f.e.b, f.e.u32()
	f.e.needCapability(spirv.CapabilityGroupNonUniformBallot)
	scope := f.subgroupScope()
	ballot := f.Op(spirv.OpGroupNonUniformBallot, b.TypeVector(u32, 4), scope, b.ConstBool(true))
	return f.Emit(spirv.Instruction{Op: spirv.OpGroupNonUniformBallotBitCount, Type: u32,
		Words: []uint32{uint32(scope), uint32(spirv.GroupOperationReduce), uint32(ballot)}})
}

// subgroupScope returns the id of the constant for the sub-group scope.
func (f *funcEmitter) subgroupScope() spirv.ID {
	f.e.needCapability(spirv.CapabilityGroupNonUniform)
	return f.e.b.ConstU32(uint32(spirv.ScopeSubgroup))
}

func (f *funcEmitter) checkGroupOp(v *ir.Value) {
	if !v.LegalGroupOp() {
		f.e.errorf("%v of %v over a %v", v.Op, v.Type, v.GroupScope())
	}
}

func emitGroupSelect(f *funcEmitter, v *ir.Value) spirv.ID {
	f.checkGroupOp(v)
	f.e.needCapability(spirv.CapabilityGroupNonUniformShuffle)
	return f.Op(spirv.OpGroupNonUniformShuffle, f.e.registerType(v.Type), append([]spirv.ID{f.subgroupScope()}, f.values(v.Args)...)...)
}

// emitBallot emits one 32-bit word of a ballot. All 32-bit words of one ballot are in the same block, and are extracted
// from one OpGroupNonUniformBallot.
func emitBallot(f *funcEmitter, v *ir.Value) spirv.ID {
	f.checkGroupOp(v)
	f.e.needCapability(spirv.CapabilityGroupNonUniformBallot)
	if last := f.ballot.v; last == nil || last.Block != v.Block || last.Args[0] != v.Args[0] {
		f.ballot.v = v
		f.ballot.id = f.Op(spirv.OpGroupNonUniformBallot, f.e.b.TypeVector(f.e.u32(), 4), f.subgroupScope(), f.valueID(v.Args[0]))
	}
	return f.CompositeExtract(f.e.u32(), f.ballot.id, uint32(v.Args[1].Bits))
}

func emitVote(op spirv.Op) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		f.checkGroupOp(v)
		f.e.needCapability(spirv.CapabilityGroupNonUniformVote)
		return f.Op(op, f.e.registerType(v.Type), f.subgroupScope(), f.valueID(v.Args[0]))
	}
}

var combiners = map[ir.Combiner]spirv.Op{
	ir.CombineIAdd: spirv.OpGroupNonUniformIAdd,
	ir.CombineIMul: spirv.OpGroupNonUniformIMul,
	ir.CombineSMin: spirv.OpGroupNonUniformSMin,
	ir.CombineUMin: spirv.OpGroupNonUniformUMin,
	ir.CombineSMax: spirv.OpGroupNonUniformSMax,
	ir.CombineUMax: spirv.OpGroupNonUniformUMax,
	ir.CombineAnd:  spirv.OpGroupNonUniformBitwiseAnd,
	ir.CombineOr:   spirv.OpGroupNonUniformBitwiseOr,
	ir.CombineXor:  spirv.OpGroupNonUniformBitwiseXor,
}

func emitCombine(op spirv.GroupOperation) emitFunc {
	return func(f *funcEmitter, v *ir.Value) spirv.ID {
		f.checkGroupOp(v)
		f.e.needCapability(spirv.CapabilityGroupNonUniformArithmetic)
		return f.Emit(spirv.Instruction{Op: combiners[v.Aux.(ir.Combine).By], Type: f.e.registerType(v.Type),
			Words: []uint32{uint32(f.subgroupScope()), uint32(op), uint32(f.valueID(v.Args[0]))}})
	}
}
