package lanes_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestExpand(t *testing.T) {
	m, b, _ := passtest.NewKernel(1)
	m.Spilled = true
	m.ArgSize += 16
	arg := func(typ *ir.Type, offset int) *ir.Value {
		v := b.Append(ir.OpArg, typ)
		v.Bits = uint64(abi.OffsetArgs + offset)
		return v
	}
	out := m.NewVar(nil, ir.Workgroup, "out", m.StructOf([]ir.Field{{Type: ir.TypeI64}, {Type: ir.TypeBool, Offset: 8}, {Type: ir.TypeI16, Offset: 10}}, 16, 8))
	for i, v := range []*ir.Value{arg(ir.TypeI64, 16), arg(ir.TypeBool, 25), arg(ir.TypeI16, 26)} {
		b.Append(ir.OpStore, ir.TypeVoid, v, m.Int(ir.TypeI32, int64(i))).Aux = &ir.Ref{Var: out}
	}
	n := m.Int(ir.TypeI64, 5)
	zero := m.Int(ir.TypeI32, 0)
	m.NewSite(abi.FaultNil, ir.Pos{}, "", false)
	b.Append(ir.OpFault, ir.TypeVoid, n, n, zero, zero, zero).Aux = m.NewSite(abi.FaultIndex, ir.Pos{File: "k.go", Line: 3}, "", false)
	b.SetTerm(ir.Term{Kind: ir.Return})
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	m.Level = ir.Structured
	lanes.Expand(m, nil)
	m.Level = ir.Legal
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	if len(m.Sites) != 1 || m.Sites[0].Index != 0 || m.Sites[0].Kind != abi.FaultIndex {
		t.Errorf("sites %v", m.Sites)
	}
	got := m.String()
	for _, want := range []string{"i32 2]", "ShrL i32", "AtomicCompareExchange", "Call "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if err := passtest.CheckStructured(m.Helpers[0]); err != nil {
		t.Error(err)
	}
}

// TestZeroLocal zeroes variables of several shapes; the stores of all work-items
// together must reach every leaf once.
func TestZeroLocal(t *testing.T) {
	m := ir.NewModule("t")
	n := func(k int64) *ir.Value { return m.Int(ir.TypeI32, k) }
	pair := m.StructOf([]ir.Field{{Type: ir.TypeI32}, {Type: m.ArrayOf(ir.TypeF32, n(3)), Offset: 4}}, 16, 4)
	spec := m.SpecValue(&ir.Spec{ID: 1, Name: "N", Type: ir.TypeI32, Default: 5})
	for _, c := range []struct {
		typ    *ir.Type
		leaves int
	}{
		{ir.TypeI32, 1},
		{m.ArrayOf(ir.TypeI32, n(7)), 7},
		{m.ArrayOf(m.ArrayOf(ir.TypeF32, n(17)), n(16)), 272},
		{m.ArrayOf(pair, n(6)), 24},
		{m.ArrayOf(m.ArrayOf(pair, spec), n(2)), 40},
	} {
		m := m // types are a module's
		m.UsesGroup, m.Form, m.Rank = true, abi.NDRange, 1
		m.Vars = nil
		m.Kernel = m.NewFunc("main")
		b := m.Kernel.Blocks[0]
		b.Append(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: m.NewVar(nil, ir.Workgroup, "x", c.typ)}
		b.SetTerm(ir.Term{Kind: ir.Return})
		lanes.ZeroLocal(m)
		hits := map[string]int{}
		lm := &passtest.LaneMachine{F: m.Kernel, Size: 5, Limit: 1000, Strict: true, Hits: hits}
		if _, err := lm.Run(); err != nil {
			t.Fatalf("%v: %v\n%v", c.typ, err, m)
		}
		for k, h := range hits {
			if h != 1 {
				t.Errorf("%v: %s is zeroed %d times", c.typ, k, h)
			}
		}
		if len(hits) != c.leaves {
			t.Errorf("%v: %d leaves are zeroed, want %d", c.typ, len(hits), c.leaves)
		}
	}
}
