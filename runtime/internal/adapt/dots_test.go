package adapt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// TestDots: whichever sums of products a device has instructions for, the module is valid and uses these. That the
// values are right is tested in internal/tests/difftest/matrices.
func TestDots(t *testing.T) {
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	u32 := b.TypeInt(32, false)
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	f.Label(b.NewID())
	mark := func(name string, operands int) {
		words := make([]spirv.ID, 1+operands)
		for i := range words {
			words[i] = f.Op(spirv.OpUndef, u32)
		}
		all := f.Op(spirv.OpCompositeConstruct, b.TypeArray(u32, b.ConstU32(uint32(len(words)))), words...)
		b.Mark(f.CompositeExtract(u32, all, 0), name)
	}
	ops := []spirv.Op{spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat}
	for name, d := range dotOps {
		mark(name, d.operands)
		mark(name, d.operands-1) // as kgen does not
	}
	b.Mark(f.Op(spirv.OpUndef, u32), spirv.MarkSDot)
	words := wordsOf(t, b, f)
	spirvtools.Validate(t, words)
	before := slices.Clone(words)
	for bits := range 1 << len(ops) {
		if testing.Short() && bits%9 > 0 {
			continue
		}
		has := func(op spirv.Op) bool { return bits>>slices.Index(ops, op)&1 != 0 }
		got, err := Dots(words, has)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(words, before) {
			t.Fatal("the words that were given have changed")
		}
		if bits == 0 {
			if !slices.Equal(got, words) {
				t.Error("a device without instructions gets another module")
			}
			continue
		}
		spirvtools.Validate(t, got)
		m, err := spirv.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		found := map[spirv.Op]int{}
		m.All(func(in *spirv.Instruction) bool {
			found[in.Op]++
			return true
		})
		for _, op := range ops {
			if want := map[bool]int{true: 1}[has(op)]; found[op] != want {
				t.Errorf("with %06b: %d of %v, want %d", bits, found[op], op, want)
			}
		}
	}
}
