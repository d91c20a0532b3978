package check

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/load"
)

// TestVias takes functions that are no methods for a library's.
func TestVias(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), load.Config{Patterns: []string{"./testdata/vias"}})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	src, err := os.ReadFile("testdata/vias/vias.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for i, line := range strings.Split(string(src), "\n") {
		if strings.HasSuffix(line, "// wrong") {
			want = append(want, i+1)
		}
	}
	k := prog.Packages[0].Kernels[0]
	c := newChecker(&ruleScanner{known: func(string) bool { return false }})
	c.checkKernel(k.Fn)
	var f *finding
	for i := range c.findings {
		if c.findings[i].fn.Name() == "bad" {
			f = &c.findings[i]
		}
	}
	if f == nil {
		t.Fatal("nothing is found")
	}
	own := func(fn *ssa.Function) bool { return fn.Signature.Recv() != nil }
	var got []int
	for _, via := range c.callChains(f.fn, own) {
		i := slices.IndexFunc(via, func(h hop) bool { return own(h.from) })
		if i < 0 {
			t.Fatalf("%v comes from nowhere", via)
		}
		got = append(got, prog.DiagPos(via[i].at).Line)
		if last := via[len(via)-1]; last.from != k.Fn {
			t.Errorf("%v does not begin with the kernel", via)
		}
		if i > 0 && own(via[i-1].from) {
			t.Errorf("%v", via)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the calls in lines %v, want %v", got, want)
	}
}
