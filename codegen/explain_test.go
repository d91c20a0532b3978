package codegen

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// snippets is the base of packages that stand in tests, each in a file alone.
var snippets = sync.OnceValues(func() (*load.Base, error) {
	return load.NewBase(context.Background(), load.Config{Patterns: importable, Intrinsic: lower.Intrinsic})
})

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
			var c compiled
			c.run(t.Context(), &unit{prog, k, failOnFollowUp}, "")
			if c.err != nil {
				t.Fatalf("%v\nin\n%s", c.err, src)
			}
			diags = append(diags, c.diags...)
		}
	}
	return diags
}

// explained has the codes whose bad example shows more than one case, with how many.
var explained = map[diag.Code]int{
	diag.FieldType: 2, // slices of slices, and elements without size
	diag.Print:     2, // a slice by Println, and bytes by %x
}

// TestExamples compiles the examples of each code's explanation: the bad one
// gives that code and no other, the good one none.
func TestExamples(t *testing.T) {
	for _, code := range diag.Codes() {
		if code == diag.Stale || code == diag.SharedElement || code == diag.Misnamed {
			continue // kgenvet alone reports them, and tests that
		}
		t.Run(code.String(), func(t *testing.T) {
			bad, good := diag.Example(code)
			diags := compileSnippet(t, bad)
			if cases := max(1, explained[code]); len(diags) < cases {
				t.Errorf("%d diagnostics, want %d, for\n%s", len(diags), cases, bad)
			}
			for _, d := range diags {
				if d.Code != code {
					t.Errorf("not wanted: %v\nin\n%s", d, bad)
				}
			}
			for _, d := range compileSnippet(t, good) {
				t.Errorf("not wanted: %v\nin\n%s", d, good)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	var all, one, two bytes.Buffer
	if err := Explain(&all); err != nil {
		t.Error(err)
	}
	if lines := strings.Count(all.String(), "\n"); lines != len(diag.Codes()) || !strings.Contains(all.String(), "\nKG301  A function calls itself.\n") {
		t.Errorf("%d lines for %d codes:\n%s", lines, len(diag.Codes()), &all)
	}
	if err := Explain(&one, "kg301"); err != nil || !strings.HasPrefix(one.String(), "KG301: A function calls itself.\n\n") {
		t.Errorf("%v: %s", err, &one)
	}
	if err := Explain(&two, "KG301", "203"); err != nil || !strings.HasPrefix(two.String(), one.String()) || !strings.Contains(two.String(), "\nKG203: ") {
		t.Errorf("%v: %s", err, &two)
	}
	for _, bad := range []string{"KG999", "nope", ""} {
		if err := Explain(&one, bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
