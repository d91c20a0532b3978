package vet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/internal/mistakes"
)

// TestMistakes: the analyzers report each mistake as kgen does, once and at its place,
// in kernels, in methods that they call, and in pairs.
func TestMistakes(t *testing.T) {
	src, want := wrong()
	pkg := loaded(t, src)
	diags, err := codegen.Diagnose(t.Context(), codegen.Config{Dir: pkg.Dir, Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	var kgen []string
	for _, d := range diags {
		kgen = append(kgen, fmt.Sprintf("%d:%d %v", d.Pos.Line, d.Pos.Col, d.Code))
	}
	slices.Sort(kgen)

	graph, err := checker.Analyze(Analyzers(), []*packages.Package{pkg}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var vet []string
	for _, a := range graph.Roots {
		if a.Err != nil {
			t.Fatal(a, a.Err)
		}
		for _, d := range a.Diagnostics {
			p := pkg.Fset.Position(d.Pos)
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

// wrong returns kernels with all mistakes, and where they are. With -short, each is the first mistake
// of one kernel, not of three.
func wrong() (src string, want []string) {
	var f mistakes.File
	for i := range mistakes.All {
		m := &mistakes.All[i]
		other := &mistakes.All[(i*7+3)%len(mistakes.All)]
		for j, uses := range [][]mistakes.Use{{{Mistake: m}}, {{Mistake: m, Helper: true}}, {{Mistake: m}, {Mistake: other}}} {
			if testing.Short() && j != i%3 {
				continue // each mistake in one of the ways
			}
			// What does not type-check, no analyzer looks at.
			if m.Code != "KG001" && other.Code != "KG001" && mistakes.Fits(uses...) == "" {
				f.Kernel(fmt.Sprintf("K%d_%d", i, j), uses...)
			}
		}
	}
	src, want = f.Source("kernels")
	slices.Sort(want)
	return src, want
}

// analyzed is the packages that tests analyze, by their sources. They are of one module, and
// one load type-checks their imports once.
var analyzed = sync.OnceValues(func() (map[string]*packages.Package, error) {
	src, _ := wrong()
	sources := slices.Concat([]string{src}, misnamedSources(), sharedSources())
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	text, _, _ := strings.Cut(strings.Replace(string(mod), "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	files := map[string]string{"go.sum": string(sum), "go.mod": text + "\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n"}
	for i, src := range sources {
		files[fmt.Sprintf("k%d/kernels.go", i)] = src
		files[fmt.Sprintf("k%d/empty.s", i)] = "" // a package with functions without a body has a file in assembly
	}
	for name, text := range files {
		name = filepath.Join(moduleDir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	saved, err := os.ReadFile("../../examples/quickstart/saxpy/kernel.go")
	if err != nil {
		return nil, err
	}
	unsaved := filepath.Join(moduleDir, typedFile)
	if err := os.MkdirAll(filepath.Dir(unsaved), 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(unsaved, saved, 0o666); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: moduleDir,
		Overlay: map[string][]byte{unsaved: []byte(typed)}}, "./...")
	found := map[string]*packages.Package{}
	for _, p := range pkgs {
		if p.PkgPath == "example.com/m/typed" {
			found[typed] = p
		}
		for i, src := range sources {
			if p.PkgPath == fmt.Sprintf("example.com/m/k%d", i) {
				found[src] = p
			}
		}
	}
	return found, err
})

// loaded returns the package with a source.
func loaded(t *testing.T, src string) *packages.Package {
	t.Helper()
	all, err := analyzed()
	if err != nil {
		t.Fatal(err)
	}
	p := all[src]
	if p == nil || len(p.Errors) > 0 {
		t.Fatalf("%v", p)
	}
	return p
}

// moduleDir is the folder of the module that tests analyze.
var moduleDir string

func TestMain(m *testing.M) {
	var err error
	if moduleDir, err = os.MkdirTemp("", "vet"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(moduleDir)
	os.Exit(code)
}
