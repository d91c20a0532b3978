package runtime_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/valid"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func moduleFile(t testing.TB, path string) []uint32 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// TestLoadModuleDamaged: damaged words are an error that says where and why. Package
// valid's tests say what is refused.
func TestLoadModuleDamaged(t *testing.T) {
	dev := openHost(t)
	words := moduleFile(t, "../codegen/spirv/valid/testdata/loops.spv")
	desc := abi.Kernel{Name: "loops", Form: abi.Range, Rank: 1, ArgSize: 88}
	if _, err := runtime.LoadModule(dev, words, desc); err != nil {
		t.Fatal(err)
	}
	words[511] ^= 1 << 1 // a phi's value of another type
	_, err := runtime.LoadModule(dev, words, desc)
	var rule *valid.Error
	if !errors.Is(err, runtime.ErrBuild) || !errors.As(err, &rule) {
		t.Fatalf("got %v, want ErrBuild", err)
	}
	for _, part := range []string{"loops", "word 510", "OpUConvert", rule.Rule} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	words[511] ^= 1 << 1
	desc.ArgSize = 8
	if _, err := runtime.LoadModule(dev, words, desc); !errors.Is(err, runtime.ErrBuild) || !strings.Contains(err.Error(), "push constants") {
		t.Errorf("a launch block that is shorter than the module's: %v", err)
	}
}

// sized is a module whose private array, array of the work-group and work-group have
// the sizes of specialization constants 1, 2 and 3.
func sized(t *testing.T) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelGLSL450)
	u32 := b.TypeInt(32, false)
	array := func(class spirv.StorageClass, id uint32) spirv.ID {
		length := b.SpecConst(u32, id, 1)
		return b.Variable(b.TypePointer(class, b.TypeArray(u32, length)), class, 0)
	}
	private, shared := array(spirv.StorageClassPrivate, 1), array(spirv.StorageClassWorkgroup, 2)
	one := b.ConstU32(1)
	size := b.SpecConstComposite(b.TypeVector(u32, 3), b.SpecConst(u32, 3, 1), one, one)
	b.Decorate(size, spirv.DecorationBuiltIn, uint32(spirv.BuiltInWorkgroupSize))
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	b.EntryPoint(spirv.ExecutionModelGLCompute, f.ID, abi.EntryPoint, private, shared)
	b.ExecutionMode(f.ID, spirv.ExecutionModeLocalSize, 1, 1, 1)
	f.Label(b.NewID())
	zero := b.ConstU32(0)
	for class, v := range map[spirv.StorageClass]spirv.ID{spirv.StorageClassPrivate: private, spirv.StorageClassWorkgroup: shared} {
		f.Store(f.AccessChain(b.TypePointer(class, u32), v, zero), one, spirv.MemoryOperands{})
	}
	f.Return()
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	return m.Words()
}

// TestLoadModuleSizes: what the values of constants make of a module is held against
// the device when it is built.
func TestLoadModuleSizes(t *testing.T) {
	dev := devtest.Vulkan(t)
	words := sized(t)
	for _, c := range []struct {
		id    uint32
		value uint32
		want  error
	}{
		{1, 64, nil}, {1, 1 << 30, runtime.ErrMemoryAllocation}, {1, 0, runtime.ErrBuild},
		{2, 64, nil}, {2, 1 << 30, runtime.ErrMemoryAllocation},
		{3, 8, nil}, {3, 1 << 30, runtime.ErrKernelNotSupported}, {3, 0, runtime.ErrBuild},
	} {
		p := must(runtime.LoadModule(dev, words, abi.Kernel{Name: "sized", Form: abi.Task}))
		if err := p.SetSpecByID(c.id, c.value); err != nil {
			t.Fatal(err)
		}
		exe, err := p.Build()
		if err == nil { // what the device cannot run at all is for launches to say
			_, err = runtime.LaunchKernel(dev.DefaultQueue(), p.Kernels()[0], nil, nil, runtime.WithProgram(exe))
		}
		if !errors.Is(err, c.want) {
			t.Errorf("constant %d is %d: got %v, want %v", c.id, c.value, err, c.want)
		}
	}
}

// BenchmarkLoadModule loads a module of 49 KB.
func BenchmarkLoadModule(b *testing.B) {
	dev := openHost(b)
	dir := must(modules.Folder(modules.Module + "/internal/tests/difftest/corpus"))
	words := moduleFile(b, filepath.Join(dir, "Embedded.words.spv"))
	desc := abi.Kernel{Name: "embedded", Form: abi.Range, Rank: 1, ArgSize: 256}
	b.SetBytes(int64(4 * len(words)))
	for b.Loop() {
		if _, err := runtime.LoadModule(dev, words, desc); err != nil {
			b.Fatal(err)
		}
	}
}
