package vet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// typedFile has the quickstart's kernel, and typed is what an editor shows of it while somebody types.
const typedFile = "typed/kernel.go"

const typed = `package saxpy

import "github.com/kgen-go/kgen/dsl"

type SAXPY struct{ A, B, Out []float32 }

func (k SAXPY) Kernel(it dsl.NDItem1) {
	if i := it.GlobalID(); k.A[i] > 0 {
		it.Barrier() // not by all
	}
	m := map[int]int{} // no map
	_ = m
}
`

// TestOverlay has the analyzers look at what is not saved: they report what is typed,
// and not what the file has.
func TestOverlay(t *testing.T) {
	name := filepath.Join(moduleDir, typedFile)
	analyze := func(pkg *packages.Package, overlay map[string][]byte) string {
		var all []*analysis.Analyzer
		for _, a := range Analyzers() {
			run := a.Run
			a.Run = func(p *analysis.Pass) (any, error) {
				p.ReadFile = func(name string) ([]byte, error) {
					if text, ok := overlay[name]; ok {
						return text, nil
					}
					return os.ReadFile(name)
				}
				return run(p)
			}
			all = append(all, a)
		}
		graph, err := checker.Analyze(all, []*packages.Package{pkg}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, a := range graph.Roots {
			if a.Err != nil {
				t.Fatal(a, a.Err)
			}
			for _, d := range a.Diagnostics {
				line := pkg.Fset.Position(d.Pos).Line
				found = append(found, strings.TrimSpace(strings.Split(typed, "\n")[line-1])+" "+d.Category)
			}
		}
		return strings.Join(found, "; ")
	}
	unsaved := loaded(t, typed)
	if !testing.Short() {
		pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: filepath.Dir(name)}, ".")
		if err != nil || len(pkgs) != 1 {
			t.Fatal(err)
		}
		if got := analyze(pkgs[0], nil); got != "" {
			t.Errorf("saved: %s", got)
		}
	}
	got := analyze(unsaved, map[string][]byte{name: []byte(typed)})
	for _, want := range []string{"m := map[int]int{} // no map KG", "it.Barrier() // not by all KG4"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("typed: %s, want %s once", got, want)
		}
	}
}
