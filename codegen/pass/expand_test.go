package pass

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/memory"
)

// newTestKernel returns a kernel of one block that reads its slices' addresses.
func newTestKernel(slices int) (m *ir.Module, b *ir.Block, addrs []*ir.Value) {
	m = ir.NewModule("t")
	m.Form, m.Rank = abi.NDRange, 1
	m.Kernel = m.NewFunc("main")
	b = m.Kernel.Blocks[0]
	for i := range slices {
		m.Params = append(m.Params, abi.Param{Name: string(rune('A' + i)), Kind: abi.Slice, Offset: m.ArgSize, Size: 16, ElemSize: 4, ElemAlign: 4})
		a := b.Append(ir.OpArg, ir.TypeAddr)
		a.Bits = uint64(abi.OffsetArgs + m.ArgSize)
		addrs = append(addrs, a)
		m.ArgSize += 16
	}
	return m, b, addrs
}

func TestAccess(t *testing.T) {
	m, b, a := newTestKernel(6)
	zero := m.Int(ir.TypeI32, 0)
	ref := &ir.Ref{Elem: ir.TypeI32}
	load := func(addr *ir.Value) *ir.Value {
		v := b.Append(ir.OpLoad, ir.TypeI32, addr, zero)
		v.Aux = ref
		return v
	}
	x := load(a[0])
	sub := b.Append(ir.OpAddrOf, ir.TypeAddr, a[1], zero)
	sub.Aux = ref
	b.Append(ir.OpStore, ir.TypeVoid, x, sub, zero).Aux = ref
	b.Append(ir.OpAtomicCompareExchange, ir.TypeI32, x, zero, a[2], zero).Aux = ref
	load(b.Append(ir.OpSelect, ir.TypeAddr, b.Append(ir.OpIEq, ir.TypeBool, x, zero), a[3], a[0]))
	v := m.NewVar(m.Kernel, ir.Function, "p", ir.TypeAddr)
	b.Append(ir.OpStore, ir.TypeVoid, a[4]).Aux = &ir.Ref{Var: v}
	p := b.Append(ir.OpLoad, ir.TypeAddr)
	p.Aux = &ir.Ref{Var: v}
	b.Append(ir.OpStore, ir.TypeVoid, x, p, zero).Aux = ref
	b.SetTerm(ir.Term{Kind: ir.Return})
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	memory.InferAccess(m)
	for i, want := range []abi.Access{abi.Read, abi.Write, abi.ReadWrite, abi.Read, abi.Write, 0} {
		if got := m.Params[i].Access; got != want {
			t.Errorf("%s: %v, want %v", m.Params[i].Name, got, want)
		}
	}
}

func TestAccessUnknown(t *testing.T) {
	m, b, _ := newTestKernel(2)
	zero := m.Int(ir.TypeI32, 0)
	p := b.Append(ir.OpBitcast, ir.TypeAddr, m.Int(ir.TypeI64, 64))
	b.Append(ir.OpStore, ir.TypeVoid, zero, p, zero).Aux = &ir.Ref{Elem: ir.TypeI32}
	b.SetTerm(ir.Term{Kind: ir.Return})
	memory.InferAccess(m)
	for _, p := range m.Params {
		if p.Access != abi.Write {
			t.Errorf("%s: %v", p.Name, p.Access)
		}
	}
}

func TestExpand(t *testing.T) {
	m, b, _ := newTestKernel(1)
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
	if err := checkStructured(m.Helpers[0]); err != nil {
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
		lm := &laneMachine{f: m.Kernel, size: 5, limit: 1000, strict: true, hits: hits}
		if _, err := lm.run(); err != nil {
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
