package lower_test

import (
	"context"
	"testing"

	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// TestCorpus lowers every kernel of the differential test's corpus.
func TestCorpus(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), load.Config{
		Dir:       "../..",
		Patterns:  []string{"./internal/difftest/corpus"},
		Intrinsic: lower.Intrinsic,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		t.Error(d.Error())
	}
	n := 0
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			n++
			m, diags := lower.Lower(prog, k)
			for _, d := range diags {
				t.Errorf("%s: %v", k.Name, d)
			}
			if m != nil {
				t.Logf("%s: %d blocks", k.Name, len(m.Kernel.Blocks))
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d kernels found", n)
	}
}
