package vet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// named has kernels with methods that return a list of properties, and says which of these are
// not looked at.
const named = `package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

type List = properties.List

type base struct{ X []int32 }

func (b base) Props() List { return nil } // misnamed

type Embeds struct{ base }

func (k Embeds) Kernel(it dsl.Item1) { k.X[0] = 1 }

type Again struct{ base }

func (k Again) Kernel(it dsl.Item1) { k.X[0] = 1 }

type Pointer struct{ X []int32 }

func (k *Pointer) Kernel(it dsl.NDItem2) { k.X[0] = 1 }
func (k *Pointer) properties() properties.List { return nil } // misnamed

type Generic[T int32 | float32] struct{ X []T }

func (k Generic[T]) Kernel(it dsl.Item1) { k.X[0] = 1 }
func (k Generic[T]) Property() properties.List { return nil } // misnamed

type (
	Ints   = Generic[int32]
	Floats = Generic[float32]
)

type Helped struct{ X []int32 }

func (k Helped) Kernel(it dsl.Item1) { k.X[0] = 1 }
func (k Helped) Properties() properties.List { return append(k.common(), k.more()...) }
func (k Helped) common() properties.List { return nil }
func (k Helped) more() properties.List { return nil }
func (k Helped) Unused() properties.List { return nil }

type Called struct{ X []int32 }

func (k Called) Kernel(it dsl.Item1) { k.X[0] = 1 }
func (k Called) ForHost() properties.List { return nil }

var forHost = Called{}.ForHost()

type Other struct{ X []int32 }

func (k Other) Kernel(it dsl.Item1) { k.X[0] = 1 }
func (k Other) Of(n int) properties.List { return nil }
func (k Other) All() []properties.Property { return nil }
func (k Other) Both() (properties.List, error) { return nil, nil }

type plain struct{}

func (plain) Property() properties.List { return nil }
`

// misnamedSources returns the lines above, and the examples of kgen explain.
func misnamedSources() []string {
	bad, good := diag.Example(diag.Misnamed)
	bad = strings.Replace(bad, "properties.List {\n", "properties.List { // misnamed\n", 1)
	return []string{named, bad, good}[:sample.Of(3, 1)]
}

// TestMisnamed compares what the analyzer reports with the lines above, and has it look at the
// examples of kgen explain.
func TestMisnamed(t *testing.T) {
	for _, src := range misnamedSources() {
		pkg := loaded(t, src)
		var own *analysis.Analyzer
		for _, a := range Analyzers() {
			if a.Name == "kgenproperties" {
				own = a
			}
		}
		graph, err := checker.Analyze([]*analysis.Analyzer{own}, []*packages.Package{pkg}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, d := range graph.Roots[0].Diagnostics {
			got = append(got, fmt.Sprint(pkg.Fset.Position(d.Pos).Line))
			if d.Category != "KG507" || !strings.Contains(d.Message, "name it Properties") {
				t.Errorf("%s: %s", d.Category, d.Message)
			}
		}
		for i, line := range strings.Split(src, "\n") {
			if strings.Contains(line, "// misnamed") {
				want = append(want, fmt.Sprint(i+1))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got lines %v, want %v", got, want)
		}
	}
}
