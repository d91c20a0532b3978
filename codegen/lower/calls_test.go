package lower_test

import (
	"strings"
	"testing"
)

// TestRangeFuncChain: the call that a range over a function stands for has a position.
func TestRangeFuncChain(t *testing.T) {
	const body = "for _, x := range slices.All(k.X) { var p *int32; for j := range 3 { y := int32(j); if p == nil { p = &y } }; k.Out[i] = *p + x }"
	diags := lowered(t, "package kernels\n\nimport (\n\"slices\"\n\n\"github.com/kgen-go/kgen/dsl\"\n)\n\ntype K struct{ X, Out []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) {\ni := it.GlobalID()\n"+body+"\n}\n")
	if len(diags) != 1 || len(diags[0].Related) != 2 {
		t.Fatalf("got %v", diags)
	}
	for _, r := range diags[0].Related {
		if r.Pos.Line == 0 {
			t.Errorf("%s: no position", r.Message)
		}
	}
}

// TestLibraryCalls: what is wrong in a library's function is told of each call that leads
// to it, and of a call once.
func TestLibraryCalls(t *testing.T) {
	const src = `package kernels

import (
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

type K struct {
	X []int
}

func (k K) size() int {
	return len(slices.Collect(slices.Values(k.X))) // wrong
}

func (k K) Kernel(it dsl.Item1) {
	a := slices.Collect(slices.Values(k.X))           // wrong
	b := slices.Sorted(slices.Values(k.X))            // wrong
	k.X[0] = len(a) + len(b) + k.size() + k.size()
	k.X[1] = len(slices.Concat(k.X, k.X))             // wrong
	k.X[2] = len(slices.Concat(k.X, k.X))             // wrong
}

type L struct{ X []int }

func (k L) Kernel(it dsl.Item1) {
	k.X[0] = len(slices.Sorted(slices.Values(k.X)))   // wrong
}
`
	diags := lowered(t, src)
	diags.Sort()
	got := map[int]int{}
	for _, d := range diags {
		for _, r := range d.Related {
			if strings.HasSuffix(r.Pos.File, "kernels.go") {
				got[r.Pos.Line]++
				break
			}
		}
	}
	for i, line := range strings.Split(src, "\n") {
		want := 0
		if strings.HasSuffix(line, "// wrong") {
			want = 1
		}
		if got[i+1] != want {
			t.Errorf("line %d has %d, want %d: %s", i+1, got[i+1], want, line)
		}
	}
	if t.Failed() {
		t.Log(diags)
	}
}
