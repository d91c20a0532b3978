package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
)

// TestTidyRandom runs the passes that tidy up over random functions, before and
// after structurize, and compares what the functions do.
func TestTidyRandom(t *testing.T) {
	tidy := func(g *cfgGen) {
		simplify.Run(g.m)
		simplify.CSE(g.m)
		simplify.Run(g.m)
		simplify.DCE(g.m)
	}
	for seed := range count() {
		g := random(seed)
		// Every load of the seed steps it on, so that none may be dropped.
		e := rewrite.NewEdits(g.f)
		for _, b := range g.f.Blocks {
			for _, v := range b.Insts {
				if v.Op == ir.OpLoad && v.Ref().Var == g.seed {
					s := g.f.NewValue(ir.OpStore, ir.TypeVoid, v)
					s.Aux, s.Block = &ir.Ref{Var: g.out}, b
					e.After[v] = append(e.After[v], s)
				}
			}
		}
		e.Apply()
		m := &laneMachine{f: g.f, out: g.out, in: g.seed, size: 1, limit: 100000, most: 150}
		var want [4][][]uint64
		for i := range want {
			var err error
			m.state = uint64(i)
			if want[i], err = m.run(); err != nil {
				t.Fatalf("seed %d: generator: %v", seed, err)
			}
		}
		before := show(g.f)
		compare := func(after string) {
			err := checkSSA(g.f)
			for i := range want {
				var got [][]uint64
				m.state = uint64(i)
				if err == nil {
					got, err = m.run()
				}
				if err != nil || !slices.Equal(got[0], want[i][0]) {
					t.Fatalf("seed %d, %s: %v\n got %v\nwant %v\n%s\n%s", seed, after, err, got, want[i], before, show(g.f))
				}
			}
		}
		tidy(g)
		compare("built")
		if ds := structurize.Run(g.m); len(ds) > 0 {
			t.Fatalf("seed %d: %v", seed, ds)
		}
		g.m.Level = ir.Structured
		tidy(g)
		compare("structured")
		if err := checkStructured(g.f); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, show(g.f))
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
	if count() >= 2000 { // make deep
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
		before := show(f)
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
				t.Fatalf("seed %d: %#x, want %#x\n%s\n%s", seed, got, want[i], before, show(f))
			}
		}
	}
}

func TestFold(t *testing.T) {
	m := ir.NewModule("t")
	f := m.NewFunc("main")
	f32 := func(x float64) *ir.Value { return m.Const(ir.TypeF32, uint64(math.Float32bits(float32(x)))) }
	f64 := func(x float64) *ir.Value { return m.Const(ir.TypeF64, math.Float64bits(x)) }
	i32 := func(x int64) *ir.Value { return m.Int(ir.TypeI32, x) }
	i64 := func(x int64) *ir.Value { return m.Int(ir.TypeI64, x) }
	negZero := math.Copysign(0, -1)
	for i, c := range []struct {
		op   ir.Op
		args []*ir.Value
		want *ir.Value // nil: left alone; its type is the result's
		typ  *ir.Type
	}{
		{ir.OpSDiv, []*ir.Value{i32(-7), i32(2)}, i32(-3), nil},
		{ir.OpSDiv, []*ir.Value{i32(math.MinInt32), i32(-1)}, i32(math.MinInt32), nil},
		{ir.OpSDiv, []*ir.Value{i32(1), i32(0)}, nil, ir.TypeI32},
		{ir.OpUDiv, []*ir.Value{i32(-1), i32(2)}, i32(math.MaxInt32), nil},
		{ir.OpShl, []*ir.Value{i32(1), i32(32)}, nil, ir.TypeI32},
		{ir.OpShrA, []*ir.Value{i32(-8), i32(1)}, i32(-4), nil},
		{ir.OpShrL, []*ir.Value{i64(-1), i64(63)}, i64(1), nil},
		{ir.OpUMulHi, []*ir.Value{i32(-1), i32(-1)}, i32(-2), nil},
		{ir.OpFindLsb, []*ir.Value{i32(0)}, i32(-1), nil},
		{ir.OpFindLsb, []*ir.Value{i32(8)}, i32(3), nil},
		{ir.OpFindUMsb, []*ir.Value{i32(0)}, i32(-1), nil},
		{ir.OpFindUMsb, []*ir.Value{i32(-1)}, i32(31), nil},
		{ir.OpSConvert, []*ir.Value{i32(-1)}, i64(-1), nil},
		{ir.OpUConvert, []*ir.Value{i32(-1)}, i64(1<<32 - 1), nil},
		{ir.OpFAdd, []*ir.Value{f32(0.1), f32(0.2)}, m.Const(ir.TypeF32, uint64(math.Float32bits(float32(0.1)+float32(0.2)))), nil},
		{ir.OpFSub, []*ir.Value{f64(1), f64(1)}, f64(0), nil},
		{ir.OpFDiv, []*ir.Value{f32(0), f32(0)}, nil, ir.TypeF32},              // NaN
		{ir.OpFMul, []*ir.Value{f32(0x1p-100), f32(0x1p-30)}, nil, ir.TypeF32}, // subnormal
		{ir.OpFMul, []*ir.Value{f64(0x1p-600), f64(0x1p-450)}, f64(0x1p-1050), nil},
		{ir.OpFSqrt, []*ir.Value{f32(2)}, f32(math.Sqrt2), nil},
		{ir.OpFNegate, []*ir.Value{f32(0)}, f32(negZero), nil},
		{ir.OpFAbs, []*ir.Value{f64(negZero)}, f64(0), nil},
		{ir.OpFNegate, []*ir.Value{m.Const(ir.TypeF64, 0xfff7ffffffffffff)}, m.Const(ir.TypeF64, 0x7ff7ffffffffffff), nil},
		{ir.OpFAbs, []*ir.Value{m.Const(ir.TypeF32, 0xff800001)}, m.Const(ir.TypeF32, 0x7f800001), nil},
		{ir.OpFNegate, []*ir.Value{m.Const(ir.TypeF32, 1)}, m.Const(ir.TypeF32, 1<<31|1), nil}, // subnormal
		{ir.OpFEq, []*ir.Value{f32(0), f32(negZero)}, m.Bool(true), nil},
		{ir.OpFToS, []*ir.Value{f32(-1.9)}, i32(-1), nil},
		{ir.OpFToS, []*ir.Value{f32(0x1p31)}, nil, ir.TypeI32},
		{ir.OpFToU, []*ir.Value{f64(0x1p32 - 1)}, i32(-1), nil},
		{ir.OpSToF, []*ir.Value{i64(1<<24 + 1)}, f32(1 << 24), nil},
		{ir.OpUToF, []*ir.Value{i32(-1)}, f64(1<<32 - 1), nil},
		{ir.OpFConvert, []*ir.Value{f64(0x1p-140)}, nil, ir.TypeF32},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF64, 0x7ff8000000000001)}, m.Const(ir.TypeF32, 0x7fc00000), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF64, 0xfff4000020000001)}, m.Const(ir.TypeF32, 0xffe00001), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF32, 0xff800001)}, m.Const(ir.TypeF64, 0xfff8000020000000), nil},
		{ir.OpFConvert, []*ir.Value{m.Const(ir.TypeF32, 0x7fd55555)}, m.Const(ir.TypeF64, 0x7ffaaaaaa0000000), nil},
		{ir.OpFFromHalf, []*ir.Value{i32(0x1230001)}, f32(0x1p-24), nil},
		{ir.OpFFromHalf, []*ir.Value{i32(0xfc01)}, m.Const(ir.TypeF32, 0x7fc00000), nil},
		{ir.OpFToHalf, []*ir.Value{f32(-65520)}, i32(0xfc00), nil},
		{ir.OpFToHalf, []*ir.Value{f32(1 + 0x1p-11)}, i32(0x3c00), nil},
		{ir.OpAddrIsNull, []*ir.Value{m.Const(ir.TypeAddr, 0)}, m.Bool(true), nil},
	} {
		typ := c.typ
		if c.want != nil {
			typ = c.want.Type
		}
		if got := facts.FoldConst(m, f.NewValue(c.op, typ, c.args...)); got != c.want {
			t.Errorf("%d: %v: %v, want %v", i, c.op, got, c.want)
		}
	}
}
