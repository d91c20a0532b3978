package pass

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// checkGen writes random kernels that index slices: in straight-line code, under
// conditions and in small loops, with effects in between.
type checkGen struct {
	r      *rand.Rand
	m      *ir.Module
	f      *ir.Func
	b      *ir.Block
	a, out [2]*ir.Value // address and length
	fixed  []*ir.Value  // indices that are the same everywhere
	vars   []*ir.Var    // of type i64
	sum    *ir.Var
	gid    *ir.Value
	sites  int
	left   int
}

// checkShare is how many other random kernels there are to one of these, which are large.
const checkShare = 4

// Where the arguments of such kernels stand.
const (
	genN, genM, genA, genOut = 0, 8, 16, 32
	genArgs                  = 48
)

func newCheckGen(seed uint64) *checkGen {
	m := ir.NewModule("t")
	m.Form, m.Rank, m.ArgSize = abi.NDRange, 1, genArgs
	m.Params = []abi.Param{
		{Name: "N", Kind: abi.Value, Type: "int", Offset: genN, Size: 8},
		{Name: "M", Kind: abi.Value, Type: "int", Offset: genM, Size: 8},
		{Name: "A", Kind: abi.Slice, Offset: genA, Size: 16, ElemSize: 4, ElemAlign: 4},
		{Name: "Out", Kind: abi.Slice, Offset: genOut, Size: 16, ElemSize: 4, ElemAlign: 4},
	}
	f := m.NewFunc("main")
	m.Kernel = f
	g := &checkGen{r: rand.New(rand.NewPCG(seed, 1)), m: m, f: f, b: f.Blocks[0], left: 40}
	arg := func(t *ir.Type, at int) *ir.Value {
		v := g.b.Append(ir.OpArg, t)
		v.Bits = uint64(abi.OffsetArgs + at)
		return v
	}
	g.gid = g.b.Append(ir.OpBuiltIn, ir.TypeI32)
	g.gid.Aux = ir.GlobalInvocationIDX
	g.a = [2]*ir.Value{arg(ir.TypeAddr, genA), arg(ir.TypeI64, genA+8)}
	g.out = [2]*ir.Value{arg(ir.TypeAddr, genOut), arg(ir.TypeI64, genOut+8)}
	g.fixed = []*ir.Value{arg(ir.TypeI64, genN), arg(ir.TypeI64, genM), g.b.Append(ir.OpUConvert, ir.TypeI64, g.gid), g.a[1]}
	for range 3 {
		v := m.NewVar(f, ir.Function, "i", ir.TypeI64)
		g.vars = append(g.vars, v)
		g.store(v, g.fixed[g.r.IntN(3)])
	}
	g.sum = m.NewVar(f, ir.Function, "sum", ir.TypeI32)
	g.store(g.sum, m.Int(ir.TypeI32, 1))
	g.statements(3 + g.r.IntN(8))
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	return g
}

func (g *checkGen) store(v *ir.Var, x *ir.Value) {
	g.b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
}

func (g *checkGen) load(v *ir.Var) *ir.Value {
	x := g.b.Append(ir.OpLoad, v.Type)
	x.Aux = &ir.Ref{Var: v}
	return x
}

// index returns some integer.
func (g *checkGen) index(depth int) *ir.Value {
	if depth == 0 || g.r.IntN(3) == 0 {
		switch g.r.IntN(4) {
		case 0:
			return g.m.Int(ir.TypeI64, int64(g.r.IntN(5)-1))
		case 1:
			return g.load(g.vars[g.r.IntN(len(g.vars))])
		}
		return g.fixed[g.r.IntN(len(g.fixed))]
	}
	x, y := g.index(depth-1), g.index(depth-1)
	switch g.r.IntN(6) {
	case 0:
		return g.b.Append(ir.OpISub, ir.TypeI64, x, y)
	case 1:
		return g.b.Append(ir.OpIMul, ir.TypeI64, x, y)
	case 2:
		return g.b.Append(ir.OpSelect, ir.TypeI64, g.b.Append(ir.OpSLt, ir.TypeBool, x, y), x, y)
	case 3:
		return g.b.Append(ir.OpAnd, ir.TypeI64, x, g.m.Int(ir.TypeI64, 7))
	}
	return g.b.Append(ir.OpIAdd, ir.TypeI64, x, y)
}

// checked branches on whether i is an index into s, and goes on where it is.
func (g *checkGen) checked(i *ir.Value, s [2]*ir.Value) {
	bad, on := g.f.NewBlock(), g.f.NewBlock()
	ok := g.b.Append(ir.OpULt, ir.TypeBool, i, s[1])
	if g.r.IntN(4) == 0 {
		g.b.Branch(g.b.Append(ir.OpULe, ir.TypeBool, s[1], i), bad, on)
	} else {
		g.b.Branch(ok, on, bad)
	}
	zero := g.m.Int(ir.TypeI32, 0)
	g.sites++
	bad.Append(ir.OpFault, ir.TypeVoid, i, s[1], g.gid, zero, zero).Aux = g.m.NewSite(abi.FaultIndex, ir.Pos{File: "k.go", Line: 1 + g.sites/(1+g.r.IntN(2))}, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.b = on
}

func (g *checkGen) statements(n int) {
	for range n {
		if g.left--; g.left < 0 {
			return
		}
		switch g.r.IntN(8) {
		case 0, 1, 2:
			i := g.index(2)
			g.checked(i, g.a)
			x := g.b.Append(ir.OpLoad, ir.TypeI32, g.a[0], i)
			x.Aux = &ir.Ref{Elem: ir.TypeI32}
			g.store(g.sum, g.b.Append(ir.OpIAdd, ir.TypeI32, g.b.Append(ir.OpIMul, ir.TypeI32, g.load(g.sum), g.m.Int(ir.TypeI32, 31)), x))
			if g.r.IntN(3) == 0 {
				g.store(g.vars[g.r.IntN(len(g.vars))], g.b.Append(ir.OpUConvert, ir.TypeI64, x))
			}
		case 3:
			i := g.index(2)
			g.checked(i, g.out)
			g.b.Append(ir.OpStore, ir.TypeVoid, g.load(g.sum), g.out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		case 4:
			g.store(g.vars[g.r.IntN(len(g.vars))], g.index(2))
		case 5, 6:
			yes, no, on := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
			g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.index(1), g.index(1)), yes, no)
			for _, arm := range []*ir.Block{yes, no} {
				g.b = arm
				g.statements(g.r.IntN(3))
				if g.r.IntN(12) == 0 {
					g.b.SetTerm(ir.Term{Kind: ir.Return})
				} else {
					g.b.Jump(on)
				}
			}
			g.b = on
		case 7:
			head, body, on := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
			i := g.m.NewVar(g.f, ir.Function, "n", ir.TypeI64)
			g.store(i, g.m.Int(ir.TypeI64, 0))
			g.b.Jump(head)
			g.b = head
			g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.load(i), g.m.Int(ir.TypeI64, int64(1+g.r.IntN(4)))), body, on)
			g.b = body
			if g.r.IntN(2) == 0 {
				g.store(g.vars[0], g.load(i))
			}
			g.statements(1 + g.r.IntN(3))
			g.store(i, g.b.Append(ir.OpIAdd, ir.TypeI64, g.load(i), g.m.Int(ir.TypeI64, 1)))
			g.b.Jump(head)
			g.b = on
		}
	}
}

// launch returns a launch of such a kernel over memory of the given lengths.
func (g *checkGen) launch(n, m int64, a, out int) interp.Launch {
	data := func(n int) []byte {
		var b []byte
		for i := range n {
			b = binary.LittleEndian.AppendUint32(b, uint32(i*7%5))
		}
		return b
	}
	l := interp.Launch{Global: [3]uint32{4, 1, 1}, Local: [3]uint32{2, 1, 1},
		Memory: []interp.Region{{Addr: 1 << 20, Data: data(a)}, {Addr: 1 << 30, Data: data(out)}}}
	for _, x := range []uint64{uint64(n), uint64(m), 1 << 20, uint64(a), 1 << 30, uint64(out)} {
		l.Args = binary.LittleEndian.AppendUint64(l.Args, x)
	}
	return l
}

func (g *checkGen) launches() []interp.Launch {
	return []interp.Launch{g.launch(2, 3, 12, 9), g.launch(1, 1, 3, 40), g.launch(0, 5, 40, 40), g.launch(3, 2, 0, 7),
		g.launch(-1, 4, 20, 2), g.launch(1<<28, 1, 9, 9), g.launch(1<<14, 1<<14, 30, 30), g.launch(1<<40, -1<<62, 30, 30)}
}

// arranged returns the launch with its arguments where the module, which has been through
// the pass params, takes them.
func arranged(m *ir.Module, l interp.Launch) interp.Launch {
	at := map[string]int{"N": genN, "M": genM, "A": genA, "Out": genOut}
	args := make([]byte, m.ArgSize)
	for _, p := range m.Params {
		if old, ok := at[p.Name]; ok && p.Offset >= 0 {
			copy(args[p.Offset:][:p.Size], l.Args[old:])
		}
	}
	l.Args = args
	return l
}

// outcome is what the kernel leaves, in words.
func outcome(m *ir.Module, l interp.Launch) string {
	r, err := interp.Run(m, arranged(m, l))
	var b strings.Builder
	fmt.Fprint(&b, err, "\n", r.Fault, "\n")
	for _, x := range r.Memory {
		fmt.Fprintln(&b, x.Data)
	}
	return b.String()
}

func (g *checkGen) ready(t *testing.T) {
	t.Helper()
	for _, run := range []func(*ir.Module) error{ir.Verify, func(m *ir.Module) error {
		if ds := rewrite.Mem2Reg(m); len(ds) > 0 {
			return fmt.Errorf("%v", ds)
		}
		simplify.Run(m)
		simplify.CSE(m)
		simplify.DCE(m)
		return ir.Verify(m)
	}} {
		if err := run(g.m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGatherRandom compares random kernels with what unroll and gather make of
// them: the same memory and the same first fault.
func TestGatherRandom(t *testing.T) {
	var before, after, regions int
	n := count() / checkShare
	for seed := range n {
		g := newCheckGen(uint64(seed))
		g.ready(t)
		text := g.m.String()
		var want []string
		for _, l := range g.launches() {
			want = append(want, outcome(g.m, l))
		}
		before += countChecks(g.m.Kernel)
		for _, p := range []Pass{{Name: "unroll", Run: loops.Unroll}, {Name: "gather", Run: checks.Gather}} {
			if p.Name == "gather" {
				before += countChecks(g.m.Kernel)
			}
			blocks := len(g.m.Kernel.Blocks)
			if ds := p.run(g.m, nil); len(ds) > 0 {
				t.Fatal(ds)
			}
			if err := ir.Verify(g.m); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%v", seed, p.Name, err, text, g.m)
			}
			if p.Name == "gather" && len(g.m.Kernel.Blocks) > blocks {
				regions++
			}
			for i, l := range g.launches() {
				if got := outcome(g.m, l); got != want[i] {
					t.Fatalf("seed %d, %s, launch %d:\n got %s\nwant %s\n%s\n%v", seed, p.Name, i, got, want[i], text, g.m)
				}
			}
		}
		after += countChecks(g.m.Kernel)
	}
	t.Logf("%d kernels: %d checks before, %d after; %d kernels have code twice", n, before, after, regions)
	if regions < int(n)/20 {
		t.Error("too few kernels are changed")
	}
}

func countChecks(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		if _, ok := rewrite.CheckOf(b); ok {
			n++
		}
	}
	return n
}

// isSmallLaunch is what the runtime asks of launches of the variant.
func isSmallLaunch(products [][]int, l interp.Launch) bool {
	for _, factors := range products {
		p := uint64(1)
		for _, at := range factors {
			x := uint64(l.Global[0])
			switch {
			case at < 0:
				x = uint64(-at)
			case at >= abi.OffsetArgs:
				x = binary.LittleEndian.Uint64(l.Args[at-abi.OffsetArgs:])
			}
			if x > abi.MaxSmall || p*x > abi.MaxSmall {
				return false
			}
			p *= x
		}
	}
	return true
}

// TestSmallRandom compares random kernels with their forms for small launches,
// which must have fewer integers of 64 bits.
func TestSmallRandom(t *testing.T) {
	ran, narrower := 0, 0
	n := count() / checkShare
	for seed := range n {
		g, s := newCheckGen(uint64(seed)), newCheckGen(uint64(seed))
		want := make([]string, len(g.launches()))
		for i, l := range g.launches() {
			want[i] = outcome(g.m, l)
		}
		if _, ds := Run(g.m, ir.Target{}, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		found, ds := Run(s.m, ir.Target{Small: true, First: g.m}, nil)
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		if found.Foreign {
			continue
		}
		if countWide(s.m) < countWide(g.m) {
			narrower++
		}
		for i, l := range g.launches() {
			if !isSmallLaunch(found.Products, arranged(s.m, l)) {
				continue
			}
			ran++
			for _, m := range []*ir.Module{g.m, s.m} {
				if got := outcome(m, l); got != want[i] {
					t.Fatalf("seed %d, launch %d, small %v %v:\n got %s\nwant %s\n%v", seed, i, m == s.m, found.Products, got, want[i], m)
				}
			}
		}
	}
	t.Logf("%d kernels, %d with fewer wide integers, %d small launches", n, narrower, ran)
	if narrower < int(n)/4 || ran < int(n) {
		t.Error("too little is small")
	}
}

func countWide(m *ir.Module) int {
	n := 0
	for _, b := range m.Kernel.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if v.Type == ir.TypeI64 && len(v.Args) > 1 {
				n++
			}
		}
	}
	return n
}
