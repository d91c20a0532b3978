package fft_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/fft"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newPlan[T fft.Complex](t testing.TB, dev *runtime.Device, shape ...int) *fft.Plan[T] {
	t.Helper()
	p, err := fft.NewPlan[T](dev, shape...)
	check(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

func newRealPlan[R fft.Real, T fft.Complex](t testing.TB, dev *runtime.Device, shape ...int) *fft.RealPlan[R, T] {
	t.Helper()
	p, err := fft.NewRealPlan[R, T](dev, shape...)
	check(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// both returns the transforms of xs and their inverses, on views that begin at odd places, and in place.
func both[T fft.Complex](v prims.Views, xs []T, shape ...int) (ys, zs []T) {
	v.T.Helper()
	p := newPlan[T](v.T, v.Q.Device(), shape...)
	x := prims.View(v, xs)
	ys = prims.Result(v, len(xs), func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return p.ForwardOn(v.Q, x, out, opts...)
	})
	if _, err := p.ForwardOn(v.Q, x, x, v.Opts...); err != nil {
		v.T.Fatal(err)
	}
	prims.Equal(v.T, fmt.Sprint("in place, ", shape), prims.Read(v, x), ys)
	if _, err := p.InverseOn(v.Q, x, x, v.Opts...); err != nil {
		v.T.Fatal(err)
	}
	return ys, prims.Read(v, x)
}

// complexes compares transforms of some arrays of a shape with those in plain Go.
func complexes[T fft.Complex](v prims.Views, count int, shape ...int) {
	v.T.Helper()
	xs := random[T](count * size(shape))
	ys, zs := both(v, xs, shape...)
	near(v.T, fmt.Sprintf("%d transforms of %T, %v", count, xs, shape), shape, ys, arrays(wide(xs), shape))
	near(v.T, fmt.Sprintf("%d inverse transforms of %T, %v", count, xs, shape), slices.Concat(shape, shape), zs, wide(xs))
}

// reals compares transforms of arrays of real numbers with those of complex ones in plain Go.
func reals[R fft.Real, T fft.Complex](v prims.Views, count int, shape ...int) {
	v.T.Helper()
	n := count * size(shape)
	cs, xs := random[T](n), make([]R, n)
	for i, c := range cs {
		xs[i] = R(real(complex128(c)))
		cs[i] = T(complex(float64(xs[i]), 0))
	}
	p := newRealPlan[R, T](v.T, v.Q.Device(), shape...)
	last := shape[len(shape)-1]
	var want []complex128
	for row := range slices.Chunk(arrays(wide(cs), shape), last) {
		want = append(want, row[:last/2+1]...)
	}
	x := prims.View(v, xs)
	ys := prims.Result(v, len(want), func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return p.ForwardOn(v.Q, x, out, opts...)
	})
	name := fmt.Sprintf("of %d arrays of %T, %v", count, xs, shape)
	near(v.T, "transforms "+name, shape, ys, want)
	y := prims.View(v, ys)
	zs := prims.Result(v, n, func(out runtime.View[R], opts ...prim.Option) (runtime.Event, error) {
		return p.InverseOn(v.Q, y, out, opts...)
	})
	prims.Equal(v.T, "what is transformed "+name, prims.Read(v, y), ys)
	back := make([]T, n)
	for i, z := range zs {
		back[i] = T(complex(float64(z), 0))
	}
	near(v.T, "inverse transforms "+name, slices.Concat(shape, shape), back, wide(cs))
}

// TestLengths: arrays of one axis, of all short lengths, and of some around those at which the steps change.
func TestLengths(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	for n := 1; n <= 70; n++ {
		v.Offset = 2 + n%2
		complexes[complex64](v, 3, n)
		reals[float32, complex64](v, 3, n)
		if n%sample.Of(1, 7) == 0 {
			complexes[complex128](v, 2, n)
			reals[float64, complex128](v, 2, n)
		}
	}
	lengths := []int{128, 243, 256, 343, 625, 1000, 1021, 1024, 2048, 2187, 2503, 4096, 8192, 4099, 6561, 10007, 12000, 16384, 30030, 65536, 15625, 16807, 131072, 1 << 20, 3 << 19, 101 * 10240, 1 << 21, 2401 * 1250}
	for i, n := range lengths {
		if testing.Short() && n > 8192 {
			break
		}
		v.Offset = 2 + i%2
		complexes[complex64](v, 1+3000/n, n)
		if n < 100000 {
			reals[float32, complex64](v, 1+3000/n, n)
			complexes[complex128](v, 1, n)
		}
	}
}

// shapes are arrays of several axes.
var shapes = [][]int{{1, 1}, {1, 5}, {6, 1}, {2, 3}, {16, 16}, {5, 7, 4}, {1, 9, 1}, {13, 12}, {3, 11, 6}, {100, 30}, {2048, 3}, {1100, 4}, {1013, 5}, {8, 2, 1500}, {64, 32, 16}}

// TestShapes: arrays of two and three axes.
func TestShapes(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	for _, s := range shapes {
		for count := sample.Of(1, 2); count <= 3; count += 2 {
			complexes[complex64](v, count, s...)
			reals[float32, complex64](v, count, s...)
		}
		if size(s) < 1000 || !testing.Short() {
			complexes[complex128](v, 2, s...)
			reals[float64, complex128](v, 2, s...)
		}
	}
	if !testing.Short() {
		complexes[complex64](v, 1, 1000, 1000)
		complexes[complex64](v, 2, 1<<18, 4)
		complexes[complex64](v, 2, 1<<21, 2)
	}
}

// transforms are calls whose results are the same on all devices. With -short there are few, since drivers for
// processors take a second for each kernel of a new length.
func transforms(v prims.Views) (all []any) {
	list := []struct {
		count int
		shape []int
	}{{3, []int{25}}, {1, []int{13}}, {3, []int{60}}, {1, []int{17}}, {2, []int{2048}}, {2, []int{4096}}, {2, []int{8192}}, {2, []int{12, 35}}, {1, []int{3000}}, {1, []int{1013, 4}}}
	if testing.Short() {
		list = list[:2]
	}
	for _, c := range list {
		ys, zs := both(v, regular[complex64](c.count*size(c.shape)), c.shape...)
		all = append(all, ys, zs)
	}
	p := newPlan[complex64](v.T, v.Q.Device(), 4096)
	x := prims.View(v, regular[complex64](4096))
	all = append(all, prims.Result(v, 4096, func(out runtime.View[complex64], opts ...prim.Option) (runtime.Event, error) {
		return p.ForwardOn(v.Q, x, out, opts...)
	}))
	shapes := [][]int{{50}, {6, 10}, {5, 9}}
	if testing.Short() {
		shapes = shapes[:1] // which takes the kernels of 25 complex numbers
	}
	for _, shape := range shapes {
		all = append(all, realTransforms(v, shape...)...)
	}
	return all
}

// regular returns numbers that are the same in each call.
func regular[T fft.Complex](n int) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = T(complex(float64(float32(i*i%1009)/7-70), float64(float32(i*i%887)/3-100)))
	}
	return xs
}

// realTransforms returns the transforms of arrays of real numbers, and their inverses.
func realTransforms(v prims.Views, shape ...int) []any {
	p := newRealPlan[float32, complex64](v.T, v.Q.Device(), shape...)
	n, last := size(shape), shape[len(shape)-1]
	xs := make([]float32, n)
	for i, c := range regular[complex64](n) {
		xs[i] = real(c)
	}
	x := prims.View(v, xs)
	ys := prims.Result(v, n/last*(last/2+1), func(out runtime.View[complex64], opts ...prim.Option) (runtime.Event, error) {
		return p.ForwardOn(v.Q, x, out, opts...)
	})
	y := prims.View(v, ys)
	return []any{ys, prims.Result(v, n, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return p.InverseOn(v.Q, y, out, opts...)
	})}
}

// same compares results bit for bit.
func same(t *testing.T, what string, got, want []any) {
	t.Helper()
	for i := range want {
		switch w := want[i].(type) {
		case []complex64:
			prims.Equal(t, fmt.Sprint(what, ", result ", i), got[i].([]complex64), w)
		case []float32:
			prims.Equal(t, fmt.Sprint(what, ", result ", i), got[i].([]float32), w)
		}
	}
}

// onHost returns the results of transforms on the host device.
var onHost = sync.OnceValue(func() func(t *testing.T) []any {
	var all []any
	return func(t *testing.T) []any {
		if all == nil {
			all = transforms(prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()})
		}
		return all
	}
})

// TestVulkan: a Vulkan device has the bits of the host device.
func TestVulkan(t *testing.T) {
	dev := devtest.Vulkan(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue(), Offset: 2}
	same(t, "on "+dev.Name(), transforms(v), onHost()(t)) // 13 numbers take the kernels of 25, too
	testGraph(v)
	if dev.Has(properties.FP64) && !testing.Short() {
		complexes[complex128](v, 2, 100)
		reals[float64, complex128](v, 2, 9, 14)
	}
}

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestVulkan$")
}

// TestKernels: the kernels of GPUs have the bits of the host device's, at all sizes of sub-groups.
func TestKernels(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	want := onHost()(t)
	defer fft.AsGPU(true)()
	for lanes := 1; lanes <= 128; lanes *= sample.Of(2, 32) {
		v.Opts = []prim.Option{prim.Launch(runtime.With(properties.SubGroupSize(lanes)))}
		same(t, fmt.Sprint("sub-groups of ", lanes), transforms(v), want)
	}
	v.Opts = nil
	for _, n := range []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 15, 1 << 17} {
		if testing.Short() && n > 4096 {
			break
		}
		complexes[complex64](v, 1+5000/n, n)
	}
	complexes[complex64](v, 2, 64, 30)
}

// TestChunks: arrays with more elements than are transformed together are transformed in parts.
func TestChunks(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	defer fft.Chunk(20000)()
	complexes[complex64](v, 7, 2401, 3)
	complexes[complex64](v, 7, 997)
	reals[float32, complex64](v, 700, 99)
	reals[float32, complex64](v, 700, 98)
}

// TestRoots: roots of unity are near those of package cmplx, and symmetric.
func TestRoots(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 12, 1000, 1 << 20} {
		for k := 0; k < n; k += 1 + n/1000 {
			w, u := fft.Root(k, n), fft.Root(n-k, n)
			if real(w) != real(u) || imag(w) != -imag(u) {
				t.Fatalf("roots %d and %d of %d are %v and %v", k, n-k, n, w, u)
			}
			if d := complex128(w)*complex128(u) - 1; real(d)*real(d)+imag(d)*imag(d) > 0x1p-104 {
				t.Fatalf("root %d of %d is %v", k, n, w)
			}
		}
	}
	if fft.Root(1, 4) != -1i || fft.Root(2, 4) != -1 || fft.Root(3, 4) != 1i {
		t.Error("quarters of the turn are not exact")
	}
}

// TestSlices: functions on slices do as those on views.
func TestSlices(t *testing.T) {
	dev, ctx := devtest.Host(t), t.Context()
	p, r := newPlan[complex64](t, dev, 4), newRealPlan[float32, complex64](t, dev, 4)
	ys, err := p.Forward(ctx, []complex64{1, 2, 3, 4})
	check(t, err)
	zs, err := p.Inverse(ctx, ys)
	check(t, err)
	us, err := r.Forward(ctx, []float32{1, 2, 3, 4})
	check(t, err)
	vs, err := r.Inverse(ctx, us)
	check(t, err)
	if got, want := fmt.Sprint(ys, zs, us, vs), "[(10+0i) (-2+2i) (-2+0i) (-2-2i)] [(1+0i) (2+0i) (3+0i) (4+0i)] [(10+0i) (-2+2i) (-2-0i)] [1 2 3 4]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTogether: several goroutines use one plan.
func TestTogether(t *testing.T) {
	dev := devtest.Host(t)
	p := newPlan[complex64](t, dev, 100)
	xs := random[complex64](100)
	want, err := p.Forward(t.Context(), xs)
	check(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if got, err := p.Forward(context.Background(), xs); err != nil || !slices.Equal(got, want) {
					t.Errorf("got %v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
}

// TestGraph: transforms that are recorded become nodes, which run as often as the graph is submitted.
func TestGraph(t *testing.T) {
	testGraph(prims.Views{T: t, Q: devtest.Host(t).DefaultQueue(), Offset: 2})
}

func testGraph(v prims.Views) {
	t, dev, n := v.T, v.Q.Device(), sample.Of(8192, 25)
	p := newPlan[complex64](t, dev, n)
	x, y := prims.View(v, make([]complex64, 2*n)), prims.View(v, make([]complex64, 2*n))
	g := runtime.NewGraph(dev)
	check(t, v.Q.BeginRecording(g))
	check(t, of(p.ForwardOn(v.Q, x, y)))
	check(t, of(p.InverseOn(v.Q, y, x)))
	check(t, v.Q.EndRecording())
	ex, err := g.Finalize()
	check(t, err)
	for range 3 {
		xs := random[complex64](2 * n)
		check(t, x.CopyFrom(t.Context(), v.Q, xs))
		check(t, of(v.Q.Submit(ex)))
		near(t, "a graph's transforms and their inverses", []int{n, n}, prims.Read(v, x), wide(xs))
	}
}
