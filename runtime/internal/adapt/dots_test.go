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

// TestDotsOfWords: bytes that are a word's become that word, and no others do.
func TestDotsOfWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		shifts [4]uint32 // of the bytes, or 99 for those of another word
		whole  bool
	}{
		{"a word", [4]uint32{0, 8, 16, 24}, true},
		{"in another order", [4]uint32{0, 16, 8, 24}, false},
		{"the last byte twice", [4]uint32{24, 8, 16, 24}, false},
		{"of two words", [4]uint32{99, 8, 16, 24}, false},
		{"not at bytes", [4]uint32{0, 8, 15, 24}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := spirv.NewBuilder()
			b.Capability(spirv.CapabilityShader)
			b.Capability(spirv.CapabilityVulkanMemoryModel)
			b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
			u32 := b.TypeInt(32, false)
			f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
			f.Label(b.NewID())
			word, other := f.Op(spirv.OpUndef, u32), f.Op(spirv.OpUndef, u32)
			bytesOf := func(w spirv.ID, shifts [4]uint32) (out []spirv.ID) {
				for _, n := range shifts {
					v := w
					switch {
					case n == 99:
						v = other
					case n > 0:
						v = f.Op(spirv.OpShiftRightLogical, u32, w, b.ConstU32(n))
					}
					left := f.Op(spirv.OpShiftLeftLogical, u32, v, b.ConstU32(24))
					out = append(out, f.Op(spirv.OpShiftRightArithmetic, u32, left, b.ConstU32(24)))
				}
				return out
			}
			words := []spirv.ID{word}
			words = append(words, bytesOf(word, c.shifts)...)
			// A kernel's word may itself be shifted.
			second := f.Op(spirv.OpShiftRightLogical, u32, word, b.ConstU32(8))
			words = append(words, bytesOf(second, [4]uint32{0, 8, 16, 24})...)
			all := f.Op(spirv.OpCompositeConstruct, b.TypeArray(u32, b.ConstU32(9)), words...)
			b.Mark(f.CompositeExtract(u32, all, 0), spirv.MarkSDot)
			got, err := Dots(wordsOf(t, b, f), func(spirv.Op) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			spirvtools.Validate(t, got)
			m, err := spirv.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			made := map[uint32]spirv.Op{}
			m.All(func(in *spirv.Instruction) bool {
				if made[uint32(in.Result)] = in.Op; in.Op != spirv.OpSDot {
					return true
				}
				if a := made[in.Words[0]]; (a == spirv.OpUndef) != c.whole {
					t.Errorf("the first argument is made by %v", a)
				}
				if b := made[in.Words[1]]; b != spirv.OpShiftRightLogical {
					t.Errorf("the second argument is made by %v", b)
				}
				return true
			})
		})
	}
}
