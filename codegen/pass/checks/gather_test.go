package checks_test

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestGatherRandom compares random kernels with what unroll and gather make of
// them: the same memory and the same first fault.
func TestGatherRandom(t *testing.T) {
	var before, after, regions int
	n := passtest.Count() / passtest.CheckShare
	for seed := range n {
		g := passtest.NewCheckGen(uint64(seed))
		g.Ready(t)
		text := g.M.String()
		var want []string
		for _, l := range g.Launches() {
			want = append(want, passtest.Outcome(g.M, l))
		}
		before += countChecks(g.M.Kernel)
		for _, p := range []pass.Pass{{Name: "unroll", Run: loops.Unroll}, {Name: "gather", Run: checks.Gather}} {
			if p.Name == "gather" {
				before += countChecks(g.M.Kernel)
			}
			blocks := len(g.M.Kernel.Blocks)
			if ds := p.Run(g.M); len(ds) > 0 {
				t.Fatal(ds)
			}
			if err := ir.Verify(g.M); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%v", seed, p.Name, err, text, g.M)
			}
			if p.Name == "gather" && len(g.M.Kernel.Blocks) > blocks {
				regions++
			}
			for i, l := range g.Launches() {
				if got := passtest.Outcome(g.M, l); got != want[i] {
					t.Fatalf("seed %d, %s, launch %d:\n got %s\nwant %s\n%s\n%v", seed, p.Name, i, got, want[i], text, g.M)
				}
			}
		}
		after += countChecks(g.M.Kernel)
	}
	t.Logf("%d kernels: %d checks before, %d after; %d kernels have code twice", n, before, after, regions)
	if regions < int(n)/20 {
		t.Error("too few kernels are changed")
	}
}

func countChecks(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		if _, ok := rewrite.CheckOf(b); ok {
			n++
		}
	}
	return n
}
