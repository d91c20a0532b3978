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
