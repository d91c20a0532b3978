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

// typed is what an editor shows of the quickstart's kernel while somebody types.
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
	name, err := filepath.Abs("../../examples/quickstart/saxpy/kernel.go")
	if err != nil {
		t.Fatal(err)
	}
	analyze := func(overlay map[string][]byte) string {
		pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: filepath.Dir(name), Overlay: overlay}, ".")
		if err != nil || len(pkgs) != 1 {
			t.Fatal(err)
		}
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
		graph, err := checker.Analyze(all, pkgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, a := range graph.Roots {
			if a.Err != nil {
				t.Fatal(a, a.Err)
			}
			for _, d := range a.Diagnostics {
				line := pkgs[0].Fset.Position(d.Pos).Line
				found = append(found, strings.TrimSpace(strings.Split(typed, "\n")[line-1])+" "+d.Category)
			}
		}
		return strings.Join(found, "; ")
	}
	if !testing.Short() {
		if got := analyze(nil); got != "" {
			t.Errorf("saved: %s", got)
		}
	}
	got := analyze(map[string][]byte{name: []byte(typed)})
	for _, want := range []string{"m := map[int]int{} // no map KG", "it.Barrier() // not by all KG4"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("typed: %s, want %s once", got, want)
		}
	}
}
