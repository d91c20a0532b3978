package codegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// manyChecks returns a kernel with about so many checks that kgen cannot decide: in
// straight-line code, with a branch for every few, or with a barrier.
func manyChecks(n int, kind string) string {
	var b strings.Builder
	item := "Item1"
	if kind == "barriers" {
		item = "NDItem1"
	}
	b.WriteString("package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct {\n\tX, I, Out []int\n}\n\n" +
		"func (k K) Kernel(it dsl." + item + ") {\n\ti := it.GlobalID()\n\ts := k.Out[i]\n")
	for c := 0; c < n; c += 4 {
		if kind == "branching" {
			fmt.Fprintf(&b, "\tif s&%d != 0 {\n", 1<<(c/4%60))
		}
		fmt.Fprintf(&b, "\ts += k.X[k.I[i+%d]] * k.X[i*%d+%d]\n\ts ^= k.X[s&63+i]\n", c, c+3, c%7)
		switch kind {
		case "branching":
			b.WriteString("\t}\n")
		case "barriers":
			b.WriteString("\tit.Barrier()\n")
		}
	}
	b.WriteString("\tk.Out[i] = s\n}\n")
	return b.String()
}

// BenchmarkChecks compiles kernels with many checks: the time that one takes should not
// depend on how many others there are.
func BenchmarkChecks(b *testing.B) {
	for _, kind := range []string{"straight", "branching", "barriers"} {
		for _, n := range []int{125, 500, 2000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				prog, err := shared().load(manyChecks(n, kind))
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					m, diags := lower.Lower(prog, prog.Packages[0].Kernels[0])
					if _, more := pass.Run(m, ir.Target{}, nil); len(diags)+len(more) > 0 {
						b.Fatal(diags, more)
					}
				}
			})
		}
	}
}

// TestManyChecks: kernels with hundreds of checks compile before guarded gives up.
func TestManyChecks(t *testing.T) {
	for _, kind := range []string{"branching", "straight", "barriers"}[:sample.Of(3, 2)] {
		if n, err := shared().compileAll(manyChecks(sample.Of(200, 30), kind), nil); n != 1 || err != nil {
			t.Errorf("%s: %d kernels, %v", kind, n, err)
		}
	}
}

// cascade returns a kernel of n branches, of which each that is decided decides the next.
func cascade(n int) string {
	var b strings.Builder
	b.WriteString("package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct {\n\tN int\n\tX []int\n}\n\n" +
		"func (k K) Kernel(it dsl.Item1) {\n\tx := 0\n")
	for c := range n {
		fmt.Fprintf(&b, "\tif x != %d {\n\t\tx = k.N\n\t} else {\n\t\tx = %d\n\t}\n", c, c+1)
	}
	b.WriteString("\tk.X[it.GlobalID()] = x\n}\n")
	return b.String()
}

// TestCascade: deciding many branches takes about as long as there are many.
func TestCascade(t *testing.T) {
	if n, err := shared().compileAll(cascade(sample.Of(2000, 500)), nil); n != 1 || err != nil {
		t.Errorf("%d kernels, %v", n, err)
	}
}

// TestLateFaults: kernels with many faults record them in one place, those with few or
// with barriers where they are.
func TestLateFaults(t *testing.T) {
	for _, c := range []struct {
		kind   string
		checks int
		calls  func(n int) bool
	}{
		{"straight", 40, func(n int) bool { return n == 1 }},
		{"branching", 40, func(n int) bool { return n == 1 }},
		{"straight", 4, func(n int) bool { return n > 1 }},
		{"barriers", 40, func(n int) bool { return n > 20 }},
	} {
		prog, err := shared().load(manyChecks(c.checks, c.kind))
		if err != nil {
			t.Fatal(err)
		}
		m, diags := lower.Lower(prog, prog.Packages[0].Kernels[0])
		if _, more := pass.Run(m, ir.Target{}, nil); len(diags)+len(more) > 0 {
			t.Fatal(diags, more)
		}
		if n := strings.Count(m.String(), "Call fault"); !c.calls(n) {
			t.Errorf("%d checks, %s: %d calls", c.checks, c.kind, n)
		}
	}
}
