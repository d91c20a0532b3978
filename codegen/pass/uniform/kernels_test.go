package uniform_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/wanttest"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// TestUniform compiles the kernels of testdata/kernels. What is said of those that
// are rejected names the branch, which a comment marks.
func TestUniform(t *testing.T) {
	const dir = "testdata/kernels"
	prog, diags, err := load.Load(context.Background(), load.Config{Patterns: []string{"./" + dir}, Intrinsic: lower.Intrinsic})
	if err != nil {
		t.Fatal(err)
	}
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	text, err := os.ReadFile(dir + "/reject.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	var got diag.List
	accepted, rejected := 0, 0
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			_, diags, err := codegen.Compile(prog, k, nil)
			if err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
			if got = append(got, diags...); len(diags) == 0 {
				accepted++
				continue
			}
			rejected++
			for _, d := range diags {
				if len(d.Related) == 0 || d.Related[0].Pos.Line < 1 || !strings.HasSuffix(lines[d.Related[0].Pos.Line-1], "// branch") {
					t.Errorf("%s: the branch is not marked: %v", k.Name, d.Related)
				}
				if d.Pos.Col == 0 || d.Hint == "" {
					t.Errorf("%s: %v", k.Name, d)
				}
				if strings.Contains(d.Message, "a work-item's own") && !strings.Contains(d.Hint, "dsl.Uniform") {
					t.Errorf("%s: the hint does not say what to write: %v", k.Name, d)
				}
			}
		}
	}
	wanttest.Compare(t, dir, got)
	if accepted < 30 || rejected < 30 {
		t.Errorf("%d kernels are accepted and %d rejected", accepted, rejected)
	}
}
