package difftest

import (
	"context"
	"math"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// rootEdges are operands of Roots for which no order of operations and no rounding changes a
// result, whatever the mode of its floats.
var rootEdges = []float64{0, math.Copysign(0, -1), 1, math.NaN(), math.Inf(1), math.Inf(-1)}

// addRoots adds a case of an instance of Roots for all pairs of the values.
func addRoots[T ~float32 | ~float64, K any](name string, values []float64, run runner[K], kernel func(corpus.Roots[T]) K) {
	addEverywhere(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		var k corpus.Roots[T]
		for _, x := range values {
			for _, y := range values {
				k.A, k.B = append(k.A, T(x)), append(k.B, T(y))
			}
		}
		k.Out = make([]T, len(k.A)*corpus.RootResults)
		return k.Out, launch(ctx, dev, run, kernel(k), runtime.Range1(len(k.A)))
	})
}

// Cases are shared out by their numbers: what is added here changes no other number.
func init() {
	exactCases()
	addRoots("RootsFloat32", rootEdges, gen.RunRootsFloat32, func(k corpus.Roots[float32]) corpus.RootsFloat32 { return k })
	addRoots("RootsFloat64", rootEdges, gen.RunRootsFloat64, func(k corpus.Roots[float64]) corpus.RootsFloat64 { return k })
	exact := append([]float64{-2, 2, 3, 1e-300, -1e-300}, floatEdges...)
	addRoots("ExactRootsFloat32", exact, gen.RunExactRootsFloat32, func(k corpus.Roots[float32]) corpus.ExactRootsFloat32 {
		return corpus.ExactRootsFloat32{Roots: k}
	})
	addRoots("ExactRootsFloat64", exact, gen.RunExactRootsFloat64, func(k corpus.Roots[float64]) corpus.ExactRootsFloat64 {
		return corpus.ExactRootsFloat64{Roots: k}
	})
	addRoots("FastRootsFloat32", rootEdges, gen.RunFastRootsFloat32, func(k corpus.Roots[float32]) corpus.FastRootsFloat32 {
		return corpus.FastRootsFloat32{Roots: k}
	})
	addRoots("FastRootsFloat64", rootEdges, gen.RunFastRootsFloat64, func(k corpus.Roots[float64]) corpus.FastRootsFloat64 {
		return corpus.FastRootsFloat64{Roots: k}
	})
}
