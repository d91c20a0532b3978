package codegen

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
)

// TestCloneKernels: at every point of the passes a clone of a kernel's module prints as the
// module does; the passes leave the module alone when they run over a clone, and make the same
// words of both.
func TestCloneKernels(t *testing.T) {
	prog, diags, err := load.Load(t.Context(), load.Config{Intrinsic: lower.Intrinsic,
		Patterns: []string{"./testdata/shapes", "../examples/matmul/gemm", "../internal/tests/conformance/consts"}})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	text := func(m *ir.Module) string { return m.Text(ir.PrintOptions{Positions: true}) }
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			m, diags := Lower(prog, k)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			before := text(m)
			c := m.Clone()
			if _, diags := pass.Run(c, ir.Target{}, nil); len(diags) > 0 {
				t.Fatal(diags)
			}
			if text(m) != before {
				t.Errorf("%s: passes over a clone change the module", k.FullName())
			}
			pass.Run(m, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
				if got, want := text(m.Clone()), text(m); got != want {
					t.Errorf("%s: after %s the clone is\n%s\nof\n%s", k.FullName(), p.Name, got, want)
				}
			})
			want, err := emit.Emit(m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := emit.Emit(c); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: the clone has other words: %v", k.FullName(), err)
			}
		}
	}
}
