package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/report"
	"github.com/kgen-go/kgen/internal/tests/golden"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestExplainPasses compares the reports on kernels as people write them.
func TestExplainPasses(t *testing.T) {
	reports, diags, err := codegen.ExplainPasses(t.Context(), codegen.Config{Patterns: []string{"./testdata/bounds"}}, report.Bounds, report.Narrow)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var text, encoded bytes.Buffer
	if err := report.Write(&text, reports); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("testdata", "bounds", "report.txt"), text.Bytes())

	if err := report.WriteJSON(&encoded, reports); err != nil {
		t.Fatal(err)
	}
	var back []report.Kernel
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
	reports, diags, err := codegen.ExplainPasses(t.Context(), codegen.Config{Patterns: []string{"./testdata/footprint"}}, report.Fusion)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var text, encoded bytes.Buffer
	if err := report.Write(&text, reports); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("testdata", "footprint", "report.txt"), text.Bytes())
	if err := report.WriteJSON(&encoded, reports); err != nil {
		t.Fatal(err)
	}
	var back []report.Kernel
	if err := json.Unmarshal(encoded.Bytes(), &back); err != nil || !reflect.DeepEqual(back, reports) {
		t.Errorf("%v: JSON reads back as\n%v\nnot\n%v", err, back, reports)
	}
}

// TestExplainMatrices: the report says how known devices load and store matrices.
func TestExplainMatrices(t *testing.T) {
	sample.Deep(t, "difftest/matrices has TestNativeInterpreter, which runs the loads and stores that are reported")
	const pkg = "./internal/tests/difftest/matrices"
	reports, diags, err := codegen.ExplainPasses(t.Context(), codegen.Config{Dir: "../..", Patterns: []string{pkg}}, report.Matrices)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var text bytes.Buffer
	if err := report.Write(&text, reports); err != nil {
		t.Fatal(err)
	}
	ways := map[string]int{}
	for _, line := range []string{"products take 512 bytes of", "a Accumulator[[64][64]int32] takes 16384 bytes of work-group memory for each sub-group if one has fewer than 16 work-items"} {
		if !strings.Contains(text.String(), "matrices, expanded: "+line) {
			t.Errorf("the report lacks %q:\n%s", line, text.String())
		}
	}
	for _, r := range reports {
		for _, m := range r.Matrices {
			if m.Why != "" {
				ways["expanded"]++
			}
			for _, tile := range m.Tiles {
				ways[tile.Way]++
				if tile.Pos.Line == 0 || tile.Shape == "" {
					t.Errorf("%s: %+v", r.Kernel, tile)
				}
			}
		}
		if k := r.Kernel[strings.LastIndexByte(r.Kernel, '.')+1:]; (k == "Dots" || k == "Loops") != (len(r.Matrices) == 0) {
			t.Errorf("%s: %d devices", r.Kernel, len(r.Matrices))
		}
	}
	for _, way := range []string{"direct", "tested", "staged", "expanded"} {
		if ways[way] == 0 {
			t.Errorf("nothing is %s:\n%s", way, text.String())
		}
	}
}

func TestExplainNothing(t *testing.T) {
	if _, _, err := codegen.ExplainPasses(context.Background(), codegen.Config{}, "nothing"); err == nil {
		t.Error("an unknown report is taken")
	}
}
