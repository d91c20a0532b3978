package hist_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sort"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	kernelsgen "github.com/kgen-go/kgen/generated/prim/hist/kernels"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/prim/hist/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// counted runs a function, whose counts were other numbers before, and compares them with those of
// elements whose bins plain Go has found; -1 is none.
func counted[T any](v prims.Views, what string, xs []T, bins int, bin func(x T) int, on func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error)) {
	v.T.Helper()
	want := make([]int64, bins)
	for _, x := range xs {
		if i := bin(x); i >= 0 {
			want[i]++
		}
	}
	got := slices.Repeat([]int64{-5}, bins)
	counts := prims.View(v, got)
	if _, err := on(counts, v.Opts...); err != nil {
		v.T.Fatalf("%s: %v", what, err)
	}
	prims.Equal(v.T, fmt.Sprintf("%s of %d %Ts in %d bins", what, len(xs), xs, bins), prims.Read(v, counts), want)
}

// between returns the bin that an element has between edges which lie at or below it.
func between(bins int, below func(edge int) bool) int {
	return sort.Search(bins+1, func(i int) bool { return !below(i) }) - 1
}

// inBins returns i, or -1 for the last edge.
func inBins(i, bins int) int {
	if i >= bins {
		return -1
	}
	return i
}

// evenIntegers returns the bins of integers, by math/big.
func evenIntegers[T prims.Real](lo, hi T, bins int) func(T) int {
	number := func(x T) *big.Int {
		if T(0)-1 < 0 {
			return big.NewInt(int64(x))
		}
		return new(big.Int).SetUint64(uint64(x))
	}
	low, span := number(lo), new(big.Int).Sub(number(hi), number(lo))
	return func(x T) int {
		if x < lo || x >= hi {
			return -1
		}
		d := new(big.Int).Sub(number(x), low)
		return int(d.Div(d.Mul(d, big.NewInt(int64(bins))), span).Int64())
	}
}

// evenFloats returns the bins of floats, by their edges.
func evenFloats[T any, F float32 | float64](value func(T) F, lo, hi T, bins int) func(T) int {
	low, high := value(lo), value(hi)
	edges := make([]F, bins+1)
	width := (high - low) / F(bins)
	for i := range edges {
		edges[i] = low + F(F(i)*width)
	}
	edges[bins] = high
	return func(x T) int {
		v := value(x)
		if !(low <= v && v < high) {
			return -1
		}
		return between(bins-1, func(i int) bool { return edges[i] <= v })
	}
}

// integerFields tests a type of integers.
func integerFields[T hist.Integer](t *testing.T, q *runtime.Queue, n int) {
	v := prims.Views{T: t, Q: q}
	xs := make([]T, n)
	prims.Fill(xs)
	least, most := T(0), ^T(0)
	if most < 0 {
		least = T(1) << (8*unsafe.Sizeof(most) - 1)
		most = ^least
	}
	x := prims.View(v, xs)
	for _, bins := range binsOf(n) {
		for _, e := range [][2]T{{least, most}, {0, 100}, {least, least + 1}, {most - 7, most}, {most / 3, most / 2}} {
			counted(v, fmt.Sprintf("Even between %v and %v", e[0], e[1]), xs, bins, evenIntegers(e[0], e[1], bins), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
				return hist.EvenOn(q, x, e[0], e[1], counts, opts...)
			})
		}
		keys := slices.Clone(xs)
		for i := range keys {
			if keys[i]%5 > 0 {
				keys[i] = T(rand.IntN(bins + 9))
			}
		}
		k := prims.View(v, keys)
		counted(v, "ByKey", keys, bins, func(x T) int {
			if x < 0 || uint64(x) >= uint64(bins) {
				return -1
			}
			return int(x)
		}, func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return hist.ByKeyOn(q, k, counts, opts...)
		})
		edges(v, xs, bins, func(x, y T) bool { return x < y })
	}
}

// binsOf returns numbers of bins: few, some that work-groups have several counters for, and many.
func binsOf(n int) []int {
	if n != 20011 {
		return []int{1 + rand.IntN(300)}
	}
	if testing.Short() {
		return []int{256, 1024, 4096, 70000}
	}
	return []int{1, 2, 255, 256, 1023, 1024, 2048, 2049, 4096, 4097, 70000}
}

// edges tests Edges with some of the elements, and neighbours of them.
func edges[T prim.Number](v prims.Views, xs []T, bins int, less func(x, y T) bool) {
	es := make([]T, bins+1)
	for i := range es {
		if es[i] = T(rand.Uint64()); len(xs) > 0 {
			es[i] = xs[rand.IntN(len(xs))]
		}
		if !less(es[i], 1) && !less(1, es[i]) {
			es[i] = 1 // in place of a NaN
		}
	}
	edgesOf(v, xs, len(xs), es, less)
}

// edgesOf tests Edges with the first m elements, and edges that it sorts.
func edgesOf[T prim.Number](v prims.Views, xs []T, m int, es []T, less func(x, y T) bool) {
	slices.SortFunc(es, func(x, y T) int {
		if less(x, y) {
			return -1
		} else if less(y, x) {
			return 1
		}
		return 0
	})
	bins := len(es) - 1
	x, e := prims.View(v, xs), prims.View(v, es)
	counted(v, "Edges", xs[:m], bins, func(x T) int {
		if !less(x, es[bins]) || less(x, es[0]) {
			return -1
		}
		return between(bins, func(i int) bool { return !less(x, es[i]) })
	}, func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return hist.EdgesOn(v.Q, x, e, counts, opts...)
	})
}

// floats tests a type of floats.
func floats[T float32 | float64](t *testing.T, q *runtime.Queue, n int) {
	v := prims.Views{T: t, Q: q}
	xs := make([]T, n)
	prims.Fill(xs)
	prims.Special(xs, true)
	for i := range xs {
		if i%4 == 0 {
			xs[i] = T(rand.IntN(100)) / 100 // at the edges
		}
	}
	x := prims.View(v, xs)
	for _, bins := range binsOf(n) {
		for _, e := range [][2]T{{0, 1}, {-1, 1}, {-0.3, 0.9}, {1, 1 + 0x1p-17}, {-math.MaxFloat32 / 2, math.MaxFloat32 / 2}} {
			if unsafe.Sizeof(e[0]) == 8 && !q.Device().Has(properties.FP64) {
				continue
			}
			counted(v, fmt.Sprintf("Even between %v and %v", e[0], e[1]), xs, bins, evenFloats(func(x T) T { return x }, e[0], e[1], bins), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
				return hist.EvenOn(q, x, e[0], e[1], counts, opts...)
			})
		}
		edges(v, xs, bins, func(x, y T) bool { return x < y })
	}
}

// halves tests a type of package half, with all its values.
func halves[T interface {
	half.Float[T]
	prim.Number
}](t *testing.T, q *runtime.Queue) {
	v := prims.Views{T: t, Q: q}
	xs := make([]T, 1<<(8*unsafe.Sizeof(T(0))))
	for i := range xs {
		if xs[i] = T(i); xs[i].Abs().Float32() < 0x1p-126 {
			xs[i] = 0 // subnormal float32s are as the device has them
		}
	}
	for _, of := range [][]T{xs, xs[1:]} {
		x := prims.View(v, of)
		for _, bins := range []int{1, 7, 300} {
			for _, e := range [][2]float32{{0, 1}, {-100, 200}, {-0.01, 0.01}} {
				lo, hi := half.FromFloat32[T](e[0]), half.FromFloat32[T](e[1])
				counted(v, fmt.Sprintf("Even between %v and %v", lo, hi), of, bins, evenFloats(T.Float32, lo, hi, bins), func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
					return hist.EvenOn(q, x, lo, hi, counts, opts...)
				})
			}
			edges(v, of, bins, func(x, y T) bool { return x.Float32() < y.Float32() })
		}
	}
}

// all are the tests of one device.
func all(t *testing.T, dev *runtime.Device) {
	q := dev.DefaultQueue()
	lengths := []int{0, 1, kernels.Tile - 1, kernels.Tile, kernels.Tile + 1, 20011, 70001}
	if testing.Short() {
		lengths = []int{0, kernels.Tile + 1, 20011}
	}
	brief := testing.Short() && dev.Info().Backend != "host"
	for _, n := range lengths {
		integerFields[uint8](t, q, n)
		integerFields[int32](t, q, n)
		floats[float32](t, q, n)
		if brief {
			continue
		}
		integerFields[int64](t, q, n)
		integerFields[int8](t, q, n)
		integerFields[uint16](t, q, n)
		integerFields[int16](t, q, n)
		integerFields[uint32](t, q, n)
		integerFields[uint64](t, q, n)
		floats[float64](t, q, n)
	}
	if brief {
		integerFields[int64](t, q, 5000)
		floats[float64](t, q, 5000)
	}
	halves[half.Float16](t, q)
	halves[half.BFloat16](t, q)
	halves[half.Float8E4M3](t, q)
	halves[half.Float8E5M2](t, q)
}

func TestHost(t *testing.T) { all(t, devtest.Host(t)) }

func TestVulkan(t *testing.T) { all(t, devtest.Vulkan(t)) }

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestVulkan$")
}

// TestCarry: counts go on in their second words. These are nearly full before.
func TestCarry(t *testing.T) {
	dev := devtest.Host(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	xs := slices.Repeat([]uint32{2}, 20000)
	x := prims.View(v, xs)
	for _, shift := range []uint32{0, 4, 32} {
		start := []int64{1<<32 - 20000, 1<<32 - 20000, 7<<32 - 1, 7<<32 - 20001}
		for bin := range start {
			counts := prims.View(v, start)
			for i := range xs {
				xs[i] = uint32(bin)
			}
			if err := x.CopyFrom(t.Context(), v.Q, xs); err != nil {
				t.Fatal(err)
			}
			words := primimpl.Cast[uint32](counts)
			k := kernelsgen.Keys{X32: x, Bins: kernels.Bins{N: 4, Shift: shift}, Counts: words}
			if err := k.Run(t.Context(), v.Q, runtime.NDRange1{Global: 4 * kernels.Size, Local: kernels.Size}); err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(start)
			want[bin] += int64(len(xs))
			prims.Equal(t, fmt.Sprintf("counts with the shift %d", shift), prims.Read(v, counts), want)
		}
	}
}

// TestLength: of a length on the device, the first elements are counted.
func TestLength(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	xs := make([]uint8, 20000)
	prims.Fill(xs)
	for _, n := range []int64{-5, 0, 1, kernels.Tile, 15003, 30000} {
		v := prims.Views{T: t, Q: q}
		v.Opts = []prim.Option{prim.Length(prims.View(v, []int64{n}))}
		x := prims.View(v, xs)
		counted(v, fmt.Sprint("ByKey with the length ", n), xs[:min(max(n, 0), 20000)], 256, func(x uint8) int { return int(x) }, func(counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return hist.ByKeyOn(q, x, counts, opts...)
		})
	}
}

// TestGraph: functions are nodes of a graph, and count anew each time.
func TestGraph(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Vulkan(t).DefaultQueue()}
	xs := make([]float32, 9000)
	prims.Fill(xs)
	x, n, e := prims.View(v, xs), prims.View(v, []int64{0}), prims.View(v, []float32{0, 0.5, 1})
	even, edges := prims.View(v, make([]int64, 2)), prims.View(v, make([]int64, 2))
	g := runtime.NewGraph(v.Q.Device())
	check(t, v.Q.BeginRecording(g))
	_, err := hist.EvenOn(v.Q, x, 0, 1, even, prim.Length(n))
	check(t, err)
	_, err = hist.EdgesOn(v.Q, x, e, edges, prim.Length(n))
	check(t, err)
	check(t, v.Q.EndRecording())
	ex, err := g.Finalize()
	check(t, err)
	for _, m := range []int64{9000, 10} {
		check(t, n.CopyFrom(t.Context(), v.Q, []int64{m}))
		want := make([]int64, 2)
		for _, x := range xs[:m] {
			if x >= 0 && x < 1 {
				want[int(2*x)]++
			}
		}
		for range 2 {
			_, err = v.Q.Submit(ex)
			check(t, err)
		}
		prims.Equal(t, "Even", prims.Read(v, even), want)
		prims.Equal(t, "Edges", prims.Read(v, edges), want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSlices: the functions on slices.
func TestSlices(t *testing.T) {
	dev := devtest.Host(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	xs := make([]int16, 10000)
	prims.Fill(xs)
	got := func(counts []int64, err error) func(counts runtime.View[int64], _ ...prim.Option) (runtime.Event, error) {
		return func(to runtime.View[int64], _ ...prim.Option) (runtime.Event, error) {
			if err == nil {
				err = to.CopyFrom(t.Context(), v.Q, counts)
			}
			return runtime.Event{}, err
		}
	}
	counted(v, "ByKey", xs, 1000, func(x int16) int { return inBins(max(int(x), -1), 1000) }, got(hist.ByKey(t.Context(), dev, xs, 1000)))
	counted(v, "Even", xs, 77, evenIntegers[int16](-9, 5000, 77), got(hist.Even(t.Context(), dev, xs, -9, 5000, 77)))
	counted(v, "Edges", xs, 1, func(x int16) int {
		if x >= 0 && x < 10000 {
			return 0
		}
		return -1
	}, got(hist.Edges(t.Context(), dev, xs, []int16{0, 10000})))
}

func BenchmarkHist(b *testing.B) {
	dev, err := runtime.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{1 << 16, 1 << 22, 1 << 28} {
		if n > 1<<24 && dev.Info().Type >= runtime.HostCPU {
			continue
		}
		benchmark[uint8](b, dev, n)
		benchmark[uint32](b, dev, n)
	}
}

func benchmark[T uint8 | uint32](b *testing.B, dev *runtime.Device, n int) {
	const bins = 256
	xs := make([]T, n)
	for i := range xs {
		xs[i] = T(rand.Uint32N(bins))
	}
	v, err := runtime.BufferOf(dev, xs)
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	counts, err := runtime.NewBuffer[int64](dev, bins)
	if err != nil {
		b.Fatal(err)
	}
	defer counts.Close()
	q := dev.DefaultQueue()
	for name, f := range map[string]func() error{
		"ByKey": func() error { _, err := hist.ByKeyOn(q, v.All(), counts.All()); return err },
		"Even":  func() error { _, err := hist.EvenOn(q, v.All(), 0, T(bins-1), counts.All()); return err },
	} {
		b.Run(fmt.Sprint(name, "/", reflect.TypeFor[T](), "/", n), func(b *testing.B) {
			b.SetBytes(int64(n) * int64(unsafe.Sizeof(T(0))))
			if err := errors.Join(f(), q.Wait(b.Context())); err != nil { // compiles the kernels
				b.Fatal(err)
			}
			for b.Loop() {
				if err := errors.Join(f(), q.Wait(b.Context())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
