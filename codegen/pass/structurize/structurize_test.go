package structurize_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestStructurizeRandom(t *testing.T) {
	for seed := range passtest.Count() {
		g := passtest.RandomCFG(seed)
		err := passtest.Compare(g, func() {
			if ds := structurize.Run(g.M); len(ds) > 0 {
				panic(ds)
			}
		})
		if err == nil {
			err = g.CheckStructured()
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, passtest.Show(g.F))
		}
	}
}

// The neighbours in the list keep what structurize makes, and it copes with
// what they make.
func TestStructurizeAmongOthers(t *testing.T) {
	names := []string{"sroa", "mem2reg", "simplify", "cse", "dce", "structurize", "simplify3", "dce3"}
	for seed := range passtest.Count() {
		g := passtest.RandomCFG(seed)
		at := ""
		err := passtest.Compare(g, func() {
			for _, p := range pass.Passes() {
				if slices.Contains(names, p.Name) {
					at = p.Name
					p.Run(g.M)
					g.M.Level = max(g.M.Level, p.Level)
					if err := passtest.Verify(g.M); err != nil {
						panic(err)
					}
				}
			}
		})
		if err == nil {
			err = g.CheckStructured()
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, at, err, passtest.Show(g.F))
		}
	}
}

// TestStructurizeSame checks that the output depends on nothing but the input.
func TestStructurizeSame(t *testing.T) {
	for seed := range uint64(100) {
		a, b := passtest.RandomCFG(seed), passtest.RandomCFG(seed)
		structurize.Run(a.M)
		structurize.Run(b.M)
		if passtest.Show(a.F) != passtest.Show(b.F) {
			t.Fatalf("seed %d:\n%s\nand\n%s", seed, passtest.Show(a.F), passtest.Show(b.F))
		}
	}
}
