package adapt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// convertModule converts a float32 and a vector of two to float64 and back, takes absolute
// values of all, and others that stay.
func convertModule(t *testing.T) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityFloat64)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	f32, f64 := b.TypeFloat(32), b.TypeFloat(64)
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	f.Label(b.NewID())
	for _, lanes := range []uint32{1, 2} {
		narrow, wide := f32, f64
		x := f.Op(spirv.OpUndef, f32)
		if lanes > 1 {
			narrow, wide = b.TypeVector(f32, lanes), b.TypeVector(f64, lanes)
			x = f.Op(spirv.OpUndef, narrow)
		}
		f.GLSL(narrow, spirv.GLSLstd450FAbs, x)
		w := f.Op(spirv.OpFConvert, wide, x)
		f.GLSL(wide, spirv.GLSLstd450FAbs, w)
		f.GLSL(narrow, spirv.GLSLstd450Floor, f.Op(spirv.OpFConvert, narrow, w))
	}
	return wordsOf(t, b, f)
}

// wordsOf returns the module whose only entry point is f, which it ends.
func wordsOf(t *testing.T, b *spirv.Builder, f *spirv.FunctionBuilder) []uint32 {
	t.Helper()
	f.Return()
	b.EntryPoint(spirv.ExecutionModelGLCompute, f.ID, "main")
	b.ExecutionMode(f.ID, spirv.ExecutionModeLocalSize, 1, 1, 1)
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	return m.Words()
}

// TestSubnormals checks that modules are rewritten for devices that do not keep subnormals, and for
// no others, and that only conversions to float64, absolute values and floors of float32 are; that
// the values are right is tested in internal/tests/difftest/subnormals.
func TestSubnormals(t *testing.T) {
	words := convertModule(t)
	spirvtools.Validate(t, words)
	before := slices.Clone(words)
	for _, c := range []struct {
		name             string
		wide, abs, round bool
		converts, as     int // conversions in both directions, absolute values
		floors           int
		changed          bool
	}{
		{"keeps all", true, true, true, 4, 4, 2, false},
		{"comparisons alone", true, true, true, 4, 4, 2, false},
		{"no conversions", false, true, true, 5, 4, 2, true}, // a vector is converted by its components
		{"no absolute values", true, false, true, 4, 2, 2, true},
		{"no roundings", true, true, false, 4, 4, 3, true},
		{"none", false, false, false, 5, 2, 3, true},
	} {
		kept := hal.KeepsSubnormals
		kept.ToFloat64, kept.Abs, kept.Rounding = c.wide, c.abs, c.round
		kept.Comparisons = c.name != "comparisons alone"
		got, err := Subnormals(words, &kept)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(words, before) {
			t.Fatalf("%s: the words that were given have changed", c.name)
		}
		if slices.Equal(got, words) == c.changed {
			t.Errorf("%s: changed: %v", c.name, !c.changed)
		}
		spirvtools.Validate(t, got)
		m, err := spirv.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		converts, as, floors := 0, 0, 0
		m.All(func(in *spirv.Instruction) bool {
			switch {
			case in.Op == spirv.OpFConvert:
				converts++
			case in.Op == spirv.OpExtInst && spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450FAbs:
				as++
			case in.Op == spirv.OpExtInst && spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450Floor:
				floors++
			}
			return true
		})
		if converts != c.converts || as != c.as || floors != c.floors {
			t.Errorf("%s: %d conversions, %d absolute values and %d floors, want %d, %d and %d", c.name, converts, as, floors, c.converts, c.as, c.floors)
		}
	}
	plain := floatModule(t, 32, 64)
	if got, err := Subnormals(plain, &hal.Subnormals{}); err != nil || !slices.Equal(got, plain) {
		t.Errorf("a module without either has changed: %v", err)
	}
}
