package lower_test

import (
	"context"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/wanttest"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// TestReject compares the diagnostics of each kernel in testdata/reject with its
// want comments.
func TestReject(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), load.Config{
		Patterns: []string{"./testdata/reject"}, Intrinsic: lower.Intrinsic,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var got diag.List
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			_, diags := lower.Lower(prog, k)
			got = append(got, diags...)
		}
	}
	wanttest.Compare(t, "testdata/reject", got)
}
