package pass

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/tests/golden"
)

// TestText runs passes over modules given as text: testdata/*.ir begin with
// "; " and the passes' names, and a line that says what they show; testdata/*.out have what
// comes of them. The name small asks for the form for small launches.
func TestText(t *testing.T) {
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
				p := passNamed(t, name)
				if ds := p.run(m, nil); len(ds) > 0 {
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

func passNamed(t *testing.T, name string) *Pass {
	for i := range passes {
		if passes[i].Name == name {
			return &passes[i]
		}
	}
	t.Fatalf("no pass %s", name)
	return nil
}
