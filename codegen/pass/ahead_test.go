package pass

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
)

// nestGen writes random kernels that index slices in nests of loops, which count in all
// ways: up and down, tested first or last, left in between, by numbers of 64 and 32 bits.
type nestGen struct {
	*checkGen
	ivs   []*ir.Var // counters of the loops around
	fuel  *ir.Var   // rounds so far: a kernel ends after some
	loops int
}

func newNestGen(seed uint64) *nestGen {
	g := &nestGen{checkGen: newCheckGen(seed)}
	// Only what newCheckGen declares is of use.
	f := g.f
	keep := f.Blocks[0]
	keep.ClearTerm()
	f.Blocks = []*ir.Block{keep}
	n := 0
	for i, v := range keep.Insts {
		if v.Op == ir.OpStore && v.Ref().Var == g.sum {
			n = i + 1
		}
	}
	keep.Insts = keep.Insts[:n]
	g.m.Sites, g.sites, g.left = nil, 0, 30
	g.b = keep
	g.fuel = g.m.NewVar(f, ir.Function, "fuel", ir.TypeI64)
	g.store(g.fuel, g.m.Int(ir.TypeI64, 0))
	for range 1 + g.r.IntN(3) {
		g.loop()
	}
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	return g
}

func (g *nestGen) int(n int64) *ir.Value { return g.m.Int(ir.TypeI64, n) }

// counted returns a counter's value in 64 bits.
func (g *nestGen) counted(v *ir.Var) *ir.Value {
	x := g.load(v)
	if v.Type == ir.TypeI32 {
		op := ir.OpSConvert
		if g.r.IntN(4) == 0 {
			op = ir.OpUConvert
		}
		x = g.b.Append(op, ir.TypeI64, x)
	}
	return x
}

// index is a sum or product of counters and of what is fixed, mostly.
func (g *nestGen) index(depth int) *ir.Value {
	if depth == 0 || g.r.IntN(3) == 0 {
		switch k := g.r.IntN(10); {
		case k < 5 && len(g.ivs) > 0:
			return g.counted(g.ivs[g.r.IntN(len(g.ivs))])
		case k < 6:
			return g.load(g.vars[g.r.IntN(len(g.vars))])
		case k < 8:
			return g.int(int64(g.r.IntN(7) - 2))
		}
		return g.fixed[g.r.IntN(len(g.fixed))]
	}
	x, y := g.index(depth-1), g.index(depth-1)
	switch g.r.IntN(8) {
	case 0:
		return g.b.Append(ir.OpISub, ir.TypeI64, x, y)
	case 1, 2:
		return g.b.Append(ir.OpIMul, ir.TypeI64, x, y)
	case 3:
		return g.b.Append(ir.OpShl, ir.TypeI64, x, g.int(int64(g.r.IntN(4))))
	case 4:
		return g.b.Append(ir.OpAnd, ir.TypeI64, x, g.int(7))
	}
	return g.b.Append(ir.OpIAdd, ir.TypeI64, x, y)
}

// end returns what a loop counts to, or from.
func (g *nestGen) end() *ir.Value {
	switch k := g.r.IntN(10); {
	case k < 4:
		return g.int(int64(g.r.IntN(9) - 1))
	case k < 5 && len(g.ivs) > 0:
		return g.counted(g.ivs[g.r.IntN(len(g.ivs))])
	case k < 6:
		return g.b.Append(ir.OpIAdd, ir.TypeI64, g.fixed[g.r.IntN(len(g.fixed))], g.int(int64(g.r.IntN(5)-2)))
	}
	return g.fixed[g.r.IntN(len(g.fixed))]
}

// loop writes a loop.
func (g *nestGen) loop() {
	g.loops++
	width := ir.TypeI64
	if g.r.IntN(4) == 0 {
		width = ir.TypeI32
	}
	as := func(x *ir.Value) *ir.Value {
		if width == ir.TypeI32 {
			return g.b.Append(ir.OpUConvert, width, x)
		}
		return x
	}
	i := g.m.NewVar(g.f, ir.Function, "n", width)
	by := int64(1 + g.r.IntN(3)*g.r.IntN(2))
	first, end := as(g.int(int64(g.r.IntN(4)-1))), as(g.end())
	if g.r.IntN(3) == 0 {
		first = as(g.end())
	}
	down := g.r.IntN(4) == 0
	if down {
		first, end = end, first
	}
	short := first.IsConst() && end.IsConst() && end.Int() >= 0 && !down // whatever the test
	g.store(i, first)
	second := g.m.NewVar(g.f, ir.Function, "m", ir.TypeI64)
	g.store(second, g.end())
	grow := []*ir.Value{g.int(2), g.fixed[0], g.int(-1)}[g.r.IntN(3)]

	test := func(x *ir.Value) *ir.Value {
		op := []ir.Op{ir.OpSLt, ir.OpSLt, ir.OpSLe, ir.OpULt}[g.r.IntN(4)]
		if down {
			return g.b.Append(op, ir.TypeBool, end, x)
		}
		return g.b.Append(op, ir.TypeBool, x, end)
	}
	next := func() *ir.Value {
		g.store(second, g.b.Append(ir.OpIAdd, ir.TypeI64, g.load(second), grow))
		op := ir.OpIAdd
		if down {
			op = ir.OpISub
		}
		x := g.b.Append(op, width, g.load(i), g.m.Int(width, by))
		g.store(i, x)
		return x
	}

	head, body, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	last := g.r.IntN(3) == 0
	if last && g.r.IntN(2) == 0 {
		g.b.Branch(test(g.load(i)), head, out)
	} else {
		g.b.Jump(head)
	}
	g.b = head
	ivs := g.ivs
	g.ivs = append(g.ivs[:len(ivs):len(ivs)], i, second)
	if last {
		g.b.Jump(body)
	} else {
		if g.r.IntN(6) == 0 {
			g.access()
		}
		g.b.Branch(test(g.load(i)), body, out)
	}
	g.b = body
	if !short { // so that it ends
		on := g.f.NewBlock()
		f := g.b.Append(ir.OpIAdd, ir.TypeI64, g.load(g.fuel), g.int(1))
		g.store(g.fuel, f)
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, f, g.int(40)), on, out)
		g.b = on
	}
	g.body()
	if g.r.IntN(4) == 0 { // continue
		again, on := g.f.NewBlock(), g.f.NewBlock()
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.index(1), g.index(1)), again, on)
		g.b = again
		next()
		if last {
			g.b.Branch(test(g.load(i)), head, out)
		} else {
			g.b.Jump(head)
		}
		g.b = on
		g.body()
	}
	x := next()
	if last {
		g.b.Branch(test(x), head, out)
	} else {
		g.b.Jump(head)
	}
	g.b = out
	if g.r.IntN(3) == 0 { // the counter, after its loop
		g.access()
	}
	g.ivs = ivs
}

// access reads or writes an element.
func (g *nestGen) access() {
	i := g.index(2)
	if g.r.IntN(6) == 0 { // whatever it is
		g.checked(i, [2]*ir.Value{nil, g.index(1)})
	}
	if g.r.IntN(4) == 0 {
		g.checked(i, g.out)
		g.b.Append(ir.OpStore, ir.TypeVoid, g.load(g.sum), g.out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		return
	}
	g.checked(i, g.a)
	x := g.b.Append(ir.OpLoad, ir.TypeI32, g.a[0], i)
	x.Aux = &ir.Ref{Elem: ir.TypeI32}
	g.store(g.sum, g.b.Append(ir.OpIAdd, ir.TypeI32, g.b.Append(ir.OpIMul, ir.TypeI32, g.load(g.sum), g.m.Int(ir.TypeI32, 31)), x))
}

func (g *nestGen) body() {
	for range 1 + g.r.IntN(3) {
		switch k := g.r.IntN(8); {
		case k < 4:
			g.access()
		case k < 5 && len(g.ivs) < 5 && g.loops < 6:
			g.loop()
		case k < 6:
			g.store(g.vars[g.r.IntN(len(g.vars))], g.index(2))
		case k < 7:
			yes, on := g.f.NewBlock(), g.f.NewBlock()
			g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.index(1), g.index(1)), yes, on)
			g.b = yes
			g.access()
			g.b.Jump(on)
			g.b = on
		}
	}
}

func (g *nestGen) launches() []interp.Launch {
	return append(g.checkGen.launches(), g.launch(5, 4, 40, 40), g.launch(3, 6, 60, 60), g.launch(math.MaxInt64, 2, 30, 30), g.launch(math.MaxInt64-1, math.MinInt64, 40, 40),
		g.launch(math.MaxInt32, 1<<31, 40, 40), g.launch(1<<62, 4, 40, 40), g.launch(1<<32+2, 1<<33, 40, 40), g.launch(-3, math.MinInt32, 40, 40))
}

// TestAheadRandom compares random nests of loops with what ahead makes of them: the same
// memory and the same first fault.
func TestAheadRandom(t *testing.T) {
	nests, fast, n := 0, 0, *seeds/2
	for seed := range n {
		g := newNestGen(uint64(seed))
		g.ready(t)
		if ds := bounds(g.m); len(ds) > 0 {
			t.Fatal(ds)
		}
		text := g.m.String()
		var want []string
		for _, l := range g.launches() {
			want = append(want, outcome(g.m, l))
		}
		if ds := ahead(g.m); len(ds) > 0 {
			t.Fatal(ds)
		}
		if err := ir.Verify(g.m); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%v", seed, err, text, g.m)
		}
		after := g.m.String()
		if after == text {
			continue
		}
		nests++
		check := func(what string, run func(i int, same bool)) {
			for i, l := range g.launches() {
				got := outcome(g.m, l)
				if run(i, got == want[i]); got != want[i] && what != "" {
					t.Fatalf("seed %d, %s, launch %d:\n got %s\nwant %s\n%s\n%v", seed, what, i, got, want[i], text, g.m)
				}
			}
		}
		check("ahead", func(int, bool) {})
		if ds := narrow(g.m); len(ds) > 0 {
			t.Fatal(ds)
		}
		check("narrow", func(int, bool) {})
		// Where the code with all checks is not come to, the tests held.
		for _, b := range g.f.Blocks {
			if b.Cold {
				b.ClearTerm()
				b.SetTerm(ir.Term{Kind: ir.Unreachable})
			}
		}
		check("", func(_ int, same bool) {
			if same {
				fast++
			}
		})
	}
	t.Logf("%d kernels, %d with loops twice, which %d launches run without checks", n, nests, fast)
	if nests < int(n)/4 || fast < nests {
		t.Error("too few loops are changed")
	}
}
