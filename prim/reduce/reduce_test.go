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

// real is the types that plain Go adds up.
type real interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

// sum is the order of package reduce's documentation, in plain Go.
func sum[T real](xs []T) T {
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

// lengths returns the lengths that are tested: those around the sizes of leaves, groups and blocks.
func lengths() []int {
	if testing.Short() {
		return []int{0, 1, 257, 4096, 8193, 20001 + rand.IntN(10000)}
	}
	l := []int{0, 1, 255, 256, 257, 4095, 4096, 4097, 8193}
	long := 4096*1024 + 4097
	if swiftshader.On() {
		long = 30001 // it is slow
	}
	return append(l, long, 1+rand.IntN(20000))
}

// bitsOf returns the bits of a value, and the same bits for all NaNs.
func bitsOf[T any](v T) string {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := r.Float(); math.IsNaN(f) {
			return "NaN"
		} else if f == 0 && math.Signbit(f) {
			return "-0"
		}
	}
	return fmt.Sprint(v)
}

// fill makes elements at random, as numbers that a float holds, with all values of small integers.
func fill[T real](xs []T) {
	whole := T(1)/2 == 0
	for i := range xs {
		switch {
		case whole:
			xs[i] = fromBits[T](rand.Uint64())
		default:
			xs[i] = T(rand.NormFloat64())
		}
	}
}

func bits[T any](v T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = v
	return b
}

func fromBits[T any](b uint64) T { return *(*T)(unsafe.Pointer(&b)) }

// special sets some elements of floats to zeros of both signs, infinities and NaNs with payloads.
func special[T real](xs []T, nan bool) {
	if T(1)/2 == 0 || len(xs) == 0 {
		return
	}
	inf, sign, quiet := uint64(0x7f800000), uint64(1)<<31, uint64(1)<<22
	if unsafe.Sizeof(xs[0]) == 8 {
		inf, sign, quiet = 0x7ff<<52, 1<<63, 1<<51
	}
	values := []uint64{0, sign, 1, sign | 1, inf - 1, inf, inf | sign}
	if nan {
		values = append(values, inf|quiet, inf|quiet|5, inf|1, inf|sign|quiet, inf|sign|77)
	}
	for range 1 + len(xs)/50 {
		xs[rand.IntN(len(xs))] = fromBits[T](values[rand.IntN(len(values))])
	}
}

// views are the memory of one type's tests.
type views[T any] struct {
	t    *testing.T
	q    *runtime.Queue
	opts []prim.Option
}

// view returns a view of a copy of xs, at an odd offset.
func (v views[T]) view(xs []T) runtime.View[T] {
	b, err := runtime.BufferOf(v.q.Device(), append(make([]T, 3), xs...))
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { b.Close() })
	return b.Slice(3, 3+len(xs))
}

// result runs a function on views, and returns its n results.
func result[T, R any](v views[T], n int, on func(out runtime.View[R], opts ...prim.Option) (runtime.Event, error)) []R {
	v.t.Helper()
	out := make([]R, n)
	b, err := runtime.NewBuffer[R](v.q.Device(), n+1)
	if err != nil {
		v.t.Fatal(err)
	}
	defer b.Close()
	if _, err := on(b.Slice(1, 1+n), v.opts...); err != nil {
		v.t.Fatal(err)
	}
	if err := b.Slice(1, 1+n).CopyTo(v.t.Context(), v.q, out); err != nil {
		v.t.Fatal(err)
	}
	return out
}

func same[R any](t *testing.T, what string, got, want R) {
	t.Helper()
	if bitsOf(got) != bitsOf(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// values compares all functions for one type with plain Go, on the device of a queue.
func values[T real](t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		v := views[T]{t, q, opts}
		for _, n := range lengths() {
			xs, ys := make([]T, n), make([]T, n)
			fill(xs)
			fill(ys)
			x := v.view(xs)
			if unsafe.Sizeof(T(0)) < 8 || T(1)/2 == 0 || q.Device().Has(properties.FP64) {
				on := func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
					return reduce.SumOn(q, x, out, opts...)
				}
				same(t, fmt.Sprint("Sum of ", n), result(v, 1, on)[0], sum(xs))
				products := make([]T, n)
				for i := range xs {
					products[i] = T(xs[i] * ys[i])
				}
				y := v.view(ys)
				on = func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
					return reduce.DotOn(q, x, y, out, opts...)
				}
				same(t, fmt.Sprint("Dot of ", n), result(v, 1, on)[0], sum(products))
			}
			compared(v, xs)
			for _, nan := range []bool{false, true} {
				special(xs, nan)
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
func compared[T real](v views[T], xs []T) {
	v.t.Helper()
	comparedIn(v, v.view(xs), xs)
}

// comparedIn is compared for the elements xs of a view, which may have more.
func comparedIn[T real](v views[T], x runtime.View[T], xs []T) {
	t, q, n := v.t, v.q, len(xs)
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
		got := result(v, 1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) { return f.on(q, x, out, opts...) })
		same(t, fmt.Sprint(f.name, " of ", n), got[0], f.want)
		if got[0] != got[0] && bits(got[0]) != 0x7fc00000 && bits(got[0]) != 0x7ff8000000000000 {
			t.Errorf("%s of %d: a NaN with the bits %#x", f.name, n, bits(got[0]))
		}
		at := result(v, 1, func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return f.arg(q, x, out, opts...)
		})
		same(t, fmt.Sprint("Arg", f.name, " of ", n), at[0], first(f.want))
	}
	both := result(v, 2, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return reduce.MinMaxOn(q, x, out, opts...)
	})
	same(t, fmt.Sprint("MinMax's least of ", n), both[0], least)
	same(t, fmt.Sprint("MinMax's greatest of ", n), both[1], greatest)
	counts(v, x, n, count)
}

// counts tests the functions that count, for n elements of which count are not zero.
func counts[T reduce.Countable](v views[T], x runtime.View[T], n int, count int64) {
	t, q := v.t, v.q
	t.Helper()
	got := result(v, 1, func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return reduce.CountOn(q, x, out, opts...)
	})
	same(t, fmt.Sprint("Count of ", n), got[0], count)
	is := result(v, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
		return reduce.AnyOn(q, x, out, opts...)
	})
	same(t, fmt.Sprint("Any of ", n), is[0], count > 0)
	is = result(v, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
		return reduce.AllOn(q, x, out, opts...)
	})
	same(t, fmt.Sprint("All of ", n), is[0], count == int64(n))
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
			v := views[bool]{t, q, nil}
			counts(v, v.view(xs), n, int64(trues))
		}
	}
}
