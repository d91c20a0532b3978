package hist_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzHist compares all functions with plain Go.
func FuzzHist(f *testing.F) {
	prims.Fuzz(f, fuzzIntegers[uint8], fuzzIntegers[int16], fuzzIntegers[int32], fuzzIntegers[uint32], fuzzIntegers[int64], fuzzIntegers[uint64],
		fuzzFloats[float32], fuzzFloats[float64], fuzzHalves[half.Float16], fuzzHalves[half.BFloat16], fuzzHalves[half.Float8E4M3])
}

// bins returns a number of bins: few, as many as work-groups count themselves, or many.
func bins(in *prims.Input) int { return 1 + in.IntN([]int{9, 300, 5000, 70000}[in.IntN(4)]) }

func fuzzIntegers[T hist.Integer](in *prims.Input) {
	xs, n := prims.Elements[T](in, in.N), bins(in)
	ends := prims.Elements[T](in, 9)
	lo, hi := slices.Min(ends), slices.Max(ends)
	x := prims.View(in.Views, xs)
	if lo < hi {
		counted(in.Views, fmt.Sprintf("Even between %v and %v", lo, hi), xs[:in.M], n, evenIntegers(lo, hi, n), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return hist.EvenOn(in.Q, x, lo, hi, counts, opts...)
		})
	}
	counted(in.Views, "ByKey", xs[:in.M], n, func(x T) int {
		if x < 0 || uint64(x) >= uint64(n) {
			return -1
		}
		return int(x)
	}, func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return hist.ByKeyOn(in.Q, x, counts, opts...)
	})
	fuzzEdges(in, xs, n, func(x, y T) bool { return x < y })
}

func fuzzFloats[T float32 | float64](in *prims.Input) {
	xs, n := prims.Elements[T](in, in.N), bins(in)
	lo, hi := T(in.NormFloat64()), T(in.NormFloat64())
	if lo > hi {
		lo, hi = hi, lo
	}
	for i := range xs {
		if in.IntN(5) == 0 {
			xs[i] = lo + T(in.IntN(n+2)-1)*((hi-lo)/T(n)) // at the edges
		}
	}
	x := prims.View(in.Views, xs)
	if lo < hi {
		counted(in.Views, fmt.Sprintf("Even between %v and %v", lo, hi), xs[:in.M], n, evenFloats(func(x T) T { return x }, lo, hi, n), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return hist.EvenOn(in.Q, x, lo, hi, counts, opts...)
		})
	}
	fuzzEdges(in, xs, n, func(x, y T) bool { return x < y })
}

func fuzzHalves[T interface {
	half.Float[T]
	~uint8 | ~uint16
}](in *prims.Input) {
	xs, n := prims.Elements[T](in, in.N), bins(in)
	lo, hi := half.FromFloat32[T](float32(in.NormFloat64())), half.FromFloat32[T](float32(in.NormFloat64()))
	if lo.Float32() > hi.Float32() {
		lo, hi = hi, lo
	}
	x := prims.View(in.Views, xs)
	if lo.Float32() < hi.Float32() {
		counted(in.Views, fmt.Sprintf("Even between %v and %v", lo, hi), xs[:in.M], n, evenFloats(T.Float32, lo, hi, n), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return hist.EvenOn(in.Q, x, lo, hi, counts, opts...)
		})
	}
	fuzzEdges(in, xs, n, func(x, y T) bool { return x.Float32() < y.Float32() })
}

func fuzzEdges[T prim.Number](in *prims.Input, xs []T, n int, less func(x, y T) bool) {
	es := make([]T, n+1)
	for i := range es {
		if es[i] = T(in.IntN(100)); len(xs) > 0 {
			es[i] = xs[in.IntN(len(xs))]
		}
		if !less(es[i], 1) && !less(1, es[i]) {
			es[i] = 1 // in place of a NaN
		}
	}
	edgesOf(in.Views, xs, in.M, es, less)
}
