package adapt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// floatModule has floats of the widths.
func floatModule(t *testing.T, widths ...uint32) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityFloat64)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	for _, w := range widths {
		b.TypeFloat(w)
	}
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	f.Label(b.NewID())
	return wordsOf(t, b, f)
}

// TestPreserve proves that modules ask for NaNs of the widths that they use and the
// device promises, and of no others.
func TestPreserve(t *testing.T) {
	for _, c := range []struct {
		used     []uint32
		promised uint32
		want     []uint32
	}{
		{[]uint32{32, 64}, 16 | 32 | 64, []uint32{32, 64}},
		{[]uint32{32, 64}, 32, []uint32{32}},
		{[]uint32{64}, 32 | 64, []uint32{64}},
		{[]uint32{64}, 16 | 32, nil},
		{[]uint32{32}, 0, nil},
		{nil, 16 | 32 | 64, nil},
	} {
		t.Run(fmt.Sprint(c.used, c.promised), func(t *testing.T) {
			words := floatModule(t, c.used...)
			before := slices.Clone(words)
			got := Preserve(words, c.promised)
			if !slices.Equal(words, before) {
				t.Error("the module that was given has changed")
			}
			if len(c.want) == 0 && !slices.Equal(got, before) {
				t.Error("another module, of which nothing is asked")
			}
			spirvtools.Validate(t, got)
			m, err := spirv.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			if again := Preserve(got, c.promised); !slices.Equal(again, got) {
				t.Error("what a module asks for itself is added again")
			}
			old := slices.Clone(words)
			old[1] = 0x10300 // before 1.4 this takes an extension
			if got := Preserve(old, c.promised); !slices.Equal(got, old) {
				t.Error("a module of SPIR-V 1.3 asks for what it does not know")
			}
			declared := slices.ContainsFunc(m.Capabilities, func(in spirv.Instruction) bool {
				return in.Words[0] == uint32(spirv.CapabilitySignedZeroInfNanPreserve)
			})
			if declared != (len(c.want) > 0) {
				t.Errorf("the capability is declared: %v", declared)
			}
			var widths []uint32
			for _, in := range m.ExecutionModes {
				if spirv.ExecutionMode(in.Words[1]) == spirv.ExecutionModeSignedZeroInfNanPreserve {
					widths = append(widths, in.Words[2])
				}
			}
			if !slices.Equal(widths, c.want) {
				t.Errorf("widths %v, want %v", widths, c.want)
			}
		})
	}
}
