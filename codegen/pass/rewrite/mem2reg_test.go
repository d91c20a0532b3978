package rewrite_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestMem2regRandom(t *testing.T) {
	for seed := range passtest.Count() {
		g := passtest.RandomCFG(seed)
		err := passtest.Compare(g, func() { rewrite.Mem2Reg(g.M) })
		if err == nil && len(g.F.Vars) > 0 {
			err = fmt.Errorf("variables are left")
		}
		if err == nil {
			err = passtest.Verify(g.M)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, passtest.Show(g.F))
		}
	}
}

// A loop that stores back what it loaded needs no phi; one that loads nothing
// gets none.
func TestMem2regNoPhis(t *testing.T) {
	for _, again := range []bool{false, true} {
		f := passtest.NewMemFunc()
		v := f.Local(ir.TypeI32)
		out := f.M.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
		f.Store(v, f.N(5))
		if again {
			f.Store(out, f.Load(v, ir.TypeI32))
		}
		loop, end := f.F.NewBlock(), f.F.NewBlock()
		f.B.Jump(loop)
		f.B = loop
		if again {
			f.Store(v, f.Load(v, ir.TypeI32))
		} else {
			f.Store(v, f.N(6))
			f.Store(out, f.Load(v, ir.TypeI32))
		}
		c := f.B.Append(ir.OpINe, ir.TypeBool, f.Load(out, ir.TypeI32), f.N(0))
		f.B.Branch(c, loop, end)
		f.B = end
		f.Store(out, f.Load(v, ir.TypeI32))
		end.SetTerm(ir.Term{Kind: ir.Return})
		if left := f.Left(t); left != "" || len(loop.Phis) > 0 {
			t.Errorf("again %v: %q left\n%s", again, left, passtest.Show(f.F))
		}
	}
}
