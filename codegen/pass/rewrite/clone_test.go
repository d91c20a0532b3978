package rewrite_test

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestCloneRandom puts a copy of all blocks but the entry in their place.
func TestCloneRandom(t *testing.T) {
	twins := 0
	for seed := range passtest.Count() {
		g := passtest.RandomCFG(seed)
		err := passtest.Compare(g, func() {
			entry := g.F.Blocks[0]
			head := rewrite.SplitAfter(entry, 0)
			region := uniform.Reachable(head)
			for _, b := range region {
				if b.Term.Kind == ir.Branch && b.Term.Succs[0] == b.Term.Succs[1] && len(b.Term.Succs[0].Phis) > 0 {
					twins++
				}
			}
			c := rewrite.NewCloner(g.F)
			c.Copy(region)
			c.Entered(head, entry)
			c.End(region, c.Block)
			c.Phis(region)
			g.F.RemoveUnreachable()
			for _, b := range g.F.Blocks {
				if c.Blocks[b] != nil {
					t.Fatalf("seed %d: a block is left", seed)
				}
			}
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, passtest.Show(g.F))
		}
	}
	if twins == 0 {
		t.Fatal("no branch with two edges to one block")
	}
}
