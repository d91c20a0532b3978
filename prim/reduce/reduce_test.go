package reduce_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// sum is the order of package reduce's documentation, in plain Go.
func sum[T prims.Real](xs []T) T {
	const leaves, block = 256, 4096
	if len(xs) > block {
		var sums []T
		for ; len(xs) > 0; xs = xs[min(block, len(xs)):] {
			sums = append(sums, sum(xs[:min(block, len(xs))]))
		}
		return sum(sums)
	}
	var tree [leaves]T
	for i, x := range xs {
		tree[i%leaves] += x
	}
	for n := leaves; n > 1; n /= 2 {
		for i := range n / 2 {
			tree[i] = tree[2*i] + tree[2*i+1]
		}
	}
	return tree[0]
}

// lengths returns the lengths that are tested.
func lengths() []int { return prims.Lengths(4096, 2*4096) }

// values compares all functions for one type with plain Go, on the device of a queue.
func values[T prims.Real](t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		v := prims.Views{T: t, Q: q, Opts: opts}
		for _, n := range lengths() {
			xs, ys := make([]T, n), make([]T, n)
			prims.Fill(xs)
			prims.Fill(ys)
			x := prims.View(v, xs)
			if unsafe.Sizeof(T(0)) < 8 || T(1)/2 == 0 || q.Device().Has(properties.FP64) {
				on := func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
					return reduce.SumOn(q, x, out, opts...)
				}
				prims.Same(t, fmt.Sprint("Sum of ", n), prims.Result(v, 1, on)[0], sum(xs))
				products := make([]T, n)
				for i := range xs {
					products[i] = T(xs[i] * ys[i])
				}
				y := prims.View(v, ys)
				on = func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
					return reduce.DotOn(q, x, y, out, opts...)
				}
				prims.Same(t, fmt.Sprint("Dot of ", n), prims.Result(v, 1, on)[0], sum(products))
			}
			compared(v, xs)
			for _, nan := range []bool{false, true} {
				prims.Subnormal(xs)
				prims.Special(xs, nan)
				compared(v, xs)
			}
			for i := range xs { // ties everywhere
				xs[i] = T(i % 2)
			}
			compared(v, xs)
		}
	})
}

// compared tests the functions that compare.
func compared[T prims.Real](v prims.Views, xs []T) {
	v.T.Helper()
	comparedIn(v, prims.View(v, xs), xs)
}

// comparedIn is compared for the elements xs of a view, which may have more.
func comparedIn[T prims.Real](v prims.Views, x runtime.View[T], xs []T) {
	t, q, n := v.T, v.Q, len(xs)
	t.Helper()
	least, greatest, count := T(0), T(0), int64(0)
	for i, e := range xs {
		if i == 0 {
			least, greatest = e, e
		}
		least, greatest = min(least, e), max(greatest, e)
		if e != 0 {
			count++
		}
	}
	first := func(want T) int64 {
		for i, e := range xs {
			if e == want && math.Signbit(float64(e)) == math.Signbit(float64(want)) || e != e && want != want {
				return int64(i)
			}
		}
		return 0 // which the output has been before
	}
	for _, f := range []struct {
		name string
		want T
		on   func(*runtime.Queue, runtime.View[T], runtime.View[T], ...prim.Option) (runtime.Event, error)
		arg  func(*runtime.Queue, runtime.View[T], runtime.View[int64], ...prim.Option) (runtime.Event, error)
	}{
		{"Min", least, reduce.MinOn[T], reduce.ArgMinOn[T]},
		{"Max", greatest, reduce.MaxOn[T], reduce.ArgMaxOn[T]},
	} {
		got := prims.Result(v, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) { return f.on(q, x, out, opts...) })
		prims.Same(t, fmt.Sprint(f.name, " of ", n), got[0], f.want)
		if got[0] != got[0] && prims.Bits(got[0]) != 0x7fc00000 && prims.Bits(got[0]) != 0x7ff8000000000000 {
			t.Errorf("%s of %d: a NaN with the bits %#x", f.name, n, prims.Bits(got[0]))
		}
		at := prims.Result(v, 1, func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return f.arg(q, x, out, opts...)
		})
		prims.Same(t, fmt.Sprint("Arg", f.name, " of ", n), at[0], first(f.want))
	}
	both := prims.Result(v, 2, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return reduce.MinMaxOn(q, x, out, opts...)
	})
	prims.Same(t, fmt.Sprint("MinMax's least of ", n), both[0], least)
	prims.Same(t, fmt.Sprint("MinMax's greatest of ", n), both[1], greatest)
	counts(v, x, n, count)
}

// counts tests the functions that count, for n elements of which count are not zero.
func counts[T reduce.Countable](v prims.Views, x runtime.View[T], n int, count int64) {
	t, q := v.T, v.Q
	t.Helper()
	got := prims.Result(v, 1, func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return reduce.CountOn(q, x, out, opts...)
	})
	prims.Same(t, fmt.Sprint("Count of ", n), got[0], count)
	is := prims.Result(v, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
		return reduce.AnyOn(q, x, out, opts...)
	})
	prims.Same(t, fmt.Sprint("Any of ", n), is[0], count > 0)
	is = prims.Result(v, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
		return reduce.AllOn(q, x, out, opts...)
	})
	prims.Same(t, fmt.Sprint("All of ", n), is[0], count == int64(n))
}

type meters float64

// everyType tests all types; with -short, drivers have two.
func everyType(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	whole := !testing.Short() || q.Device().Info().Backend == "host"
	values[float32](t, q, opts...)
	if whole {
		values[float64](t, q, opts...)
	}
	values[uint8](t, q, opts...)
	if whole {
		values[int64](t, q, opts...)
		values[int16](t, q, opts...)
		values[int32](t, q, opts...)
		values[uint32](t, q, opts...)
		values[uint64](t, q, opts...)
		values[int8](t, q, opts...)
		values[uint16](t, q, opts...)
		values[int](t, q, opts...)
		values[uint](t, q, opts...)
		values[meters](t, q, opts...)
	}
}

// all are the tests of one device, which makes each kernel ready once for them.
func all(t *testing.T, dev *runtime.Device) {
	q := dev.DefaultQueue()
	t.Run("types", func(t *testing.T) { everyType(t, q) })
	t.Run("bools", func(t *testing.T) { testBools(t, q) })
	t.Run("by", func(t *testing.T) { testBy(t, q) })
	if testing.Short() && swiftshader.On() {
		return
	}
	t.Run("norms", func(t *testing.T) {
		norms[float32](t, q)
		norms[float64](t, q)
	})
	t.Run("keys", func(t *testing.T) { testByKeys(t, q) })
	t.Run("lengths", func(t *testing.T) { testLength(t, q) })
	t.Run("graph", func(t *testing.T) {
		testGraph(t, q)
		testKeyGraph(t, q)
	})
	if !testing.Short() || dev.Info().Backend == "host" {
		t.Run("halves", func(t *testing.T) { testHalves(t, dev) })
	}
}

func TestHost(t *testing.T) { all(t, devtest.Host(t)) }

func TestVulkan(t *testing.T) { all(t, devtest.Vulkan(t)) }

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestVulkan$")
}

// TestSubGroups: sub-groups of any size give the same bits.
func TestSubGroups(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, n := range []int{1, 4, 32, 128} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			with := prim.Launch(runtime.With(properties.SubGroupSize(n)))
			values[float32](t, q, with)
			if !testing.Short() {
				values[int16](t, q, with)
				values[float64](t, q, with)
			}
		})
	}
}

// testHalves: the floats of package half are compared as floats.
func testHalves(t *testing.T, dev *runtime.Device) {
	halves[half.Float16](t, dev, 1<<16)
	halves[half.BFloat16](t, dev, 1<<16)
	halves[half.Float8E4M3](t, dev, 1<<8)
	halves[half.Float8E5M2](t, dev, 1<<8)
}

func halves[T interface {
	half.Float[T]
	~uint8 | ~uint16
}](t *testing.T, dev *runtime.Device, values int) {
	t.Run(reflect.TypeFor[T]().Name(), func(t *testing.T) {
		var xs []T
		for b := range values { // all but NaNs
			if x := T(b); !math.IsNaN(float64(x.Float32())) {
				xs = append(xs, x)
			}
		}
		rand.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		low, high, zeros := 0, 0, int64(0)
		for i, x := range xs {
			f := x.Float32()
			if f < xs[low].Float32() {
				low = i
			}
			if f > xs[high].Float32() {
				high = i
			}
			if f == 0 {
				zeros++
			}
		}
		least, greatest, err := reduce.MinMax(t.Context(), dev, xs)
		if err != nil || least != xs[low] || greatest != xs[high] {
			t.Errorf("MinMax: %v, %v, %v, want %v, %v", least, greatest, err, xs[low], xs[high])
		}
		at, err := reduce.ArgMin(t.Context(), dev, xs)
		if err != nil || at != int64(low) {
			t.Errorf("ArgMin: %v, %v, want %v", at, err, low)
		}
		n, err := reduce.Count(t.Context(), dev, xs)
		if err != nil || n != int64(len(xs))-zeros {
			t.Errorf("Count: %v, %v, want %v", n, err, int64(len(xs))-zeros)
		}
		for i, nan := range []T{T(values - 1), T(values/2 - 1)} {
			xs[len(xs)/2+i] = nan
		}
		if least, err := reduce.Min(t.Context(), dev, xs); err != nil || !math.IsNaN(float64(least.Float32())) {
			t.Errorf("Min with NaNs: %v, %v", least.Float32(), err)
		}
		if at, err := reduce.ArgMax(t.Context(), dev, xs); err != nil || at != int64(len(xs)/2) {
			t.Errorf("ArgMax with NaNs: %v, %v, want %d", at, err, len(xs)/2)
		}
		if _, err := reduce.Sum(t.Context(), dev, xs); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("Sum: %v", err)
		}
	})
}

func testBools(t *testing.T, q *runtime.Queue) {
	for _, n := range lengths()[:sample.Of(8, 5)] {
		for _, trues := range []int{0, n / 2, n} {
			xs := make([]bool, n)
			for _, i := range rand.Perm(n)[:trues] {
				xs[i] = true
			}
			v := prims.Views{T: t, Q: q}
			counts(v, prims.View(v, xs), n, int64(trues))
		}
	}
}
