package adapt

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// halfModule adds two float16s, multiplies one by 3 and by 0.1, which is none, and subtracts the
// sum. It marks a quotient, a root of it and a sum with that. As kgen does not, it unpacks both
// halves of a word, packs two numbers, and names a word like a quotient.
func halfModule(t *testing.T) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	f32, u32 := b.TypeFloat(32), b.TypeInt(32, false)
	pair := b.TypeVector(f32, 2)
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	f.Label(b.NewID())
	unpack := func(w spirv.ID) spirv.ID {
		return f.CompositeExtract(f32, f.GLSL(pair, spirv.GLSLstd450UnpackHalf2x16, w), 0)
	}
	pack := func(v spirv.ID) spirv.ID {
		return f.GLSL(u32, spirv.GLSLstd450PackHalf2x16, f.Op(spirv.OpCompositeConstruct, pair, v, b.ConstNull(f32)))
	}
	wx, wy := f.Op(spirv.OpUndef, u32), f.Op(spirv.OpUndef, u32)
	x, y := unpack(wx), unpack(wy)
	sum := pack(f.Op(spirv.OpFAdd, f32, x, y))
	pack(f.Op(spirv.OpFMul, f32, x, b.ConstBits(f32, uint64(math.Float32bits(3)))))
	pack(f.Op(spirv.OpFMul, f32, b.ConstBits(f32, uint64(math.Float32bits(0.1))), y))
	pack(f.Op(spirv.OpFSub, f32, unpack(sum), x))
	f.Op(spirv.OpBitcast, u32, y) // shows the bits of a NaN
	mark := func(name string, words ...spirv.ID) spirv.ID {
		all := f.Op(spirv.OpCompositeConstruct, b.TypeVector(u32, uint32(len(words))), words...)
		id := f.CompositeExtract(u32, all, 0)
		b.Mark(id, name)
		return id
	}
	root := mark(spirv.MarkHalfSqrt, sum, mark(spirv.MarkHalfDiv, sum, wx, wy))
	fma := mark(spirv.MarkHalfFma, sum, wx, wy, root)
	mark(spirv.MarkHalfFma, sum, wx, wy, fma)
	b.Mark(f.Op(spirv.OpIAdd, u32, wx, wy), spirv.MarkHalfDiv)
	mark(spirv.MarkHalfDiv, sum, wx)
	both := f.GLSL(pair, spirv.GLSLstd450UnpackHalf2x16, sum)
	f.CompositeExtract(f32, both, 1)
	f.GLSL(u32, spirv.GLSLstd450PackHalf2x16, both)
	return wordsOf(t, b, f)
}

// TestHalves: whatever a device has right, the module is valid and uses it. That the values are right
// is tested in internal/tests/difftest/halves.
func TestHalves(t *testing.T) {
	words := halfModule(t)
	spirvtools.Validate(t, words)
	before := slices.Clone(words)
	for bits := range 1 << 8 {
		if bits >= 1<<5 && bits%13 != 0 {
			continue // all kinds of conversions, and a sample with other operations
		}
		is := func(bit int) bool { return bits>>bit&1 != 0 }
		right := hal.Halves{Unpack: is(0), Pack: is(1), Widen: is(2), Narrow: is(3), Arithmetic: is(4), Quotients: is(5), Roots: is(6), Fused: is(7)}
		got, err := Halves(words, &right)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(words, before) {
			t.Fatal("the words that were given have changed")
		}
		spirvtools.Validate(t, got)
		m, err := spirv.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		e := spirv.Edit(m)
		converts, unpacks, packs, halves, quotients, roots, fused := 0, 0, 0, 0, 0, 0, 0
		narrowed := map[spirv.ID]bool{}
		alone := map[spirv.ID]bool{}
		for _, in := range m.Annotations {
			if in.Op == spirv.OpDecorate && spirv.Decoration(in.Words[1]) == spirv.DecorationNoContraction {
				alone[spirv.ID(in.Words[0])] = true
			}
		}
		m.All(func(in *spirv.Instruction) bool {
			width, _ := e.Float(in.Type)
			switch {
			case in.Op == spirv.OpFConvert:
				converts++
				narrowed[in.Result] = width == 16
				if narrowed[spirv.ID(in.Words[0])] { // NVIDIA fuses operations over both conversions
					t.Errorf("%+v: a float32 becomes a float16 and a float32 again at once", right)
				}
			case in.Op == spirv.OpExtInst && spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450UnpackHalf2x16:
				unpacks++
			case in.Op == spirv.OpExtInst && spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450PackHalf2x16:
				packs++
			case width == 16 && (in.Op == spirv.OpFDiv || in.Op == spirv.OpExtInst):
				switch {
				case in.Op == spirv.OpFDiv:
					quotients++
				case spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450Sqrt:
					roots++
				case spirv.GLSLstd450(in.Words[1]) == spirv.GLSLstd450Fma:
					fused++
				}
				if !alone[in.Result] {
					t.Errorf("%+v: the driver may contract %v", right, in.Op)
				}
			case width == 16 && (in.Op == spirv.OpFAdd || in.Op == spirv.OpFSub || in.Op == spirv.OpFMul):
				halves++
			}
			return true
		})
		type counts struct{ converts, unpacks, packs, halves, quotients, roots, fused int }
		want := counts{unpacks: 1, packs: 1} // the two that kgen does not write
		narrows := 4
		if right.Arithmetic {
			want.halves, narrows = 3, 1
		}
		if right.Quotients {
			want.quotients = 1
		}
		if right.Roots {
			want.roots = 1
		}
		if right.Fused {
			want.fused = 2
		}
		if right.Widen {
			want.converts += 3
		} else if right.Unpack {
			want.unpacks += 3
		}
		if right.Narrow {
			want.converts += narrows
		} else if right.Pack {
			want.packs += narrows
		}
		if got := (counts{converts, unpacks, packs, halves, quotients, roots, fused}); got != want {
			t.Errorf("%+v: %+v, want %+v", right, got, want)
		}
		if native := right.Widen || right.Narrow || right.Arithmetic || right.Quotients || right.Roots || right.Fused; native != m.HasCapability(spirv.CapabilityFloat16) {
			t.Errorf("%+v: Float16 declared: %v", right, !native)
		}
	}
	plain := floatModule(t, 32, 64)
	if got, err := Halves(plain, &hal.Halves{}); err != nil || !slices.Equal(got, plain) {
		t.Errorf("a module without float16s has changed: %v", err)
	}
}

// TestHalfBits: a constant is a float16 only if that has its value.
func TestHalfBits(t *testing.T) {
	for _, c := range []struct {
		f32, f16 uint32
		ok       bool
	}{
		{0, 0, true}, {1 << 31, 0x8000, true}, {127 << 23, 0x3c00, true}, {0xbfc00000, 0xbe00, true}, {0x477fe000, 0x7bff, true},
		{113 << 23, 0x0400, true}, {112 << 23, 0, false}, {0x47800000, 0, false}, {0x3dcccccd, 0, false}, {0x7f800000, 0, false}, {0x7fc00000, 0, false}, {1, 0, false},
	} {
		if b, ok := halfBits(c.f32); ok != c.ok || ok && b != c.f16 {
			t.Errorf("%#x: %#x, %v", c.f32, b, ok)
		}
	}
}
