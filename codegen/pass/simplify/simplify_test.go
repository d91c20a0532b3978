package simplify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestTidyRandom runs the passes that tidy up over random functions, before and
// after structurize, and compares what the functions do.
func TestTidyRandom(t *testing.T) {
	tidy := func(g *passtest.CFG) {
		simplify.Run(g.M)
		simplify.CSE(g.M)
		simplify.Run(g.M)
		simplify.DCE(g.M)
	}
	for seed := range passtest.Count() {
		g := passtest.RandomCFG(seed)
		// Every load of the seed steps it on, so that none may be dropped.
		e := rewrite.NewEdits(g.F)
		for _, b := range g.F.Blocks {
			for _, v := range b.Insts {
				if v.Op == ir.OpLoad && v.Ref().Var == g.Seed {
					s := g.F.NewValue(ir.OpStore, ir.TypeVoid, v)
					s.Aux, s.Block = &ir.Ref{Var: g.Out}, b
					e.After[v] = append(e.After[v], s)
				}
			}
		}
		e.Apply()
		m := &passtest.LaneMachine{F: g.F, Out: g.Out, In: g.Seed, Size: 1, Limit: 100000, Most: 150}
		var want [4][][]uint64
		for i := range want {
			var err error
			m.State = uint64(i)
			if want[i], err = m.Run(); err != nil {
				t.Fatalf("seed %d: generator: %v", seed, err)
			}
		}
		before := passtest.Show(g.F)
		compare := func(after string) {
			err := passtest.CheckSSA(g.F)
			for i := range want {
				var got [][]uint64
				m.State = uint64(i)
				if err == nil {
					got, err = m.Run()
				}
				if err != nil || !slices.Equal(got[0], want[i][0]) {
					t.Fatalf("seed %d, %s: %v\n got %v\nwant %v\n%s\n%s", seed, after, err, got, want[i], before, passtest.Show(g.F))
				}
			}
		}
		tidy(g)
		compare("built")
		if ds := structurize.Run(g.M); len(ds) > 0 {
			t.Fatalf("seed %d: %v", seed, ds)
		}
		g.M.Level = ir.Structured
		tidy(g)
		compare("structured")
		if err := passtest.CheckStructured(g.F); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, passtest.Show(g.F))
		}
	}
}

// eval computes an integer or bool value, in the way that the ops' rows say,
// given the values of opaque ones.
func eval(v *ir.Value, env map[*ir.Value]uint64) uint64 {
	if x, ok := env[v]; ok {
		return x
	}
	if v.IsConst() {
		return v.Bits
	}
	m := v.Block.Func.Module
	w := *v
	w.Args = nil
	for _, a := range v.Args {
		w.Args = append(w.Args, m.Const(a.Type, eval(a, env)))
	}
	c := facts.FoldConst(m, &w)
	if c == nil {
		panic(fmt.Sprintf("%v does not fold", v.Op))
	}
	return c.Bits
}

// TestRules compares random expressions with what the rules make of them. The
// folding that computes both sides has a test of its own.
func TestRules(t *testing.T) {
	bin := []ir.Op{ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpUDiv, ir.OpUMod, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpShl, ir.OpShrL, ir.OpShrA}
	cmps := []ir.Op{ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe}
	logic := []ir.Op{ir.OpLAnd, ir.OpLOr, ir.OpLEq, ir.OpLNe}
	small := []uint64{0, 1, 2, 3, 4, 8, 31, ^uint64(0), 1 << 31, 1<<31 - 1, 1 << 32, 1 << 63, 1<<63 - 1, 0xffffffff, 0xffffffff80000000, 0xff, 0x80}
	n := uint64(15_000)
	if passtest.Count() >= 2000 { // make deep
		n = 60_000
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 7))
		m := ir.NewModule("t")
		f := m.NewFunc("main")
		m.Kernel = f
		b := f.Blocks[0]
		byType := map[*ir.Type][]*ir.Value{}
		var opaque []*ir.Value
		ints := []*ir.Type{ir.TypeI32, ir.TypeI64}
		all := []*ir.Type{ir.TypeI8, ir.TypeI16, ir.TypeI32, ir.TypeI64}
		for _, ty := range append([]*ir.Type{ir.TypeBool}, all...) {
			for range 2 {
				a := b.Append(ir.OpArg, ty)
				a.Bits = uint64(len(opaque))
				opaque = append(opaque, a)
				byType[ty] = append(byType[ty], a)
			}
		}
		pick := func(ty *ir.Type) *ir.Value {
			if r.IntN(3) == 0 {
				return m.Const(ty, small[r.IntN(len(small))])
			}
			vs := byType[ty]
			return vs[r.IntN(len(vs))]
		}
		for range 2 + r.IntN(12) {
			ty := ints[r.IntN(2)]
			var v *ir.Value
			switch r.IntN(6) {
			case 0, 1:
				op := bin[r.IntN(len(bin))]
				y := pick(ty)
				switch op {
				case ir.OpUDiv, ir.OpUMod:
					y = m.Const(ty, 1<<r.IntN(31))
				case ir.OpShl, ir.OpShrL, ir.OpShrA:
					y = m.Int(ty, int64(r.IntN(32)))
				}
				v = b.Append(op, ty, pick(ty), y)
			case 2:
				v = b.Append(cmps[r.IntN(len(cmps))], ir.TypeBool, pick(ty), pick(ty))
			case 3:
				from, to := all[r.IntN(4)], all[r.IntN(4)]
				v = b.Append([]ir.Op{ir.OpSConvert, ir.OpUConvert}[r.IntN(2)], to, pick(from))
			case 4:
				if r.IntN(2) == 0 {
					v = b.Append(ir.OpLNot, ir.TypeBool, pick(ir.TypeBool))
				} else {
					v = b.Append(logic[r.IntN(len(logic))], ir.TypeBool, pick(ir.TypeBool), pick(ir.TypeBool))
				}
			default:
				if r.IntN(2) == 0 {
					ty = ir.TypeBool
				}
				v = b.Append(ir.OpSelect, ty, pick(ir.TypeBool), pick(ty), pick(ty))
			}
			byType[v.Type] = append(byType[v.Type], v)
		}
		last := b.Insts[len(b.Insts)-1]
		var envs []map[*ir.Value]uint64
		var want []uint64
		for range 8 {
			env := map[*ir.Value]uint64{}
			for _, a := range opaque {
				x := small[r.IntN(len(small))]
				if r.IntN(2) == 0 {
					x = r.Uint64()
				}
				env[a] = m.Const(a.Type, x).Bits
			}
			envs = append(envs, env)
			want = append(want, eval(last, env))
		}
		before := passtest.Show(f)
		x := b.Append(ir.OpStore, ir.TypeVoid, last)
		x.Aux = &ir.Ref{Var: m.NewVar(f, ir.Function, "out", last.Type)}
		b.SetTerm(ir.Term{Kind: ir.Return})
		simplify.Run(m)
		simplify.CSE(m)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		for i, env := range envs {
			if got := eval(x.Args[0], env); got != want[i] {
				t.Fatalf("seed %d: %#x, want %#x\n%s\n%s", seed, got, want[i], before, passtest.Show(f))
			}
		}
	}
}
