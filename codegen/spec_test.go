package codegen

import (
	"github.com/kgen-go/kgen/internal/tests/usermodule"
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
	for _, test := range []struct{ path, code string }{
		{"c", ""},
		{"internal/c", ""},
		{"k/c", ""},
		{"k/internal/c", "KG601"},
	} {
		dir := usermodule.Write(t, map[string]string{
			test.path + "/c.go": constants,
			"k/k.go":            strings.ReplaceAll(kernel, "PATH", test.path),
		})
		_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}, onFollowUpPanic: failOnFollowUp})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range diags {
			got = append(got, d.Code.String())
		}
		if strings.Join(got, " ") != test.code {
			t.Errorf("%s: %v, want %q", test.path, diags, test.code)
		}
	}
}
