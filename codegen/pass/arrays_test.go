package pass

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// newArraysGen writes a random kernel that stores to and loads from a few elements of a few
// arrays of its own, zeroes them and copies them to each other, in branches and loops.
func newArraysGen(t *testing.T, seed uint64) *forwardGen {
	g := beginForwardGen(t, seed)
	for i, v := range []*ir.Var{g.acc, g.at[0], g.at[1]} { // nothing is to be constant
		x := g.load(0, g.word(int64(i)))
		if v != g.acc {
			x = g.op(ir.OpAnd, x, g.word(3))
		}
		g.set(v, x)
	}
	for range 4 {
		x := g.m.NewVar(g.f, ir.Function, "own", g.m.ArrayOf(ir.TypeI32, g.word(6)))
		g.b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: x}
		g.own = append(g.own, x)
	}
	g.left += 8
	g.statements(0)
	for _, x := range g.own[:2] { // which may be copies of the others
		for i := range 6 {
			g.set(g.acc, g.op(ir.OpIAdd, g.op(ir.OpIMul, g.get(g.acc), g.word(3)), g.loadOwn(x, g.word(int64(i)))))
		}
	}
	return g.end()
}

func (g *forwardGen) loadOwn(x *ir.Var, index *ir.Value) *ir.Value {
	l := g.op(ir.OpLoad, index)
	l.Aux = &ir.Ref{Var: x}
	return l
}

func (g *forwardGen) storeOwn(x *ir.Var, index, v *ir.Value) {
	g.b.Append(ir.OpStore, ir.TypeVoid, v, index).Aux = &ir.Ref{Var: x}
}

// whole zeroes an array, or copies one to another as lower does: element by element, or all
// elements first. Now and then an element is left out, or something is stored on the way.
func (g *forwardGen) whole() {
	x, y := g.own[g.r.IntN(len(g.own))], g.own[g.r.IntN(len(g.own))]
	if g.r.IntN(4) == 0 {
		g.b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: x}
		return
	}
	n, between := 6, g.r.IntN(3) == 0
	if g.r.IntN(4) == 0 {
		n = 5
	}
	first := g.r.IntN(2) == 0
	var all []*ir.Value
	for i := range n {
		if all = append(all, g.loadOwn(x, g.word(int64(i)))); !first {
			g.storeOwn(y, g.word(int64(i)), all[i])
		}
		if between && i == 3 {
			g.storeOwn([]*ir.Var{x, y}[g.r.IntN(2)], g.word(int64(g.r.IntN(6))), g.get(g.acc))
			g.set(g.acc, g.op(ir.OpXor, g.get(g.acc), g.loadOwn(y, g.index())))
		}
	}
	for i, v := range all {
		if first {
			g.storeOwn(y, g.word(int64(i)), v)
		}
	}
}

// ownAccesses counts the arrays of the kernel's own, and the loads and stores of them.
func ownAccesses(m *ir.Module) (arrays, accesses int) {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && r.Var != nil && (v.Op == ir.OpLoad || v.Op == ir.OpStore) {
				accesses++
			}
		}
	}
	return len(m.Kernel.Vars), accesses
}

// TestArraysRandom: random kernels compute the same with and without the pass arrays.
func TestArraysRandom(t *testing.T) {
	vars, varsAfter, accesses, after := 0, 0, 0, 0
	for seed := range count() {
		was := newArraysGen(t, seed).m
		rewrite.Mem2Reg(was)
		simplify.Run(was)
		simplify.CSE(was)
		simplify.DCE(was)
		is := was.Clone()
		memory.Arrays(is)
		if err := ir.Verify(is); err != nil {
			t.Fatalf("seed %d: %v\nbefore\n%v\nafter\n%v", seed, err, was, is)
		}
		v, n := ownAccesses(was)
		vars, accesses = vars+v, accesses+n
		v, n = ownAccesses(is)
		varsAfter, after = varsAfter+v, after+n
		l := interp.Launch{Global: [3]uint32{1, 1, 1}, Memory: []interp.Region{{Addr: 1 << 20, Data: make([]byte, 400)}}}
		for i := range l.Memory[0].Data {
			l.Memory[0].Data[i] = byte(uint64(i*i) + seed*31)
		}
		for i := range 4 {
			l.Args = binary.LittleEndian.AppendUint64(l.Args, 1<<20+uint64(100*i))
			l.Args = binary.LittleEndian.AppendUint64(l.Args, 6)
		}
		want, err := interp.Run(was, l)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, was)
		}
		got, err := interp.Run(is, l)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, is)
		}
		if !bytes.Equal(got.Memory[0].Data, want.Memory[0].Data) {
			t.Fatalf("seed %d: before\n%v\nafter\n%v", seed, was, is)
		}
	}
	t.Logf("%d of %d arrays and %d of %d accesses are left", varsAfter, vars, after, accesses)
	if varsAfter*20 > vars*19 || after*10 > accesses*9 {
		t.Errorf("arrays does next to nothing: %d of %d arrays and %d of %d accesses are left", varsAfter, vars, after, accesses)
	}
}
