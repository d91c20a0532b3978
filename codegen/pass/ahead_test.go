package pass

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// nestGen writes random kernels that index slices in nests of loops, which count in all
// ways: up and down, tested first or last, left in between, by numbers of 64 and 32 bits.
type nestGen struct {
	*checkGen
	ivs   []*ir.Var         // counters of the loops around
	from  map[*ir.Var]int64 // where those count that count near the ends of their types
	fuel  *ir.Var           // a bit for each round so far: a kernel ends after some
	loops int
}

func newNestGen(seed uint64) *nestGen {
	g := &nestGen{checkGen: newCheckGen(seed), from: map[*ir.Var]int64{}}
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
		if g.r.IntN(2) == 0 {
			op = ir.OpUConvert
		}
		x = g.b.Append(op, ir.TypeI64, x)
	}
	if from := g.from[v]; from != 0 {
		x = g.b.Append(ir.OpISub, ir.TypeI64, x, g.int(from))
	}
	return x
}

// far returns a number such that a few more, or fewer, are beyond the type.
func (g *nestGen) far(t *ir.Type, down bool) int64 {
	p := facts.FullRange(t)
	if down {
		return p.Lo + int64(g.r.IntN(6))
	}
	return p.Hi - int64(g.r.IntN(6))
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

// nestLoop is a loop that is being written.
type nestLoop struct {
	g         *nestGen
	width     *ir.Type
	i, second *ir.Var // what it counts, and what grows along
	by        int64
	end       *ir.Value
	down      bool
	short     bool // it ends, whatever the test
	curved    bool // second grows by what i is
	grow      *ir.Value
}

// nestLoop sets the variables of a loop.
func (g *nestGen) nestLoop() *nestLoop {
	c := &nestLoop{g: g, width: ir.TypeI64}
	if g.r.IntN(3) == 0 {
		c.width = ir.TypeI32
	}
	as := func(x *ir.Value) *ir.Value {
		if c.width == ir.TypeI32 {
			return g.b.Append(ir.OpUConvert, c.width, x)
		}
		return x
	}
	c.i = g.m.NewVar(g.f, ir.Function, "n", c.width)
	c.by = int64(1 + g.r.IntN(3)*g.r.IntN(2))
	first, end := as(g.int(int64(g.r.IntN(4)-1))), as(g.end())
	if g.r.IntN(3) == 0 {
		first = as(g.end())
	}
	c.down = g.r.IntN(4) == 0
	if c.down {
		first, end = end, first
	}
	if g.r.IntN(6) == 0 {
		from := g.far(c.width, c.down)
		near := func() *ir.Value { // within the type
			p := facts.FullRange(c.width)
			return g.m.Int(c.width, min(max(from-3, p.Lo+3), p.Hi-6)+int64(g.r.IntN(7)))
		}
		first, end, g.from[c.i] = g.m.Int(c.width, from), near(), from
		if c.down {
			g.from[c.i] = from - 5 + int64(g.r.IntN(6))
		}
	}
	c.end = end
	c.short = g.from[c.i] == 0 && first.IsConst() && end.IsConst() && end.Int() >= 0 && !c.down
	g.store(c.i, first)
	c.second = g.m.NewVar(g.f, ir.Function, "m", ir.TypeI64)
	g.store(c.second, g.end())
	c.curved = g.r.IntN(6) == 0
	c.grow = []*ir.Value{g.int(2), g.fixed[0], g.int(-1)}[g.r.IntN(3)]
	return c
}

// test asks whether the loop goes on with x.
func (c *nestLoop) test(x *ir.Value) *ir.Value {
	op := []ir.Op{ir.OpSLt, ir.OpSLt, ir.OpSLe, ir.OpULt}[c.g.r.IntN(4)]
	if c.down {
		return c.g.b.Append(op, ir.TypeBool, c.end, x)
	}
	return c.g.b.Append(op, ir.TypeBool, x, c.end)
}

// next counts.
func (c *nestLoop) next(by int64) *ir.Value {
	g, more := c.g, c.grow
	if c.curved {
		more = g.counted(c.i)
	}
	g.store(c.second, g.b.Append(ir.OpIAdd, ir.TypeI64, g.load(c.second), more))
	op := ir.OpIAdd
	if c.down {
		op = ir.OpISub
	}
	x := g.b.Append(op, c.width, g.load(c.i), g.m.Int(c.width, by))
	g.store(c.i, x)
	return x
}

// loop writes a loop.
func (g *nestGen) loop() {
	g.loops++
	c := g.nestLoop()

	head, body, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	last := g.r.IntN(3) == 0
	if last && g.r.IntN(2) == 0 {
		g.b.Branch(c.test(g.load(c.i)), head, out)
	} else {
		g.b.Jump(head)
	}
	g.b = head
	ivs := g.ivs
	g.ivs = append(g.ivs[:len(ivs):len(ivs)], c.i, c.second)
	some := !last && !c.short && g.r.IntN(6) == 0 // it is tested in some rounds only
	switch {
	case last:
		g.b.Jump(body)
	case some:
		asked := g.f.NewBlock()
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.index(1), g.index(1)), asked, body)
		g.b = asked
		g.b.Branch(c.test(g.load(c.i)), body, out)
	default:
		if g.r.IntN(6) == 0 {
			g.access()
		}
		g.b.Branch(c.test(g.load(c.i)), body, out)
	}
	g.b = body
	if !c.short { // so that it ends
		on := g.f.NewBlock()
		f := g.b.Append(ir.OpOr, ir.TypeI64, g.b.Append(ir.OpShl, ir.TypeI64, g.load(g.fuel), g.int(1)), g.int(1))
		g.store(g.fuel, f)
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, f, g.int(1<<40)), on, out)
		g.b = on
	}
	g.body()
	if g.r.IntN(4) == 0 { // continue
		again, on := g.f.NewBlock(), g.f.NewBlock()
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.index(1), g.index(1)), again, on)
		g.b = again
		c.next(c.by + int64(g.r.IntN(2)*g.r.IntN(4)))
		if last {
			g.b.Branch(c.test(g.load(c.i)), head, out)
		} else {
			g.b.Jump(head)
		}
		g.b = on
		g.body()
	}
	x := c.next(c.by)
	if last {
		g.b.Branch(c.test(x), head, out)
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
	if g.r.IntN(6) == 0 {
		g.narrowCheck()
	}
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

// narrowCheck compares what has 32 bits, and may not keep to them.
func (g *nestGen) narrowCheck() {
	side := func() *ir.Value {
		x := g.b.Append(ir.OpUConvert, ir.TypeI32, g.index(1))
		x = g.b.Append(ir.OpIMul, ir.TypeI32, x, g.m.Int(ir.TypeI32, []int64{1, 1, -3, 1 << 29, 1 << 30}[g.r.IntN(5)]))
		return g.b.Append(ir.OpIAdd, ir.TypeI32, x, g.m.Int(ir.TypeI32, int64(g.r.IntN(3))))
	}
	x, y := side(), side()
	if g.r.IntN(2) == 0 {
		x = g.m.Int(ir.TypeI32, int64(g.r.IntN(5)-3))
	}
	bad, on := g.f.NewBlock(), g.f.NewBlock()
	g.b.Branch(g.b.Append([]ir.Op{ir.OpSLt, ir.OpSLe, ir.OpULt}[g.r.IntN(3)], ir.TypeBool, x, y), on, bad)
	zero := g.m.Int(ir.TypeI32, 0)
	g.sites++
	bad.Append(ir.OpFault, ir.TypeVoid, g.int(0), g.int(0), g.gid, zero, zero).Aux = g.m.NewSite(abi.FaultPanic, ir.Pos{File: "k.go", Line: 1 + g.sites}, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.b = on
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

// endLoop writes a loop that counts near an end of its type, and indexes a slice by how
// far it is from there: it may go round and round.
type endLoop struct {
	t          *ir.Type
	op         ir.Op // of the test
	down, last bool
	step       int64
	// how far from the end of the type it begins, what its number is compared with, and
	// what has index 0
	first, end, zero int64
}

func (l endLoop) write() *ir.Module {
	g := newNestGen(1)
	f, m := g.f, g.m
	b := f.Blocks[0]
	b.ClearTerm()
	f.Blocks = []*ir.Block{b}
	at := func(n int64) *ir.Value {
		if p := facts.FullRange(l.t); l.down {
			return m.Int(l.t, p.Lo+n)
		} else {
			return m.Int(l.t, p.Hi-n)
		}
	}
	head, body, next, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	b.Jump(head)
	i, fuel := head.NewPhi(l.t, at(l.first)), head.NewPhi(ir.TypeI64, g.int(1))
	step := l.step
	if l.down {
		step = -step
	}
	x := i
	test := func(b *ir.Block) *ir.Value {
		if l.down {
			return b.Append(l.op, ir.TypeBool, at(l.end), x)
		}
		return b.Append(l.op, ir.TypeBool, x, at(l.end))
	}
	if l.last {
		head.Jump(body)
	} else {
		head.Branch(test(head), body, out)
	}
	shifted := body.Append(ir.OpShl, ir.TypeI64, fuel, g.int(1))
	more := f.NewBlock()
	body.Branch(body.Append(ir.OpSLt, ir.TypeBool, shifted, g.int(1<<9)), more, out)
	g.b = more
	index := i
	if l.t != ir.TypeI64 {
		index = more.Append(ir.OpSConvert, ir.TypeI64, i)
	}
	index = more.Append(ir.OpISub, ir.TypeI64, index, g.int(at(l.zero).Int()))
	g.checked(index, g.out)
	g.b.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.out[0], index).Aux = &ir.Ref{Elem: ir.TypeI32}
	g.b.Jump(next)
	x = next.Append(ir.OpIAdd, l.t, i, m.Int(l.t, step))
	if l.last {
		next.Branch(test(next), head, out)
	} else {
		next.Jump(head)
	}
	i.Args, fuel.Args = append(i.Args, x), append(fuel.Args, shifted)
	out.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

// TestAheadEnds compares loops that count near the ends of their types with what ahead
// makes of them.
func TestAheadEnds(t *testing.T) {
	n, changed := 0, 0
	try := func(l endLoop) {
		m := l.write()
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%v\n%v", err, m)
		}
		launch := newNestGen(1).launch(0, 0, 3, 12)
		text, want := m.String(), outcome(m, launch)
		if ds := loops.Ahead(m, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		n++
		if m.String() == text {
			return
		}
		changed++
		if got := outcome(m, launch); got != want {
			t.Fatalf("%+v:\n got %s\nwant %s\n%s\n%v", l, got, want, text, m)
		}
	}
	for k := range 1 << 4 {
		l := endLoop{t: ir.TypeI32, op: ir.OpSLt, down: k&1 > 0, last: k&2 > 0}
		if k&4 > 0 {
			l.t = ir.TypeI64
		}
		if k&8 > 0 {
			l.op = ir.OpSLe
		}
		for l.step = 1; l.step <= 3; l.step++ {
			for l.first = 0; l.first < 7; l.first++ {
				for l.end = 0; l.end < 7; l.end++ {
					l.zero = 8
					if l.down {
						l.zero = 0
					}
					try(l)
				}
			}
		}
	}
	t.Logf("%d loops, %d are there twice", n, changed)
	if changed < n/4 {
		t.Error("too few loops are changed")
	}
}

// TestAheadRandom compares random nests of loops with what ahead makes of them: the same
// memory and the same first fault.
func TestAheadRandom(t *testing.T) {
	nests, fast, n := 0, 0, count()/2
	for seed := range n {
		g := newNestGen(uint64(seed))
		g.ready(t)
		if ds := checks.Bounds(g.m, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		text := g.m.String()
		var want []string
		for _, l := range g.launches() {
			want = append(want, outcome(g.m, l))
		}
		if ds := loops.Ahead(g.m, nil); len(ds) > 0 {
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
		if c := onlyCold(g.f); c != nil {
			t.Fatalf("seed %d: b%d is cold, and instead of nothing\n%s\n%v", seed, c.ID, text, after)
		}
		check := func(what string, run func(i int, same bool)) {
			for i, l := range g.launches() {
				got := outcome(g.m, l)
				if run(i, got == want[i]); got != want[i] && what != "" {
					t.Fatalf("seed %d, %s, launch %d:\n got %s\nwant %s\n%s\n%v", seed, what, i, got, want[i], text, g.m)
				}
			}
		}
		check("ahead", func(int, bool) {})
		if ds := numbers.Narrow(g.m, nil); len(ds) > 0 {
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

// onlyCold returns a cold block that is come to though no branch chooses it.
func onlyCold(f *ir.Func) *ir.Block {
	chosen := false
	var cold *ir.Block
	for _, b := range f.Blocks {
		for _, s := range b.Term.Succs {
			if s.Cold && !b.Cold {
				cold = s
				chosen = chosen || b.Term.Kind == ir.Branch
			}
		}
	}
	if chosen {
		return nil
	}
	return cold
}

// TestAheadDropped has two checks: that of the first needs a number to be small, and is
// not made ahead after all; that of the second needs it, too.
func TestAheadDropped(t *testing.T) {
	g := newNestGen(1)
	f, m := g.f, g.m
	b := f.Blocks[0]
	b.ClearTerm()
	f.Blocks = []*ir.Block{b}
	head, body, out := f.NewBlock(), f.NewBlock(), f.NewBlock()
	b.Jump(head)
	i := head.NewPhi(ir.TypeI64, g.int(0))
	head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.int(5)), body, out)
	g.b = body
	most := i
	for range 3 { // which may be beyond 64 bits, however small
		most = body.Append(ir.OpIMul, ir.TypeI64, most, g.fixed[1])
	}
	g.checked(i, [2]*ir.Value{nil, body.Append(ir.OpIAdd, ir.TypeI64, most, g.int(-1))})
	at := g.b.Append(ir.OpIMul, ir.TypeI64, i, g.fixed[1])
	g.checked(at, g.out)
	g.b.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.out[0], at).Aux = &ir.Ref{Elem: ir.TypeI32}
	i.Args = append(i.Args, g.b.Append(ir.OpIAdd, ir.TypeI64, i, g.int(1)))
	g.b.Jump(head)
	out.SetTerm(ir.Term{Kind: ir.Return})
	compareAhead(t, m, g.launch(0, 1<<62, 9, 9), g.launch(0, 1, 9, 9), g.launch(0, 2, 9, 9))
}

// TestAheadEntries has a loop that is entered in two ways, with a number each.
func TestAheadEntries(t *testing.T) {
	for _, phi := range []bool{false, true} {
		g := newNestGen(1)
		f, m := g.f, g.m
		b := f.Blocks[0]
		b.ClearTerm()
		f.Blocks = []*ir.Block{b}
		other, head, body, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
		b.Branch(b.Append(ir.OpSLt, ir.TypeBool, g.fixed[0], g.int(2)), other, head)
		other.Jump(head)
		i := head.NewPhi(ir.TypeI64, g.int(0), g.int(0))
		j := head.NewPhi(ir.TypeI64, g.int(1), g.int(4))
		head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.int(5)), body, out)
		g.b = body
		at := i
		if phi {
			at = j
		}
		g.checked(at, g.out)
		g.b.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.out[0], j).Aux = &ir.Ref{Elem: ir.TypeI32}
		i.Args = append(i.Args, g.b.Append(ir.OpIAdd, ir.TypeI64, i, g.int(1)))
		j.Args = append(j.Args, g.b.Append(ir.OpIAdd, ir.TypeI64, j, g.int(1)))
		g.b.Jump(head)
		out.SetTerm(ir.Term{Kind: ir.Return})
		compareAhead(t, m, g.launch(1, 0, 9, 9), g.launch(5, 0, 9, 9), g.launch(5, 0, 9, 6), g.launch(1, 0, 9, 4))
	}
}

// compareAhead compares a kernel with what ahead makes of it.
func compareAhead(t *testing.T, m *ir.Module, launches ...interp.Launch) {
	t.Helper()
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	text := m.String()
	var want []string
	for _, l := range launches {
		want = append(want, outcome(m, l))
	}
	if ds := loops.Ahead(m, nil); len(ds) > 0 {
		t.Fatal(ds)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s\n%v", err, text, m)
	}
	for i, l := range launches {
		if got := outcome(m, l); got != want[i] {
			t.Errorf("launch %d:\n got %s\nwant %s\n%s\n%v", i, got, want[i], text, m)
		}
	}
}

// TestAheadLatches has a loop with two ways back: with a step of its own each, or of which
// one is not tested.
func TestAheadLatches(t *testing.T) {
	for k := range 8 {
		g := newNestGen(1)
		f, m := g.f, g.m
		b := f.Blocks[0]
		b.ClearTerm()
		f.Blocks = []*ir.Block{b}
		head, one, other, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
		b.Jump(head)
		i, fuel := head.NewPhi(ir.TypeI64, g.int(0)), head.NewPhi(ir.TypeI64, g.int(1))
		steps := []int64{3, 1}
		if g.b = head; k&4 == 0 {
			body := f.NewBlock()
			head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.int(9)), body, out)
			g.b = body
		}
		if k&2 > 0 {
			slices.Reverse(steps)
		}
		g.checked(i, g.out)
		g.b.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		shifted := g.b.Append(ir.OpShl, ir.TypeI64, fuel, g.int(1))
		same := g.b.Append(ir.OpIAdd, ir.TypeI64, i, g.int(1))
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.fixed[0], g.int(2)), one, other)
		latches := []*ir.Block{one, other}
		if k&1 > 0 {
			slices.Reverse(latches)
		}
		for j, l := range latches {
			x := same
			switch {
			case k&4 == 0:
				x = l.Append(ir.OpIAdd, ir.TypeI64, i, g.int(steps[j]))
				l.Jump(head)
			case j == 0:
				l.Branch(l.Append(ir.OpSLt, ir.TypeBool, x, g.int(5)), head, out)
			default:
				l.Branch(l.Append(ir.OpSLt, ir.TypeBool, shifted, g.int(1<<8)), head, out)
			}
			i.Args, fuel.Args = append(i.Args, x), append(fuel.Args, shifted)
		}
		out.SetTerm(ir.Term{Kind: ir.Return})
		compareAhead(t, m, g.launch(0, 0, 9, 7), g.launch(5, 0, 9, 7), g.launch(0, 0, 9, 20), g.launch(5, 0, 9, 20))
	}
}
