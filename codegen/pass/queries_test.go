package pass_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/items"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestQueriesOnlyAsk: analyses leave the module that they look at alone, its constants and the
// number of its next value included, on which the words of later passes depend.
func TestQueriesOnlyAsk(t *testing.T) {
	decided := 0
	ask := func(name string, m *ir.Module) {
		// Those who ask may have left a block that nothing leads to.
		m.Kernel.NewBlock().SetTerm(ir.Term{Kind: ir.Return})
		before, text := m.Len(), m.Text(ir.PrintOptions{Positions: true})
		check := func(query string) {
			t.Helper()
			if after := m.Len(); after != before {
				t.Errorf("%s: %s makes %d values", name, query, after-before)
				before = after
			}
			if m.Text(ir.PrintOptions{Positions: true}) != text {
				t.Fatalf("%s: %s changes the module", name, query)
			}
		}
		structurize.CheckReducible(m)
		check("CheckReducible")
		uniform.CommonBranches(m)
		check("CommonBranches")
		items.Brief(m)
		loops.HasLoop(m)
		loops.CanLeave(m)
		check("asking for loops")
		loops.Lingers(m)
		check("Lingers")
		u := uniform.Of(m.Kernel)
		u.Check()
		u.Provisos()
		check("uniformity")
		for _, small := range []bool{false, true} {
			m.Target.Small = small
			d := checks.NewDecider(m, nil, nil)
			for _, b := range d.Ranges.Dom.Order {
				for _, v := range b.Insts {
					if v.Type == ir.TypeBool {
						if known, _, _ := d.Decide(v, b); known {
							decided++
						}
					}
					if v.Op == ir.OpFault {
						for _, p := range b.Preds {
							if p.Term.Kind == ir.Branch {
								pass.WhyOpen(d, v, p)
							}
						}
					}
				}
			}
			check("deciding conditions")
		}
	}
	files, err := filepath.Glob("*/testdata/*.ir")
	if err != nil || len(files) < 30 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ir.Parse(string(src))
		if err != nil {
			t.Fatal(err)
		}
		if m.Level == ir.Built {
			ask(file, m)
		}
	}
	for seed := range uint64(20) {
		ask("checks", passtest.NewCheckGen(seed).M)
		ask("nests", passtest.NewNestGen(seed).M)
		ask("lanes", passtest.NewLaneGen(seed).M)
	}
	if decided < 20 {
		t.Errorf("only %d conditions were decided", decided)
	}
}

// TestCommon has a loop that work-items leave in different iterations, and after it a loop that they run together.
func TestCommon(t *testing.T) {
	m, err := ir.Parse(`module t built
form NDRange 1
items 1
args 16
group

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = Arg i32 24
	Jump b1
b1: preds b0, b2
	%2 = Phi i32 [%0 b0, %4 b2]
	%3 = ULt bool %2, i32 256
	Branch %3, b2, b3
b2: preds b1
	%4 = IAdd i32 %2, i32 32
	Jump b1
b3: preds b1, b4
	%5 = Phi i32 [i32 0 b1, %7 b4]
	%6 = ULt bool %5, %1
	Branch %6, b4, b5
b4: preds b3
	Barrier WorkGroup
	%7 = IAdd i32 %5, i32 1
	Jump b3
b5: preds b3
	Return
}
`)
	if err != nil {
		t.Fatal(err)
	}
	together := map[int]bool{} // whether work-items reach each block of m together
	for _, b := range m.Kernel.Blocks {
		together[b.ID] = b != m.Kernel.Blocks[1] && b != m.Kernel.Blocks[2]
	}
	clone, u := pass.Common(m)
	for _, b := range clone.Kernel.Blocks {
		if want, ok := together[b.ID]; ok && u.Block(b) != want {
			t.Errorf("work-items reach b%d together: %v, want %v", b.ID, u.Block(b), want)
		}
		for _, v := range b.Phis {
			if want, ok := together[b.ID]; ok && u.Value(v) != want {
				t.Errorf("%%%d is the same for all work-items: %v, want %v", v.ID, u.Value(v), want)
			}
		}
	}
}
