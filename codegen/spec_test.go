package codegen

import (
	"github.com/kgen-go/kgen/internal/tests/usermodule"
	"path/filepath"
	"strings"
	"testing"
)

// TestConstantsElsewhere checks from where kernels may take specialization
// constants: from where the generated code can, too.
func TestConstantsElsewhere(t *testing.T) {
	const constants = "package c\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\nvar N = dsl.NewSpecConstant(3)\n"
	const kernel = `package k

import (
	"example.com/m/PATH"
	"github.com/kgen-go/kgen/dsl"
)

type K struct{ Out []int32 }

func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = int32(c.N.Get(it)) }
`
	tests := []struct{ pkg, path, code string }{
		{"k1", "c", ""},
		{"k2", "internal/c", ""},
		{"k3", "k3/c", ""},
		{"k4", "k4/internal/c", "KG601"},
	}
	files := map[string]string{}
	var patterns []string
	for _, test := range tests {
		files[test.path+"/c.go"] = constants
		files[test.pkg+"/k.go"] = strings.ReplaceAll(kernel, "PATH", test.path)
		patterns = append(patterns, "./"+test.pkg)
	}
	dir := usermodule.Write(t, files)
	_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: patterns, onFollowUpPanic: failOnFollowUp})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range diags {
		folder, _, _ := strings.Cut(filepath.ToSlash(d.Pos.File), "/")
		got[folder] += d.Code.String()
	}
	for _, test := range tests {
		if got[test.pkg] != test.code {
			t.Errorf("%s: %q, want %q, of %v", test.path, got[test.pkg], test.code, diags)
		}
		delete(got, test.pkg)
	}
	if len(got) > 0 {
		t.Errorf("%v", diags)
	}
}
