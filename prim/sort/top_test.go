package sort_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// topK takes the greatest of elements, beside slices.SortStableFunc.
func topK[T prims.Real](t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	for i, n := range []int{0, 1, 5, 256, kernels.TopTile + 1, sample.Of(300001, 20001)} {
		for _, k := range []int{0, 1, 128, 5000}[:sample.Of(4, 4-i%2)] {
			v := prims.Views{T: t, Q: q, Opts: opts}
			xs := made[T](n, min((i+k)%3, 2))
			all := slices.Clone(xs)
			slices.SortStableFunc(all, order[T](true))
			m := min(k, n)
			want := append(slices.Clone(all[:m]), make([]T, k-m)...)
			x, count := prims.View(v, xs), prims.View(v, []int64{-7})
			name := fmt.Sprintf("the greatest %d of %d %T", k, n, *new(T))
			sameBits(t, name, prims.Result(v, k, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
				return sort.TopKOn(q, x, out, count, opts...)
			}), want)
			prims.Equal(t, name+": the count", prims.Read(v, count), []int64{int64(m)})
		}
	}
}

func TestTopKHost(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	topK[uint32](t, q)
	topK[float32](t, q)
	topK[int8](t, q)
	topK[uint16](t, q)
	topK[float64](t, q)
	topK[uint32](t, q, prim.Launch(runtime.WithSpec(lookback.Silent, uint32(1)), runtime.WithSpec(lookback.Polls, uint32(3))))
}

func TestTopKVulkan(t *testing.T) {
	q := devtest.Vulkan(t).DefaultQueue()
	topK[float32](t, q)
	if !testing.Short() {
		topK[int16](t, q)
		topK[uint64](t, q)
	}
}

// TestTopKLength: of a length on the device, the greatest of the first elements are taken.
func TestTopKLength(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	for _, n := range []int64{-1, 0, 3, 50, 1000} {
		v.Opts = []prim.Option{prim.Length(prims.View(v, []int64{n}))}
		short, long := made[int32](100, 0), made[int64](100, 0)
		lengths(v, short, n)
		lengths(v, long, n)
	}
}

// lengths takes the greatest five of the first n elements.
func lengths[T prims.Real](v prims.Views, xs []T, n int64) {
	v.T.Helper()
	all := slices.Clone(xs[:min(max(n, 0), 100)])
	slices.SortStableFunc(all, order[T](true))
	m := min(len(all), 5)
	want := append(slices.Clone(all[:m]), make([]T, 5-m)...)
	x, count := prims.View(v, xs), prims.View(v, []int64{-7})
	prims.Equal(v.T, fmt.Sprintf("the greatest of %d %T", n, *new(T)), prims.Result(v, 5, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return sort.TopKOn(v.Q, x, out, count, opts...)
	}), want)
	prims.Equal(v.T, "the count", prims.Read(v, count), []int64{int64(m)})
}

// TestTopKSlices: the function on slices.
func TestTopKSlices(t *testing.T) {
	dev, ctx := devtest.Host(t), t.Context()
	got, err := sort.TopK(ctx, dev, []uint8{3, 9, 1, 9}, 10)
	if prims.Equal(t, "all", got, []uint8{9, 9, 3, 1}); err != nil {
		t.Error(err)
	}
	for _, k := range []int{-1, 3} {
		if _, err := sort.TopK(ctx, dev, make([]int, k+1)[:0], k); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%d of none: %v", k, err)
		}
	}
}
