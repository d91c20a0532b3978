package adapt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// atomicModule has an atomic addition, a fence, and accesses that they order.
func atomicModule(t *testing.T, semantics spirv.MemorySemantics) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	u32 := b.TypeInt(32, false)
	ptr := b.TypePointer(spirv.StorageClassWorkgroup, u32)
	x := b.Variable(ptr, spirv.StorageClassWorkgroup, 0)
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	f.Label(b.NewID())
	scope, order := b.ConstU32(uint32(spirv.ScopeWorkgroup)), b.ConstU32(uint32(semantics))
	shared := spirv.MemoryOperands{Access: spirv.MemoryAccessNonPrivatePointer}
	v := f.Load(u32, x, shared)
	v = f.Op(spirv.OpAtomicIAdd, u32, x, scope, order, v)
	v = f.Op(spirv.OpAtomicCompareExchange, u32, x, scope, order, order, v, v)
	if semantics != 0 {
		f.Op(spirv.OpMemoryBarrier, 0, scope, order)
	}
	f.Store(x, v, shared)
	f.Return()
	b.EntryPoint(spirv.ExecutionModelGLCompute, f.ID, "main", x)
	b.ExecutionMode(f.ID, spirv.ExecutionModeLocalSize, 1, 1, 1)
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	return m.Words()
}

func TestRelax(t *testing.T) {
	acquireRelease := spirv.MemorySemanticsAcquire | spirv.MemorySemanticsMakeVisible | spirv.MemorySemanticsWorkgroupMemory
	words := atomicModule(t, acquireRelease)
	before := slices.Clone(words)
	got, err := Relax(words)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(words, before) {
		t.Error("the module that was given has changed")
	}
	m, err := spirv.Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	volatile := 0
	consts := map[uint32]uint32{}
	m.All(func(in *spirv.Instruction) bool {
		switch in.Op {
		case spirv.OpConstant:
			consts[uint32(in.Result)] = in.Words[0]
		case spirv.OpMemoryBarrier:
			t.Error("a memory barrier is left")
		case spirv.OpLoad, spirv.OpStore:
			if spirv.MemoryAccess(in.Words[len(in.Words)-1])&spirv.MemoryAccessVolatile != 0 {
				volatile++
			}
		}
		for _, at := range semanticsWords(in.Op) {
			if n, ok := consts[in.Words[at]]; !ok || n != 0 {
				t.Errorf("%v has semantics %#x", in.Op, n)
			}
		}
		return true
	})
	if volatile != 2 {
		t.Errorf("%d volatile accesses, want 2", volatile)
	}
	spirvtools.Validate(t, got)
	plain := atomicModule(t, 0)
	if got, err := Relax(plain); err != nil || !slices.Equal(got, plain) {
		t.Errorf("a module that orders nothing has changed: %v", err)
	}
}
