package pass

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// overlapGen writes random kernels with loops over two slices of numbers, of which the number of
// rounds is only known when they run: it is the length of the fourth slice. Most loads have a
// check that the kernel faults by.
type overlapGen struct {
	*forwardGen
	lens        [4]*ir.Value // of the slices, in 32 bits
	i, j, last  *ir.Var      // what the loop counts, another counter, what was loaded last
	exit        *ir.Block    // where a break leads
	stores      bool
	breaks, ifs int
}

func newOverlapGen(t *testing.T, seed uint64) *ir.Module {
	g := &overlapGen{forwardGen: beginForwardGen(t, seed)}
	g.m.UsesGroup = false
	for k := range g.lens {
		n := g.b.Append(ir.OpArg, ir.TypeI64)
		n.Bits = uint64(abi.OffsetArgs + 16*k + 8)
		g.lens[k] = g.b.Append(ir.OpUConvert, ir.TypeI32, n)
	}
	g.i, g.j, g.last = g.variable(0), g.variable(1), g.variable(3)
	for range 1 + g.r.IntN(2) {
		g.rounds()
	}
	for _, v := range []*ir.Var{g.i, g.j, g.last} {
		g.mix(g.get(v))
	}
	out := g.b.Append(ir.OpStore, ir.TypeVoid, g.get(g.acc), g.addrs[2], g.word(0), g.word(0))
	out.Aux = &ir.Ref{Elem: g.elems[2]}
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	g.f.RemoveUnreachable()
	return g.m
}

func (g *overlapGen) mix(x *ir.Value) {
	g.set(g.acc, g.op(ir.OpIAdd, g.op(ir.OpIMul, g.get(g.acc), g.word(5)), x))
}

func (g *overlapGen) grow(v *ir.Var, by *ir.Value) { g.set(v, g.op(ir.OpIAdd, g.get(v), by)) }

// rounds makes a loop that is tested at its head or at its end, in one of two loops around it
// perhaps.
func (g *overlapGen) rounds() {
	head, body, exit := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.exit, g.stores, g.breaks, g.ifs = exit, g.r.IntN(4) == 0, 1, 1
	g.set(g.i, g.word(int64(g.r.IntN(2))))
	step := g.word(int64(1 + g.r.IntN(2)))
	if g.r.IntN(4) == 0 {
		step = g.op(ir.OpShrL, g.lens[0], g.word(2)) // 1 or 2
	}
	on := func() *ir.Value { return g.b.Append(ir.OpSLt, ir.TypeBool, g.get(g.i), g.lens[3]) }
	atHead := g.r.IntN(3) > 0
	g.b.Jump(head)
	if g.b = head; atHead {
		g.b.Branch(on(), body, exit)
	} else {
		g.b.Jump(body)
	}
	g.b = body
	for range 1 + g.r.IntN(4) {
		g.step()
	}
	g.grow(g.i, step)
	if g.r.IntN(2) == 0 {
		g.grow(g.j, g.word(2))
	}
	if atHead {
		g.b.Jump(head)
	} else {
		g.b.Branch(on(), head, exit)
	}
	g.b = exit
}

// number returns an index: what counts, what was loaded, or next to it.
func (g *overlapGen) number() *ir.Value {
	switch g.r.IntN(7) {
	case 0:
		return g.get(g.j)
	case 1:
		return g.op(ir.OpIAdd, g.get(g.i), g.word(int64(g.r.IntN(3))-1))
	case 2, 3:
		return g.get(g.last)
	case 4:
		return g.op(ir.OpAnd, g.get(g.last), g.word(3))
	}
	return g.get(g.i)
}

// element loads an element of the first or second slice. All have four.
func (g *overlapGen) element() *ir.Value {
	s, at := g.r.IntN(2), g.number()
	if g.r.IntN(5) == 0 {
		at = g.op(ir.OpAnd, at, g.word(3))
	} else {
		g.within(s, at)
	}
	l := g.b.Append(ir.OpLoad, ir.TypeI32, g.addrs[s], at)
	l.Aux = &ir.Ref{Elem: ir.TypeI32}
	return l
}

// within has the kernel fault unless the index is in a slice.
func (g *overlapGen) within(slice int, index *ir.Value) {
	on, bad := g.f.NewBlock(), g.f.NewBlock()
	if g.r.IntN(6) == 0 {
		g.b.Branch(g.b.Append(ir.OpULe, ir.TypeBool, g.lens[slice], index), bad, on)
	} else {
		g.b.Branch(g.b.Append(ir.OpULt, ir.TypeBool, index, g.lens[slice]), on, bad)
	}
	long := func(x *ir.Value) *ir.Value { return bad.Append(ir.OpUConvert, ir.TypeI64, x) }
	at := ir.Pos{File: "k.go", Line: 1 + len(g.m.Sites)}
	bad.Append(ir.OpFault, ir.TypeVoid, long(index), long(g.lens[slice]), g.word(0), g.word(0), g.word(0)).Aux = g.m.NewSite(abi.FaultIndex, at, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.b = on
}

// step writes something that a round does.
func (g *overlapGen) step() {
	switch k := g.r.IntN(16); {
	case k < 10:
		x := g.element()
		g.set(g.last, x)
		g.mix(x)
	case k < 12 && g.stores:
		s, at := g.r.IntN(2), g.op(ir.OpAnd, g.number(), g.word(3))
		g.b.Append(ir.OpStore, ir.TypeVoid, g.op(ir.OpAnd, g.get(g.acc), g.word(7)), g.addrs[s], at).Aux = &ir.Ref{Elem: ir.TypeI32}
	case k < 14 && g.ifs > 0:
		g.ifs--
		yes, end := g.f.NewBlock(), g.f.NewBlock()
		g.b.Branch(g.b.Append(ir.OpSLt, ir.TypeBool, g.op(ir.OpAnd, g.get(g.acc), g.word(3)), g.word(2)), yes, end)
		g.b = yes
		if g.r.IntN(3) == 0 {
			g.mix(g.element())
		} else {
			g.mix(g.get(g.i))
		}
		g.b.Jump(end)
		g.b = end
	case k == 14 && g.breaks > 0:
		g.breaks--
		x := g.get(g.i)
		if g.r.IntN(3) == 0 {
			x = g.get(g.last)
		}
		on := g.f.NewBlock()
		g.b.Branch(g.b.Append(ir.OpIEq, ir.TypeBool, x, g.word(int64(g.r.IntN(8)))), g.exit, on)
		g.b = on
	default:
		g.mix(g.get(g.i))
	}
}

// TestOverlapRandom: random kernels leave the same memory and the same fault with and without
// overlap, and load nothing from outside of their slices, which are memory of their own, or
// overlap.
func TestOverlapRandom(t *testing.T) {
	const a, b, s, far = 1 << 20, 2 << 20, 3 << 20, 4 << 20
	changed, moved, faults, ends := 0, 0, 0, 0
	for seed := range count() {
		was := newOverlapGen(t, seed)
		rewrite.Mem2Reg(was)
		simplify.Run(was)
		simplify.CSE(was)
		simplify.DCE(was)
		for _, noAlias := range []bool{false, true} {
			is := was.Clone()
			is.NoAlias = noAlias
			before := is.String()
			loops.Overlap(is)
			if err := ir.Verify(is); err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, is)
			}
			if is.String() != before {
				changed++
			} else if !noAlias {
				continue
			}
			for n := range uint64(12) {
				length := 5 + (n+seed)%4
				other := b + 0*seed
				if !noAlias && n%3 == 0 {
					other = a + 4*(n%2)
				}
				l := interp.Launch{Global: [3]uint32{1, 1, 1}}
				for k, at := range []uint64{a, other, s, far} {
					count := []uint64{length, length - n%2, 1, n}[k]
					l.Args = binary.LittleEndian.AppendUint64(l.Args, at)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, count)
					size := []uint64{4 * length, 4 * count, 12, 0}[k]
					if k == 3 || k == 1 && other != b {
						continue
					}
					data := make([]byte, size)
					for i := range data {
						if i%4 == 0 {
							data[i] = byte(uint64(i/4*7+k) + seed + n*3)
							data[i] %= byte(length) + byte(seed%2)
						}
					}
					l.Memory = append(l.Memory, interp.Region{Addr: at, Data: data})
				}
				if other != b && n%2 == 1 { // it ends where the first does
					binary.LittleEndian.PutUint64(l.Args[24:], length-1)
				}
				want, err := interp.Run(was, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, was)
				}
				got, err := interp.Run(is, l)
				if err != nil || !reflect.DeepEqual(got.Memory, want.Memory) || fmt.Sprint(got.Fault) != fmt.Sprint(want.Fault) {
					t.Fatalf("seed %d, %d rounds, NoAlias %v: %v, fault %v, want %v; before\n%v\nafter\n%v", seed, n, noAlias, err, got.Fault, want.Fault, was, is)
				}
				moved++
				if want.Fault != nil {
					faults++
				} else {
					ends++
				}
			}
		}
	}
	t.Logf("%d kernels of %d changed; %d runs, %d faults, %d ends", changed, 2*count(), moved, faults, ends)
	if changed*3 < int(count()) || faults*20 < moved || ends*20 < moved {
		t.Errorf("overlap does next to nothing: %d kernels of %d changed; %d runs, %d faults, %d ends", changed, 2*count(), moved, faults, ends)
	}
}
