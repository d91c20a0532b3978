package reduce_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzReduce compares all functions with plain Go.
func FuzzReduce(f *testing.F) {
	prims.Fuzz(f, fuzzType[float32], fuzzType[int8], fuzzType[uint16], fuzzType[int32], fuzzType[uint64], fuzzType[float64], fuzzType[meters],
		fuzzNorm[float32], fuzzNorm[float64], fuzzBy,
		fuzzKeys[uint8, float32], fuzzKeys[float32, uint32], fuzzKeys[int16, int64], fuzzKeys[float64, float64])
}

func fuzzType[T prims.Real](in *prims.Input) {
	v, xs, ys := in.Views, prims.Elements[T](in, in.N), prims.Elements[T](in, in.N)
	in.Scratch(reduce.ScratchBytes[T](in.N))
	x, y := prims.View(v, xs), prims.View(v, ys)
	comparedIn(in.Views, x, xs[:in.M])
	prims.Same(v.T, fmt.Sprintf("Sum of %d %Ts", in.M, xs), prims.Result(in.Views, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return reduce.SumOn(v.Q, x, out, opts...)
	})[0], sum(xs[:in.M]))
	products := make([]T, in.M)
	for i := range products {
		products[i] = T(xs[i] * ys[i])
	}
	prims.Same(v.T, fmt.Sprintf("Dot of %d %Ts", in.M, xs), prims.Result(in.Views, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return reduce.DotOn(v.Q, x, y, out, opts...)
	})[0], sum(products))
}

func fuzzNorm[T float32 | float64](in *prims.Input) {
	xs := prims.Elements[T](in, in.N)
	in.Scratch(reduce.ScratchBytes[T](in.N))
	squares := make([]T, in.M)
	for i := range squares {
		squares[i] = xs[i] * xs[i]
	}
	x := prims.View(in.Views, xs)
	prims.Same(in.T, fmt.Sprintf("Norm of %d %Ts", in.M, xs), prims.Result(in.Views, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return reduce.NormOn(in.Q, x, out, opts...)
	})[0], T(math.Sqrt(float64(sum(squares)))))
}

func fuzzBy(in *prims.Input) {
	xs, us := prims.Elements[float32](in, in.N), prims.Elements[uint32](in, in.N)
	in.Scratch(reduce.ScratchBytes[ops.Affine](in.N))
	x, u, square := prims.View(in.Views, xs), prims.View(in.Views, us), ops.Square{From: 0.25}
	prims.Same(in.T, fmt.Sprint("SumSquares of ", in.M), prims.Result(in.Views, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return reduce.By[opsgen.SumSquares](in.Q, square, x, out, opts...)
	})[0], by(square, xs[:in.M]))
	prims.Same(in.T, fmt.Sprint("Composition of ", in.M), prims.Result(in.Views, 1, func(out runtime.View[ops.Affine], opts ...prim.Option) (runtime.Event, error) {
		return reduce.By[opsgen.Composition](in.Q, ops.Compose{}, u, out, opts...)
	})[0], by(ops.Compose{}, us[:in.M]))
}

func fuzzKeys[K, V prims.Real](in *prims.Input) {
	in.Scratch(reduce.ByKeyScratchBytes(in.N))
	keyed(in.Views, prims.Elements[K](in, in.N), prims.Elements[V](in, in.N), in.M)
}
