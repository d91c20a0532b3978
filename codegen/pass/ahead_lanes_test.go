package pass

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/loops"
)

// TestAheadTogether has all work-items of a group leave together in a loop of which the
// checks of some can be made ahead: after it stands a division, which how often they
// meet depends on, by what is not zero for those that are left. Dead lanes must not come
// to it where nobody is.
func TestAheadTogether(t *testing.T) {
	for _, fault := range []bool{true, false} {
		build := func() *laneGen {
			g := newLaneGen(0)
			f := g.f
			f.Vars = nil
			g.b = f.Blocks[0]
			g.b.ClearTerm()
			g.b.Insts = nil
			f.Blocks = f.Blocks[:1]
			arg := func(i int) *ir.Value {
				v := g.op(ir.OpArg)
				v.Bits = abi.OffsetArgs + 4*uint64(i)
				return v
			}
			d, n := arg(0), g.op(ir.OpAnd, arg(1), g.n(15))
			id := g.op(ir.OpBuiltIn)
			id.Aux = ir.LocalInvocationIDX
			id = g.op(ir.OpAnd, id, g.n(7))
			first := g.b
			head, pass, next, out := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
			leave := func() *ir.Block {
				b := f.NewBlock()
				g.b = b
				g.leave()
				if last := len(b.Insts) - 1; b.Insts[last].Op != ir.OpFault {
					v := b.Append(ir.OpFault, ir.TypeVoid, g.m.Int(ir.TypeI64, g.events), g.m.Int(ir.TypeI64, 0), g.n(0), g.n(0), g.n(0))
					v.Aux = g.m.NewSite(1, ir.Pos{File: "k.go", Line: int(g.events)}, "", false)
				}
				return b
			}
			quit := leave()
			if !fault {
				quit.Insts = quit.Insts[:1]
			}
			bad := leave()
			first.Jump(head)
			g.b = head
			j := head.NewPhi(ir.TypeI32, g.n(0))
			head.Branch(g.op(ir.OpULt, g.op(ir.OpIMul, j, id), n), pass, bad)
			g.b = pass
			pass.Branch(g.op(ir.OpINe, d, g.n(0)), next, quit)
			g.b = next
			j.Args = append(j.Args, g.op(ir.OpIAdd, j, g.n(1)))
			next.Branch(g.op(ir.OpULt, j.Args[1], g.n(3)), head, out)
			g.b = out
			times := g.op(ir.OpAnd, g.op(ir.OpUDiv, g.n(12), d), g.n(3))
			again, meet, end := f.NewBlock(), f.NewBlock(), f.NewBlock()
			out.Jump(again)
			g.b = again
			k := again.NewPhi(ir.TypeI32, g.n(0))
			again.Branch(g.op(ir.OpULt, k, times), meet, end)
			g.b = meet
			meet.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
			g.event()
			k.Args = append(k.Args, g.op(ir.OpIAdd, k, g.n(1)))
			meet.Jump(again)
			end.SetTerm(ir.Term{Kind: ir.Return})
			if err := ir.Verify(g.m); err != nil {
				t.Fatalf("%v\n%v", err, g.m)
			}
			return g
		}
		plain, g := build(), build()
		text := g.m.String()
		loops.Ahead(g.m, nil)
		for _, m := range []*ir.Module{plain.m, g.m} {
			if ds := lanes.DeadLanes(m); len(ds) > 0 {
				t.Fatal(ds)
			}
		}
		for _, args := range [][]uint64{{1, 15}, {5, 15}, {5, 4}, {5, 0}, {0, 15}, {0, 4}, {0, 0}} {
			run := func(g *laneGen) ([][]uint64, error) {
				m := &laneMachine{f: g.f, out: g.out, in: g.in, size: 5, limit: 4000, args: args, strict: true}
				return m.run()
			}
			want, err := run(plain)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := run(g); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("fault %v, args %v: %v\n got %v\nwant %v\n%s\n%v", fault, args, err, got, want, text, g.m)
			}
		}
	}
}
