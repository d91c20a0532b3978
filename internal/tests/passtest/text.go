package passtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/golden"
)

// Text runs passes on the modules in the folder testdata of the package under test. The first line of each file
// NAME.ir is a comment that lists the passes, and the next line describes the test. The file NAME.out contains
// the module after these passes. In the list of passes, the word "small" selects the variant for small launches.
func Text(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ir"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			names, text, _ := strings.Cut(strings.TrimPrefix(string(src), "; "), "\n")
			if about, _, _ := strings.Cut(text, "\n"); !strings.HasPrefix(about, "; ") {
				t.Error("the second line does not say what the module shows")
			}
			m, err := ir.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(names) {
				if name == "small" {
					m.Target.Small = true
					continue
				}
				if ds := run(Pass(t, name), m); len(ds) > 0 {
					t.Fatal(name, ds)
				}
				if err := ir.Verify(m); err != nil {
					t.Fatalf("%s: %v\n%v", name, err, m)
				}
			}
			golden.Equal(t, strings.TrimSuffix(file, ".ir")+".out", []byte(m.String()))
		})
	}
}

func run(p *pass.Pass, m *ir.Module) diag.List {
	if p.RunNoting != nil {
		return p.RunNoting(m, nil)
	}
	return p.Run(m)
}

// Pass returns the pass with the given name.
func Pass(t *testing.T, name string) *pass.Pass {
	t.Helper()
	all := pass.Passes()
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	t.Fatalf("no pass %s", name)
	return nil
}
