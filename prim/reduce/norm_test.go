package reduce_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// norms compares the norms of one type with the roots of sums in the documented order.
func norms[T float32 | float64](t *testing.T, q *runtime.Queue) {
	if unsafe.Sizeof(T(0)) == 8 && !q.Device().Has(properties.FP64) {
		return
	}
	v := prims.Views{T: t, Q: q}
	normal := func(n int) []T {
		xs := make([]T, n)
		prims.Fill(xs)
		return xs
	}
	inf, big := T(math.Inf(1)), T(math.Sqrt(math.MaxFloat32))
	if unsafe.Sizeof(big) == 8 {
		big = T(math.Sqrt(math.MaxFloat64))
	}
	lists := [][]T{nil, {-3}, {3, -4}, {0, inf, 1}, {inf, inf / inf}, {big}, {big, big}, {2 * big}, normal(kernels.Block), normal(kernels.Block + 1), normal(70001)}
	for range 40 {
		lists = append(lists, normal(1+len(lists)%3)) // the roots of many numbers
	}
	for _, xs := range lists {
		x, squares := prims.View(v, xs), make([]T, len(xs))
		for i, x := range xs {
			squares[i] = x * x
		}
		got := prims.Result(v, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return reduce.NormOn(q, x, out, opts...)
		})
		prims.Equal(t, fmt.Sprintf("Norm of %d %Ts", len(xs), xs), got, []T{T(math.Sqrt(float64(sum(squares))))})
	}
}
