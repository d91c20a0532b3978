package pick_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/prim/pick/kernels"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// picked runs a function that picks elements of views of n, and compares them, their number and the rest of
// the output with plain Go.
func picked[T any](v prims.Views, what string, n int, want []T, on func(out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error)) {
	v.T.Helper()
	count := prims.View(v, []int64{-7})
	got := prims.Result(v, n, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return on(out, count, opts...)
	})
	prims.Equal(v.T, fmt.Sprint(what, " of ", n, ": the number"), prims.Read(v, count), []int64{int64(len(want))})
	prims.Equal(v.T, fmt.Sprint(what, " of ", n), got, append(want, make([]T, n-len(want))...))
}

// flagged tests FlaggedOn with elements of one type.
func flagged[T any](t *testing.T, q *runtime.Queue, n int, element func(i int) T, opts ...prim.Option) {
	v := prims.Views{T: t, Q: q, Opts: opts}
	for _, share := range []float64{0.1, 1, 0, 0.6}[:sample.Of(4, 2)] {
		xs, flags := make([]T, n), make([]bool, n)
		var want []T
		for i := range xs {
			if xs[i], flags[i] = element(i), rand.Float64() < share; flags[i] {
				want = append(want, xs[i])
			}
		}
		x, f := prims.View(v, xs), prims.View(v, flags)
		picked(v, reflect.TypeFor[T]().String(), n, want, func(out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return pick.FlaggedOn(q, x, f, out, count, opts...)
		})
	}
}

// runs tests UniqueOn and RunLengthsOn with elements of one type.
func runs[T prims.Real](t *testing.T, q *runtime.Queue, n int) {
	v := prims.Views{T: t, Q: q}
	for _, values := range []int{2, 1000, 1}[:sample.Of(3, 2)] {
		xs := make([]T, n)
		for i := range xs {
			xs[i] = T(rand.IntN(values) % 100)
		}
		prims.Special(xs, true)
		for i := 1; i < n; i++ { // runs of some length
			if rand.IntN(3) > 0 {
				xs[i] = xs[i-1]
			}
		}
		x := prims.View(v, xs)
		want := slices.CompactFunc(slices.Clone(xs), func(x, y T) bool { return cmp.Compare(x, y) == 0 })
		name := reflect.TypeFor[T]().String()
		picked(v, "Unique of "+name, n, want, func(out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return pick.UniqueOn(q, x, out, count, opts...)
		})
		var lengths []int64
		for i := range xs {
			if i == 0 || cmp.Compare(xs[i], xs[i-1]) != 0 {
				lengths = append(lengths, 0)
			}
			lengths[len(lengths)-1]++
		}
		picked(v, "RunLengths of "+name, n, lengths, func(out runtime.View[int64], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return pick.RunLengthsOn(q, x, prims.View(v, make([]T, n)), out, count, opts...)
		})
	}
}

// partitioned tests Partition.
func partitioned(v prims.Views, xs []float32) {
	v.T.Helper()
	for _, limit := range []float32{0.25, -100, 100} {
		var want, others []float32
		for _, x := range xs {
			if x > limit {
				want = append(want, x)
			} else {
				others = append(others, x)
			}
		}
		x, count := prims.View(v, xs), prims.View(v, []int64{-7})
		got := prims.Result(v, len(xs), func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return pick.Partition[opsgen.Split](v.Q, ops.Greater{Than: limit}, x, out, count, opts...)
		})
		prims.Equal(v.T, fmt.Sprintf("Partition of %d above %v: the number", len(xs), limit), prims.Read(v, count), []int64{int64(len(want))})
		prims.Equal(v.T, fmt.Sprintf("Partition of %d above %v", len(xs), limit), got, append(want, others...))
	}
}

type triple struct{ A, B, C uint8 }

// all are the tests of one device.
func all(t *testing.T, dev *runtime.Device) {
	q := dev.DefaultQueue()
	for _, n := range prims.Lengths(kernels.Each, kernels.Tile, 2*kernels.Tile) {
		flagged(t, q, n, func(i int) float32 { return float32(i) })
		v := prims.Views{T: t, Q: q}
		xs := make([]float32, n)
		prims.Fill(xs)
		var want []float32
		for _, x := range xs {
			if x > 0.25 {
				want = append(want, x)
			}
		}
		x := prims.View(v, xs)
		picked(v, "Where", n, want, func(out runtime.View[float32], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return pick.Where[opsgen.Above](q, ops.Greater{Than: 0.25}, x, out, count, opts...)
		})
		partitioned(v, xs)
		runs[int32](t, q, n)
	}
	if testing.Short() && dev.Info().Backend != "host" {
		return // each type has kernels of its own
	}
	for _, n := range []int{0, 1, 5000} {
		flagged(t, q, n, func(i int) triple { return triple{byte(i), byte(i >> 8), 3} })
		flagged(t, q, n, func(i int) [3]uint16 { return [3]uint16{uint16(i), 7, uint16(i >> 8)} })
		flagged(t, q, n, func(i int) [5]int64 { return [5]int64{int64(i), -1, 2, 3, int64(i * i)} })
		runs[float32](t, q, n)
		runs[float64](t, q, n)
		runs[int8](t, q, n)
		runs[uint16](t, q, n)
	}
	silent := prim.Launch(runtime.WithSpec(lookback.Silent, uint32(1)), runtime.WithSpec(lookback.Polls, uint32(2)))
	flagged(t, q, 9*kernels.Tile+1, func(i int) uint32 { return uint32(i) }, silent)
	xs := make([]float32, 9*kernels.Tile+1)
	prims.Fill(xs)
	partitioned(prims.Views{T: t, Q: q, Opts: []prim.Option{silent}}, xs)
}

func TestHost(t *testing.T) { all(t, devtest.Host(t)) }

func TestVulkan(t *testing.T) { all(t, devtest.Vulkan(t)) }

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestVulkan$")
}

// TestLength: elements picked by one function are those that the next takes, without a wait.
func TestLength(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	v := prims.Views{T: t, Q: q}
	xs := make([]float32, 10000)
	prims.Fill(xs)
	for i := range xs {
		xs[i] = float32(int(xs[i] * 2))
	}
	x := prims.View(v, xs)
	some, count := prims.View(v, make([]float32, len(xs))), prims.View(v, []int64{0})
	if _, err := pick.Where[opsgen.Above](q, ops.Greater{Than: 0.25}, x, some, count); err != nil {
		t.Fatal(err)
	}
	var want []float32
	for _, x := range xs {
		if x > 0.25 {
			want = append(want, x)
		}
	}
	want = slices.Compact(want)
	v.Opts = []prim.Option{prim.Length(count)}
	picked(v, "Unique", len(xs), want, func(out runtime.View[float32], n runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return pick.UniqueOn(q, some, out, n, opts...)
	})
}

// TestPartitionLength: of a length on the device, the elements after it stay.
func TestPartitionLength(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	xs := []float32{1, -1, 2, -2, -3, 3, -4}
	for n, want := range map[int64][]float32{-1: {9, 9, 9, 9, 9, 9, 9}, 5: {1, 2, -1, -2, -3, 9, 9}, 70: {1, 2, 3, -1, -2, -3, -4}} {
		out, count := prims.View(v, slices.Repeat([]float32{9}, len(xs))), prims.View(v, []int64{0})
		if _, err := pick.Partition[opsgen.Split](v.Q, ops.Greater{}, prims.View(v, xs), out, count, prim.Length(prims.View(v, []int64{n}))); err != nil {
			t.Fatal(err)
		}
		prims.Equal(t, fmt.Sprint("Partition with the length ", n), prims.Read(v, out), want)
	}
}
