package codegen

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadmeOfIR: the kernel that codegen/ir/README.md explains is the one that -dump prints.
func TestReadmeOfIR(t *testing.T) {
	var b bytes.Buffer
	_, diags, err := Generate(t.Context(), Config{Dir: "..", Patterns: []string{"./examples/quickstart/saxpy"}, Dump: "dce", DumpTo: &b})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	_, kernel, ok := strings.Cut(b.String(), "\nkernel main {")
	readme, err := os.ReadFile("ir/README.md")
	if err != nil || !ok {
		t.Fatal(err, b.String())
	}
	if want := "```\nkernel main {" + strings.TrimRight(kernel, "\n") + "\n```\n"; !strings.Contains(string(readme), "<!-- SAXPY -->\n"+want) {
		t.Errorf("codegen/ir/README.md does not have\n%s", want)
	}
}
