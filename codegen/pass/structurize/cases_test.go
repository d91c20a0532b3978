package structurize_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// graphOf makes a function from its edges: "a>b,c b>a c". A block with two
// successors branches, one without returns; with a ! it records a fault first.
// The first block is the entry.
func graphOf(seed uint64, edges string) (*passtest.CFG, map[string]*ir.Block) {
	g := passtest.NewCFG(seed)
	blocks := map[string]*ir.Block{}
	fields := strings.Fields(edges)
	for i, s := range fields {
		name, _, _ := strings.Cut(s, ">")
		name = strings.TrimSuffix(name, "!")
		if blocks[name] = g.F.Blocks[0]; i > 0 {
			blocks[name] = g.F.NewBlock()
		}
	}
	for _, s := range fields {
		name, to, _ := strings.Cut(s, ">")
		fault := strings.HasSuffix(name, "!")
		b := blocks[strings.TrimSuffix(name, "!")]
		if fault {
			g.Fault(b)
		}
		switch t := strings.Split(to, ","); {
		case to == "":
			b.SetTerm(ir.Term{Kind: ir.Return})
		case len(t) == 1:
			b.Jump(blocks[t[0]])
		default:
			g.Branch(b, blocks[t[0]], blocks[t[1]])
		}
	}
	return g, blocks
}

// shapeOf counts what matters about a structured function.
func shapeOf(f *ir.Func) string {
	loops, selections, returns, flags := 0, 0, 0, 0
	for _, b := range f.Blocks {
		switch {
		case b.Continue != nil:
			loops++
		case b.Merge != nil:
			selections++
		}
		if b.Term.Kind == ir.Return {
			returns++
		}
		for _, phi := range b.Phis {
			if phi.Type == ir.TypeBool {
				flags++
			}
		}
	}
	return fmt.Sprintf("loops %d selections %d returns %d flags %d", loops, selections, returns, flags)
}

var cases = []struct{ name, edges, want string }{
	{"if", "e>a,b a>b b", "loops 0 selections 1 returns 1 flags 0"},
	{"if else", "e>a,b a>c b>c c", "loops 0 selections 1 returns 1 flags 0"},
	{"and", "e>x,n x>a,n a>n n", "loops 0 selections 2 returns 1 flags 0"},
	{"or", "e>a,x x>a,n a>n n", "loops 0 selections 2 returns 1 flags 1"},
	{"and or else", "e>x,y x>a,y y>a,b a>n b>n n", "loops 0 selections 4 returns 1 flags 4"},
	{"for", "e>h h>b,x b>h x", "loops 1 selections 0 returns 1 flags 0"},
	{"for range n", "e>b,x b>b,x x", "loops 1 selections 1 returns 1 flags 0"},
	{"do while of one block", "e>b b>b,x x", "loops 1 selections 0 returns 1 flags 0"},
	{"forever", "e>b b>b", "loops 1 selections 0 returns 0 flags 0"},
	{"continue twice", "e>h h>b,x b>h,c c>h,d d>h x", "loops 1 selections 0 returns 1 flags 0"},
	{"break to a merged block", "e>h h>i,x i>a,l l>h a>x x", "loops 1 selections 1 returns 1 flags 1"},
	{"break into the rest", "e>h h>a,l l>h a", "loops 1 selections 0 returns 1 flags 0"},
	{"break from the inner loop", "e>h h>i,x i>b,l b>i,l l>h x", "loops 2 selections 0 returns 1 flags 0"},
	{"labelled break", "e>h h>i,x i>b,l b>i,x l>h x", "loops 2 selections 0 returns 1 flags 1"},
	{"labelled continue", "e>h h>i,x i>b,l b>i,h l>h x", "loops 2 selections 0 returns 1 flags 1"},
	{"labelled break and continue", "e>h h>i,x i>b,l b>c,x c>i,h l>h x", "loops 2 selections 0 returns 1 flags 2"},
	{"break from three loops", "e>h h>i,x i>j,h j>k,i k>j,x x", "loops 3 selections 0 returns 1 flags 2"},
	{"continue in switch in for", "e>h h>s,x s>a,t t>b,u u>l a>h b>l l>h x", "loops 1 selections 2 returns 1 flags 0"},
	{"switch with fallthrough", "e>a,t t>b,u u>c,d a>b b>x c>x d>x x", "loops 0 selections 4 returns 1 flags 2"},
	{"return in loop", "e>h h>b,x b>r,l r l>h x>y y", "loops 1 selections 1 returns 2 flags 1"},
	{"return in nested loops", "e>h h>i,x i>b,l b>i,r r l>h x>y y", "loops 2 selections 1 returns 2 flags 2"},
	{"fault in loop", "e>h h>b,x b>l,f f! l>h x>y y", "loops 1 selections 1 returns 2 flags 0"},
	{"faults in a row", "e>a,f f! a>b,g g! b", "loops 0 selections 2 returns 3 flags 0"},
	{"goto forward", "e>a,b a>c,d b>d c>x d>x x", "loops 0 selections 3 returns 1 flags 2"},
	{"two loops in a row", "e>h h>b,i b>h i>c,x c>i x", "loops 2 selections 0 returns 1 flags 0"},
	{"loop in both arms", "e>h,i h>a,x a>h i>b,x b>i x", "loops 2 selections 1 returns 1 flags 0"},
}

func TestStructurizeCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				g, _ := graphOf(seed, c.edges)
				for _, b := range g.F.Blocks { // no block is bare
					b.Append(ir.OpStore, ir.TypeVoid, g.M.Int(ir.TypeI32, 1)).Aux = &ir.Ref{Var: g.Out}
				}
				g.Fill()
				err := passtest.Compare(g, func() { structurize.Run(g.M) })
				if err == nil {
					err = g.CheckStructured()
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, passtest.Show(g.F))
				}
				if got := shapeOf(g.F); got != c.want {
					t.Fatalf("got %s, want %s\n%s", got, c.want, passtest.Show(g.F))
				}
			}
		})
	}
}

// A bare return after a loop is no reason to return from inside of it, and a
// bare return at the end is none to leave a selection early.
func TestStructurizeBareReturn(t *testing.T) {
	for _, c := range []struct{ edges, want string }{
		{"e>a,r a>r r", "loops 0 selections 1 returns 1 flags 0"},
		{"e>h h>b,r b>h r", "loops 1 selections 0 returns 1 flags 0"},
		{"e>h,r h>b,r b>h r", "loops 1 selections 1 returns 1 flags 0"},
		{"e>h h>i,r i>b,r b>i,l l>h r", "loops 2 selections 0 returns 1 flags 1"},
		{"e>h h>i,x i>b,l b>i,r l>h x>x,r r", "loops 3 selections 1 returns 2 flags 2"},
	} {
		g, _ := graphOf(1, c.edges)
		for _, b := range g.F.Blocks {
			if b.Term.Kind != ir.Return {
				b.Append(ir.OpStore, ir.TypeVoid, g.M.Int(ir.TypeI32, int64(b.ID))).Aux = &ir.Ref{Var: g.Out}
			}
			if g.Cond[b] {
				l := b.Append(ir.OpLoad, ir.TypeI32)
				l.Aux = &ir.Ref{Var: g.Seed}
				l = b.Append(ir.OpAnd, ir.TypeI32, l, g.M.Int(ir.TypeI32, 1))
				b.Term.Cond = b.Append(ir.OpINe, ir.TypeBool, l, g.M.Int(ir.TypeI32, 0))
			}
		}
		err := passtest.Compare(g, func() { structurize.Run(g.M) })
		if err == nil {
			err = g.CheckStructured()
		}
		if got := shapeOf(g.F); err != nil || got != c.want {
			t.Errorf("%s: %v; got %s, want %s\n%s", c.edges, err, got, c.want, passtest.Show(g.F))
		}
	}
}

func TestStructurizeConstantLoop(t *testing.T) {
	for _, cond := range []bool{false, true} {
		g, b := graphOf(1, "e>h h>b,x b>h x")
		delete(g.Cond, b["h"])
		g.Fill()
		b["h"].Term.Cond = g.M.Bool(cond)
		err := passtest.Compare(g, func() { structurize.Run(g.M) })
		if err == nil {
			err = g.CheckStructured()
		}
		if err != nil {
			t.Errorf("for %v: %v\n%s", cond, err, passtest.Show(g.F))
		}
	}
}

func TestStructurizeIrreducible(t *testing.T) {
	for _, edges := range []string{
		"e>a,b a>b b>a",
		"e>a,b a>b,x b>a,x x",
		"e>h h>a,b a>b,h b>a,x x",
	} {
		g, b := graphOf(1, edges)
		pos := ir.Pos{File: "k.go", Line: 7, Col: 3}
		b["b"].Term.Pos = pos
		b["a"].Term.Pos = pos
		g.Fill()
		ds := structurize.Run(g.M)
		if len(ds) != 1 || ds[0].Code.String() != "KG101" || ds[0].Pos.Line != 7 || ds[0].Hint == "" {
			t.Errorf("%s: %v", edges, ds)
		}
	}
}

// A value that is made in a loop and used by one of its exits is not carried
// around the loop, nor around the next one.
func TestStructurizeCarriesNothing(t *testing.T) {
	g, b := graphOf(1, "e>h h>i,x i>b,n b>c,q c>i,n q>n n>h x")
	random := func(x *ir.Block) *ir.Value {
		l := x.Append(ir.OpLoad, ir.TypeI32)
		l.Aux = &ir.Ref{Var: g.Seed}
		return l
	}
	for _, x := range g.F.Blocks {
		x.Append(ir.OpStore, ir.TypeVoid, g.M.Int(ir.TypeI32, 1)).Aux = &ir.Ref{Var: g.Out}
		if g.Cond[x] {
			n := x.Append(ir.OpAnd, ir.TypeI32, random(x), g.M.Int(ir.TypeI32, 3))
			x.Term.Cond = x.Append(ir.OpINe, ir.TypeBool, n, g.M.Int(ir.TypeI32, 0))
		}
	}
	b["q"].Append(ir.OpStore, ir.TypeVoid, random(b["b"])).Aux = &ir.Ref{Var: g.Out}
	if err := passtest.Compare(g, func() { structurize.Run(g.M) }); err != nil {
		t.Fatalf("%v\n%s", err, passtest.Show(g.F))
	}
	for _, x := range g.F.Blocks {
		if x.Continue != nil && len(x.Phis) > 0 {
			t.Errorf("a loop carries values:\n%s", passtest.Show(g.F))
		}
	}
}

func TestChoose(t *testing.T) {
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for i := range 1 << 8 {
		f := ir.NewModule("t").NewFunc("k")
		in := [3]*ir.Var{}
		for k := range in {
			in[k] = f.Module.NewVar(f, ir.Function, "v", ir.TypeBool)
		}
		b := f.Blocks[0]
		// An operand is a constant or a variable's value.
		operand := func(k int) (*ir.Value, bool) {
			set := i>>(2*k)&1 == 1
			if i>>(2*k+1)&1 == 0 {
				return f.Module.Bool(set), set
			}
			b.Append(ir.OpStore, ir.TypeVoid, f.Module.Bool(set)).Aux = &ir.Ref{Var: in[k]}
			l := b.Append(ir.OpLoad, ir.TypeBool)
			l.Aux = &ir.Ref{Var: in[k]}
			return l, set
		}
		c, cond := operand(0)
		yes, y := operand(1)
		no, n := operand(2)
		out := f.Module.NewVar(nil, ir.Workgroup, "out", ir.TypeBool)
		b.Append(ir.OpStore, ir.TypeVoid, structurize.Choose(b, c, yes, no)).Aux = &ir.Ref{Var: out}
		b.SetTerm(ir.Term{Kind: ir.Return})
		want := n
		if cond {
			want = y
		}
		m := &passtest.Machine{Out: out, Limit: 10}
		if _, err := m.Run(f); err != nil || m.Trace[0] != bit(want) {
			t.Errorf("%v ? %v : %v: %v, %v", cond, y, n, m.Trace, err)
		}
	}
}

// TestStructurizeLarge: large functions do not overflow the stack, and the blocks that they become,
// and the allocations for it, do not grow faster than they do. Of time, only go test's own limit
// counts.
func TestStructurizeLarge(t *testing.T) {
	n := sample.Of(5000, 1000)
	for _, c := range []struct {
		name string
		n    int
		edge func(i int) string
		tail string
	}{
		{"faults", n, func(i int) string { return fmt.Sprintf("a%d>a%d,f%d f%d! ", i, i+1, i, i) }, "a%d"},
		{"diamonds", n / 3, func(i int) string { return fmt.Sprintf("a%d>b%d,c%d b%d>a%d c%d>a%d ", i, i, i, i, i+1, i, i+1) }, "a%d"},
		{"chain", n, func(i int) string { return fmt.Sprintf("a%d>a%d ", i, i+1) }, "a%d"},
		{"nested ifs", 2000, func(i int) string { return fmt.Sprintf("a%d>a%d,x%d x%d>x%d ", i, i+1, i, i+1, i) }, "a%d>x%[1]d x0"},
		{"and", 2000, func(i int) string { return fmt.Sprintf("a%d>a%d,x ", i, i+1) }, "a%d>x x"},
		{"nested loops", 500, func(i int) string { return fmt.Sprintf("a%d>a%d l%d>a%d,l%d ", i, i+1, i+1, i, i) }, "a%d>l%[1]d l0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s strings.Builder
			for i := range c.n {
				s.WriteString(c.edge(i))
			}
			fmt.Fprintf(&s, c.tail, c.n)
			g, _ := graphOf(1, s.String())
			g.Fill()
			var before, after runtime.MemStats
			in := len(g.F.Blocks)
			runtime.ReadMemStats(&before)
			structurize.Run(g.M)
			runtime.ReadMemStats(&after)
			out, made := len(g.F.Blocks), int(after.Mallocs-before.Mallocs)
			t.Logf("%d blocks become %d, by %d allocations for each", in, out, made/in)
			if out > 2*in+10 || made > 200*in {
				t.Errorf("of %d blocks, %d and %d allocations are too many", in, out, made)
			}
		})
	}
}
