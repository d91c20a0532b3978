package emit

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/features"
	"github.com/kgen-go/kgen/internal/tests/golden"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/properties"
)

func TestGolden(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := ir.Verify(c.m()); err != nil {
				t.Error(err)
			}
			words := mustEmit(t, c.m())
			if again := mustEmit(t, c.m()); !slices.Equal(words, again) {
				t.Error("two runs differ")
			}
			spirvtools.Validate(t, words)
			m, err := spirv.Parse(words)
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, filepath.Join("testdata", c.name+".spvasm"), []byte(spirv.Disassemble(m)))
		})
	}
}

// TestCold: a loop that hardly ever runs is not unrolled, whatever is asked of the code
// that it is a copy of.
func TestCold(t *testing.T) {
	for cold, want := range map[bool]string{false: " Unroll\n", true: " DontUnroll\n"} {
		m := loop()
		for _, b := range m.Kernel.Blocks {
			b.Cold = cold
		}
		p, err := spirv.Parse(mustEmit(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if text := spirv.Disassemble(p); !strings.Contains(text, want) {
			t.Errorf("cold %v: not%s%s", cold, want, text)
		}
	}
}

// TestCapabilities requires what a kernel needs and forbids everything else.
func TestCapabilities(t *testing.T) {
	used := map[spirv.Capability]bool{}
	for _, c := range cases {
		m, err := spirv.Parse(mustEmit(t, c.m()))
		if err != nil {
			t.Fatal(err)
		}
		want := append([]spirv.Capability{spirv.CapabilityShader,
			spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityVulkanMemoryModel}, c.caps...)
		var got []spirv.Capability
		for _, in := range m.Capabilities {
			got = append(got, spirv.Capability(in.Words[0]))
			used[got[len(got)-1]] = true
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: capabilities %v, want %v", c.name, got, want)
		}
		if len(m.Extensions) > 0 != strings.HasPrefix(c.name, "atomic_float") {
			t.Errorf("%s: %d extensions, but SPIR-V 1.5 has all else that is used", c.name, len(m.Extensions))
		}
	}
	for _, row := range features.Rows {
		// No op needs sub-groups that shift, but their aspect promises it.
		emitted := row.Required || row.Aspect != properties.AspectInvalid && row.Capability != spirv.CapabilityGroupNonUniformShuffleRelative
		if emitted && !used[row.Capability] {
			t.Errorf("no case needs %v", row.Capability)
		}
	}
}

// ops returns all ops.
func ops() (list []ir.Op) {
	defer func() { _ = recover() }() // past the last there is no row
	for o := ir.OpInvalid + 1; ; o++ {
		_ = o.Info()
		list = append(list, o)
	}
}

func TestEveryOpHasAnEmitter(t *testing.T) {
	if n := len(ops()); n < 75 {
		t.Fatalf("only %d ops", n)
	}
	for _, o := range ops() {
		in := &singleInstructions[o]
		has := specialEmitters[o] != nil || in.op != 0 || in.glsl != 0
		matrices := o.Info().Aux == ir.AuxTile || o.Info().Aux == ir.AuxProduct // of devices' own, see ir.LegalMatrixOp
		if built := o.Has(ir.FlagBuilt) && !matrices; has == built {
			t.Errorf("%v: emitter %v, in Built modules only %v", o, has, built)
		}
		if in.op != 0 && in.glsl != 0 {
			t.Errorf("%v has two instructions", o)
		}
		if o.Has(ir.FlagFold) != (in.fold || o.Has(ir.FlagCoded)) || in.fold && o.Has(ir.FlagCoded) {
			t.Errorf("%v: fold %v in the emitter, %v in ir", o, in.fold, o.Has(ir.FlagFold))
		}
		float := strings.HasPrefix(o.String(), "F") && in.op != 0 && strings.HasSuffix(o.Info().Sig, "F")
		if float != in.exact {
			t.Errorf("%v: NoContraction %v", o, in.exact)
		}
	}
}

// classes are the types that the letters of a signature stand for; one that
// binds stands for the same type in its row.
var classes = map[rune][]*ir.Type{
	'b': {ir.TypeBool}, 'w': {ir.TypeI32}, 'q': {ir.TypeI64}, 'a': {ir.TypeAddr},
	'i': {ir.TypeI8, ir.TypeI16, ir.TypeI32, ir.TypeI64}, 'I': {ir.TypeI32, ir.TypeI64},
	'f': {ir.TypeF16, ir.TypeF32, ir.TypeF64}, 'F': {ir.TypeF16, ir.TypeF32, ir.TypeF64},
	'S': {ir.TypeBool, ir.TypeI32, ir.TypeI64, ir.TypeF16, ir.TypeF32, ir.TypeF64, ir.TypeAddr},
	's': {ir.TypeI32, ir.TypeI64, ir.TypeF32, ir.TypeF64, ir.TypeAddr},
}

// no64 are the ops that GLSL.std.450 lacks for 64 bits.
var no64 = []ir.Op{ir.OpFSin, ir.OpFCos, ir.OpFTan, ir.OpFExp, ir.OpFExp2, ir.OpFLog, ir.OpFLog2, ir.OpFPow}

// only32 are the ops of float32 alone that no64 does not have.
var only32 = []ir.Op{ir.OpFFromHalf, ir.OpFToHalf}

// TestScalarOps emits every op on scalars for all types of its signature.
func TestScalarOps(t *testing.T) {
	for _, o := range ops() {
		info := o.Info()
		args, result, _ := strings.Cut(info.Sig, ":")
		if args == "" || strings.ContainsAny(args, ".*") || result == "-" || info.Aux != ir.AuxNone || o.Has(ir.FlagBuilt) {
			continue
		}
		m := kernel(func(b *builder) {
			signatures(args, result, func(ts []*ir.Type, rt *ir.Type) {
				if !o.Has(ir.FlagNarrow) && slices.ContainsFunc(append(ts, rt), isNarrow) {
					return
				}
				if o == ir.OpBitcast && ts[0].Size != rt.Size || rt == ir.TypeF64 && slices.Contains(no64, o) {
					return
				}
				if slices.Contains(only32, o) && !slices.Contains(append(ts, rt), ir.TypeF32) {
					return
				}
				var vs []*ir.Value
				for i, at := range ts {
					vs = append(vs, b.arg(32+8*i, at))
				}
				b.out(b.op(o, rt, vs...))
			})
		})
		words, err := Emit(m)
		if err != nil {
			t.Errorf("%v: %v", o, err)
			continue
		}
		spirvtools.Validate(t, words)
	}
}

// signatures calls yield for every choice of types.
func signatures(args, result string, yield func(args []*ir.Type, result *ir.Type)) {
	letters := []rune(args + result)
	ts := make([]*ir.Type, len(letters))
	var choose func(i int)
	choose = func(i int) {
		if i == len(letters) {
			yield(slices.Clone(ts[:len(ts)-1]), ts[len(ts)-1])
			return
		}
		c := letters[i]
		if j := slices.Index(letters[:i], c); j >= 0 && strings.ContainsRune("IFS", c) {
			ts[i] = ts[j]
			choose(i + 1)
			return
		}
		for _, t := range classes[c] {
			ts[i] = t
			choose(i + 1)
		}
	}
	choose(0)
}

func TestErrors(t *testing.T) {
	built := kernel(func(*builder) {})
	built.Level = ir.Structured
	for _, c := range []struct {
		want string
		m    *ir.Module
	}{
		{"is at level structured", built},
		{"Fault is not legal", kernel(func(b *builder) {
			q, w := b.Int(ir.TypeI64, 0), b.i32(0)
			b.op(ir.OpFault, ir.TypeVoid, q, q, w, w, w).Aux = &ir.Site{}
		})},
		{"IAdd of i8", kernel(func(b *builder) {
			x := b.arg(24, ir.TypeI8)
			b.op(ir.OpIAdd, ir.TypeI8, x, x)
		})},
		{"AtomicCompareExchange of f32", kernel(func(b *builder) {
			x := b.Const(ir.TypeF32, 0)
			b.mem(ir.OpAtomicCompareExchange, ir.TypeF32, ir.TypeF32, x, x, b.arg(24, ir.TypeAddr), b.i32(0))
		})},
		{"is no constant of SPIR-V", kernel(func(b *builder) {
			n := b.ConstExpr(ir.OpBitCount, ir.TypeI32, b.SpecValue(b.Specs[0]))
			b.vmem(ir.OpZero, ir.TypeVoid, b.local(b.ArrayOf(ir.TypeF32, n)))
		})},
	} {
		if _, err := Emit(c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestNumbersDoNotShow proves that the words depend on what a module says, not
// on how it was made.
func TestNumbersDoNotShow(t *testing.T) {
	want := mustEmit(t, saxpy())
	m := saxpy()
	m.Name = "other"
	for range 10 {
		m.Const(ir.TypeF64, uint64(m.Len())) // never used
	}
	m.SpecValue(&ir.Spec{ID: 9, Name: "Unused", Type: ir.TypeI64})
	faultHelper(m) // never called
	if !slices.Equal(mustEmit(t, m), want) {
		t.Error("what is not used changes the module")
	}
}
