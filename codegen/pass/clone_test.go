package pass

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// TestCloneRandom puts a copy of all blocks but the entry in their place.
func TestCloneRandom(t *testing.T) {
	twins := 0
	for seed := range count() {
		g := random(seed)
		err := compare(g, func() {
			entry := g.f.Blocks[0]
			head := rewrite.SplitAfter(entry, 0)
			region := uniform.Reachable(head)
			for _, b := range region {
				if b.Term.Kind == ir.Branch && b.Term.Succs[0] == b.Term.Succs[1] && len(b.Term.Succs[0].Phis) > 0 {
					twins++
				}
			}
			c := rewrite.NewCloner(g.f)
			c.Copy(region)
			c.Entered(head, entry)
			c.End(region, c.Block)
			c.Phis(region)
			g.f.RemoveUnreachable()
			for _, b := range g.f.Blocks {
				if c.Blocks[b] != nil {
					t.Fatalf("seed %d: a block is left", seed)
				}
			}
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, show(g.f))
		}
	}
	if twins == 0 {
		t.Fatal("no branch with two edges to one block")
	}
}
