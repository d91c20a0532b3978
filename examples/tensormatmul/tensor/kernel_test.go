package tensor_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/tensormatmul/tensor"
	tensorgen "github.com/kgen-go/kgen/generated/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// TestShapes: a product that has no whole tiles and rounds is a panic, and no wrong numbers.
func TestShapes(t *testing.T) {
	dev := devtest.Host(t)
	const n = tensor.Tile
	for _, c := range []struct {
		name                 string
		rows, columns, width int
		groups               int
		want                 string
	}{
		{"whole", n, 2 * n, 8, 2, ""},
		{"width", n, n, 9, 1, "parts of a row of A"},
		{"no width", n, n, 0, 1, "parts of a row of A"},
		{"columns", n, n + 16, 8, 1, "whole tiles"},
		{"rows", n + 16, n, 8, 1, "whole tiles"},
		{"groups", n, 2 * n, 8, 1, "nd-range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := make([]tensor.Halves, c.rows*c.width), make([]tensor.Halves, c.columns*c.width)
			for i := range a {
				a[i][0] = half.FromFloat32[half.Float16](float32(i / max(c.width, 1) % 3))
			}
			for i := range b {
				b[i][0] = half.FromFloat32[half.Float16](2)
			}
			out := make([]float32, c.rows*c.columns)
			err := tensorgen.RunMatMul(t.Context(), dev, tensor.MatMul{N: c.columns, Width: c.width, A: a, B: b, C: out},
				runtime.NDRange1{Global: runtime.Range1(c.groups * tensor.Items), Local: tensor.Items})
			if c.want == "" {
				if err != nil || out[0] != 0 || out[c.columns+1] != float32(2*c.width) || out[2*c.columns-1] != float32(2*c.width) {
					t.Errorf("%v, %v", err, out[c.columns:c.columns+2])
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a panic about %s", err, c.want)
			}
		})
	}
}
