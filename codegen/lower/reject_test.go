package lower_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

var want = regexp.MustCompile("// want (KG[0-9]+) `([^`]*)`")

// TestReject compares the diagnostics of each kernel in testdata/reject with its
// want comments: none may be missing, and none may be there that is not wanted.
func TestReject(t *testing.T) {
	const file = "testdata/reject/reject.go"
	prog, diags, err := load.Load(context.Background(), load.Config{
		Dir: ".", Patterns: []string{"./testdata/reject"}, Intrinsic: lower.Intrinsic,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		t.Error(d)
	}
	if t.Failed() {
		return
	}
	var got diag.List
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			_, diags := lower.Lower(prog, k)
			got = append(got, diags...)
		}
	}
	got.Sort()

	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(src), "\n") {
		var here diag.List
		for _, d := range got {
			if d.Pos.File == file && d.Pos.Line == i+1 {
				here = append(here, d)
			}
		}
		m := want.FindStringSubmatch(line)
		switch {
		case m == nil && len(here) > 0:
			for _, d := range here {
				t.Errorf("not wanted: %v", d)
			}
		case m != nil && len(here) == 0:
			t.Errorf("%s:%d: no diagnostic; want %s %s", file, i+1, m[1], m[2])
		case m != nil:
			text := fmt.Sprint(here[0].Code, " ", here[0].Message)
			if !regexp.MustCompile("^"+m[1]+" .*"+m[2]).MatchString(text) || len(here) > 1 {
				t.Errorf("%s:%d: got %v; want %s %s", file, i+1, here, m[1], m[2])
			}
		}
	}
	for _, d := range got {
		if d.Pos.File != file {
			t.Errorf("not wanted: %v", d)
		}
	}
}
