package loops_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

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
	g := passtest.NewNestGen(1)
	f, m := g.F, g.M
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
	i, fuel := head.NewPhi(l.t, at(l.first)), head.NewPhi(ir.TypeI64, g.Int(1))
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
	shifted := body.Append(ir.OpShl, ir.TypeI64, fuel, g.Int(1))
	more := f.NewBlock()
	body.Branch(body.Append(ir.OpSLt, ir.TypeBool, shifted, g.Int(1<<9)), more, out)
	g.B = more
	index := i
	if l.t != ir.TypeI64 {
		index = more.Append(ir.OpSConvert, ir.TypeI64, i)
	}
	index = more.Append(ir.OpISub, ir.TypeI64, index, g.Int(at(l.zero).Int()))
	g.Checked(index, g.Out)
	g.B.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.Out[0], index).Aux = &ir.Ref{Elem: ir.TypeI32}
	g.B.Jump(next)
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
		launch := passtest.NewNestGen(1).Launch(0, 0, 3, 12)
		text, want := m.String(), passtest.Outcome(m, launch)
		if ds := loops.Ahead(m, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		n++
		if m.String() == text {
			return
		}
		changed++
		if got := passtest.Outcome(m, launch); got != want {
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
	nests, fast, n := 0, 0, passtest.Count()/2
	for seed := range n {
		g := passtest.NewNestGen(uint64(seed))
		g.Ready(t)
		if ds := checks.Bounds(g.M, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		text := g.M.String()
		var want []string
		for _, l := range g.Launches() {
			want = append(want, passtest.Outcome(g.M, l))
		}
		if ds := loops.Ahead(g.M, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		if err := ir.Verify(g.M); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%v", seed, err, text, g.M)
		}
		after := g.M.String()
		if after == text {
			continue
		}
		nests++
		if c := onlyCold(g.F); c != nil {
			t.Fatalf("seed %d: b%d is cold, and instead of nothing\n%s\n%v", seed, c.ID, text, after)
		}
		check := func(what string, run func(i int, same bool)) {
			for i, l := range g.Launches() {
				got := passtest.Outcome(g.M, l)
				if run(i, got == want[i]); got != want[i] && what != "" {
					t.Fatalf("seed %d, %s, launch %d:\n got %s\nwant %s\n%s\n%v", seed, what, i, got, want[i], text, g.M)
				}
			}
		}
		check("ahead", func(int, bool) {})
		if ds := numbers.Narrow(g.M, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		check("narrow", func(int, bool) {})
		// Where the code with all checks is not come to, the tests held.
		for _, b := range g.F.Blocks {
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
	g := passtest.NewNestGen(1)
	f, m := g.F, g.M
	b := f.Blocks[0]
	b.ClearTerm()
	f.Blocks = []*ir.Block{b}
	head, body, out := f.NewBlock(), f.NewBlock(), f.NewBlock()
	b.Jump(head)
	i := head.NewPhi(ir.TypeI64, g.Int(0))
	head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.Int(5)), body, out)
	g.B = body
	most := i
	for range 3 { // which may be beyond 64 bits, however small
		most = body.Append(ir.OpIMul, ir.TypeI64, most, g.Fixed[1])
	}
	g.Checked(i, [2]*ir.Value{nil, body.Append(ir.OpIAdd, ir.TypeI64, most, g.Int(-1))})
	at := g.B.Append(ir.OpIMul, ir.TypeI64, i, g.Fixed[1])
	g.Checked(at, g.Out)
	g.B.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.Out[0], at).Aux = &ir.Ref{Elem: ir.TypeI32}
	i.Args = append(i.Args, g.B.Append(ir.OpIAdd, ir.TypeI64, i, g.Int(1)))
	g.B.Jump(head)
	out.SetTerm(ir.Term{Kind: ir.Return})
	compareAhead(t, m, g.Launch(0, 1<<62, 9, 9), g.Launch(0, 1, 9, 9), g.Launch(0, 2, 9, 9))
}

// TestAheadEntries has a loop that is entered in two ways, with a number each.
func TestAheadEntries(t *testing.T) {
	for _, phi := range []bool{false, true} {
		g := passtest.NewNestGen(1)
		f, m := g.F, g.M
		b := f.Blocks[0]
		b.ClearTerm()
		f.Blocks = []*ir.Block{b}
		other, head, body, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
		b.Branch(b.Append(ir.OpSLt, ir.TypeBool, g.Fixed[0], g.Int(2)), other, head)
		other.Jump(head)
		i := head.NewPhi(ir.TypeI64, g.Int(0), g.Int(0))
		j := head.NewPhi(ir.TypeI64, g.Int(1), g.Int(4))
		head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.Int(5)), body, out)
		g.B = body
		at := i
		if phi {
			at = j
		}
		g.Checked(at, g.Out)
		g.B.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.Out[0], j).Aux = &ir.Ref{Elem: ir.TypeI32}
		i.Args = append(i.Args, g.B.Append(ir.OpIAdd, ir.TypeI64, i, g.Int(1)))
		j.Args = append(j.Args, g.B.Append(ir.OpIAdd, ir.TypeI64, j, g.Int(1)))
		g.B.Jump(head)
		out.SetTerm(ir.Term{Kind: ir.Return})
		compareAhead(t, m, g.Launch(1, 0, 9, 9), g.Launch(5, 0, 9, 9), g.Launch(5, 0, 9, 6), g.Launch(1, 0, 9, 4))
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
		want = append(want, passtest.Outcome(m, l))
	}
	if ds := loops.Ahead(m, nil); len(ds) > 0 {
		t.Fatal(ds)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s\n%v", err, text, m)
	}
	for i, l := range launches {
		if got := passtest.Outcome(m, l); got != want[i] {
			t.Errorf("launch %d:\n got %s\nwant %s\n%s\n%v", i, got, want[i], text, m)
		}
	}
}

// TestAheadLatches has a loop with two ways back: with a step of its own each, or of which
// one is not tested.
func TestAheadLatches(t *testing.T) {
	for k := range 8 {
		g := passtest.NewNestGen(1)
		f, m := g.F, g.M
		b := f.Blocks[0]
		b.ClearTerm()
		f.Blocks = []*ir.Block{b}
		head, one, other, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
		b.Jump(head)
		i, fuel := head.NewPhi(ir.TypeI64, g.Int(0)), head.NewPhi(ir.TypeI64, g.Int(1))
		steps := []int64{3, 1}
		if g.B = head; k&4 == 0 {
			body := f.NewBlock()
			head.Branch(head.Append(ir.OpSLt, ir.TypeBool, i, g.Int(9)), body, out)
			g.B = body
		}
		if k&2 > 0 {
			slices.Reverse(steps)
		}
		g.Checked(i, g.Out)
		g.B.Append(ir.OpStore, ir.TypeVoid, m.Int(ir.TypeI32, 7), g.Out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		shifted := g.B.Append(ir.OpShl, ir.TypeI64, fuel, g.Int(1))
		same := g.B.Append(ir.OpIAdd, ir.TypeI64, i, g.Int(1))
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.Fixed[0], g.Int(2)), one, other)
		latches := []*ir.Block{one, other}
		if k&1 > 0 {
			slices.Reverse(latches)
		}
		for j, l := range latches {
			x := same
			switch {
			case k&4 == 0:
				x = l.Append(ir.OpIAdd, ir.TypeI64, i, g.Int(steps[j]))
				l.Jump(head)
			case j == 0:
				l.Branch(l.Append(ir.OpSLt, ir.TypeBool, x, g.Int(5)), head, out)
			default:
				l.Branch(l.Append(ir.OpSLt, ir.TypeBool, shifted, g.Int(1<<8)), head, out)
			}
			i.Args, fuel.Args = append(i.Args, x), append(fuel.Args, shifted)
		}
		out.SetTerm(ir.Term{Kind: ir.Return})
		compareAhead(t, m, g.Launch(0, 0, 9, 7), g.Launch(5, 0, 9, 7), g.Launch(0, 0, 9, 20), g.Launch(5, 0, 9, 20))
	}
}
