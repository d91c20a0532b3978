package check_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/wanttest"
	"github.com/kgen-go/kgen/codegen/load"
)

// known is true of a function that the test takes for one that the compiler
// knows.
func known(name string) bool {
	return name == "github.com/kgen-go/kgen/codegen/check/testdata/reject.known" ||
		name == "(github.com/kgen-go/kgen/dsl.Item1).GlobalID" ||
		strings.HasPrefix(name, "(github.com/kgen-go/kgen/dsl.NDItem1).") || strings.HasPrefix(name, "github.com/kgen-go/kgen/dsl.")
}

// checked is the findings of packages, by their folders, since several tests look at one's.
var checked = map[string]diag.List{}

func checkAll(t *testing.T, dir string) diag.List {
	t.Helper()
	if got, ok := checked[dir]; ok {
		return slices.Clone(got)
	}
	prog, diags, err := load.Load(context.Background(), load.Config{Patterns: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var got diag.List
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			_, diags := check.Check(prog, k, known)
			got = append(got, diags...)
		}
	}
	checked[dir] = slices.Clone(got)
	return got
}

func TestReject(t *testing.T) {
	wanttest.Compare(t, "testdata/reject", checkAll(t, "./testdata/reject"))
}

// TestChain: the calls that lead to a finding stand in its diagnostic, from the
// innermost on.
func TestChain(t *testing.T) {
	for _, d := range checkAll(t, "./testdata/reject") {
		if d.Code != diag.Alloc || len(d.Related) == 0 {
			continue
		}
		if len(d.Related) != 2 || d.Related[0].Message != "called here from reject.outer" ||
			d.Related[1].Message != "called here from (reject.Deep).Kernel" || d.Related[1].Pos.Line <= d.Pos.Line {
			t.Errorf("%v is related to %v", d, d.Related)
		}
		if d.Hint == "" {
			t.Errorf("%v has no hint", d)
		}
		return
	}
	t.Error("no finding below a kernel")
}
