package golangci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

const kernel = `//go:build special

package k

import "github.com/kgen-go/kgen/dsl"

type K struct{ X, Sum []int32 }

func (k K) Kernel(it dsl.NDItem1) {
	m := map[int]int{}
	k.Sum[0] += k.X[m[0]]
	if k.X[it.GlobalID()] > 0 {
		it.Barrier()
	}
}
`

// TestPlugin drives the linter as golangci-lint does: by its name, with settings as YAML has
// them.
func TestPlugin(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	mod, _, _ := strings.Cut(strings.Replace(read("go.mod"), "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   mod + "\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n",
		"go.sum":   read("go.sum"),
		"k.go":     kernel,
		"plain.go": "package k\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir, BuildFlags: []string{"-tags=special"}}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs[0].Errors)
	}
	build, err := register.GetPlugin("kgenvet")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		settings any
		want     string
	}{
		{"with tags", map[string]any{"tags": []any{"special"}}, "KG207 KG207 KG404 KG401"},
		{"without tags", nil, "KG207 KG207 KG404"}, // what compiling finds is missing
		{"without an analyzer", map[string]any{"tags": []any{"special"}, "disable": []any{"kgenshared"}}, "KG207 KG207 KG401"},
	} {
		p, err := build(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Error("the analyzers need types")
		}
		all, err := p.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
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
				found = append(found, d.Category)
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		settings map[string]any
		want     string
	}{
		{map[string]any{"disable": []any{"kgennothing"}}, `no analyzer is called "kgennothing"; there are kgengoroutines, `},
		{map[string]any{"tag": "x"}, `unknown field "tag"`},
	} {
		if _, err := build(c.settings); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.settings, err, c.want)
		}
	}
}
