package passtest

import (
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// NestGen generates random kernels that index slices in nests of loops. The loops count up or down, and test their
// condition first or last. Some loops also have exits in the middle of the body. The counters have 64 or 32 bits.
type NestGen struct {
	*CheckGen
	ivs   []*ir.Var         // counters of the enclosing loops
	from  map[*ir.Var]int64 // first values of the counters that begin near a limit of their type
	fuel  *ir.Var           // variable in which each iteration sets one more bit; loops end when bit 40 is set
	loops int
}

// NewNestGen returns a random kernel. Equal seeds give equal kernels.
func NewNestGen(seed uint64) *NestGen {
	g := &NestGen{CheckGen: NewCheckGen(seed), from: map[*ir.Var]int64{}}
	// Keep only the block in which NewCheckGen declares slices and variables.
	f := g.F
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
	g.M.Sites, g.sites, g.left = nil, 0, 30
	g.B = keep
	g.fuel = g.M.NewVar(f, ir.Function, "fuel", ir.TypeI64)
	g.store(g.fuel, g.M.Int(ir.TypeI64, 0))
	for range 1 + g.r.IntN(3) {
		g.writeLoop()
	}
	g.B.SetTerm(ir.Term{Kind: ir.Return})
	return g
}

// Int returns a constant.
func (g *NestGen) Int(n int64) *ir.Value { return g.M.Int(ir.TypeI64, n) }

// counterValue returns a counter's value as a 64-bit integer.
func (g *NestGen) counterValue(v *ir.Var) *ir.Value {
	x := g.load(v)
	if v.Type == ir.TypeI32 {
		op := ir.OpSConvert
		if g.r.IntN(2) == 0 {
			op = ir.OpUConvert
		}
		x = g.B.Append(op, ir.TypeI64, x)
	}
	if from := g.from[v]; from != 0 {
		x = g.B.Append(ir.OpISub, ir.TypeI64, x, g.Int(from))
	}
	return x
}

// extremeValue returns a number close to the largest or least value of type t.
func (g *NestGen) extremeValue(t *ir.Type, down bool) int64 {
	p := facts.FullRange(t)
	if down {
		return p.Lo + int64(g.r.IntN(6))
	}
	return p.Hi - int64(g.r.IntN(6))
}

// nestIndex returns an index, which in most cases is a sum or product of counters and fixed values.
func (g *NestGen) nestIndex(depth int) *ir.Value {
	if depth == 0 || g.r.IntN(3) == 0 {
		switch k := g.r.IntN(10); {
		case k < 5 && len(g.ivs) > 0:
			return g.counterValue(g.ivs[g.r.IntN(len(g.ivs))])
		case k < 6:
			return g.load(g.vars[g.r.IntN(len(g.vars))])
		case k < 8:
			return g.Int(int64(g.r.IntN(7) - 2))
		}
		return g.Fixed[g.r.IntN(len(g.Fixed))]
	}
	x, y := g.nestIndex(depth-1), g.nestIndex(depth-1)
	switch g.r.IntN(8) {
	case 0:
		return g.B.Append(ir.OpISub, ir.TypeI64, x, y)
	case 1, 2:
		return g.B.Append(ir.OpIMul, ir.TypeI64, x, y)
	case 3:
		return g.B.Append(ir.OpShl, ir.TypeI64, x, g.Int(int64(g.r.IntN(4))))
	case 4:
		return g.B.Append(ir.OpAnd, ir.TypeI64, x, g.Int(7))
	}
	return g.B.Append(ir.OpIAdd, ir.TypeI64, x, y)
}

// endValue returns a number for use as the start or the end of a loop.
func (g *NestGen) endValue() *ir.Value {
	switch k := g.r.IntN(10); {
	case k < 4:
		return g.Int(int64(g.r.IntN(9) - 1))
	case k < 5 && len(g.ivs) > 0:
		return g.counterValue(g.ivs[g.r.IntN(len(g.ivs))])
	case k < 6:
		return g.B.Append(ir.OpIAdd, ir.TypeI64, g.Fixed[g.r.IntN(len(g.Fixed))], g.Int(int64(g.r.IntN(5)-2)))
	}
	return g.Fixed[g.r.IntN(len(g.Fixed))]
}

// nestLoop describes a loop that is being generated.
type nestLoop struct {
	g         *NestGen
	width     *ir.Type
	i, second *ir.Var // counter, and a variable that grows with it
	by        int64
	end       *ir.Value
	down      bool
	short     bool // whether the loop's test alone ends the loop after a few iterations
	curved    bool // whether each iteration adds i to the variable `second`
	grow      *ir.Value
}

// nestLoop chooses the properties of a loop, and initializes its variables.
func (g *NestGen) nestLoop() *nestLoop {
	c := &nestLoop{g: g, width: ir.TypeI64}
	if g.r.IntN(3) == 0 {
		c.width = ir.TypeI32
	}
	as := func(x *ir.Value) *ir.Value {
		if c.width == ir.TypeI32 {
			return g.B.Append(ir.OpUConvert, c.width, x)
		}
		return x
	}
	c.i = g.M.NewVar(g.F, ir.Function, "n", c.width)
	c.by = int64(1 + g.r.IntN(3)*g.r.IntN(2))
	first, end := as(g.Int(int64(g.r.IntN(4)-1))), as(g.endValue())
	if g.r.IntN(3) == 0 {
		first = as(g.endValue())
	}
	c.down = g.r.IntN(4) == 0
	if c.down {
		first, end = end, first
	}
	if g.r.IntN(6) == 0 {
		from := g.extremeValue(c.width, c.down)
		near := func() *ir.Value { // a number near `from`, in the range of the type
			p := facts.FullRange(c.width)
			return g.M.Int(c.width, min(max(from-3, p.Lo+3), p.Hi-6)+int64(g.r.IntN(7)))
		}
		first, end, g.from[c.i] = g.M.Int(c.width, from), near(), from
		if c.down {
			g.from[c.i] = from - 5 + int64(g.r.IntN(6))
		}
	}
	c.end = end
	c.short = g.from[c.i] == 0 && first.IsConst() && end.IsConst() && end.Int() >= 0 && !c.down
	g.store(c.i, first)
	c.second = g.M.NewVar(g.F, ir.Function, "m", ir.TypeI64)
	g.store(c.second, g.endValue())
	c.curved = g.r.IntN(6) == 0
	c.grow = []*ir.Value{g.Int(2), g.Fixed[0], g.Int(-1)}[g.r.IntN(3)]
	return c
}

// loopCond returns the condition for another iteration if the counter is x.
func (c *nestLoop) loopCond(x *ir.Value) *ir.Value {
	op := []ir.Op{ir.OpSLt, ir.OpSLt, ir.OpSLe, ir.OpULt}[c.g.r.IntN(4)]
	if c.down {
		return c.g.B.Append(op, ir.TypeBool, c.end, x)
	}
	return c.g.B.Append(op, ir.TypeBool, x, c.end)
}

// nextCounter returns the counter's next value.
func (c *nestLoop) nextCounter(by int64) *ir.Value {
	g, more := c.g, c.grow
	if c.curved {
		more = g.counterValue(c.i)
	}
	g.store(c.second, g.B.Append(ir.OpIAdd, ir.TypeI64, g.load(c.second), more))
	op := ir.OpIAdd
	if c.down {
		op = ir.OpISub
	}
	x := g.B.Append(op, c.width, g.load(c.i), g.M.Int(c.width, by))
	g.store(c.i, x)
	return x
}

// writeLoop writes a loop.
func (g *NestGen) writeLoop() {
	g.loops++
	c := g.nestLoop()

	head, body, out := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	last := g.r.IntN(3) == 0
	if last && g.r.IntN(2) == 0 {
		g.B.Branch(c.loopCond(g.load(c.i)), head, out)
	} else {
		g.B.Jump(head)
	}
	g.B = head
	ivs := g.ivs
	g.ivs = append(g.ivs[:len(ivs):len(ivs)], c.i, c.second)
	some := !last && !c.short && g.r.IntN(6) == 0 // whether the loop's test runs only in some iterations
	switch {
	case last:
		g.B.Jump(body)
	case some:
		asked := g.F.NewBlock()
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.nestIndex(1), g.nestIndex(1)), asked, body)
		g.B = asked
		g.B.Branch(c.loopCond(g.load(c.i)), body, out)
	default:
		if g.r.IntN(6) == 0 {
			g.writeAccess()
		}
		g.B.Branch(c.loopCond(g.load(c.i)), body, out)
	}
	g.B = body
	if !c.short { // the following code guarantees that the loop ends
		on := g.F.NewBlock()
		f := g.B.Append(ir.OpOr, ir.TypeI64, g.B.Append(ir.OpShl, ir.TypeI64, g.load(g.fuel), g.Int(1)), g.Int(1))
		g.store(g.fuel, f)
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, f, g.Int(1<<40)), on, out)
		g.B = on
	}
	g.body()
	if g.r.IntN(4) == 0 { // continue
		again, on := g.F.NewBlock(), g.F.NewBlock()
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.nestIndex(1), g.nestIndex(1)), again, on)
		g.B = again
		c.nextCounter(c.by + int64(g.r.IntN(2)*g.r.IntN(4)))
		if last {
			g.B.Branch(c.loopCond(g.load(c.i)), head, out)
		} else {
			g.B.Jump(head)
		}
		g.B = on
		g.body()
	}
	x := c.nextCounter(c.by)
	if last {
		g.B.Branch(c.loopCond(x), head, out)
	} else {
		g.B.Jump(head)
	}
	g.B = out
	if g.r.IntN(3) == 0 { // uses the counter after the loop
		g.writeAccess()
	}
	g.ivs = ivs
}

// writeAccess writes a load or a store of an element.
func (g *NestGen) writeAccess() {
	if g.r.IntN(6) == 0 {
		g.narrowCheck()
	}
	i := g.nestIndex(2)
	if g.r.IntN(6) == 0 { // the index may have any value
		g.Checked(i, [2]*ir.Value{nil, g.nestIndex(1)})
	}
	if g.r.IntN(4) == 0 {
		g.Checked(i, g.Out)
		g.B.Append(ir.OpStore, ir.TypeVoid, g.load(g.sum), g.Out[0], i).Aux = &ir.Ref{Elem: ir.TypeI32}
		return
	}
	g.Checked(i, g.a)
	x := g.B.Append(ir.OpLoad, ir.TypeI32, g.a[0], i)
	x.Aux = &ir.Ref{Elem: ir.TypeI32}
	g.store(g.sum, g.B.Append(ir.OpIAdd, ir.TypeI32, g.B.Append(ir.OpIMul, ir.TypeI32, g.load(g.sum), g.M.Int(ir.TypeI32, 31)), x))
}

// narrowCheck writes comparisons of 32-bit values whose computation may overflow.
func (g *NestGen) narrowCheck() {
	side := func() *ir.Value {
		x := g.B.Append(ir.OpUConvert, ir.TypeI32, g.nestIndex(1))
		x = g.B.Append(ir.OpIMul, ir.TypeI32, x, g.M.Int(ir.TypeI32, []int64{1, 1, -3, 1 << 29, 1 << 30}[g.r.IntN(5)]))
		return g.B.Append(ir.OpIAdd, ir.TypeI32, x, g.M.Int(ir.TypeI32, int64(g.r.IntN(3))))
	}
	x, y := side(), side()
	if g.r.IntN(2) == 0 {
		x = g.M.Int(ir.TypeI32, int64(g.r.IntN(5)-3))
	}
	bad, on := g.F.NewBlock(), g.F.NewBlock()
	g.B.Branch(g.B.Append([]ir.Op{ir.OpSLt, ir.OpSLe, ir.OpULt}[g.r.IntN(3)], ir.TypeBool, x, y), on, bad)
	zero := g.M.Int(ir.TypeI32, 0)
	g.sites++
	bad.Append(ir.OpFault, ir.TypeVoid, g.Int(0), g.Int(0), g.gid, zero, zero).Aux = g.M.NewSite(abi.FaultPanic, ir.Pos{File: "k.go", Line: 1 + g.sites}, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.B = on
}

func (g *NestGen) body() {
	for range 1 + g.r.IntN(3) {
		switch k := g.r.IntN(8); {
		case k < 4:
			g.writeAccess()
		case k < 5 && len(g.ivs) < 5 && g.loops < 6:
			g.writeLoop()
		case k < 6:
			g.store(g.vars[g.r.IntN(len(g.vars))], g.nestIndex(2))
		case k < 7:
			yes, on := g.F.NewBlock(), g.F.NewBlock()
			g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.nestIndex(1), g.nestIndex(1)), yes, on)
			g.B = yes
			g.writeAccess()
			g.B.Jump(on)
			g.B = on
		}
	}
}

// Launches returns the launches of a CheckGen, and launches with numbers near the limits of types.
func (g *NestGen) Launches() []interp.Launch {
	return append(g.CheckGen.Launches(), g.Launch(5, 4, 40, 40), g.Launch(3, 6, 60, 60), g.Launch(math.MaxInt64, 2, 30, 30), g.Launch(math.MaxInt64-1, math.MinInt64, 40, 40),
		g.Launch(math.MaxInt32, 1<<31, 40, 40), g.Launch(1<<62, 4, 40, 40), g.Launch(1<<32+2, 1<<33, 40, 40), g.Launch(-3, math.MinInt32, 40, 40))
}
