package codegen

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/golden"
)

// TestExplainPasses compares the reports on kernels as people write them.
func TestExplainPasses(t *testing.T) {
	reports, diags, err := ExplainPasses(t.Context(), Config{Patterns: []string{"./testdata/bounds"}}, ExplainBounds, ExplainNarrow)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var text, encoded bytes.Buffer
	if err := WriteReports(&text, reports); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("testdata", "bounds", "report.txt"), text.Bytes())

	if err := WriteReportsJSON(&encoded, reports); err != nil {
		t.Fatal(err)
	}
	var back []KernelReport
	if err := json.Unmarshal(encoded.Bytes(), &back); err != nil || !reflect.DeepEqual(back, reports) {
		t.Errorf("%v: JSON reads back as\n%v\nnot\n%v", err, back, reports)
	}

	// The source says which checks remain; none else may.
	src, err := os.ReadFile("testdata/bounds/bounds.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	by := map[pass.Proof]int{}
	for _, r := range reports {
		for _, p := range r.Bounds.Proved {
			by[p.By] += p.Count
		}
		if strings.HasSuffix(r.Kernel, ".Open") {
			continue
		}
		for _, f := range r.Bounds.Remain {
			if !strings.Contains(lines[f.Pos.Line-1], "// remains") {
				t.Errorf("%v: the check of %s remains", f.Pos, f.Expr)
			}
			if ahead := strings.Contains(lines[f.Pos.Line-1], "// remains, ahead"); f.Ahead != ahead {
				t.Errorf("%v: the check of %s is made ahead of its loops: %v", f.Pos, f.Expr, f.Ahead)
			}
		}
	}
	for _, p := range []pass.Proof{pass.ProofRange, pass.ProofCondition, pass.ProofLoop, pass.ProofItem, pass.ProofLength} {
		if by[p] == 0 {
			t.Errorf("no check is proved by %s", p)
		}
	}
}

// TestExplainFusion compares the report on how work-items share slices.
func TestExplainFusion(t *testing.T) {
	reports, diags, err := ExplainPasses(t.Context(), Config{Patterns: []string{"./testdata/footprint"}}, ExplainFusion)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var text, encoded bytes.Buffer
	if err := WriteReports(&text, reports); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("testdata", "footprint", "report.txt"), text.Bytes())
	if err := WriteReportsJSON(&encoded, reports); err != nil {
		t.Fatal(err)
	}
	var back []KernelReport
	if err := json.Unmarshal(encoded.Bytes(), &back); err != nil || !reflect.DeepEqual(back, reports) {
		t.Errorf("%v: JSON reads back as\n%v\nnot\n%v", err, back, reports)
	}
}

func TestExplainNothing(t *testing.T) {
	if _, _, err := ExplainPasses(context.Background(), Config{}, "nothing"); err == nil {
		t.Error("an unknown report is taken")
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", -7: "-7", 1 << 19: "524288", 1<<31 - 1: "(1<<31 - 1)", 1 << 48: "1<<48", 1<<48 - 2: "(1<<48 - 2)",
		1<<63 - 1: "(1<<63 - 1)", -1 << 63: "-1<<63", 4611686014132420609: "4611686014132420609", -(1<<40 - 1): "-(1<<40 - 1)",
	} {
		if got := number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
