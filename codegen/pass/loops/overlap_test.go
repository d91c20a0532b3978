package loops_test

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
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// overlapGen writes random kernels with loops over two slices of numbers, of which the number of
// rounds is only known when they run: it is the length of the fourth slice. Most loads have a
// check that the kernel faults by.
type overlapGen struct {
	*passtest.MemoryGen
	lens        [4]*ir.Value // of the slices, in 32 bits
	i, j, last  *ir.Var      // what the loop counts, another counter, what was loaded last
	exit        *ir.Block    // where a break leads
	stores      bool
	breaks, ifs int
}

func newOverlapGen(t *testing.T, seed uint64) *ir.Module {
	g := &overlapGen{MemoryGen: passtest.NewMemoryGen(t, seed)}
	g.M.UsesGroup = false
	for k := range g.lens {
		n := g.B.Append(ir.OpArg, ir.TypeI64)
		n.Bits = uint64(abi.OffsetArgs + 16*k + 8)
		g.lens[k] = g.B.Append(ir.OpUConvert, ir.TypeI32, n)
	}
	g.i, g.j, g.last = g.Variable(0), g.Variable(1), g.Variable(3)
	for range 1 + g.R.IntN(2) {
		g.rounds()
	}
	for _, v := range []*ir.Var{g.i, g.j, g.last} {
		g.mix(g.Get(v))
	}
	out := g.B.Append(ir.OpStore, ir.TypeVoid, g.Get(g.Acc), g.Addrs[2], g.Word(0), g.Word(0))
	out.Aux = &ir.Ref{Elem: g.Elems[2]}
	g.B.SetTerm(ir.Term{Kind: ir.Return})
	g.F.RemoveUnreachable()
	return g.M
}

func (g *overlapGen) mix(x *ir.Value) {
	g.Set(g.Acc, g.Op(ir.OpIAdd, g.Op(ir.OpIMul, g.Get(g.Acc), g.Word(5)), x))
}

func (g *overlapGen) grow(v *ir.Var, by *ir.Value) { g.Set(v, g.Op(ir.OpIAdd, g.Get(v), by)) }

// rounds makes a loop that is tested at its head or at its end, in one of two loops around it
// perhaps.
func (g *overlapGen) rounds() {
	head, body, exit := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	g.exit, g.stores, g.breaks, g.ifs = exit, g.R.IntN(4) == 0, 1, 1
	g.Set(g.i, g.Word(int64(g.R.IntN(2))))
	step := g.Word(int64(1 + g.R.IntN(2)))
	if g.R.IntN(4) == 0 {
		step = g.Op(ir.OpShrL, g.lens[0], g.Word(2)) // 1 or 2
	}
	on := func() *ir.Value { return g.B.Append(ir.OpSLt, ir.TypeBool, g.Get(g.i), g.lens[3]) }
	atHead := g.R.IntN(3) > 0
	g.B.Jump(head)
	if g.B = head; atHead {
		g.B.Branch(on(), body, exit)
	} else {
		g.B.Jump(body)
	}
	g.B = body
	for range 1 + g.R.IntN(4) {
		g.step()
	}
	g.grow(g.i, step)
	if g.R.IntN(2) == 0 {
		g.grow(g.j, g.Word(2))
	}
	if atHead {
		g.B.Jump(head)
	} else {
		g.B.Branch(on(), head, exit)
	}
	g.B = exit
}

// number returns an index: what counts, what was loaded, or next to it.
func (g *overlapGen) number() *ir.Value {
	switch g.R.IntN(7) {
	case 0:
		return g.Get(g.j)
	case 1:
		return g.Op(ir.OpIAdd, g.Get(g.i), g.Word(int64(g.R.IntN(3))-1))
	case 2, 3:
		return g.Get(g.last)
	case 4:
		return g.Op(ir.OpAnd, g.Get(g.last), g.Word(3))
	}
	return g.Get(g.i)
}

// element loads an element of the first or second slice. All have four.
func (g *overlapGen) element() *ir.Value {
	s, at := g.R.IntN(2), g.number()
	if g.R.IntN(5) == 0 {
		at = g.Op(ir.OpAnd, at, g.Word(3))
	} else {
		g.within(s, at)
	}
	l := g.B.Append(ir.OpLoad, ir.TypeI32, g.Addrs[s], at)
	l.Aux = &ir.Ref{Elem: ir.TypeI32}
	return l
}

// within has the kernel fault unless the index is in a slice.
func (g *overlapGen) within(slice int, index *ir.Value) {
	on, bad := g.F.NewBlock(), g.F.NewBlock()
	if g.R.IntN(6) == 0 {
		g.B.Branch(g.B.Append(ir.OpULe, ir.TypeBool, g.lens[slice], index), bad, on)
	} else {
		g.B.Branch(g.B.Append(ir.OpULt, ir.TypeBool, index, g.lens[slice]), on, bad)
	}
	long := func(x *ir.Value) *ir.Value { return bad.Append(ir.OpUConvert, ir.TypeI64, x) }
	at := ir.Pos{File: "k.go", Line: 1 + len(g.M.Sites)}
	bad.Append(ir.OpFault, ir.TypeVoid, long(index), long(g.lens[slice]), g.Word(0), g.Word(0), g.Word(0)).Aux = g.M.NewSite(abi.FaultIndex, at, "", false)
	bad.SetTerm(ir.Term{Kind: ir.Return})
	g.B = on
}

// step writes something that a round does.
func (g *overlapGen) step() {
	switch k := g.R.IntN(16); {
	case k < 10:
		x := g.element()
		g.Set(g.last, x)
		g.mix(x)
	case k < 12 && g.stores:
		s, at := g.R.IntN(2), g.Op(ir.OpAnd, g.number(), g.Word(3))
		g.B.Append(ir.OpStore, ir.TypeVoid, g.Op(ir.OpAnd, g.Get(g.Acc), g.Word(7)), g.Addrs[s], at).Aux = &ir.Ref{Elem: ir.TypeI32}
	case k < 14 && g.ifs > 0:
		g.ifs--
		yes, end := g.F.NewBlock(), g.F.NewBlock()
		g.B.Branch(g.B.Append(ir.OpSLt, ir.TypeBool, g.Op(ir.OpAnd, g.Get(g.Acc), g.Word(3)), g.Word(2)), yes, end)
		g.B = yes
		if g.R.IntN(3) == 0 {
			g.mix(g.element())
		} else {
			g.mix(g.Get(g.i))
		}
		g.B.Jump(end)
		g.B = end
	case k == 14 && g.breaks > 0:
		g.breaks--
		x := g.Get(g.i)
		if g.R.IntN(3) == 0 {
			x = g.Get(g.last)
		}
		on := g.F.NewBlock()
		g.B.Branch(g.B.Append(ir.OpIEq, ir.TypeBool, x, g.Word(int64(g.R.IntN(8)))), g.exit, on)
		g.B = on
	default:
		g.mix(g.Get(g.i))
	}
}

// TestOverlapRandom: random kernels leave the same memory and the same fault with and without
// overlap, and load nothing from outside of their slices, which are memory of their own, or
// overlap.
func TestOverlapRandom(t *testing.T) {
	const a, b, s, far = 1 << 20, 2 << 20, 3 << 20, 4 << 20
	changed, moved, faults, ends := 0, 0, 0, 0
	for seed := range passtest.Count() {
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
	t.Logf("%d kernels of %d changed; %d runs, %d faults, %d ends", changed, 2*passtest.Count(), moved, faults, ends)
	if changed*3 < int(passtest.Count()) || faults*20 < moved || ends*20 < moved {
		t.Errorf("overlap does next to nothing: %d kernels of %d changed; %d runs, %d faults, %d ends", changed, 2*passtest.Count(), moved, faults, ends)
	}
}
