package spirv

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

func TestKernelIsValid(t *testing.T) {
	m := buildKernel(t)
	spirvtools.Validate(t, m.Words())
	if want, got := spirvtools.Disassemble(t, m.Words()), Disassemble(m); got != want {
		t.Errorf("disassembly:\n%s", diff(want, got))
	}
}

func TestKernelIsDeterministicAndDense(t *testing.T) {
	m := buildKernel(t)
	if !slices.Equal(m.Words(), buildKernel(t).Words()) {
		t.Error("two builds differ")
	}
	next := ID(1)
	for in := range m.All {
		if in.Result != 0 {
			if in.Result != next {
				t.Fatalf("%v defines %%%d, want %%%d", in.Op, in.Result, next)
			}
			next++
		}
	}
	if m.Bound != uint32(next) {
		t.Errorf("bound %d, want %d", m.Bound, next)
	}
	if strings.Contains(Disassemble(m), "OpName") {
		t.Error("a debug name without KeepNames")
	}
	if n := len(m.Capabilities); n != 3 {
		t.Errorf("%d capabilities, want 3", n)
	}
}

func TestKeepNames(t *testing.T) {
	b := NewBuilder()
	b.KeepNames = true
	m, err := emitKernel(b).Module()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Names) != 1 {
		t.Errorf("%d names, want 1", len(m.Names))
	}
	spirvtools.Validate(t, m.Words())
}

func TestCompactForgetsAllocation(t *testing.T) {
	m := buildKernel(t)
	want := m.Words()
	c := m.Clone()
	if err := c.RemapIDs(func(id ID) ID { return 1000 - id }); err != nil {
		t.Fatal(err)
	}
	c.Bound = 1001
	if slices.Equal(c.Words(), want) {
		t.Fatal("RemapIDs changed nothing")
	}
	if _, err := Parse(c.Words()); err != nil {
		t.Fatal(err)
	}
	if err := c.Compact(); err != nil {
		t.Fatal(err)
	}
	if got := c.Words(); !slices.Equal(got, want) {
		t.Errorf("compact again:\n%s", diff(Disassemble(m), Disassemble(c)))
	}
	if !slices.Equal(m.Words(), want) {
		t.Error("a change of the clone changed the original")
	}
}

func TestDeduplication(t *testing.T) {
	b := NewBuilder()
	u32, i16 := b.TypeInt(32, false), b.TypeInt(16, true)
	stride4 := b.RuntimeArrayStride(u32, 4)
	plain := b.StructLayout([]Member{{Type: u32}}, false)
	restrict := []MemberDecoration{{Decoration: DecorationNonWritable}}
	same := [][2]ID{
		{u32, b.TypeInt(32, false)},
		{b.TypeFloat(32), b.TypeFloat(32)},
		{stride4, b.RuntimeArrayStride(u32, 4)},
		{plain, b.StructLayout([]Member{{Type: u32}}, false)},
		{b.ConstBits(i16, 0xffff), b.ConstBits(i16, ^uint64(0))},
		{b.ConstNull(plain), b.ConstNull(plain)},
		{b.ConstComposite(plain, b.ConstU32(7)), b.ConstComposite(plain, b.ConstU32(7))},
		{b.ConstBool(true), b.ConstBool(true)},
		{b.ExtInstImport(GLSLstd450Name), b.ExtInstImport(GLSLstd450Name)},
		{b.TypeFunction(u32, i16, i16), b.TypeFunction(u32, i16, i16)},
		{b.TypeArray(u32, b.ConstU32(4)), b.TypeArray(u32, b.ConstU32(4))},
	}
	for i, p := range same {
		if p[0] != p[1] {
			t.Errorf("pair %d: %%%d and %%%d should be the same", i, p[0], p[1])
		}
	}
	different := []ID{
		u32, b.TypeInt(32, true), stride4, b.RuntimeArrayStride(u32, 8), b.TypeRuntimeArray(u32), plain,
		b.StructLayout([]Member{{Type: u32}}, true), b.TypeStruct(u32),
		b.StructLayout([]Member{{Type: u32, Offset: 4}}, false),
		b.StructLayout([]Member{{Type: u32, Decorations: restrict}}, false),
		b.ArrayStride(u32, b.ConstU32(4), 4), b.TypeArray(u32, b.ConstU32(4)),
		b.SpecConst(u32, 1, 4), b.SpecConst(u32, 1, 4), b.SpecConstBool(1, true), b.ConstU32(4),
	}
	slices.Sort(different)
	if n := len(slices.Compact(different)); n != len(different) {
		t.Errorf("%d of %d ids are distinct", n, len(different))
	}
}

func TestForwardPointer(t *testing.T) {
	b := NewBuilder()
	b.Capability(CapabilityShader)
	b.Capability(CapabilityPhysicalStorageBufferAddresses)
	b.MemoryModel(AddressingModelPhysicalStorageBuffer64, MemoryModelGLSL450)
	class := StorageClassPhysicalStorageBuffer
	p := b.ForwardPointer(class)
	node := b.StructLayout([]Member{{Type: p}, {Type: b.TypeInt(32, false), Offset: 8}}, true)
	b.DefinePointer(p, class, node)
	if got := b.TypePointer(class, node); got != p {
		t.Errorf("TypePointer = %%%d, want %%%d", got, p)
	}
	void := b.TypeVoid()
	f := b.Function(void, b.TypeFunction(void), FunctionControlNone)
	f.Label(0)
	f.Return()
	b.EntryPoint(ExecutionModelGLCompute, f.ID, "main")
	b.ExecutionMode(f.ID, ExecutionModeLocalSize, 1, 1, 1)
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	spirvtools.Validate(t, m.Words())
}

// A switch over 64 bits has literals of two words, one over 16 bits has
// sign-extended ones.
func TestSwitch(t *testing.T) {
	for _, width := range []uint32{64, 16} {
		b := NewBuilder()
		for _, c := range []Capability{CapabilityShader, CapabilityInt64, CapabilityInt16} {
			b.Capability(c)
		}
		b.MemoryModel(AddressingModelLogical, MemoryModelGLSL450)
		void, typ := b.TypeVoid(), b.TypeInt(width, true)
		f := b.Function(void, b.TypeFunction(void, typ), FunctionControlNone)
		v := f.Param(typ)
		f.Label(0)
		a, merge := b.NewID(), b.NewID()
		f.SelectionMerge(merge, SelectionControlNone)
		f.Switch(typ, v, merge, Case{^uint64(2), a}, Case{300, merge})
		f.Label(a)
		f.Branch(merge)
		f.Label(merge)
		f.Return()
		main := b.Function(void, b.TypeFunction(void), FunctionControlNone)
		main.Label(0)
		main.Op(OpFunctionCall, void, f.ID, b.SpecConst(typ, 0, 1))
		main.Return()
		b.EntryPoint(ExecutionModelGLCompute, main.ID, "main")
		b.ExecutionMode(main.ID, ExecutionModeLocalSize, 1, 1, 1)
		m, err := b.Module()
		if err != nil {
			t.Fatal(err)
		}
		spirvtools.Validate(t, m.Words())
		if want, got := spirvtools.Disassemble(t, m.Words()), Disassemble(m); got != want || !strings.Contains(got, " -3 %") {
			t.Errorf("%d bits:\n%s", width, diff(want, got))
		}
	}
}

// The builder's output is parsed, so what does not fit never leaves it.
func TestBuilderErrors(t *testing.T) {
	for _, test := range []struct {
		name, want string
		emit       func(b *Builder, f *FunctionBuilder)
	}{
		{"no end", "no termination", func(b *Builder, f *FunctionBuilder) { f.Label(0) }},
		{"no label", "never defined", func(b *Builder, f *FunctionBuilder) { f.Label(0); f.Branch(b.NewID()) }},
		{"operands", "too few operand", func(b *Builder, f *FunctionBuilder) {
			f.Label(0)
			f.Op(OpIAdd, b.TypeInt(32, true), b.ConstU32(1))
			f.Return()
		}},
		{"GLSL operands", "too many operand", func(b *Builder, f *FunctionBuilder) {
			f.Label(0)
			f.GLSL(b.TypeFloat(32), GLSLstd450Sqrt, b.ConstU32(1), b.ConstU32(1))
			f.Return()
		}},
		{"twice", "defined twice", func(b *Builder, f *FunctionBuilder) {
			l := f.Label(0)
			f.Return()
			f.Label(l)
			f.Return()
		}},
		{"long", "words", func(b *Builder, f *FunctionBuilder) { b.TypeStruct(make([]ID, 70000)...) }},
	} {
		b := NewBuilder()
		b.MemoryModel(AddressingModelLogical, MemoryModelGLSL450)
		void := b.TypeVoid()
		test.emit(b, b.Function(void, b.TypeFunction(void), FunctionControlNone))
		if _, err := b.Module(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// diff returns the lines from the first that differs.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "want " + strings.Join(w[min(len(w), len(g)):], "\n") + "\ngot " + strings.Join(g[min(len(w), len(g)):], "\n")
}
