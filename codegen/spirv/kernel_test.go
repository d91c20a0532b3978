package spirv

import "testing"

// buildKernel makes a module with what kernels are made of: buffers by
// address, push constants, a local size from a specialization constant, a loop
// with a phi, and an extended instruction. It computes
//
//	for range n { y[id] = sqrt(fma(a, x[id], y[id])) }
func buildKernel(t testing.TB) *Module {
	b := NewBuilder()
	m, err := emitKernel(b).Module()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type kernelTypes struct {
	void, boolean, u32, u64, f32       ID
	addr, pushAddr, pushU32, pushF32   ID
	pointer, pointerF32, input, inputU ID
}

func emitKernel(b *Builder) *Builder {
	b.Capability(CapabilityShader)
	b.Capability(CapabilityInt64)
	b.Capability(CapabilityPhysicalStorageBufferAddresses)
	b.Capability(CapabilityShader)
	b.MemoryModel(AddressingModelPhysicalStorageBuffer64, MemoryModelGLSL450)

	var k kernelTypes
	k.void, k.boolean = b.TypeVoid(), b.TypeBool()
	k.u32, k.u64, k.f32 = b.TypeInt(32, false), b.TypeInt(64, false), b.TypeFloat(32)
	vec3 := b.TypeVector(k.u32, 3)
	k.addr = b.TypeVector(k.u32, 2)
	block := b.StructLayout([]Member{{Type: b.RuntimeArrayStride(k.f32, 4)}}, true)
	k.pointer = b.TypePointer(StorageClassPhysicalStorageBuffer, block)
	k.pointerF32 = b.TypePointer(StorageClassPhysicalStorageBuffer, k.f32)
	params := b.StructLayout([]Member{
		{Type: k.addr, Offset: 0}, {Type: k.addr, Offset: 8}, {Type: k.u32, Offset: 16}, {Type: k.f32, Offset: 20},
	}, true)
	push := b.Variable(b.TypePointer(StorageClassPushConstant, params), StorageClassPushConstant, 0)
	k.pushAddr = b.TypePointer(StorageClassPushConstant, k.addr)
	k.pushU32 = b.TypePointer(StorageClassPushConstant, k.u32)
	k.pushF32 = b.TypePointer(StorageClassPushConstant, k.f32)
	k.input = b.TypePointer(StorageClassInput, vec3)
	k.inputU = b.TypePointer(StorageClassInput, k.u32)
	globalID := b.Variable(k.input, StorageClassInput, 0)
	b.Decorate(globalID, DecorationBuiltIn, uint32(BuiltInGlobalInvocationId))

	localSize := b.SpecConst(k.u32, 100, 64)
	one := b.ConstU32(1)
	size := b.SpecConstComposite(vec3, localSize, one, one)
	b.Decorate(size, DecorationBuiltIn, uint32(BuiltInWorkgroupSize))

	f := b.Function(k.void, b.TypeFunction(k.void), FunctionControlNone)
	b.Name(f.ID, "main")
	b.EntryPoint(ExecutionModelGLCompute, f.ID, "main")
	b.ExecutionMode(f.ID, ExecutionModeLocalSize, 64, 1, 1)
	emitBody(b, f, k, push, globalID)
	return b
}

func emitBody(b *Builder, f *FunctionBuilder, k kernelTypes, push, globalID ID) {
	zero, one := b.ConstU32(0), b.ConstU32(1)
	header, body, cont, exit := b.NewID(), b.NewID(), b.NewID(), b.NewID()
	next := b.NewID()
	aligned := MemoryOperands{Alignment: 4}

	entry := f.Label(0)
	id := f.Load(k.u32, f.AccessChain(k.inputU, globalID, zero), MemoryOperands{})
	x := f.Op(OpBitcast, k.pointer, f.Load(k.addr, f.AccessChain(k.pushAddr, push, zero), MemoryOperands{}))
	y := f.Op(OpBitcast, k.pointer, f.Load(k.addr, f.AccessChain(k.pushAddr, push, one), MemoryOperands{}))
	n := f.Load(k.u32, f.AccessChain(k.pushU32, push, b.ConstU32(2)), MemoryOperands{})
	a := f.Load(k.f32, f.AccessChain(k.pushF32, push, b.ConstU32(3)), MemoryOperands{})
	count := f.Variable(b.TypePointer(StorageClassFunction, k.u32), zero)
	f.Branch(header)

	f.Label(header)
	i := f.Phi(k.u32, Incoming{zero, entry})
	f.AddIncoming(i, Incoming{next, cont})
	more := f.Op(OpULessThan, k.boolean, i, n)
	f.LoopMerge(exit, cont, LoopControlNone)
	f.BranchConditional(more, body, exit)

	f.Label(body)
	px := f.AccessChain(k.pointerF32, x, zero, id)
	py := f.AccessChain(k.pointerF32, y, zero, id)
	v := f.GLSL(k.f32, GLSLstd450Fma, a, f.Load(k.f32, px, aligned), f.Load(k.f32, py, aligned))
	f.Store(py, f.GLSL(k.f32, GLSLstd450Sqrt, v), aligned)
	f.Branch(cont)

	f.Label(cont)
	f.OpAs(next, OpIAdd, k.u32, i, one)
	f.Store(count, next, MemoryOperands{})
	f.Branch(header)

	f.Label(exit)
	f.Return()
}
