package emit

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// testCase is a kernel with a golden file. Its module must declare the
// capabilities that caps lists beside those of every module, and no other.
type testCase struct {
	name string
	caps []spirv.Capability
	m    func() *ir.Module
}

// straight is a case whose kernel has one block.
func straight(name string, body func(b *builder), caps ...spirv.Capability) testCase {
	return testCase{name, caps, func() *ir.Module { return kernel(body) }}
}

var cases = []testCase{
	{"empty", nil, func() *ir.Module { return kernel(func(*builder) {}) }},
	{"saxpy", nil, saxpy},
	{"fault", []spirv.Capability{spirv.CapabilityInt64, spirv.CapabilityVulkanMemoryModelDeviceScope}, fault},
	{"loop", nil, loop},
	{"reduce", nil, reduce},
	straight("arg", args, spirv.CapabilityInt64, spirv.CapabilityFloat64),
	straight("arg_overlap", argOverlap, spirv.CapabilityInt64, spirv.CapabilityFloat64),
	straight("arg_half", func(b *builder) {
		b.out(b.op(ir.OpFConvert, ir.TypeF32, b.arg(34, ir.TypeF16)))
	}, spirv.CapabilityFloat16),
	straight("narrow", narrowInts, spirv.CapabilityInt8, spirv.CapabilityStorageBuffer8BitAccess,
		spirv.CapabilityInt16, spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityInt64),
	{"once", nil, once},
	{"returns", nil, returns},
	straight("half", half, spirv.CapabilityFloat16, spirv.CapabilityStorageBuffer16BitAccess),
	straight("spec", specs),
	straight("spec_code", specCode),
	straight("struct", structs, spirv.CapabilityInt8, spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityInt64),
	straight("vectors", vectors, spirv.CapabilityFloat64),
	straight("empty_memory", emptyMemory),
	straight("table", privateTable),
	straight("variables", variables),
	straight("atomic", atomics, spirv.CapabilityVulkanMemoryModelDeviceScope),
	straight("atomic64", atomics64, spirv.CapabilityVulkanMemoryModelDeviceScope,
		spirv.CapabilityInt64, spirv.CapabilityInt64Atomics),
	straight("atomic_ops", atomicOps, spirv.CapabilityVulkanMemoryModelDeviceScope, spirv.CapabilityGroupNonUniform),
	straight("atomic_float", atomicFloats, spirv.CapabilityVulkanMemoryModelDeviceScope, spirv.CapabilityFloat64,
		spirv.CapabilityAtomicFloat32AddEXT, spirv.CapabilityAtomicFloat64AddEXT),
	straight("subgroup", func(b *builder) {
		b.out(b.op(ir.OpIAdd, ir.TypeI32, b.builtIn(ir.SubgroupSize), b.builtIn(ir.SubgroupID)))
		b.barrier(ir.ScopeSubGroup)
	}, spirv.CapabilityGroupNonUniform),
	straight("builtins", func(b *builder) {
		for x := range ir.NumBuiltIns {
			b.out(b.builtIn(x))
		}
	}, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformBallot),
	straight("shuffle", func(b *builder) {
		b.UsesGroup = true
		v := b.op(ir.OpGroupSelect, ir.TypeI32, b.arg(32, ir.TypeI32), b.arg(36, ir.TypeI32))
		v.Aux = ir.ScopeSubGroup
		b.out(v)
	}, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformShuffle),
	straight("ballot", func(b *builder) {
		b.UsesGroup = true
		is5 := b.op(ir.OpIEq, ir.TypeBool, b.arg(32, ir.TypeI32), b.Int(ir.TypeI32, 5))
		for _, w := range []struct { // two words of one ballot, and one of another
			pred *ir.Value
			word int64
		}{{is5, 0}, {is5, 2}, {b.op(ir.OpLNot, ir.TypeBool, is5), 0}} {
			v := b.op(ir.OpGroupBallot, ir.TypeI32, w.pred, b.Int(ir.TypeI32, w.word))
			v.Aux = ir.ScopeSubGroup
			b.out(v)
		}
	}, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformBallot),
	straight("vote", func(b *builder) {
		b.UsesGroup = true
		for _, o := range []ir.Op{ir.OpGroupAny, ir.OpGroupAll} {
			v := b.op(o, ir.TypeBool, b.op(ir.OpIEq, ir.TypeBool, b.arg(32, ir.TypeI32), b.Int(ir.TypeI32, 5)))
			v.Aux = ir.ScopeSubGroup
			b.out(b.op(ir.OpSelect, ir.TypeI32, v, b.Int(ir.TypeI32, 1), b.Int(ir.TypeI32, 0)))
		}
	}, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote),
	straight("combine", func(b *builder) {
		b.UsesGroup = true
		for by := range ir.CombineFAdd {
			o := []ir.Op{ir.OpGroupReduce, ir.OpGroupInclusiveScan, ir.OpGroupExclusiveScan}[by%3]
			v := b.op(o, ir.TypeI32, b.arg(32, ir.TypeI32), b.Int(ir.TypeI32, 0))
			v.Aux = ir.Combine{Scope: ir.ScopeSubGroup, By: by}
			b.out(v)
		}
	}, spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformArithmetic),
	straight("index64", func(b *builder) {
		x := b.arg(32, ir.TypeI64)
		b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF32, b.Const(ir.TypeF32, 0), b.arg(24, ir.TypeAddr), x)
	}, spirv.CapabilityInt64),
	straight("index_const64", func(b *builder) {
		x := b.Int(ir.TypeI64, 7)
		b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF32, b.Const(ir.TypeF32, 0), b.arg(24, ir.TypeAddr), x)
	}),
}

// saxpy is the range kernel y[i] += a*x[i] behind its guard.
func saxpy() *ir.Module {
	b := newBuilder()
	i := b.builtIn(ir.GlobalInvocationIDX)
	in := b.op(ir.OpULt, ir.TypeBool, i, b.arg(abi.OffsetRange, ir.TypeI32))
	body, exit := b.block(), b.block()
	b.at.Branch(in, body, exit)
	b.at.Merge = exit
	b.at = body
	a := b.arg(24, ir.TypeF32)
	x := b.mem(ir.OpLoad, ir.TypeF32, ir.TypeF32, b.arg(32, ir.TypeAddr), i)
	y := b.arg(48, ir.TypeAddr)
	old := b.mem(ir.OpLoad, ir.TypeF32, ir.TypeF32, y, i)
	sum := b.op(ir.OpFAdd, ir.TypeF32, old, b.op(ir.OpFMul, ir.TypeF32, a, x))
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF32, sum, y, i)
	b.at.Jump(exit)
	b.at = exit
	b.ret()
	return b.Module
}

// fault has a bounds check that calls a helper, which claims the record.
func fault() *ir.Module {
	b := newBuilder()
	h := faultHelper(b.Module)
	i := b.builtIn(ir.GlobalInvocationIDX)
	i64 := b.op(ir.OpUConvert, ir.TypeI64, i)
	n := b.arg(32, ir.TypeI64)
	ok := b.op(ir.OpULt, ir.TypeBool, i64, n)
	good, bad, exit := b.block(), b.block(), b.block()
	b.at.Branch(ok, good, bad)
	b.at.Merge = exit
	b.at = good
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeI32, i, b.arg(24, ir.TypeAddr), i64)
	b.at.Jump(exit)
	b.at = bad
	b.op(ir.OpCall, ir.TypeVoid, b.i32(3), i64, n, i).Aux = h
	b.at.Jump(exit)
	b.at = exit
	b.ret()
	return b.Module
}

func faultHelper(m *ir.Module) *ir.Func {
	f := m.NewFunc("fault")
	m.Helpers = append(m.Helpers, f)
	site, x, y, id := f.NewParam(ir.TypeI32), f.NewParam(ir.TypeI64), f.NewParam(ir.TypeI64), f.NewParam(ir.TypeI32)
	b := &builder{Module: m, at: f.Blocks[0]}
	field := func(t *ir.Type, offset int) ir.Field { return ir.Field{Type: t, Offset: offset} }
	record := m.StructOf([]ir.Field{field(ir.TypeI32, 0), field(ir.TypeI32, 4), field(ir.TypeI64, 8),
		field(ir.TypeI64, 16), field(m.ArrayOf(ir.TypeI32, b.i32(3)), 24)}, 64, 8)
	addr := b.arg(abi.OffsetFault, ir.TypeAddr)
	old := b.mem(ir.OpAtomicCompareExchange, ir.TypeI32, record, b.i32(1), b.i32(0), addr, b.i32(0), b.i32(0))
	won := b.op(ir.OpIEq, ir.TypeBool, old, b.i32(0))
	fill, exit := b.block(), b.block()
	b.at.Branch(won, fill, exit)
	b.at.Merge = exit
	b.at = fill
	for i, v := range []*ir.Value{site, x, y} {
		b.mem(ir.OpStore, ir.TypeVoid, record, v, addr, b.i32(0), b.i32(int64(i+1)))
	}
	b.mem(ir.OpStore, ir.TypeVoid, record, id, addr, b.i32(0), b.i32(4), b.i32(0))
	b.at.Jump(exit)
	b.at = exit
	b.ret()
	return f
}

// loop sums by an address that moves: phis of a number and of an address.
func loop() *ir.Module {
	b := newBuilder()
	entry := b.at
	n, p := b.arg(32, ir.TypeI32), b.arg(24, ir.TypeAddr)
	head, body, cont, exit := b.block(), b.block(), b.block(), b.block()
	entry.Jump(head)
	i, sum, at := head.NewPhi(ir.TypeI32), head.NewPhi(ir.TypeF32), head.NewPhi(ir.TypeAddr)
	b.at = head
	head.Branch(b.op(ir.OpULt, ir.TypeBool, i, n), body, exit)
	head.Merge, head.Continue, head.Unroll = exit, cont, true
	b.at = body
	sum2 := b.op(ir.OpFAdd, ir.TypeF32, sum, b.mem(ir.OpLoad, ir.TypeF32, ir.TypeF32, at, b.i32(0)))
	body.Jump(cont)
	b.at = cont
	i2 := b.op(ir.OpIAdd, ir.TypeI32, i, b.i32(1))
	at2 := b.mem(ir.OpAddrOf, ir.TypeAddr, ir.TypeF32, at, b.i32(1))
	cont.Jump(head)
	i.Args = []*ir.Value{b.i32(0), i2}
	sum.Args = []*ir.Value{b.Const(ir.TypeF32, 0), sum2}
	at.Args = []*ir.Value{p, at2}
	b.at = exit
	b.out(sum)
	b.ret()
	return b.Module
}

// reduce has work-group memory, whose length the launch sets, and barriers.
func reduce() *ir.Module {
	b := newBuilder()
	b.Form = abi.NDRange
	acc := &ir.Spec{ID: abi.SpecAccessor, Name: "Scratch", Type: ir.TypeI32, Default: 64}
	b.Specs = append(b.Specs, acc)
	tile := b.NewVar(nil, ir.Workgroup, "tile", b.ArrayOf(ir.TypeF32, b.SpecValue(acc)))
	l, i := b.builtIn(ir.LocalInvocationIDX), b.builtIn(ir.GlobalInvocationIDX)
	p := b.arg(24, ir.TypeAddr)
	b.vmem(ir.OpStore, ir.TypeVoid, tile, b.mem(ir.OpLoad, ir.TypeF32, ir.TypeF32, p, i), l)
	b.barrier(ir.ScopeWorkGroup)
	b.op(ir.OpBarrierLocal, ir.TypeVoid).Aux = ir.ScopeWorkGroup
	j := b.op(ir.OpXor, ir.TypeI32, l, b.i32(1))
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF32, b.vmem(ir.OpLoad, ir.TypeF32, tile, j), p, i)
	b.ret()
	return b.Module
}

func args(b *builder) {
	b.out(b.arg(40, ir.TypeF64))
	b.out(b.arg(32, ir.TypeI64))
	b.out(b.arg(48, ir.TypeF32))
	b.out(b.arg(48, ir.TypeF32)) // again: no second member
	b.out(b.arg(55, ir.TypeBool))
	b.out(b.op(ir.OpSConvert, ir.TypeI32, b.arg(52, ir.TypeI8)))
	b.out(b.op(ir.OpUConvert, ir.TypeI64, b.arg(58, ir.TypeI16)))
}

// argOverlap takes the same bytes as different types.
func argOverlap(b *builder) {
	b.out(b.arg(32, ir.TypeI64))
	b.out(b.op(ir.OpSConvert, ir.TypeI32, b.arg(36, ir.TypeI8)))
	b.out(b.arg(40, ir.TypeF64))
	b.out(b.arg(44, ir.TypeF32))
	b.out(b.arg(48, ir.TypeI32))
	b.out(b.arg(48, ir.TypeF32))
	b.out(b.op(ir.OpBitcast, ir.TypeI64, b.arg(24, ir.TypeAddr)))
	b.out(b.arg(24, ir.TypeI32))
}

// narrowInts loads, converts and stores 8- and 16-bit integers.
func narrowInts(b *builder) {
	p := b.arg(24, ir.TypeAddr)
	load := func(t *ir.Type) *ir.Value { return b.mem(ir.OpLoad, t, t, p, b.i32(1)) }
	store := func(x *ir.Value) { b.mem(ir.OpStore, ir.TypeVoid, x.Type, x, p, b.i32(2)) }
	x := load(ir.TypeI8)
	store(x)
	b.out(b.op(ir.OpSConvert, ir.TypeI32, x))
	b.out(b.op(ir.OpUConvert, ir.TypeI64, x))
	store(b.op(ir.OpUConvert, ir.TypeI8, b.arg(32, ir.TypeI32)))
	store(b.op(ir.OpUConvert, ir.TypeI16, b.arg(40, ir.TypeI64)))
	store(b.Const(ir.TypeI8, 200))
	v := b.local(ir.TypeI16)
	b.vmem(ir.OpStore, ir.TypeVoid, v, load(ir.TypeI16))
	b.vmem(ir.OpStore, ir.TypeVoid, v, b.Const(ir.TypeI16, 0x8000))
	y := b.vmem(ir.OpLoad, ir.TypeI16, v)
	store(y)
	b.out(b.op(ir.OpSConvert, ir.TypeI64, y))
	b.out(b.op(ir.OpUConvert, ir.TypeI32, y))
	store(b.op(ir.OpSConvert, ir.TypeI16, x))
	store(b.op(ir.OpSConvert, ir.TypeI8, y))
	b.out(b.op(ir.OpSConvert, ir.TypeI32, b.Const(ir.TypeI8, 0xff)))
}

// once is a loop that never goes round: nothing reaches its continue block.
func once() *ir.Module {
	b := newBuilder()
	entry := b.at
	head, cont, exit := b.block(), b.block(), b.block()
	entry.Jump(head)
	x := head.NewPhi(ir.TypeI32, b.i32(1))
	head.Merge, head.Continue = exit, cont
	head.Jump(exit)
	b.at = exit
	b.out(x)
	b.ret()
	cont.Jump(head)
	head.Phis[0].Args = append(head.Phis[0].Args, b.i32(2))
	return b.Module
}

// returns is a selection whose arms return: nothing reaches its merge block.
func returns() *ir.Module {
	b := newBuilder()
	c := b.op(ir.OpAddrIsNull, ir.TypeBool, b.arg(24, ir.TypeAddr))
	entry, yes, no, merge := b.at, b.block(), b.block(), b.block()
	entry.Branch(c, yes, no)
	entry.Merge = merge
	b.at = yes
	b.ret()
	b.at = no
	b.ret()
	merge.SetTerm(ir.Term{Kind: ir.Unreachable})
	return b.Module
}

func half(b *builder) {
	p := b.arg(24, ir.TypeAddr)
	x := b.mem(ir.OpLoad, ir.TypeF16, ir.TypeF16, p, b.i32(1))
	y := b.op(ir.OpFMul, ir.TypeF16, x, b.Const(ir.TypeF16, 0x3c00))
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF16, y, p, b.i32(2))
	b.out(b.op(ir.OpFConvert, ir.TypeF32, y))
	bits := b.op(ir.OpBitcast, ir.TypeI16, y)
	b.out(b.op(ir.OpUConvert, ir.TypeI32, bits))
	b.out(b.op(ir.OpBitcast, ir.TypeF16, bits))
}

// specs has expressions of specialization constants, as a value and as the
// length of an array.
func specs(b *builder) {
	n := &ir.Spec{ID: 3, Name: "N", Type: ir.TypeI32, Default: 16}
	flag := &ir.Spec{ID: 4, Name: "Flag", Type: ir.TypeBool, Default: 1}
	scale := &ir.Spec{ID: 5, Name: "Scale", Type: ir.TypeF32, Default: 0x3f800000}
	unused := &ir.Spec{ID: 6, Name: "Unused", Type: ir.TypeI64, Default: 1}
	b.Specs = append(b.Specs, n, flag, scale, unused)
	nv := b.SpecValue(n)
	twice := b.ConstExpr(ir.OpIMul, ir.TypeI32, nv, b.i32(2))
	length := b.ConstExpr(ir.OpSelect, ir.TypeI32, b.SpecValue(flag), twice, nv)
	v := b.local(b.ArrayOf(ir.TypeF32, length))
	b.vmem(ir.OpZero, ir.TypeVoid, v)
	b.vmem(ir.OpStore, ir.TypeVoid, v, b.SpecValue(scale), b.i32(0))
	b.out(length)
	b.out(b.SpecValue(b.Specs[0]))
}

// specCode has constant expressions that OpSpecConstantOp does not take.
func specCode(b *builder) {
	n := &ir.Spec{ID: 3, Name: "N", Type: ir.TypeI32, Default: 16}
	b.Specs = append(b.Specs, n)
	count := b.ConstExpr(ir.OpBitCount, ir.TypeI32, b.SpecValue(n))
	b.out(b.ConstExpr(ir.OpIAdd, ir.TypeI32, count, b.i32(1)))
	low := b.ConstExpr(ir.OpUConvert, ir.TypeI8, b.SpecValue(n))
	b.out(b.ConstExpr(ir.OpSConvert, ir.TypeI32, low))
}

// structs has gc's layout: struct{a uint8; b int64; c [3]float32; d [2]struct{x, y uint8}}.
func structs(b *builder) {
	field := func(t *ir.Type, offset int) ir.Field { return ir.Field{Type: t, Offset: offset} }
	pair := b.StructOf([]ir.Field{field(ir.TypeI8, 0), field(ir.TypeI8, 1)}, 2, 1)
	elem := b.StructOf([]ir.Field{field(ir.TypeI8, 0), field(ir.TypeI64, 8),
		field(b.ArrayOf(ir.TypeF32, b.i32(3)), 16), field(b.ArrayOf(pair, b.i32(2)), 28)}, 32, 8)
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	f := b.mem(ir.OpLoad, ir.TypeF32, elem, p, i, b.i32(2), i)
	b.out(f)
	b.out(b.mem(ir.OpLoad, ir.TypeI8, elem, p, i, b.i32(3), i, b.i32(1)))
	b.out(b.mem(ir.OpAddrOf, ir.TypeAddr, elem, p, i, b.i32(2)))
	b.out(b.mem(ir.OpAddrOf, ir.TypeAddr, elem, p, i))
	b.mem(ir.OpStore, ir.TypeVoid, elem, b.Int(ir.TypeI64, -1), p, i, b.i32(1))
}

// vectors turns round the elements of a vector of floats, doubles that of another, and stores integers.
func vectors(b *builder) {
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	x := b.mem(ir.OpLoad, ir.TypeF32x4, ir.TypeF32x4, p, i)
	var back []*ir.Value
	for k := range uint64(4) {
		e := b.op(ir.OpVecExtract, ir.TypeF32, x)
		e.Bits = 3 - k
		back = append(back, e)
	}
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF32x4, b.op(ir.OpVecMake, ir.TypeF32x4, back...), p, i)
	y := b.op(ir.OpVecExtract, ir.TypeF64, b.mem(ir.OpLoad, ir.TypeF64x2, ir.TypeF64x2, p, i))
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeF64x2, b.op(ir.OpVecMake, ir.TypeF64x2, y, y), p, i)
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeI32x4, b.op(ir.OpVecMake, ir.TypeI32x4, i, b.i32(1), i, b.i32(2)), p, i)
}

// emptyMemory has arrays of length zero and structs without fields.
func emptyMemory(b *builder) {
	none := b.StructOf(nil, 0, 1)
	zero := b.ArrayOf(ir.TypeF32, b.i32(0))
	elem := b.StructOf([]ir.Field{{Type: none}, {Type: ir.TypeI32}, {Type: zero, Offset: 4}}, 8, 4)
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	b.out(b.mem(ir.OpLoad, ir.TypeI32, elem, p, i, b.i32(1)))
	b.out(b.mem(ir.OpLoad, ir.TypeF32, elem, p, i, b.i32(2), i))
	b.out(b.mem(ir.OpAddrOf, ir.TypeAddr, elem, p, i, b.i32(0)))
	b.out(b.mem(ir.OpAddrOf, ir.TypeAddr, none, p, i))
	v, w := b.local(zero), b.local(zero)
	b.vmem(ir.OpZero, ir.TypeVoid, v)
	b.op(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: w, Src: v}
	b.vmem(ir.OpStore, ir.TypeVoid, w, b.vmem(ir.OpLoad, ir.TypeF32, v, i), i)
}

// privateTable is a read-only array of structs of a number and a bool.
func privateTable(b *builder) {
	row := b.StructOf([]ir.Field{{Type: ir.TypeI32}, {Type: ir.TypeBool, Offset: 4}}, 8, 4)
	v := b.NewVar(nil, ir.Private, "table", b.ArrayOf(row, b.i32(2)))
	v.Init = []*ir.Value{b.i32(7), b.Bool(true), b.i32(-8), b.Bool(false)}
	i := b.builtIn(ir.GlobalInvocationIDX)
	b.out(b.vmem(ir.OpLoad, ir.TypeI32, v, i, b.i32(0)))
	b.out(b.vmem(ir.OpLoad, ir.TypeBool, v, i, b.i32(1)))
}

func variables(b *builder) {
	t := b.ArrayOf(b.ArrayOf(ir.TypeI32, b.i32(4)), b.i32(2))
	x, y := b.local(t), b.local(t)
	flag, addr := b.local(ir.TypeBool), b.local(ir.TypeAddr)
	i := b.builtIn(ir.GlobalInvocationIDX)
	b.vmem(ir.OpZero, ir.TypeVoid, x)
	b.vmem(ir.OpZero, ir.TypeVoid, flag)
	b.vmem(ir.OpStore, ir.TypeVoid, x, b.i32(5), i, b.i32(3))
	b.op(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: y, Src: x}
	b.vmem(ir.OpStore, ir.TypeVoid, addr, b.arg(24, ir.TypeAddr))
	b.out(b.vmem(ir.OpLoad, ir.TypeI32, y, b.i32(1), i))
	b.out(b.vmem(ir.OpLoad, ir.TypeBool, flag))
	b.out(b.vmem(ir.OpLoad, ir.TypeAddr, addr))
	b.out(b.op(ir.OpSelect, ir.TypeAddr, b.Bool(true), b.Const(ir.TypeAddr, 1<<32), b.Const(ir.TypeAddr, 0)))
}

// atomics makes other accesses NonPrivatePointer too.
func atomics(b *builder) {
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	b.mem(ir.OpStore, ir.TypeVoid, ir.TypeI32, i, p, i)
	b.out(b.mem(ir.OpAtomicCompareExchange, ir.TypeI32, ir.TypeI32, i, b.i32(0), p, i))
	v := b.NewVar(nil, ir.Workgroup, "v", ir.TypeI32)
	b.out(b.vmem(ir.OpAtomicCompareExchange, ir.TypeI32, v, i, b.i32(0)))
}

func atomics64(b *builder) {
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	one := b.Int(ir.TypeI64, 1)
	b.out(b.mem(ir.OpAtomicCompareExchange, ir.TypeI64, ir.TypeI64, one, one, p, i))
}

func atomicOps(b *builder) {
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	v := b.NewVar(nil, ir.Workgroup, "v", ir.TypeI32)
	for _, op := range []ir.Op{ir.OpAtomicExchange, ir.OpAtomicIAdd, ir.OpAtomicSMin, ir.OpAtomicUMin,
		ir.OpAtomicSMax, ir.OpAtomicUMax, ir.OpAtomicAnd, ir.OpAtomicOr} {
		b.out(b.mem(op, ir.TypeI32, ir.TypeI32, i, p, i))
		b.out(b.vmem(op, ir.TypeI32, v, i))
	}
	b.out(b.mem(ir.OpAtomicLoad, ir.TypeI32, ir.TypeI32, p, i))
	b.out(b.vmem(ir.OpAtomicLoadRelaxed, ir.TypeI32, v))
	b.out(b.vmem(ir.OpAtomicIAddRelaxed, ir.TypeI32, v, i))
	b.vmem(ir.OpAtomicStore, ir.TypeVoid, v, i)
	b.vmem(ir.OpAtomicStoreRelaxed, ir.TypeVoid, v, i)
	for s := range ir.ScopeDevice + 1 {
		b.op(ir.OpAtomicFence, ir.TypeVoid).Aux = s
	}
}

func atomicFloats(b *builder) {
	p, i := b.arg(24, ir.TypeAddr), b.builtIn(ir.GlobalInvocationIDX)
	for _, t := range []*ir.Type{ir.TypeF32, ir.TypeF64} {
		b.out(b.mem(ir.OpAtomicFAddNative, t, t, b.Const(t, 0), p, i))
	}
}
