package codegen

import (
	"context"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// snippets is the base of packages that stand in tests, each in a file alone.
var snippets = sync.OnceValues(newSnippets)

func newSnippets() (*load.Base, error) {
	return load.NewBase(context.Background(), load.Config{Patterns: importable, Intrinsic: lower.Intrinsic})
}

// compileSnippet compiles a package of one file as Generate does, and returns
// its diagnostics.
func compileSnippet(t *testing.T, src string) diag.List {
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
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			if k.Fn == nil {
				continue
			}
			var c kernelResult
			c.runKernel(t.Context(), &unit{prog, k, failOnFollowUp}, "")
			if c.err != nil {
				t.Fatalf("%v\nin\n%s", c.err, src)
			}
			diags = append(diags, c.diags...)
		}
	}
	return diags
}
