package pass

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// forwardHead begins the kernels of this file: two slices of numbers, one of structs and one
// of bytes.
const forwardHead = `module K built
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

// forwardGen writes random kernels that store to and load from a few elements of a few
// slices, in branches and loops.
type forwardGen struct {
	r     *rand.Rand
	m     *ir.Module
	f     *ir.Func
	b     *ir.Block
	addrs []*ir.Value
	elems []*ir.Type
	own   []*ir.Var  // the work-item's arrays that stand for the slices, if there are any
	acc   *ir.Var    // what everything goes into
	at    [2]*ir.Var // indexes
	limit *ir.Value  // what indexes that are checked are below, or nil if none is
	left  int
}

func newForwardGen(t *testing.T, seed uint64) *forwardGen {
	g := beginForwardGen(t, seed)
	g.statements(0)
	return g.end()
}

// beginForwardGen returns a generator that has written no statements yet.
func beginForwardGen(t *testing.T, seed uint64) *forwardGen {
	m, err := ir.Parse(forwardHead)
	if err != nil {
		t.Fatal(err)
	}
	g := &forwardGen{r: rand.New(rand.NewPCG(seed, 7)), m: m, f: m.Kernel, b: m.Kernel.Blocks[0], left: 24}
	g.b.ClearTerm()
	s := m.StructOf([]ir.Field{{Name: "x", Type: ir.TypeI32}, {Name: "y", Type: m.ArrayOf(ir.TypeI32, g.word(2)), Offset: 4}}, 12, 4)
	g.elems = []*ir.Type{ir.TypeI32, ir.TypeI32, s, ir.TypeI8}
	for i := range g.elems {
		a := g.b.Append(ir.OpArg, ir.TypeAddr)
		a.Bits = uint64(24 + 16*i)
		g.addrs = append(g.addrs, a)
	}
	g.acc = g.variable(1)
	g.at[0], g.at[1] = g.variable(0), g.variable(2)
	return g
}

// end ends the kernel.
func (g *forwardGen) end() *forwardGen {
	out := g.b.Append(ir.OpStore, ir.TypeVoid, g.get(g.acc), g.addrs[0], g.word(5))
	out.Aux = &ir.Ref{Elem: g.elems[0]}
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	g.f.RemoveUnreachable()
	return g
}

func (g *forwardGen) word(n int64) *ir.Value { return g.m.Int(ir.TypeI32, n) }

func (g *forwardGen) op(op ir.Op, args ...*ir.Value) *ir.Value {
	return g.b.Append(op, ir.TypeI32, args...)
}

func (g *forwardGen) variable(is int64) *ir.Var {
	v := g.m.NewVar(g.f, ir.Function, "v", ir.TypeI32)
	g.set(v, g.word(is))
	return v
}

func (g *forwardGen) get(v *ir.Var) *ir.Value {
	l := g.op(ir.OpLoad)
	l.Aux = &ir.Ref{Var: v}
	return l
}

func (g *forwardGen) set(v *ir.Var, x *ir.Value) {
	g.b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
}

// index returns one of six indexes, and one of the values that may have it.
func (g *forwardGen) index() *ir.Value {
	switch g.r.IntN(4) {
	case 0:
		return g.word(int64(g.r.IntN(5)))
	case 1:
		return g.op(ir.OpIAdd, g.get(g.at[g.r.IntN(2)]), g.word(int64(1+g.r.IntN(2))))
	}
	return g.get(g.at[g.r.IntN(2)])
}

// path returns the slice's address, an index, and a path to a number.
func (g *forwardGen) path(slice int, index *ir.Value) []*ir.Value {
	p := []*ir.Value{g.addrs[slice], index}
	if g.elems[slice].Kind == ir.Struct {
		field := g.word(int64(g.r.IntN(2)))
		if p = append(p, field); field.Bits == 1 {
			i := g.word(int64(g.r.IntN(2)))
			if g.r.IntN(2) == 0 {
				i = g.op(ir.OpAnd, g.get(g.at[0]), g.word(1))
			}
			p = append(p, i)
		}
	}
	return p
}

func (g *forwardGen) load(slice int, index *ir.Value) *ir.Value {
	if g.own != nil {
		return g.loadOwn(g.own[slice%len(g.own)], index)
	}
	g.check(index)
	l := g.b.Append(ir.OpLoad, ir.TypeI32, g.path(slice, index)...)
	l.Aux = &ir.Ref{Elem: g.elems[slice]}
	if g.elems[slice] == ir.TypeI8 {
		l.Type = ir.TypeI8
		return g.op(ir.OpSConvert, l)
	}
	return l
}

func (g *forwardGen) store(slice int, index, x *ir.Value) {
	if g.own != nil {
		g.storeOwn(g.own[slice%len(g.own)], index, x)
		return
	}
	if g.elems[slice] == ir.TypeI8 {
		x = g.b.Append(ir.OpUConvert, ir.TypeI8, x)
	}
	g.b.Append(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, g.path(slice, index)...)...).Aux = &ir.Ref{Elem: g.elems[slice]}
}

// slice picks the first slice mostly, so that places are met again.
func (g *forwardGen) slice() int { return max(0, g.r.IntN(2*len(g.addrs))-len(g.addrs)) }

func (g *forwardGen) statements(depth int) {
	for range 2 + g.r.IntN(4) {
		if g.left--; g.left < 0 {
			return
		}
		switch k := g.r.IntN(12); {
		case k < 4:
			x := g.load(g.slice(), g.index())
			g.set(g.acc, g.op(ir.OpIAdd, g.op(ir.OpIMul, g.get(g.acc), g.word(5)), x))
		case k < 8:
			g.store(g.slice(), g.index(), g.op(ir.OpXor, g.get(g.acc), g.word(int64(g.left))))
		case k == 8:
			g.set(g.at[g.r.IntN(2)], g.op(ir.OpAnd, g.get(g.acc), g.word(3)))
		case g.own != nil && k == 9:
			g.whole()
		case depth > 2:
		case k < 11:
			g.choice(depth)
		default:
			g.loop(depth)
		}
	}
}

func (g *forwardGen) choice(depth int) {
	yes, no, end := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	is := g.b.Append(ir.OpIEq, ir.TypeBool, g.op(ir.OpAnd, g.get(g.acc), g.word(1)), g.word(0))
	g.b.Branch(is, yes, no)
	g.b = yes
	g.statements(depth + 1)
	g.b.Jump(end)
	if g.b = no; g.r.IntN(2) == 0 {
		g.statements(depth + 1)
	}
	g.b.Jump(end)
	g.b = end
}

// loop makes a loop of some rounds, which is left from its head or its end.
func (g *forwardGen) loop(depth int) {
	n := g.variable(0)
	head, body, end := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	g.b = head
	g.checkedHead()
	first := g.r.IntN(2) == 0
	if g.r.IntN(2) == 0 {
		g.statements(depth + 1)
	}
	if !first {
		g.b.Jump(body)
	} else {
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.get(n), g.word(3)), body, end)
	}
	g.b = body
	g.statements(depth + 1)
	g.set(n, g.op(ir.OpIAdd, g.get(n), g.word(1)))
	if g.r.IntN(3) == 0 {
		g.set(g.at[0], g.op(ir.OpAnd, g.get(n), g.word(3)))
	}
	if first {
		g.b.Jump(head)
	} else {
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.get(n), g.word(3)), head, end)
	}
	g.b = end
}

// deviceAccesses counts the loads and stores of device memory.
func deviceAccesses(m *ir.Module) (loads, stores int) {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && r.Var == nil {
				switch v.Op {
				case ir.OpLoad:
					loads++
				case ir.OpStore:
					stores++
				}
			}
		}
	}
	return loads, stores
}

// TestForwardRandom: random kernels leave the same memory with and without forward, where
// their slices are apart, and where they overlap, which NoAlias rules out.
func TestForwardRandom(t *testing.T) {
	type layout [4]uint64 // where the slices begin
	apart := layout{0, 100, 200, 300}
	layouts := []layout{apart, {0, 0, 0, 0}, {0, 4, 8, 3}, {4, 0, 4, 21}}
	before, after, stores, storesAfter := 0, 0, 0, 0
	for seed := range count() {
		was := newForwardGen(t, seed).m
		rewrite.Mem2Reg(was)
		simplify.Run(was)
		simplify.CSE(was)
		simplify.DCE(was)
		n, s := deviceAccesses(was)
		before, stores = before+n, stores+s
		for _, noAlias := range []bool{false, true} {
			is := was.Clone()
			is.NoAlias = noAlias
			memory.Forward(is)
			if err := ir.Verify(is); err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, is)
			}
			if n, s := deviceAccesses(is); !noAlias {
				after, storesAfter = after+n, storesAfter+s
			}
			for _, at := range layouts {
				if noAlias && at != apart {
					continue
				}
				l := interp.Launch{Global: [3]uint32{1, 1, 1}, Memory: []interp.Region{{Addr: 1 << 20, Data: make([]byte, 400)}}}
				for i := range l.Memory[0].Data {
					l.Memory[0].Data[i] = byte(i*i + 3)
				}
				for _, a := range at {
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 1<<20+a)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 6)
				}
				want, err := interp.Run(was, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, was)
				}
				got, err := interp.Run(is, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, is)
				}
				if !bytes.Equal(got.Memory[0].Data, want.Memory[0].Data) {
					t.Fatalf("seed %d, slices at %v, NoAlias %v: before\n%v\nafter\n%v", seed, at, noAlias, was, is)
				}
			}
		}
	}
	t.Logf("%d of %d loads and %d of %d stores are left", after, before, storesAfter, stores)
	if after*20 > before*19 || storesAfter == stores {
		t.Errorf("forward does next to nothing: %d of %d loads and %d of %d stores are left", after, before, storesAfter, stores)
	}
}
