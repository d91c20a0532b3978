package quirktest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/smith"
)

// TestDisabled compiles each kernel that a row of the table names, with and without the row:
// one that compiles alike shows nothing of the row.
func TestDisabled(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the kernels of all rows once more, and -short is set")
	}
	c := &Compiler{}
	programs := oracle.NewCompiler(smith.Imports...)
	n := 0
	for _, of := range Cases(func(c Case) bool {
		return c.Kernel != "" || strings.HasPrefix(c.Name, "internal/tests/smith/testdata/")
	}) {
		name := of.Row.Name + "/" + filepath.Base(of.Name)
		if n++; !sample.Has(name, 9) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			compile := func(disabled ...string) *oracle.Kernel {
				if of.Kernel == "" {
					return compileProgram(t, programs, of, disabled)
				}
				k, err := c.Compile(of, disabled...)
				if err != nil {
					t.Fatal(err)
				}
				return k
			}
			with, without := compile(), compile(of.Disabled()...)
			same := slices.Equal(with.Words, without.Words)
			for i := range with.Variants {
				same = same && slices.Equal(with.Variants[i], without.Variants[i])
			}
			if same {
				t.Errorf("%s compiles alike without quirk/%s", of.Name, of.Row.Name)
			}
		})
	}
	if n < 40 {
		t.Errorf("only %d cases", n)
	}
}

func compileProgram(t *testing.T, c *oracle.Compiler, of Case, disabled []string) *oracle.Kernel {
	src, err := os.ReadFile(filepath.Join("../../..", of.Name))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`\bP\d+([KSTf])`).ReplaceAllString(string(src), "P0$1")
	prog, diags, err := c.Load("example.com/kernels", map[string]string{"k.go": text})
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	k, err := compile(prog, prog.Packages[0].Kernels[0], disabled)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
