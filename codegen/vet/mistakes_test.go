package vet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/internal/mistakes"
)

// TestMistakes: the analyzers report each mistake as kgen does, once and at its place,
// in kernels, in methods that they call, and in pairs.
func TestMistakes(t *testing.T) {
	var f mistakes.File
	for i := range mistakes.All {
		m := &mistakes.All[i]
		other := &mistakes.All[(i*7+3)%len(mistakes.All)]
		for j, uses := range [][]mistakes.Use{{{Mistake: m}}, {{Mistake: m, Helper: true}}, {{Mistake: m}, {Mistake: other}}} {
			// What does not type-check, no analyzer looks at.
			if m.Code != "KG001" && other.Code != "KG001" && mistakes.Fits(uses...) == "" {
				f.Kernel(fmt.Sprintf("K%d_%d", i, j), uses...)
			}
		}
	}
	src, want := f.Source("kernels")
	slices.Sort(want)
	dir := module(t, src)

	diags, err := codegen.Diagnose(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	var kgen []string
	for _, d := range diags {
		kgen = append(kgen, fmt.Sprintf("%d:%d %v", d.Pos.Line, d.Pos.Col, d.Code))
	}
	slices.Sort(kgen)

	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs[0].Errors)
	}
	graph, err := checker.Analyze(Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var vet []string
	for _, a := range graph.Roots {
		if a.Err != nil {
			t.Fatal(a, a.Err)
		}
		for _, d := range a.Diagnostics {
			p := pkgs[0].Fset.Position(d.Pos)
			vet = append(vet, fmt.Sprintf("%d:%d %s", p.Line, p.Column, d.Category))
		}
	}
	slices.Sort(vet)
	lines := strings.Split(src, "\n")
	for name, got := range map[string][]string{"kgen": kgen, "kgenvet": vet} {
		rest := map[string]int{}
		for _, w := range want {
			rest[w]++
		}
		for _, g := range got {
			rest[g]--
		}
		for at, n := range rest {
			if n != 0 {
				var line int
				fmt.Sscanf(at, "%d", &line)
				t.Errorf("%s: %s %+d: %s", name, at, -n, lines[line-1])
			}
		}
	}
}

// module writes a module with a package that uses this one.
func module(t *testing.T, src string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	mod, _, _ := strings.Cut(strings.Replace(read("go.mod"), "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	mod += "\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n"
	dir := t.TempDir()
	// A package with functions without a body has a file in assembly.
	for name, text := range map[string]string{"go.mod": mod, "go.sum": read("go.sum"), "kernels.go": src, "empty.s": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
