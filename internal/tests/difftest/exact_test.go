package difftest

import (
	"context"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// between returns n numbers from 0.25 to 4, with either sign: no product of theirs is subnormal.
func between[T ~float32 | ~float64](n int, seed uint64) []T {
	r := rng()
	for range seed {
		r.Uint64()
	}
	out := make([]T, n)
	for i := range out {
		out[i] = T(0.25 + 3.75*r.Float64())
		if r.IntN(2) == 0 {
			out[i] = -out[i]
		}
	}
	return out
}

// exactSums adds a case of ExactSums.
func exactSums[T ~float32 | ~float64](name string, run runner[corpus.ExactSums[T]]) {
	addEverywhere(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		const items, n = 200, 60
		k := corpus.ExactSums[T]{N: n, A: between[T](items+n, 1), B: between[T](items+n, 2), Out: make([]T, items*corpus.ExactResults)}
		return k.Out, launch(ctx, dev, run, k, items)
	})
}

// exactCases adds the cases of kernels that promise exact bits.
func exactCases() {
	exactSums("ExactSumsFloat32", gen.RunExactSumsFloat32)
	exactSums("ExactSumsFloat64", gen.RunExactSumsFloat64)
	addEverywhere("ExactMatrices", func(ctx context.Context, dev *runtime.Device) (any, error) {
		const n = 24
		k := corpus.ExactMatrices{N: n, A: between[float32](n*n, 3), B: between[float32](n*n, 4), Product: make([]float32, n*n), Dot: make([]float32, n*n)}
		return k, launch(ctx, dev, gen.RunExactMatrices, k, n*n)
	})
	addEverywhere("ExactTiles", func(ctx context.Context, dev *runtime.Device) (any, error) {
		const n, side = 24, corpus.ExactSide
		k := corpus.ExactTiles{N: n, A: between[float32](n*n, 5), B: between[float32](n*n, 6), Out: make([]float32, n*n), Sums: make([]float32, n*n/side/side)}
		return k, launch(ctx, dev, gen.RunExactTiles, k, runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{side, side}})
	})
	addEverywhere("ExactTraining", func(ctx context.Context, dev *runtime.Device) (any, error) {
		const items, rows = 100, 12
		k := corpus.ExactTraining{Rounds: 30, X: between[float32](4*rows, 7), Y: make([]float32, rows), Weights: between[float32](5*items, 8),
			Loss: make([]float32, items), Activation: make([]float32, items)}
		for i := range k.Y {
			k.Y[i] = float32(i%3) / 2
		}
		return k, launch(ctx, dev, gen.RunExactTraining, k, items)
	})
	addEverywhere("ExactRays", func(ctx context.Context, dev *runtime.Device) (any, error) {
		const side = 40
		k := corpus.ExactRays{Width: side, Shade: make([]float32, side*side), Bounds: make([]int32, side*side)}
		return k, launch(ctx, dev, gen.RunExactRays, k, side*side)
	})
}
