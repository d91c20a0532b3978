package passtest

import (
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// memoryHead is the text with which each kernel of a MemoryGen begins. memoryHead declares two
// slices of numbers, one of structs and one of bytes.
const memoryHead = `module K built
form Range 1
items 1
args 64
group
param "A" Slice "[]int32" offset 0 size 16 host 0 elem 4 align 4 None
param "B" Slice "[]int32" offset 16 size 16 host 24 elem 4 align 4 None
param "S" Slice "[]T" offset 32 size 16 host 48 elem 12 align 4 None
param "C" Slice "[]int8" offset 48 size 16 host 72 elem 1 align 1 None

kernel main {
b0:
	Return
}
`

// MemoryGen generates random kernels that store to and load from a few elements of a few slices, in branches
// and loops.
type MemoryGen struct {
	R     *rand.Rand
	M     *ir.Module
	F     *ir.Func
	B     *ir.Block
	Addrs []*ir.Value
	Elems []*ir.Type
	Own   []*ir.Var  // private arrays that replace the slices; empty if the kernel uses slices
	Acc   *ir.Var    // variable that accumulates all results
	At    [2]*ir.Var // variables with indices
	Limit *ir.Value  // bound of the checked indices, or nil if no index is checked
	Left  int
}

// NewMemoryGen returns a generator whose kernel has no statements yet.
func NewMemoryGen(t *testing.T, seed uint64) *MemoryGen {
	m, err := ir.Parse(memoryHead)
	if err != nil {
		t.Fatal(err)
	}
	g := &MemoryGen{R: rand.New(rand.NewPCG(seed, 7)), M: m, F: m.Kernel, B: m.Kernel.Blocks[0], Left: 24}
	g.B.ClearTerm()
	s := m.StructOf([]ir.Field{{Name: "x", Type: ir.TypeI32}, {Name: "y", Type: m.ArrayOf(ir.TypeI32, g.Word(2)), Offset: 4}}, 12, 4)
	g.Elems = []*ir.Type{ir.TypeI32, ir.TypeI32, s, ir.TypeI8}
	for i := range g.Elems {
		a := g.B.Append(ir.OpArg, ir.TypeAddr)
		a.Bits = uint64(24 + 16*i)
		g.Addrs = append(g.Addrs, a)
	}
	g.Acc = g.Variable(1)
	g.At[0], g.At[1] = g.Variable(0), g.Variable(2)
	return g
}

// End appends a store of the accumulated results and the return instruction.
func (g *MemoryGen) End() *MemoryGen {
	out := g.B.Append(ir.OpStore, ir.TypeVoid, g.Get(g.Acc), g.Addrs[0], g.Word(5))
	out.Aux = &ir.Ref{Elem: g.Elems[0]}
	g.B.SetTerm(ir.Term{Kind: ir.Return})
	g.F.RemoveUnreachable()
	return g
}

// Word returns a constant.
func (g *MemoryGen) Word(n int64) *ir.Value { return g.M.Int(ir.TypeI32, n) }

// Op appends an op on 32-bit integers.
func (g *MemoryGen) Op(op ir.Op, args ...*ir.Value) *ir.Value {
	return g.B.Append(op, ir.TypeI32, args...)
}

// Variable declares a variable with the given initial value.
func (g *MemoryGen) Variable(is int64) *ir.Var {
	v := g.M.NewVar(g.F, ir.Function, "v", ir.TypeI32)
	g.Set(v, g.Word(is))
	return v
}

// Get loads a variable.
func (g *MemoryGen) Get(v *ir.Var) *ir.Value {
	l := g.Op(ir.OpLoad)
	l.Aux = &ir.Ref{Var: v}
	return l
}

// Set stores to a variable.
func (g *MemoryGen) Set(v *ir.Var, x *ir.Value) {
	g.B.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
}

// sixIndices returns a constant, a variable or their sum, chosen at random. Different expressions may be equal at run time.
func (g *MemoryGen) sixIndices() *ir.Value {
	switch g.R.IntN(4) {
	case 0:
		return g.Word(int64(g.R.IntN(5)))
	case 1:
		return g.Op(ir.OpIAdd, g.Get(g.At[g.R.IntN(2)]), g.Word(int64(1+g.R.IntN(2))))
	}
	return g.Get(g.At[g.R.IntN(2)])
}

// pathArgs returns the path arguments of an access, which are the address of the slice, the index, and field indices.
func (g *MemoryGen) pathArgs(slice int, index *ir.Value) []*ir.Value {
	p := []*ir.Value{g.Addrs[slice], index}
	if g.Elems[slice].Kind == ir.Struct {
		field := g.Word(int64(g.R.IntN(2)))
		if p = append(p, field); field.Bits == 1 {
			i := g.Word(int64(g.R.IntN(2)))
			if g.R.IntN(2) == 0 {
				i = g.Op(ir.OpAnd, g.Get(g.At[0]), g.Word(1))
			}
			p = append(p, i)
		}
	}
	return p
}

// Load loads an element of a slice.
func (g *MemoryGen) Load(slice int, index *ir.Value) *ir.Value {
	if g.Own != nil {
		return g.LoadOwn(g.Own[slice%len(g.Own)], index)
	}
	g.writeCheck(index)
	l := g.B.Append(ir.OpLoad, ir.TypeI32, g.pathArgs(slice, index)...)
	l.Aux = &ir.Ref{Elem: g.Elems[slice]}
	if g.Elems[slice] == ir.TypeI8 {
		l.Type = ir.TypeI8
		return g.Op(ir.OpSConvert, l)
	}
	return l
}

func (g *MemoryGen) store(slice int, index, x *ir.Value) {
	if g.Own != nil {
		g.storeOwn(g.Own[slice%len(g.Own)], index, x)
		return
	}
	if g.Elems[slice] == ir.TypeI8 {
		x = g.B.Append(ir.OpUConvert, ir.TypeI8, x)
	}
	g.B.Append(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, g.pathArgs(slice, index)...)...).Aux = &ir.Ref{Elem: g.Elems[slice]}
}

// pickSlice returns the first slice in most cases, so that accesses often hit the same elements.
func (g *MemoryGen) pickSlice() int { return max(0, g.R.IntN(2*len(g.Addrs))-len(g.Addrs)) }

// Statements writes random statements.
func (g *MemoryGen) Statements(depth int) {
	for range 2 + g.R.IntN(4) {
		if g.Left--; g.Left < 0 {
			return
		}
		switch k := g.R.IntN(12); {
		case k < 4:
			x := g.Load(g.pickSlice(), g.sixIndices())
			g.Set(g.Acc, g.Op(ir.OpIAdd, g.Op(ir.OpIMul, g.Get(g.Acc), g.Word(5)), x))
		case k < 8:
			g.store(g.pickSlice(), g.sixIndices(), g.Op(ir.OpXor, g.Get(g.Acc), g.Word(int64(g.Left))))
		case k == 8:
			g.Set(g.At[g.R.IntN(2)], g.Op(ir.OpAnd, g.Get(g.Acc), g.Word(3)))
		case g.Own != nil && k == 9:
			g.wholeArray()
		case depth > 2:
		case k < 11:
			g.choice(depth)
		default:
			g.Loop(depth)
		}
	}
}

func (g *MemoryGen) choice(depth int) {
	yes, no, end := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	is := g.B.Append(ir.OpIEq, ir.TypeBool, g.Op(ir.OpAnd, g.Get(g.Acc), g.Word(1)), g.Word(0))
	g.B.Branch(is, yes, no)
	g.B = yes
	g.Statements(depth + 1)
	g.B.Jump(end)
	if g.B = no; g.R.IntN(2) == 0 {
		g.Statements(depth + 1)
	}
	g.B.Jump(end)
	g.B = end
}

// Loop writes a loop of a few iterations, with an exit at its head or at its end.
func (g *MemoryGen) Loop(depth int) {
	n := g.Variable(0)
	head, body, end := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	g.B.Jump(head)
	g.B = head
	g.checkedHead()
	first := g.R.IntN(2) == 0
	if g.R.IntN(2) == 0 {
		g.Statements(depth + 1)
	}
	if !first {
		g.B.Jump(body)
	} else {
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.Get(n), g.Word(3)), body, end)
	}
	g.B = body
	g.Statements(depth + 1)
	g.Set(n, g.Op(ir.OpIAdd, g.Get(n), g.Word(1)))
	if g.R.IntN(3) == 0 {
		g.Set(g.At[0], g.Op(ir.OpAnd, g.Get(n), g.Word(3)))
	}
	if first {
		g.B.Jump(head)
	} else {
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.Get(n), g.Word(3)), head, end)
	}
	g.B = end
}

// LoadOwn loads an element of a private array of the work-item.
func (g *MemoryGen) LoadOwn(x *ir.Var, index *ir.Value) *ir.Value {
	l := g.Op(ir.OpLoad, index)
	l.Aux = &ir.Ref{Var: x}
	return l
}

func (g *MemoryGen) storeOwn(x *ir.Var, index, v *ir.Value) {
	g.B.Append(ir.OpStore, ir.TypeVoid, v, index).Aux = &ir.Ref{Var: x}
}

// wholeArray writes code that zeroes an array, or that copies an array in the same way as package
// lower. The copying code copies element by element, or performs all loads first. Sometimes the
// code omits an element, or contains a store between the copies.
func (g *MemoryGen) wholeArray() {
	x, y := g.Own[g.R.IntN(len(g.Own))], g.Own[g.R.IntN(len(g.Own))]
	if g.R.IntN(4) == 0 {
		g.B.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: x}
		return
	}
	n, between := 6, g.R.IntN(3) == 0
	if g.R.IntN(4) == 0 {
		n = 5
	}
	first := g.R.IntN(2) == 0
	var all []*ir.Value
	for i := range n {
		if all = append(all, g.LoadOwn(x, g.Word(int64(i)))); !first {
			g.storeOwn(y, g.Word(int64(i)), all[i])
		}
		if between && i == 3 {
			g.storeOwn([]*ir.Var{x, y}[g.R.IntN(2)], g.Word(int64(g.R.IntN(6))), g.Get(g.Acc))
			g.Set(g.Acc, g.Op(ir.OpXor, g.Get(g.Acc), g.LoadOwn(y, g.sixIndices())))
		}
	}
	for i, v := range all {
		if first {
			g.storeOwn(y, g.Word(int64(i)), v)
		}
	}
}

// writeCheck writes a check that faults if the index is too large. writeCheck does nothing if the kernel has no checks.
func (g *MemoryGen) writeCheck(index *ir.Value) {
	if g.Limit == nil || g.R.IntN(4) == 0 {
		return
	}
	on, bad := g.F.NewBlock(), g.F.NewBlock()
	if g.R.IntN(4) == 0 {
		g.B.Branch(g.B.Append(ir.OpULe, ir.TypeBool, g.Limit, index), bad, on)
	} else {
		g.B.Branch(g.B.Append(ir.OpULt, ir.TypeBool, index, g.Limit), on, bad)
	}
	long := func(x *ir.Value) *ir.Value { return bad.Append(ir.OpUConvert, ir.TypeI64, x) }
	at := ir.Pos{File: "k.go", Line: 1 + len(g.M.Sites)}
	bad.Append(ir.OpFault, ir.TypeVoid, long(index), long(g.Limit), g.Word(0), g.Word(0), g.Word(0)).Aux = g.M.NewSite(abi.FaultIndex, at, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.B = on
}

// checkedHead writes loads at the start of a loop's first block, if the kernel has checks.
func (g *MemoryGen) checkedHead() {
	if g.Limit == nil {
		return
	}
	for range g.R.IntN(4) {
		x := g.Load(g.R.IntN(len(g.Addrs)), g.sixIndices())
		g.Set(g.Acc, g.Op(ir.OpIAdd, g.Op(ir.OpIMul, g.Get(g.Acc), g.Word(3)), x))
	}
}
