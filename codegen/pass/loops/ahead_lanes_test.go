package loops_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestAheadTogether has all work-items of a group leave together in a loop of which the
// checks of some can be made ahead: after it stands a division, which how often they
// meet depends on, by what is not zero for those that are left. Dead lanes must not come
// to it where nobody is.
func TestAheadTogether(t *testing.T) {
	for _, fault := range []bool{true, false} {
		build := func() *passtest.LaneGen {
			g := passtest.NewLaneGen(0)
			f := g.F
			f.Vars = nil
			g.B = f.Blocks[0]
			g.B.ClearTerm()
			g.B.Insts = nil
			f.Blocks = f.Blocks[:1]
			arg := func(i int) *ir.Value {
				v := g.Op(ir.OpArg)
				v.Bits = abi.OffsetArgs + 4*uint64(i)
				return v
			}
			d, n := arg(0), g.Op(ir.OpAnd, arg(1), g.N(15))
			id := g.Op(ir.OpBuiltIn)
			id.Aux = ir.LocalInvocationIDX
			id = g.Op(ir.OpAnd, id, g.N(7))
			first := g.B
			head, pass, next, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
			leave := func() *ir.Block {
				b := f.NewBlock()
				g.B = b
				g.Leave()
				if last := len(b.Insts) - 1; b.Insts[last].Op != ir.OpFault {
					v := b.Append(ir.OpFault, ir.TypeVoid, g.M.Int(ir.TypeI64, g.Events), g.M.Int(ir.TypeI64, 0), g.N(0), g.N(0), g.N(0))
					v.Aux = g.M.NewSite(1, ir.Pos{File: "k.go", Line: int(g.Events)}, "", false)
				}
				return b
			}
			quit := leave()
			if !fault {
				quit.Insts = quit.Insts[:1]
			}
			bad := leave()
			first.Jump(head)
			g.B = head
			j := head.NewPhi(ir.TypeI32, g.N(0))
			head.Branch(g.Op(ir.OpULt, g.Op(ir.OpIMul, j, id), n), pass, bad)
			g.B = pass
			pass.Branch(g.Op(ir.OpINe, d, g.N(0)), next, quit)
			g.B = next
			j.Args = append(j.Args, g.Op(ir.OpIAdd, j, g.N(1)))
			next.Branch(g.Op(ir.OpULt, j.Args[1], g.N(3)), head, out)
			g.B = out
			times := g.Op(ir.OpAnd, g.Op(ir.OpUDiv, g.N(12), d), g.N(3))
			again, meet, end := f.NewBlock(), f.NewBlock(), f.NewBlock()
			out.Jump(again)
			g.B = again
			k := again.NewPhi(ir.TypeI32, g.N(0))
			again.Branch(g.Op(ir.OpULt, k, times), meet, end)
			g.B = meet
			meet.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
			g.Event()
			k.Args = append(k.Args, g.Op(ir.OpIAdd, k, g.N(1)))
			meet.Jump(again)
			end.SetTerm(ir.Term{Kind: ir.Return})
			if err := ir.Verify(g.M); err != nil {
				t.Fatalf("%v\n%v", err, g.M)
			}
			return g
		}
		plain, g := build(), build()
		text := g.M.String()
		loops.Ahead(g.M, nil)
		for _, m := range []*ir.Module{plain.M, g.M} {
			if ds := lanes.DeadLanes(m); len(ds) > 0 {
				t.Fatal(ds)
			}
		}
		for _, args := range [][]uint64{{1, 15}, {5, 15}, {5, 4}, {5, 0}, {0, 15}, {0, 4}, {0, 0}} {
			run := func(g *passtest.LaneGen) ([][]uint64, error) {
				m := &passtest.LaneMachine{F: g.F, Out: g.Out, In: g.In, Size: 5, Limit: 4000, Args: args, Strict: true}
				return m.Run()
			}
			want, err := run(plain)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := run(g); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("fault %v, args %v: %v\n got %v\nwant %v\n%s\n%v", fault, args, err, got, want, text, g.M)
			}
		}
	}
}

// TestAheadLanesRandom does so with ahead, too, on fewer kernels, with loops that have checks.
func TestAheadLanesRandom(t *testing.T) {
	passtest.CompareLanes(t, passtest.Count()/3, true, func(m *ir.Module) {
		loops.Ahead(m, nil)
	})
	passtest.CompareLanes(t, passtest.Count()/3, true, func(m *ir.Module) {
		loops.Ahead(m, nil)
		loops.Unroll(m)
		numbers.Narrow(m, nil)
		checks.Gather(m)
	})
}
