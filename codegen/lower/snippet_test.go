package lower_test

import (
	"context"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// snippets is the base of packages that stand in tests, each in a file alone.
var snippets = sync.OnceValues(func() (*load.Base, error) {
	return load.NewBase(context.Background(), load.Config{Patterns: []string{"github.com/kgen-go/kgen/dsl", "slices"}, Intrinsic: lower.Intrinsic})
})

// lowered lowers a package of one file, and returns the diagnostics.
func lowered(t *testing.T, src string) diag.List {
	t.Helper()
	base, err := snippets()
	if err != nil {
		t.Fatal(err)
	}
	prog, diags, err := base.Load("example.com/kernels", map[string]string{"kernels.go": src})
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	if prog == nil {
		return diags
	}
	for _, k := range prog.Packages[0].Kernels {
		_, more := lower.Lower(prog, k)
		diags = append(diags, more...)
	}
	return diags
}
