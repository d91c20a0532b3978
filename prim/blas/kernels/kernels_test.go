package kernels_test

import (
	"strings"
	"testing"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// TestShort: a launch of a kernel on matrices that are too short is a fault, and no sum with zeros.
func TestShort(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 20
		r := func(items int) runtime.NDRange1 {
			return runtime.NDRange1{Global: runtime.Range1(items), Local: runtime.Range1(items)}
		}
		for short := range 3 {
			size := func(i int) int {
				if i == short {
					return n*n - 4
				}
				return n * n
			}
			c := make([]float32, n*n)
			errs := map[string]error{
				"Gemm": kernelsgen.RunGemmFlat32(t.Context(), dev, kernels.GemmFlat32{M: n, N: n, K: n, StrideA: n, StrideB: n, StrideC: n, Alpha: 1,
					A: make([]float32, size(1)), B: make([]float32, size(2)), C: c}, r(kernels.Items)),
				"Quads": kernelsgen.RunFlatNN(t.Context(), dev, kernels.FlatNN{M: n, N: n, K: n, StrideA: n / 4, StrideB: n / 4, StrideC: n / 4, Alpha: 1,
					A: make([]kernels.Quad, size(1)/4), B: make([]kernels.Quad, size(2)/4), C: make([]kernels.Quad, n*n/4)}, r(kernels.Items)),
			}
			if short < 2 {
				errs["GemvRows"] = kernelsgen.RunGemvRows32(t.Context(), dev, kernels.GemvRows32{M: n, K: n, StrideA: n, Alpha: 1,
					A: make([]float32, size(1)), X: make([]float32, n), Y: c}, r(kernels.RowItems))
				errs["GemvColumns"] = kernelsgen.RunGemvColumns32(t.Context(), dev, kernels.GemvColumns32{M: n, K: n, StrideA: n, Alpha: 1,
					A: make([]float32, size(1)), X: make([]float32, n), Y: c}, r(kernels.ColumnItems))
			}
			for name, err := range errs {
				if short == 0 && err != nil || short > 0 && (err == nil || !strings.Contains(err.Error(), "shorter than")) {
					t.Errorf("%s with operand %d short: %v", name, short, err)
				}
			}
		}
	})
}
