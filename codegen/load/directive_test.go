package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestVariants loads a package with a directive above its package clause.
func TestVariants(t *testing.T) {
	dir, err := filepath.Abs("../../prim/move/kernels")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "kernels.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	base, err := NewBase(context.Background(), Config{Patterns: []string{dslPath, propertiesPath}})
	if err != nil {
		t.Fatal(err)
	}
	const is = "\n//kgen:variants load\npackage"
	if !strings.Contains(string(text), is) {
		t.Fatal("the package has no //kgen:variants load")
	}
	for _, tt := range []struct{ lines, wants string }{
		{"//kgen:variants load", ""},
		{"//kgen:variants load\n//kgen:variants load", ""},
		{"// No directive.", ""},
		{"//kgen:variants", `//kgen:variants takes the word load, not ""`},
		{"//kgen:variants lazy", `//kgen:variants takes the word load, not "lazy"`},
		{"//kgen:variants load small", `//kgen:variants takes the word load, not "load small"`},
		{"//kgen:variant load", "//kgen:variant does not belong to a package"},
		{"//kgen:bare\n//kgen:variants load", "//kgen:variants in a package with //kgen:bare"},
		{"//kgen:variants load\n\n//kgen:cancel", "//kgen:cancel does not belong to a package"},
	} {
		t.Run(tt.lines, func(t *testing.T) {
			changed := strings.Replace(string(text), is, "\n"+tt.lines+"\npackage", 1)
			load := func() (*Program, diag.List, error) {
				if strings.Contains(tt.lines, "//kgen:bare") { // which is for packages of this module
					return Load(context.Background(), Config{Dir: dir, Patterns: []string{"."}, Overlay: map[string][]byte{name: []byte(changed)}})
				}
				return base.Load("example.com/kernels", map[string]string{"kernels.go": changed})
			}
			p, diags, err := load()
			if err != nil {
				t.Fatal(err)
			}
			if tt.wants == "" {
				if late := strings.Contains(tt.lines, "load"); len(diags) > 0 || p.Late(p.Packages[0]) != late {
					t.Errorf("got %v, late %v", diags, p.Late(p.Packages[0]))
				}
			} else if len(diags) != 1 || !strings.Contains(diags[0].Error(), tt.wants) || !strings.Contains(diags[0].Error(), "kernels.go:") || !strings.Contains(diags[0].Error(), "KG505") {
				t.Errorf("got %v, want %q", diags, tt.wants)
			}
		})
	}
}

// TestBare loads a package of test kernels with other words after its //kgen:bare.
func TestBare(t *testing.T) {
	dir, err := filepath.Abs("../../internal/tests/difftest/ulps")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "kernel.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\n//kgen:bare\n") {
		t.Fatal("the package has no //kgen:bare")
	}
	for _, tt := range []struct {
		words   string
		views   []bool // of the kernels by name
		nospare bool
		wants   string // the diagnostic
	}{
		{"", []bool{false, false}, false, ""},
		{" nospare", []bool{false, false}, true, ""},
		{" views", []bool{true, true}, false, ""},
		{" views=Fast nospare", []bool{true, false}, true, ""},
		{" noform=Precise", []bool{false, false}, false, ""},
		{" noform views=Precise", []bool{false, true}, false, ""},
		{" view", nil, false, `unknown word "view"`},
		{" noform=Nobody", nil, false, `the package has no kernel "Nobody"`},
		{" views=Fast,Nobody", nil, false, `the package has no kernel "Nobody"`},
	} {
		if !sample.Has(tt.words, 3) {
			continue
		}
		t.Run(tt.words, func(t *testing.T) {
			overlay := strings.Replace(string(text), "\n//kgen:bare\n", "\n//kgen:bare"+tt.words+"\n", 1)
			p, diags, err := Load(context.Background(), Config{Dir: dir, Patterns: []string{"."}, Overlay: map[string][]byte{name: []byte(overlay)}})
			if err != nil {
				t.Fatal(err)
			}
			if tt.wants != "" {
				if len(diags) != 1 || !strings.Contains(diags[0].Error(), tt.wants) {
					t.Errorf("got %v", diags)
				}
				return
			}
			pkg := p.Packages[0]
			if len(diags) > 0 || !p.Bare(pkg) || p.NoSpare(pkg) != tt.nospare || len(pkg.Kernels) != len(tt.views) {
				t.Errorf("diagnostics %v, %d kernels, bare %v, nospare %v", diags, len(pkg.Kernels), p.Bare(pkg), p.NoSpare(pkg))
			}
			for i, k := range pkg.Kernels {
				if noform := strings.Contains(tt.words, "noform="+k.Name) || strings.Contains(tt.words, "noform "); p.Views(k) != tt.views[i] || p.NoForm(k) != noform {
					t.Errorf("kernel %s: views %v, noform %v", k.Name, p.Views(k), p.NoForm(k))
				}
			}
		})
	}
}
