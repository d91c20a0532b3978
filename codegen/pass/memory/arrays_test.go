package memory_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// newArraysGen writes a random kernel that stores to and loads from a few elements of a few
// arrays of its own, zeroes them and copies them to each other, in branches and loops.
func newArraysGen(t *testing.T, seed uint64) *passtest.MemoryGen {
	g := passtest.NewMemoryGen(t, seed)
	for i, v := range []*ir.Var{g.Acc, g.At[0], g.At[1]} { // nothing is to be constant
		x := g.Load(0, g.Word(int64(i)))
		if v != g.Acc {
			x = g.Op(ir.OpAnd, x, g.Word(3))
		}
		g.Set(v, x)
	}
	for range 4 {
		x := g.M.NewVar(g.F, ir.Function, "own", g.M.ArrayOf(ir.TypeI32, g.Word(6)))
		g.B.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: x}
		g.Own = append(g.Own, x)
	}
	g.Left += 8
	g.Statements(0)
	for _, x := range g.Own[:2] { // which may be copies of the others
		for i := range 6 {
			g.Set(g.Acc, g.Op(ir.OpIAdd, g.Op(ir.OpIMul, g.Get(g.Acc), g.Word(3)), g.LoadOwn(x, g.Word(int64(i)))))
		}
	}
	return g.End()
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
	for seed := range passtest.Count() {
		was := newArraysGen(t, seed).M
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
