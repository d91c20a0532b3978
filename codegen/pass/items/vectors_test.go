package items_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/items"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// vectorHead begins the kernels of this file: three slices that work-items have an element of, and
// one that all read. The elements of C are float32s in some kernels; in some all three have float64s
// or smaller integers.
const vectorHead = `module K built
form Range 1
items 1
args 72
param "A" Slice "[]int32" offset 0 size 16 host 0 elem 4 align 4 None
param "B" Slice "[]int32" offset 16 size 16 host 24 elem 4 align 4 None
param "C" Slice "[]float32" offset 32 size 16 host 48 elem 4 align 4 None
param "T" Slice "[]int32" offset 48 size 16 host 72 elem 4 align 4 None
param "N" Value "int" offset 64 size 8 host 96 elem 0 align 0 None
spec $LocalSizeX id 65536 = i32 1

kernel main {
b0:
	Return
}
`

// vectorGen writes random kernels whose work-items use their own elements of slices.
type vectorGen struct {
	r       *rand.Rand
	m       *ir.Module
	f       *ir.Func
	b       *ir.Block
	id, id8 *ir.Value // the work-item's id, in 32 and 64 bits
	addrs   [4]*ir.Value
	lens    [4]*ir.Value
	acc     *ir.Var
	checked [3]bool
	written [3]bool
	apart   int // branches around, which some items take
	elems   [3]*ir.Type
}

func newVectorGen(t *testing.T, seed uint64) *vectorGen {
	m, err := ir.Parse(vectorHead)
	if err != nil {
		t.Fatal(err)
	}
	g := &vectorGen{r: rand.New(rand.NewPCG(seed, 81)), m: m, f: m.Kernel, b: m.Kernel.Blocks[0]}
	g.elems = [3]*ir.Type{ir.TypeI32, ir.TypeI32, ir.TypeF32}
	switch g.r.IntN(12) {
	case 0, 1:
		g.elems = [3]*ir.Type{ir.TypeF64, ir.TypeF64, ir.TypeF64}
	case 2:
		g.elems[g.r.IntN(3)] = ir.TypeF64 // which makes no vectors, unless it is not used
	case 3, 4:
		g.elems = [3]*ir.Type{ir.TypeI16, ir.TypeI16, ir.TypeI16}
	case 5:
		g.elems = [3]*ir.Type{ir.TypeI8, ir.TypeI8, ir.TypeI8}
	case 6, 7: // of several sizes
		for s := range g.elems {
			g.elems[s] = []*ir.Type{ir.TypeI8, ir.TypeI16, ir.TypeI32}[g.r.IntN(3)]
		}
	}
	g.b.ClearTerm()
	g.acc = m.NewVar(g.f, ir.Function, "acc", ir.TypeI32)
	g.id = g.b.Append(ir.OpBuiltIn, ir.TypeI32)
	g.id.Aux = ir.GlobalInvocationIDX
	g.leave(g.b.Append(ir.OpULt, ir.TypeBool, g.id, g.arg(ir.TypeI32, abi.OffsetRange)), true)
	g.id8 = g.b.Append(ir.OpUConvert, ir.TypeI64, g.id)
	for k := range g.addrs {
		g.addrs[k] = g.arg(ir.TypeAddr, uint64(abi.OffsetArgs+16*k))
		g.lens[k] = g.arg(ir.TypeI64, uint64(abi.OffsetArgs+16*k+8))
	}
	g.set(g.id)
	for range 3 + g.r.IntN(8) {
		g.statement()
	}
	g.store(g.r.IntN(3))
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	return g
}

func (g *vectorGen) arg(t *ir.Type, off uint64) *ir.Value {
	v := g.b.Append(ir.OpArg, t)
	v.Bits = off
	return v
}

func (g *vectorGen) set(v *ir.Value) {
	g.b.Append(ir.OpStore, ir.TypeVoid, v).Aux = &ir.Ref{Var: g.acc}
}

func (g *vectorGen) get() *ir.Value {
	v := g.b.Append(ir.OpLoad, ir.TypeI32)
	v.Aux = &ir.Ref{Var: g.acc}
	return v
}

func (g *vectorGen) word(n int64) *ir.Value { return g.m.Int(ir.TypeI32, n) }

func (g *vectorGen) op(op ir.Op, args ...*ir.Value) *ir.Value {
	return g.b.Append(op, ir.TypeI32, args...)
}

func (g *vectorGen) mix(x *ir.Value) {
	g.set(g.op(ir.OpIAdd, g.op(ir.OpIMul, g.get(), g.word(5)), x))
}

// leave has work-items return for which the condition is not what it is to be.
func (g *vectorGen) leave(c *ir.Value, want bool) { g.check(c, want, nil) }

// check has work-items fault, or return if fault is nil.
func (g *vectorGen) check(c *ir.Value, want bool, fault *ir.Value) {
	on, bad := g.f.NewBlock(), g.f.NewBlock()
	if want {
		g.b.Branch(c, on, bad)
	} else {
		g.b.Branch(c, bad, on)
	}
	if fault != nil {
		at := ir.Pos{File: "k.go", Line: 1 + len(g.m.Sites)}
		bad.Append(ir.OpFault, ir.TypeVoid, g.id8, fault, g.id, g.word(0), g.word(0)).Aux = g.m.NewSite(abi.FaultIndex, at, "", false)
	}
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.b = on
}

// within has work-items leave whose element a slice does not have.
func (g *vectorGen) within(s int) {
	if g.checked[s] {
		return
	}
	g.checked[s] = g.apart == 0
	n, bad := g.lens[s], g.lens[s]
	if g.r.IntN(8) == 0 {
		bad = nil
	}
	is := func(op ir.Op, x, y *ir.Value) *ir.Value { return g.b.Append(op, ir.TypeBool, x, y) }
	short := g.op(ir.OpUConvert, n)
	switch g.r.IntN(7) {
	case 0:
		g.check(is(ir.OpSLt, g.id8, n), true, bad)
	case 1:
		g.check(is(ir.OpULe, n, g.id8), false, bad)
	case 2:
		g.check(is(ir.OpSLe, short, g.id), false, bad)
	case 3:
		g.check(is(ir.OpSLe, g.id8, g.b.Append(ir.OpISub, ir.TypeI64, n, g.m.Int(ir.TypeI64, 1))), true, bad)
	case 4:
		more := g.b.Append(ir.OpLOr, ir.TypeBool, is(ir.OpULe, n, g.id8), is(ir.OpSLe, g.arg(ir.TypeI64, abi.OffsetArgs+64), g.id8))
		g.check(more, false, bad)
	default:
		g.check(is(ir.OpULt, g.id8, n), true, bad)
	}
}

// access loads or stores the item's element.
func (g *vectorGen) access(op ir.Op, t *ir.Type, s int, args ...*ir.Value) *ir.Value {
	index := g.id
	if g.r.IntN(3) == 0 {
		index = g.id8
	}
	elem := g.elems[s]
	if t != ir.TypeVoid {
		t = elem
	}
	v := g.b.Append(op, t, append(args, g.addrs[s], index)...)
	v.Aux = &ir.Ref{Elem: elem}
	return v
}

func (g *vectorGen) load(s int) {
	g.within(s)
	x := g.access(ir.OpLoad, ir.TypeI32, s)
	switch g.elems[s] {
	case ir.TypeI8, ir.TypeI16:
		x = g.op(ir.OpUConvert, x)
	case ir.TypeF32:
		x = g.op(ir.OpBitcast, x)
	case ir.TypeF64:
		x = g.b.Append(ir.OpBitcast, ir.TypeI64, x)
		x = g.op(ir.OpXor, g.op(ir.OpUConvert, x), g.op(ir.OpUConvert, g.b.Append(ir.OpShrL, ir.TypeI64, x, g.m.Int(ir.TypeI64, 32))))
	}
	g.mix(x)
}

func (g *vectorGen) store(s int) {
	g.within(s)
	g.written[s] = true
	x := g.get()
	switch g.elems[s] {
	case ir.TypeI8, ir.TypeI16:
		x = g.b.Append(ir.OpUConvert, g.elems[s], x)
	case ir.TypeF32:
		x = g.b.Append(ir.OpBitcast, ir.TypeF32, x)
	case ir.TypeF64:
		x = g.b.Append(ir.OpUConvert, ir.TypeI64, x)
		x = g.b.Append(ir.OpOr, ir.TypeI64, x, g.b.Append(ir.OpShl, ir.TypeI64, x, g.m.Int(ir.TypeI64, 32)))
		x = g.b.Append(ir.OpBitcast, ir.TypeF64, x)
	}
	g.access(ir.OpStore, ir.TypeVoid, s, x)
}

// move stores an element as it was loaded.
func (g *vectorGen) move(from, to int) {
	if g.elems[from] != g.elems[to] {
		return
	}
	g.within(from)
	g.within(to)
	g.written[to] = true
	g.access(ir.OpStore, ir.TypeVoid, to, g.access(ir.OpLoad, ir.TypeI32, from))
}

// statement writes something that a work-item does.
func (g *vectorGen) statement() {
	switch k := g.r.IntN(40); {
	case k < 14:
		g.load(g.r.IntN(3))
	case k < 22:
		g.store(g.r.IntN(3))
	case k < 24:
		g.mix(g.id)
	case k < 26:
		g.move(g.r.IntN(3), g.r.IntN(3))
	case k < 29: // what all load
		if g.r.IntN(3) == 0 {
			g.check(g.b.Append(ir.OpINe, ir.TypeBool, g.lens[3], g.m.Int(ir.TypeI64, 0)), true, g.lens[3])
		}
		v := g.op(ir.OpLoad, g.addrs[3], g.op(ir.OpAnd, g.op(ir.OpUConvert, g.lens[0]), g.word(3)))
		v.Aux = &ir.Ref{Elem: ir.TypeI32}
		g.mix(v)
	case k < 30: // what each loads somewhere
		v := g.op(ir.OpLoad, g.addrs[3], g.op(ir.OpAnd, g.get(), g.word(3)))
		v.Aux = &ir.Ref{Elem: ir.TypeI32}
		g.mix(v)
	case k < 31 && g.apart == 0: // what some fault by
		g.check(g.b.Append(ir.OpIEq, ir.TypeBool, g.op(ir.OpAnd, g.get(), g.word(15)), g.word(3)), false, g.lens[3])
	case k < 37 && g.apart < 2:
		g.branch()
	case k < 38 && g.apart == 0:
		g.leave(g.b.Append(ir.OpSLt, ir.TypeBool, g.op(ir.OpAnd, g.get(), g.word(7)), g.word(6)), g.r.IntN(2) == 0)
	default:
		g.set(g.op(ir.OpXor, g.get(), g.op(ir.OpShl, g.get(), g.word(3))))
	}
}

// branch writes what some work-items do, and others do not or do otherwise.
func (g *vectorGen) branch() {
	yes, no, end := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	c := g.b.Append(ir.OpSLt, ir.TypeBool, g.op(ir.OpAnd, g.get(), g.word(7)), g.word(int64(g.r.IntN(8))))
	switch n := g.arg(ir.TypeI64, abi.OffsetArgs+64); g.r.IntN(8) {
	case 0: // the same for all
		c = g.b.Append(ir.OpULt, ir.TypeBool, g.lens[0], g.lens[1])
	case 1:
		c = g.b.Append(ir.OpSLt, ir.TypeBool, g.id8, n)
	case 2:
		c = g.b.Append(ir.OpSLe, ir.TypeBool, n, g.id8)
	case 3:
		c = g.b.Append(ir.OpIEq, ir.TypeBool, n, g.id8)
	}
	if g.r.IntN(3) == 0 {
		g.b.Branch(c, yes, end)
	} else {
		g.b.Branch(c, yes, no)
		g.b = no
		g.mix(g.word(7))
		no.Jump(end)
	}
	g.b = yes
	g.apart++
	for range 1 + g.r.IntN(2) {
		if g.r.IntN(4) == 0 {
			g.statement()
		} else {
			g.mix(g.word(3))
		}
	}
	g.apart--
	g.b.Jump(end)
	g.b = end
}

// launch makes a launch: slices that are aligned or not, as long as the range or not, and the same
// memory or not.
func (g *vectorGen) launch(r *rand.Rand) interp.Launch {
	n, local := 1+r.Uint32N(90), 1+r.Uint32N(4)
	l := interp.Launch{Global: [3]uint32{n, 1, 1}, Local: [3]uint32{local, 1, 1}, Specs: map[uint32]uint64{abi.SpecLocalSizeX: uint64(local)}}
	fill := func(at, size uint64) {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
			if i%4 == 3 {
				data[i] &= 0x3f // no NaNs
			}
		}
		l.Memory = append(l.Memory, interp.Region{Addr: at, Data: data})
	}
	var bases, lens [4]uint64
	sizes := [4]uint64{3: 4}
	for s := range bases {
		if s < 3 {
			sizes[s] = uint64(g.elems[s].Size)
		}
		bases[s], lens[s] = uint64(s+1)<<20, uint64(n)+uint64(r.IntN(4))
		if r.IntN(6) == 0 {
			bases[s] += sizes[s] * uint64(1+r.IntN(3))
		}
		if r.IntN(6) == 0 {
			lens[s] = uint64(r.Uint32N(n + 1))
		}
	}
	lens[3] = 4
	how := r.IntN(4)
	if how < 3 && sizes[1] == sizes[0] && (how < 2 || !g.written[0] && !g.written[1]) {
		bases[1] = bases[0] + uint64(how/2*r.IntN(6))*sizes[0]
	}
	if how == 1 && sizes[2] == sizes[0] {
		bases[2] = bases[0]
	}
	for s := range bases {
		at, end := bases[s], bases[s]
		if at>>20 != uint64(s+1) {
			continue // it lies in another one
		}
		for k := range bases {
			if bases[k]>>20 == at>>20 {
				end = max(end, bases[k]+sizes[k]*lens[k])
			}
		}
		if end > at {
			fill(at, (end-at+3)/4*4)
		}
	}
	if r.IntN(8) == 0 {
		lens[3] = 0 // there is memory all the same
	}
	for s := range bases {
		l.Args = binary.LittleEndian.AppendUint64(l.Args, bases[s])
		l.Args = binary.LittleEndian.AppendUint64(l.Args, lens[s])
	}
	l.Args = binary.LittleEndian.AppendUint64(l.Args, uint64(n)+uint64(r.IntN(6))-2)
	return l
}

// TestVectorsRandom: random kernels leave the same memory if work-groups may access it by vectors as
// they do without coarsening, and the same fault as in a coarsened kernel without vectors. The
// interpreter fails where a vector is not aligned or not in memory of the launch.
func TestVectorsRandom(t *testing.T) {
	changed, runs, fast, slow, faults := 0, 0, 0, 0, 0
	for seed := range passtest.Count() {
		g := newVectorGen(t, seed)
		was := g.m
		rewrite.Mem2Reg(was)
		simplify.Clean(was)
		is := was.Clone()
		if seed%2 == 0 {
			checks.Gather(is)
		}
		items.Coarsen(is)
		if is.Items == 1 {
			continue
		}
		if err := ir.Verify(is); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, is)
		}
		if is.Kernel.Blocks[0].Term.Kind != ir.Branch {
			continue
		}
		changed++
		without := is.Clone()
		without.Kernel.Blocks[0].Term.Cond = without.Bool(false)
		r := rand.New(rand.NewPCG(seed, 82))
		for range 12 {
			l := g.launch(r)
			want, err := interp.Run(was, l)
			if err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, was)
			}
			plain, err := interp.Run(without, l)
			if err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, without)
			}
			vectors := 0
			l.Accessed = func(id [3]uint32, v *ir.Value, addr uint64) {
				if v.Type.IsVector() || v.Op == ir.OpStore && v.Args[0].Type.IsVector() {
					vectors++
				}
			}
			got, err := interp.Run(is, l)
			if err != nil || !reflect.DeepEqual(got.Memory, want.Memory) || fmt.Sprint(got.Fault) != fmt.Sprint(plain.Fault) {
				t.Fatalf("seed %d, range %d, group %d: %v, fault %v, want %v; before\n%v\nafter\n%v", seed, l.Global[0], l.Local[0], err, got.Fault, plain.Fault, was, is)
			}
			runs++
			if vectors > 0 {
				fast++
			} else {
				slow++
			}
			if want.Fault != nil {
				faults++
			}
		}
	}
	t.Logf("%d kernels of %d changed; %d runs, %d with vectors, %d without, %d faults", changed, passtest.Count(), runs, fast, slow, faults)
	if changed*8 < int(passtest.Count()) || fast*8 < runs || slow*8 < runs || faults*20 < runs {
		t.Errorf("next to nothing is tested: %d kernels of %d changed; %d runs, %d with vectors, %d without, %d faults", changed, passtest.Count(), runs, fast, slow, faults)
	}
}
