package spirv

import (
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

func TestSpecConstants(t *testing.T) {
	b := NewBuilder()
	b.Capability(CapabilityShader)
	b.Capability(CapabilityInt64)
	b.Capability(CapabilityInt16)
	b.MemoryModel(AddressingModelLogical, MemoryModelGLSL450)
	i16, i64, f32 := b.TypeInt(16, true), b.TypeInt(64, true), b.TypeFloat(32)
	b.SpecConst(i16, 7, 0xfffe)
	b.SpecConst(i64, 3, ^uint64(0))
	b.SpecConst(f32, 4, 0x3f800000)
	c := b.SpecConstBool(5, true)
	b.SpecConstBool(6, false)
	b.SpecConstOp(b.TypeBool(), OpLogicalNot, c)
	b.ConstBits(i16, 2)
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
	got := m.SpecConstants()
	for i := range got {
		got[i].Result = 0
	}
	want := []SpecConstant{
		{ID: 7, Type: Numeric{Int, 16}, Default: 0xfffe},
		{ID: 3, Type: Numeric{Int, 64}, Default: ^uint64(0)},
		{ID: 4, Type: Numeric{Float, 32}, Default: 0x3f800000},
		{ID: 5, Type: Numeric{Bool, 1}, Default: 1},
		{ID: 6, Type: Numeric{Bool, 1}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEntryPoints(t *testing.T) {
	b := emitKernel(NewBuilder())
	b.SetVersion(Version13)
	old, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	m := buildKernel(t)
	e := m.EntryPointsInfo()[0]
	if e.Model != ExecutionModelGLCompute || e.Name != "main" || e.Function != m.Functions[0].Def().Result {
		t.Errorf("entry point %+v", e)
	}
	if len(e.Interface) != 2 || len(old.EntryPointsInfo()[0].Interface) != 1 {
		t.Errorf("interfaces %v from 1.4 and %v before, want all variables and the Input", e.Interface, old.EntryPointsInfo()[0].Interface)
	}
	if want := []Mode{{ExecutionModeLocalSize, false, []uint32{64, 1, 1}}}; !reflect.DeepEqual(e.Modes, want) {
		t.Errorf("modes %v, want %v", e.Modes, want)
	}
	if m.Functions[0].IsDeclaration() {
		t.Error("main is a declaration")
	}
}

func TestOperands(t *testing.T) {
	m := buildKernel(t)
	d := m.Decoder()
	for in := range m.All {
		ops, err := d.Operands(in)
		if err != nil {
			t.Fatal(err)
		}
		switch in.Op {
		case OpStore:
			if len(ops) == 4 && (MemoryAccess(ops[2].Words[0]) != MemoryAccessAligned || ops[3].Words[0] != 4) {
				t.Errorf("OpStore %v", ops)
			}
		case OpEntryPoint:
			if ops[2].Text() != "main" || ops[3].Kind != KindIdRef || ops[3].ID() == 0 {
				t.Errorf("OpEntryPoint %v", ops)
			}
		case OpPhi:
			if n, ok := d.Numeric(d.TypeOf(ops[0].ID())); !ok || n != (Numeric{Uint, 32}) || len(ops) != 4 {
				t.Errorf("OpPhi %v of %v", ops, n)
			}
		}
	}
}
