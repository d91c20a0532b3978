package memory_test

import (
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestAccess(t *testing.T) {
	m, b, a := passtest.NewKernel(6)
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
	m, b, _ := passtest.NewKernel(2)
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
