package passtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// CheckGen generates random kernels that index slices in straight-line code, under conditions and
// in small loops. The generated code has effects between the accesses.
type CheckGen struct {
	r      *rand.Rand
	M      *ir.Module
	F      *ir.Func
	B      *ir.Block
	a, Out [2]*ir.Value // addresses and lengths of slices
	Fixed  []*ir.Value  // indices that never change
	vars   []*ir.Var    // variables of type i64
	sum    *ir.Var
	gid    *ir.Value
	sites  int
	left   int
}

// CheckShare is a divisor. Tests with a CheckGen generate only Count()/CheckShare kernels, because
// these are large.
const CheckShare = 4

// These constants are offsets of the arguments of kernels that a CheckGen generates.
const (
	genN, genM, genA, genOut = 0, 8, 16, 32
	genArgs                  = 48
)

// NewCheckGen returns a random kernel. Equal seeds give equal kernels.
func NewCheckGen(seed uint64) *CheckGen {
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
	g := &CheckGen{r: rand.New(rand.NewPCG(seed, 1)), M: m, F: f, B: f.Blocks[0], left: 40}
	arg := func(t *ir.Type, at int) *ir.Value {
		v := g.B.Append(ir.OpArg, t)
		v.Bits = uint64(abi.OffsetArgs + at)
		return v
	}
	g.gid = g.B.Append(ir.OpBuiltIn, ir.TypeI32)
	g.gid.Aux = ir.GlobalInvocationIDX
	g.a = [2]*ir.Value{arg(ir.TypeAddr, genA), arg(ir.TypeI64, genA+8)}
	g.Out = [2]*ir.Value{arg(ir.TypeAddr, genOut), arg(ir.TypeI64, genOut+8)}
	g.Fixed = []*ir.Value{arg(ir.TypeI64, genN), arg(ir.TypeI64, genM), g.B.Append(ir.OpUConvert, ir.TypeI64, g.gid), g.a[1]}
	for range 3 {
		v := m.NewVar(f, ir.Function, "i", ir.TypeI64)
		g.vars = append(g.vars, v)
		g.store(v, g.Fixed[g.r.IntN(3)])
	}
	g.sum = m.NewVar(f, ir.Function, "sum", ir.TypeI32)
	g.store(g.sum, m.Int(ir.TypeI32, 1))
	g.statements(3 + g.r.IntN(8))
	g.B.SetTerm(ir.Term{Kind: ir.Return})
	return g
}

func (g *CheckGen) store(v *ir.Var, x *ir.Value) {
	g.B.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
}

func (g *CheckGen) load(v *ir.Var) *ir.Value {
	x := g.B.Append(ir.OpLoad, v.Type)
	x.Aux = &ir.Ref{Var: v}
	return x
}

// randomIndex returns a random integer expression, for use as an index.
func (g *CheckGen) randomIndex(depth int) *ir.Value {
	if depth == 0 || g.r.IntN(3) == 0 {
		switch g.r.IntN(4) {
		case 0:
			return g.M.Int(ir.TypeI64, int64(g.r.IntN(5)-1))
		case 1:
			return g.load(g.vars[g.r.IntN(len(g.vars))])
		}
		return g.Fixed[g.r.IntN(len(g.Fixed))]
	}
	x, y := g.randomIndex(depth-1), g.randomIndex(depth-1)
	switch g.r.IntN(6) {
	case 0:
		return g.B.Append(ir.OpISub, ir.TypeI64, x, y)
	case 1:
		return g.B.Append(ir.OpIMul, ir.TypeI64, x, y)
	case 2:
		return g.B.Append(ir.OpSelect, ir.TypeI64, g.B.Append(ir.OpSLt, ir.TypeBool, x, y), x, y)
	case 3:
		return g.B.Append(ir.OpAnd, ir.TypeI64, x, g.M.Int(ir.TypeI64, 7))
	}
	return g.B.Append(ir.OpIAdd, ir.TypeI64, x, y)
}

// Checked writes a branch that faults if index i is out of range for slice s. Later code is added
// to the block that runs if the index is in range.
func (g *CheckGen) Checked(i *ir.Value, s [2]*ir.Value) {
	bad, on := g.F.NewBlock(), g.F.NewBlock()
	ok := g.B.Append(ir.OpULt, ir.TypeBool, i, s[1])
	if g.r.IntN(4) == 0 {
		g.B.Branch(g.B.Append(ir.OpULe, ir.TypeBool, s[1], i), bad, on)
	} else {
		g.B.Branch(ok, on, bad)
	}
	zero := g.M.Int(ir.TypeI32, 0)
	g.sites++
	bad.Append(ir.OpFault, ir.TypeVoid, i, s[1], g.gid, zero, zero).Aux = g.M.NewSite(abi.FaultIndex, ir.Pos{File: "k.go", Line: 1 + g.sites/(1+g.r.IntN(2))}, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.B = on
}

func (g *CheckGen) statements(n int) {
	for range n {
		if g.left--; g.left < 0 {
			return
		}
		switch g.r.IntN(8) {
		case 0, 1, 2:
			i := g.randomIndex(2)
			g.Checked(i, g.a)
			x := g.B.Append(ir.OpLoad, ir.TypeI32, g.a[0], i)
			x.Aux = &ir.Ref{Elem: ir.TypeI32}
			g.store(g.sum, g.B.Append(ir.OpIAdd, ir.TypeI32, g.B.Append(ir.OpIMul, ir.TypeI32, g.load(g.sum), g.M.Int(ir.TypeI32, 31)), x))
			if g.r.IntN(3) == 0 {
				g.store(g.vars[g.r.IntN(len(g.vars))], g.B.Append(ir.OpUConvert, ir.TypeI64, x))
			}
		case 3:
			i := g.randomIndex(2)
			g.Checked(i, g.Out)
			g.B.Append(ir.OpStore, ir.TypeVoid, g.load(g.sum), g.Out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		case 4:
			g.store(g.vars[g.r.IntN(len(g.vars))], g.randomIndex(2))
		case 5, 6:
			yes, no, on := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
			g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.randomIndex(1), g.randomIndex(1)), yes, no)
			for _, arm := range []*ir.Block{yes, no} {
				g.B = arm
				g.statements(g.r.IntN(3))
				if g.r.IntN(12) == 0 {
					g.B.SetTerm(ir.Term{Kind: ir.Return})
				} else {
					g.B.Jump(on)
				}
			}
			g.B = on
		case 7:
			head, body, on := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
			i := g.M.NewVar(g.F, ir.Function, "n", ir.TypeI64)
			g.store(i, g.M.Int(ir.TypeI64, 0))
			g.B.Jump(head)
			g.B = head
			g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.load(i), g.M.Int(ir.TypeI64, int64(1+g.r.IntN(4)))), body, on)
			g.B = body
			if g.r.IntN(2) == 0 {
				g.store(g.vars[0], g.load(i))
			}
			g.statements(1 + g.r.IntN(3))
			g.store(i, g.B.Append(ir.OpIAdd, ir.TypeI64, g.load(i), g.M.Int(ir.TypeI64, 1)))
			g.B.Jump(head)
			g.B = on
		}
	}
}

// Launch returns a launch of the kernel on memory of the given lengths.
func (g *CheckGen) Launch(n, m int64, a, out int) interp.Launch {
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

// Launches returns launches that pass all checks, and launches that fail some.
func (g *CheckGen) Launches() []interp.Launch {
	return []interp.Launch{g.Launch(2, 3, 12, 9), g.Launch(1, 1, 3, 40), g.Launch(0, 5, 40, 40), g.Launch(3, 2, 0, 7),
		g.Launch(-1, 4, 20, 2), g.Launch(1<<28, 1, 9, 9), g.Launch(1<<14, 1<<14, 30, 30), g.Launch(1<<40, -1<<62, 30, 30)}
}

// Arranged returns launch l with its arguments at the offsets in m. The pass params has set these offsets.
func Arranged(m *ir.Module, l interp.Launch) interp.Launch {
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

// Outcome runs launch l, and returns a text with the error, the fault and the memory.
func Outcome(m *ir.Module, l interp.Launch) string {
	r, err := interp.Run(m, Arranged(m, l))
	var b strings.Builder
	fmt.Fprint(&b, err, "\n", r.Fault, "\n")
	for _, x := range r.Memory {
		fmt.Fprintln(&b, x.Data)
	}
	return b.String()
}

// Ready verifies the kernel, replaces its variables by values, and simplifies it.
func (g *CheckGen) Ready(t *testing.T) {
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
		if err := run(g.M); err != nil {
			t.Fatal(err)
		}
	}
}
