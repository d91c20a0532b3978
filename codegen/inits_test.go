package codegen

import (
	"github.com/kgen-go/kgen/internal/tests/usermodule"
	"strings"
	"testing"
)

// TestInitsElsewhere: what the init function of another package writes is not what a
// variable has as its own package is initialized.
func TestInitsElsewhere(t *testing.T) {
	files := map[string]string{
		"a/a.go": "package a\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\nvar Table [4]int32\n\nfunc init() { Table[1] = 3 }\n\ntype K struct{ Out []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = Table[it.GlobalID()] }\n",
	}
	generate := func() string {
		_, diags, err := Generate(t.Context(), Config{Dir: usermodule.Write(t, files), Patterns: []string{"./..."}, onFollowUpPanic: failOnFollowUp})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, d := range diags {
			b.WriteString(d.Message)
		}
		return b.String()
	}
	if got := generate(); got != "" {
		t.Errorf("got %s", got)
	}
	files["b/b.go"] = "package b\n\nimport (\n\"example.com/m/a\"\n\"github.com/kgen-go/kgen/dsl\"\n)\n\nfunc init() { a.Table[2] = 5 }\n\ntype K struct{ Out []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = 1 }\n"
	if got := generate(); !strings.Contains(got, "Table is written at") {
		t.Errorf("got %q", got)
	}
}
