package lower_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// TestLifetime lowers kernels that keep variables of earlier iterations, which
// must be refused, and their like that do not.
func TestLifetime(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), load.Config{
		Dir: ".", Patterns: []string{"./testdata/lifetime"}, Intrinsic: lower.Intrinsic,
	})
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	n := 0
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			n++
			_, diags := lower.Lower(prog, k)
			if !strings.HasPrefix(k.Name, "Old") {
				if len(diags) > 0 {
					t.Errorf("%s: not wanted: %v", k.Name, diags)
				}
				continue
			}
			if len(diags) != 1 || diags[0].Code != diag.MixedPointers || !strings.Contains(diags[0].Message, "earlier iteration") {
				t.Errorf("%s: got %v", k.Name, diags)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d kernels found", n)
	}
}
