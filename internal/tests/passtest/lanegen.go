package passtest

import (
	"math/rand/v2"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// LaneGen generates random kernels with Sync ops.
type LaneGen struct {
	r        *rand.Rand
	M        *ir.Module
	F        *ir.Func
	B        *ir.Block
	Out, In  *ir.Var
	tile     *ir.Var
	vars     []*ir.Var // private variables of a work-item
	counters []*ir.Var // counters of those enclosing loops that have uniform bounds
	loops    [][2]*ir.Block
	left     int
	Events   int64
	// commonVar is a uniform variable, or nil. If commonVar is not nil, the kernel has loops that
	// check whether growing values are below limits.
	commonVar *ir.Var
	// arrays, if any, are private arrays of a work-item. The first two arrays get uniform values in code
	// that all lanes reach. The third array gets uniform values even in code that only some lanes reach.
	arrays []*ir.Var
}

// NewLaneGen returns a random kernel. Equal seeds give equal kernels.
func NewLaneGen(seed uint64) *LaneGen { return NewLaneGenOf(seed, false, false) }

// NewLaneGenOf returns a random kernel that also has nests of loops with checks, or arrays.
func NewLaneGenOf(seed uint64, nests, arrays bool) *LaneGen {
	m := ir.NewModule("t")
	m.UsesGroup, m.Form, m.Rank, m.ArgSize = true, abi.NDRange, 1, 16
	g := &LaneGen{r: rand.New(rand.NewPCG(seed, 3)), M: m, F: m.NewFunc("main"), left: 6 + int(seed%30)}
	m.Kernel, g.B = g.F, g.F.Blocks[0]
	g.Out = m.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
	g.In = m.NewVar(nil, ir.Workgroup, "in", ir.TypeI32)
	g.tile = m.NewVar(nil, ir.Workgroup, "tile", ir.TypeI32)
	for range 3 {
		g.vars = append(g.vars, m.NewVar(g.F, ir.Function, "v", ir.TypeI32))
	}
	if nests {
		x := g.uniform()
		g.commonVar = m.NewVar(g.F, ir.Function, "c", ir.TypeI32)
		g.store(g.commonVar, x)
	}
	for range 4 * ofBool(arrays) {
		g.arrays = append(g.arrays, m.NewVar(g.F, ir.Function, "a", m.ArrayOf(ir.TypeI32, g.N(arrayLen))))
	}
	for g.left > 0 {
		g.randomStmt(true)
	}
	g.Event()
	g.B.SetTerm(ir.Term{Kind: ir.Return})
	g.F.RemoveUnreachable()
	return g
}

const arrayLen = 4 // length of a LaneGen's arrays

// sameArrays is the number of uniform arrays in a LaneGen.
const sameArrays = 2

// writeElement writes a load or a store of an element of array a.
func (g *LaneGen) writeElement(op ir.Op, a *ir.Var, args ...*ir.Value) *ir.Value {
	t := ir.TypeI32
	if op == ir.OpStore {
		t = ir.TypeVoid
	}
	v := g.B.Append(op, t, args...)
	v.Aux = &ir.Ref{Var: a}
	return v
}

// laneIndex returns an index of an array. The index is either always in range or checked.
func (g *LaneGen) laneIndex(x func() *ir.Value) *ir.Value {
	if g.r.IntN(3) > 0 {
		return g.Op(ir.OpAnd, x(), g.N(arrayLen-1))
	}
	i := g.Op(ir.OpAnd, x(), g.N(7))
	yes, no := g.F.NewBlock(), g.F.NewBlock()
	g.B.Branch(g.Op(ir.OpULt, i, g.N(arrayLen)), yes, no)
	g.B = no
	g.Leave()
	g.B = yes
	return i
}

// writeArrayChange writes a statement that changes an array. If even is true, all lanes reach the statement together.
func (g *LaneGen) writeArrayChange(even bool) {
	k, x := g.r.IntN(len(g.arrays)), g.any
	if k <= sameArrays {
		if x = g.uniform; k < sameArrays && !even {
			return
		}
	}
	switch a := g.arrays[k]; g.r.IntN(8) {
	case 0:
		g.writeElement(ir.OpZero, a).Type = ir.TypeVoid
	case 1:
		c := g.B.Append(ir.OpCopyVar, ir.TypeVoid)
		c.Aux = &ir.Copy{Dst: a, Src: g.arrays[g.r.IntN(max(1, min(k+1, sameArrays)))]}
	default:
		y := x()
		g.writeElement(ir.OpStore, a, y, g.laneIndex(x))
	}
}

// N returns an i32 constant.
func (g *LaneGen) N(i int64) *ir.Value { return g.M.Int(ir.TypeI32, i) }

// Op appends an op on 32-bit integers.
func (g *LaneGen) Op(op ir.Op, args ...*ir.Value) *ir.Value {
	t := ir.TypeI32
	if op == ir.OpULt || op == ir.OpINe {
		t = ir.TypeBool
	}
	return g.B.Append(op, t, args...)
}

func (g *LaneGen) load(x *ir.Var) *ir.Value {
	v := g.Op(ir.OpLoad)
	v.Aux = &ir.Ref{Var: x}
	return v
}

func (g *LaneGen) store(x *ir.Var, v *ir.Value) {
	g.B.Append(ir.OpStore, ir.TypeVoid, v).Aux = &ir.Ref{Var: x}
}

// Event writes a store of a number that no other event stores. Because the numbers differ, the stores show
// each lane's path.
func (g *LaneGen) Event() {
	g.Events++
	g.store(g.Out, g.N(g.Events+1000))
}

func (g *LaneGen) uniform() *ir.Value {
	if n := len(g.counters); n > 0 && g.r.IntN(2) == 0 {
		return g.load(g.counters[g.r.IntN(n)])
	}
	if g.commonVar != nil && g.r.IntN(3) == 0 {
		return g.load(g.commonVar)
	}
	if g.arrays != nil && g.r.IntN(3) == 0 {
		i := g.Op(ir.OpAnd, g.uniform(), g.N(arrayLen-1))
		k := g.r.IntN(sameArrays)
		if g.r.IntN(24) == 0 {
			k = g.r.IntN(len(g.arrays)) // this array need not be uniform
		}
		return g.writeElement(ir.OpLoad, g.arrays[k], i)
	}
	v := g.Op(ir.OpArg)
	v.Bits = abi.OffsetArgs + 4*uint64(g.r.IntN(4))
	return v
}

func (g *LaneGen) any() *ir.Value {
	if g.arrays != nil && g.r.IntN(4) == 0 {
		i := g.Op(ir.OpAnd, g.any(), g.N(arrayLen-1))
		return g.writeElement(ir.OpLoad, g.arrays[g.r.IntN(len(g.arrays))], i)
	}
	switch g.r.IntN(6) {
	case 0:
		return g.uniform()
	case 1:
		v := g.Op(ir.OpBuiltIn)
		v.Aux = ir.LocalInvocationIDX
		return v
	case 2:
		v := g.load(g.In)
		g.store(g.Out, v)
		return v
	case 3:
		return g.Op([]ir.Op{ir.OpIAdd, ir.OpXor}[g.r.IntN(2)], g.any(), g.any())
	}
	return g.load(g.vars[g.r.IntN(len(g.vars))])
}

// rareCond returns a condition that is true with a probability of about 1/n.
func (g *LaneGen) rareCond(uniform bool, n int64) *ir.Value {
	x := g.uniform
	if !uniform {
		x = g.any
	}
	k := int64(g.r.IntN(int(n)))
	return g.Op(ir.OpULt, g.Op(ir.OpIAdd, g.Op(ir.OpAnd, x(), g.N(n-1)), g.N(k)), g.N(k+1))
}

// Leave writes code that makes the work-item return or fault.
func (g *LaneGen) Leave() {
	g.Event()
	if g.arrays != nil && g.r.IntN(16) == 0 {
		g.writeElement(ir.OpStore, g.arrays[g.r.IntN(len(g.arrays))], g.N(g.Events), g.N(1))
	}
	if g.r.IntN(2) == 0 {
		v := g.B.Append(ir.OpFault, ir.TypeVoid, g.M.Int(ir.TypeI64, g.Events), g.M.Int(ir.TypeI64, 0), g.N(0), g.N(0), g.N(0))
		v.Aux = g.M.NewSite(1, ir.Pos{File: "k.go", Line: int(g.Events)}, "", false)
	}
	g.B.SetTerm(ir.Term{Kind: ir.Return, Early: true})
}

// randomStmt writes a random statement. If even is true, all lanes reach the statement together.
func (g *LaneGen) randomStmt(even bool) {
	g.left--
	block := g.F.NewBlock
	if g.commonVar != nil && g.r.IntN(4) == 0 {
		g.growingLoop(even, 0)
		return
	}
	if g.arrays != nil && g.r.IntN(4) == 0 {
		g.writeArrayChange(even)
		return
	}
	switch k := g.r.IntN(16); {
	case k < 2:
		g.store(g.vars[g.r.IntN(len(g.vars))], g.any())
	case k < 4:
		g.Event()
		g.store(g.Out, g.any())
	case k < 8:
		if !even && g.r.IntN(50) > 0 {
			g.Event()
			return
		}
		if g.r.IntN(4) == 0 {
			g.B.Append(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: g.tile}
			return
		}
		g.B.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
	case k < 10: // a check, and a division that needs the check
		d := g.Op(ir.OpAnd, g.any(), g.N(7))
		yes, no := block(), block()
		g.B.Branch(g.Op(ir.OpINe, d, g.N(0)), yes, no)
		g.B = no
		g.Leave()
		g.B = yes
		g.store(g.vars[0], g.Op(ir.OpUDiv, g.any(), d))
	case k < 12: // an early return, sometimes with two conditions
		yes, no := block(), block()
		if g.r.IntN(3) == 0 {
			or := block()
			g.B.Branch(g.rareCond(g.r.IntN(3) == 0, 8), yes, or)
			g.B = or
		}
		g.B.Branch(g.rareCond(g.r.IntN(3) == 0, 8), yes, no)
		g.B = yes
		g.Leave()
		g.B = no
	case k < 14:
		u := g.r.IntN(2) == 0
		yes, no, join := block(), block(), block()
		g.B.Branch(g.rareCond(u, 2), yes, no)
		for _, b := range []*ir.Block{yes, no} {
			g.B = b
			for range g.r.IntN(4) {
				g.randomStmt(even && u)
			}
			g.B.Jump(join)
		}
		g.B = join
	case k == 14 && len(g.loops) > 0:
		l := g.loops[len(g.loops)-1]
		out, next := block(), block()
		g.B.Branch(g.rareCond(g.r.IntN(3) == 0, 4), out, next)
		g.B = out
		g.Event()
		g.B.Jump(l[g.r.IntN(2)])
		g.B = next
	default:
		g.loop(even)
	}
}

func (g *LaneGen) loop(even bool) {
	i := g.M.NewVar(g.F, ir.Function, "i", ir.TypeI32)
	u := g.r.IntN(3) > 0
	g.store(i, g.N(0))
	bound := g.uniform
	if !u {
		bound = g.any
	}
	n := g.Op(ir.OpAnd, bound(), g.N(3))
	head, body, next, out := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	g.B.Jump(head)
	g.B = head
	g.B.Branch(g.Op(ir.OpULt, g.load(i), n), body, out)
	g.B = body
	g.loops = append(g.loops, [2]*ir.Block{out, next})
	if u && even {
		g.counters = append(g.counters, i)
	}
	for range 1 + g.r.IntN(4) {
		g.randomStmt(u && even)
	}
	if u && even {
		g.counters = g.counters[:len(g.counters)-1]
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.B.Jump(next)
	g.B = next
	g.store(i, g.Op(ir.OpIAdd, g.load(i), g.N(1)))
	g.B.Jump(head)
	g.B = out
}

// growingLoop writes a loop without Sync ops, which checks whether growing numbers are below limits.
func (g *LaneGen) growingLoop(even bool, depth int) {
	g.left--
	u := g.r.IntN(3) > 0
	few := func(n int64) *ir.Value {
		x := g.any
		if u || g.r.IntN(2) == 0 {
			x = g.uniform
		}
		return g.Op(ir.OpAnd, x(), g.N(n))
	}
	j := g.M.NewVar(g.F, ir.Function, "j", ir.TypeI32)
	g.store(j, []*ir.Value{g.N(0), few(3)}[g.r.IntN(2)])
	end, by := few(3), g.Op(ir.OpAnd, g.any(), g.N(7))
	head, body, next, out := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	test := func() { g.B.Branch(g.Op(ir.OpULt, g.load(j), end), body, out) }
	last := g.r.IntN(2) == 0
	g.B.Jump(head)
	if g.B = head; last {
		head.Jump(body)
	} else {
		test()
	}
	g.B = body
	leaveUnless := func(c *ir.Value) {
		yes, no := g.F.NewBlock(), g.F.NewBlock()
		g.B.Branch(c, yes, no)
		g.B = no
		g.Leave()
		g.B = yes
	}
	for range 1 + g.r.IntN(3) {
		switch k := g.r.IntN(10); {
		case k < 4:
			x := by
			if g.r.IntN(3) == 0 {
				x = g.Op(ir.OpAnd, g.uniform(), g.N(3))
			}
			leaveUnless(g.Op(ir.OpULt, g.Op(ir.OpIAdd, g.Op(ir.OpIMul, g.load(j), x), g.N(int64(g.r.IntN(3)-1))), g.N(int64(8+g.r.IntN(16)))))
		case k < 6:
			d := g.Op(ir.OpAnd, g.uniform(), g.N(7))
			leaveUnless(g.Op(ir.OpINe, d, g.N(0)))
			if even && (u || last) {
				g.store(g.commonVar, g.Op(ir.OpUDiv, g.N(29), d))
			}
		case k < 7:
			yes, join := g.F.NewBlock(), g.F.NewBlock()
			g.B.Branch(g.rareCond(g.r.IntN(2) == 0, 2), yes, join)
			g.B = yes
			leaveUnless(g.Op(ir.OpULt, g.Op(ir.OpIMul, g.load(j), by), g.Op(ir.OpAnd, g.uniform(), g.N(31))))
			g.B.Jump(join)
			g.B = join
		case k < 8 && depth < 2:
			g.growingLoop(even && u, depth+1)
		default:
			g.Event()
			g.store(g.Out, g.load(j))
		}
	}
	g.B.Jump(next)
	g.B = next
	g.store(j, g.Op(ir.OpIAdd, g.load(j), g.N(1)))
	if last {
		next.Branch(g.Op(ir.OpULt, g.load(j), end), head, out)
	} else {
		next.Jump(head)
	}
	g.B = out
}
