package sort_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// order returns the comparison that plain Go sorts by.
func order[T prims.Real](descending bool) func(x, y T) int {
	if descending {
		return func(x, y T) int { return cmp.Compare(y, x) }
	}
	return cmp.Compare[T]
}

// made returns elements of which many are equal: numbers at random, few different ones, or all alike.
func made[T prims.Real](n, kind int) []T {
	xs := make([]T, n)
	prims.Fill(xs)
	prims.Special(xs, true)
	for i := range xs {
		switch kind {
		case 1:
			xs[i] = xs[i%min(n, 5)]
		case 2:
			xs[i] = xs[0]
		}
	}
	return xs
}

// sameBits compares elements by their bits, NaNs too.
func sameBits[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || prims.Bits(got[i]) != prims.Bits(want[i]) {
			t.Errorf("%s: element %d of %d is %v, want %v", what, i, len(got), got[i], want[i])
			return
		}
	}
}

// keys sorts elements of each length in both orders, beside slices.SortStableFunc.
func keys[T prims.Real](t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	for i, n := range prims.Lengths(kernels.Tile) {
		kind := max(i%5-2, 0)
		descending := i%2 == 1
		v := prims.Views{T: t, Q: q, Opts: opts}
		if descending {
			v.Opts = append(slices.Clip(opts), sort.Descending())
		}
		xs := made[T](n, kind)
		want := slices.Clone(xs)
		slices.SortStableFunc(want, order[T](descending))
		x := prims.View(v, xs)
		name := fmt.Sprintf("%d %T, kind %d, descending %v", n, *new(T), kind, descending)
		if i%3 == 0 {
			if _, err := sort.KeysOn(q, x, x, v.Opts...); err != nil {
				t.Fatal(err)
			}
			sameBits(t, name+", in place", prims.Read(v, x), want)
			continue
		}
		sameBits(t, name, prims.Result(v, n, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return sort.KeysOn(q, x, out, opts...)
		}), want)
	}
}

// pairs sorts keys with their indices, in elements of type V, so that any order but the stable one shows.
func pairs[T prims.Real, V any](t *testing.T, q *runtime.Queue, value func(i int) V, opts ...prim.Option) {
	for i, n := range []int{0, 1, 300, kernels.Tile + 1, sample.Of(200001, 9001)} {
		v := prims.Views{T: t, Q: q, Opts: opts}
		xs := made[T](n, min(i%3, 1))
		at := make([]int, n)
		values := make([]V, n)
		for i := range at {
			at[i], values[i] = i, value(i)
		}
		slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
		wantKeys, wantValues := make([]T, n), make([]V, n)
		for i, j := range at {
			wantKeys[i], wantValues[i] = xs[j], values[j]
		}
		x, y := prims.View(v, xs), prims.View(v, values)
		k, o := prims.View(v, make([]T, n)), prims.View(v, make([]V, n))
		if _, err := sort.PairsOn(q, x, y, k, o, v.Opts...); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d pairs of %T and %T", n, *new(T), *new(V))
		sameBits(t, name, prims.Read(v, k), wantKeys)
		prims.Equal(t, name, prims.Read(v, o), wantValues)
	}
}

type rgb [3]uint8

// all runs the functions on a queue, with elements of some types.
func all(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	keys[float32](t, q, opts...)
	if testing.Short() && swiftshader.On() {
		return // lavapipe has the rest
	}
	keys[uint32](t, q, opts...)
	keys[int64](t, q, opts...)
	pairs[int32](t, q, func(i int) uint32 { return uint32(i) }, opts...)
}

// others runs the functions on a queue, with elements of the other types.
func others(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	keys[int32](t, q, opts...)
	keys[uint8](t, q, opts...)
	keys[int8](t, q, opts...)
	keys[int16](t, q, opts...)
	keys[uint64](t, q, opts...)
	keys[float64](t, q, opts...)
	pairs[float64](t, q, func(i int) [2]float64 { return [2]float64{float64(i), 1} }, opts...)
	pairs[int16](t, q, func(i int) rgb { return rgb{uint8(i), uint8(i >> 8), uint8(i >> 16)} }, opts...)
	pairs[uint64](t, q, func(i int) float32 { return float32(i) }, opts...)
}

func TestHost(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	all(t, q)
	others(t, q)
}

// TestPasses sorts by the kernels of GPUs on the host device, too.
func TestPasses(t *testing.T) {
	for _, lanes := range []bool{false, true} {
		t.Run(fmt.Sprint("lanes ", lanes), func(t *testing.T) {
			defer sort.AsGPU(lanes)()
			all(t, devtest.Host(t).DefaultQueue())
			if !lanes || !testing.Short() {
				others(t, devtest.Host(t).DefaultQueue())
			}
		})
	}
}

func TestVulkan(t *testing.T) {
	q := devtest.Vulkan(t).DefaultQueue()
	all(t, q)
	if !testing.Short() {
		others(t, q)
	}
	defer sort.AsGPU(false)()
	keys[int32](t, q)
	if !testing.Short() {
		all(t, q)
		others(t, q)
		lookBack(t, q)
		if info := q.Device().Info(); info.MinSubGroup <= kernels.Lanes && kernels.Lanes <= info.MaxSubGroup {
			defer sort.AsGPU(true)()
			lookBack(t, q)
		}
	}
}

// TestSwiftShader runs the modules for devices without 64-bit integers.
func TestSwiftShader(t *testing.T) { swiftshader.Run(t, "^TestVulkan$") }

// TestLookBack: tiles that post nothing, that others must count, and that begin in the worst order.
func TestLookBack(t *testing.T) {
	for _, lanes := range []bool{false, true} {
		defer sort.AsGPU(lanes)()
		lookBack(t, devtest.Host(t).DefaultQueue())
	}
}

func lookBack(t *testing.T, q *runtime.Queue) {
	n := 12*kernels.Tile + 77
	for name, with := range map[string]prim.Option{
		"silent":     prim.Launch(runtime.WithSpec(lookback.Silent, uint32(3)), runtime.WithSpec(lookback.Polls, uint32(3))),
		"from first": prim.Launch(runtime.WithSpec(lookback.FromFirst, uint32(1))),
		"backwards":  prim.Launch(runtime.WithSpec(lookback.Backwards, uint32(13)), runtime.WithSpec(lookback.Polls, uint32(2))),
	} {
		v := prims.Views{T: t, Q: q, Opts: []prim.Option{with}}
		xs := made[uint32](n, 0)
		want := slices.Clone(xs)
		slices.Sort(want)
		x := prims.View(v, xs)
		sameBits(t, name, prims.Result(v, n, func(out runtime.View[uint32], opts ...prim.Option) (runtime.Event, error) {
			return sort.KeysOn(q, x, out, opts...)
		}), want)
	}
}

// TestChunks sorts pairs of more keys than a pass's launch takes: 2^29 on GPUs, which needs 9 GiB.
func TestChunks(t *testing.T) {
	dev := devtest.Vulkan(t)
	info := dev.Info()
	if info.Type == runtime.VulkanCPU || info.Limits.DeviceMemory < 12<<30 {
		t.Skip("processors sort in parts; a GPU needs 12 GiB for this test")
	}
	n := kernels.Chunk*kernels.Tile + 3*kernels.Tile + 77
	keys, places := make([]uint32, n), make([]uint32, n)
	for i := range keys {
		keys[i], places[i] = uint32(i)*2654435761>>8, uint32(i) // 32 of each number
	}
	got, from, err := sort.Pairs(t.Context(), dev, keys, places)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]uint64, (n+63)/64)
	for i, p := range from {
		switch {
		case got[i] != keys[p]:
			t.Fatalf("element %d is %d, and that of its value %d is %d", i, got[i], p, keys[p])
		case seen[p/64]>>(p%64)&1 != 0:
			t.Fatalf("value %d is there twice", p)
		case i > 0 && (got[i] < got[i-1] || got[i] == got[i-1] && p < from[i-1]):
			t.Fatalf("elements %d and %d are in the wrong order", i-1, i)
		}
		seen[p/64] |= 1 << (p % 64)
	}
}

// TestBits sorts by some bits alone.
func TestBits(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, bits := range [][2]int{{0, 1}, {3, 12}, {24, 32}, {0, 32}, {7, 30}} {
		v := prims.Views{T: t, Q: q, Opts: []prim.Option{sort.Bits(bits[0], bits[1])}}
		xs := made[int32](5000, 0)
		want := slices.Clone(xs)
		slices.SortStableFunc(want, func(x, y int32) int {
			part := func(x int32) uint32 { return (uint32(x) ^ 1<<31) << (32 - bits[1]) >> (32 - bits[1] + bits[0]) }
			return cmp.Compare(part(x), part(y))
		})
		x := prims.View(v, xs)
		prims.Equal(t, fmt.Sprint("bits ", bits), prims.Result(v, len(xs), func(out runtime.View[int32], opts ...prim.Option) (runtime.Event, error) {
			return sort.KeysOn(q, x, out, opts...)
		}), want)
	}
}

// TestHalves sorts floats of package half by their values.
func TestHalves(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	v := prims.Views{T: t, Q: q}
	xs := make([]half.Float16, 5000)
	for i := range xs {
		xs[i] = half.Float16(rand.Uint32())
	}
	want := slices.Clone(xs)
	slices.SortStableFunc(want, func(x, y half.Float16) int { return cmp.Compare(x.Float32(), y.Float32()) })
	x := prims.View(v, xs)
	sameBits(t, "halves", prims.Result(v, len(xs), func(out runtime.View[half.Float16], opts ...prim.Option) (runtime.Event, error) {
		return sort.KeysOn(q, x, out, opts...)
	}), want)
}

// TestLength: of a length on the device, the first elements are sorted, and the others of the output stay.
func TestLength(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, n := range []int64{-5, 0, 1, kernels.Tile, kernels.Tile + 1, 20000, 30000} {
		v := prims.Views{T: t, Q: q}
		xs := made[int32](20000, 0)
		v.Opts = []prim.Option{prim.Length(prims.View(v, []int64{n}))}
		x, m := prims.View(v, xs), int(min(max(n, 0), 20000))
		want := append(slices.Sorted(slices.Values(xs[:m])), make([]int32, len(xs)-m)...)
		prims.Equal(t, "keys", prims.Result(v, len(xs), func(out runtime.View[int32], opts ...prim.Option) (runtime.Event, error) {
			return sort.KeysOn(q, x, out, opts...)
		}), want)
	}
}

// TestGroups sorts with sub-groups of other sizes.
func TestGroups(t *testing.T) {
	defer sort.AsGPU(false)()
	q := devtest.Host(t).DefaultQueue()
	for n := 1; n <= 128; n *= 2 {
		v := prims.Views{T: t, Q: q, Opts: []prim.Option{prim.Launch(runtime.With(properties.SubGroupSize(n)))}}
		xs := made[uint32](9000, 0)
		x := prims.View(v, xs)
		prims.Equal(t, fmt.Sprint("sub-groups of ", n), prims.Result(v, len(xs), func(out runtime.View[uint32], opts ...prim.Option) (runtime.Event, error) {
			return sort.KeysOn(q, x, out, opts...)
		}), slices.Sorted(slices.Values(xs)))
	}
}

func BenchmarkKeys(b *testing.B) {
	dev, err := runtime.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{1 << 16, 1 << 22, 1 << 26, 1 << 28}[:sample.Of(4, 1)] {
		benchmark[uint32](b, dev, n)
		benchmark[float32](b, dev, n)
		if n < 1<<28 {
			benchmark[uint64](b, dev, n)
		}
	}
}

func benchmark[T prims.Real](b *testing.B, dev *runtime.Device, n int) {
	b.Run(fmt.Sprintf("%T/%d", *new(T), n), func(b *testing.B) {
		q, xs := dev.DefaultQueue(), make([]T, n)
		prims.Fill(xs)
		v, err := runtime.BufferOf(dev, xs)
		if err != nil {
			b.Fatal(err)
		}
		defer v.Close()
		out, err := runtime.NewBuffer[T](dev, n)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		b.SetBytes(int64(n) * int64(unsafe.Sizeof(xs[0])))
		keys := func() {
			if _, err := sort.KeysOn(q, v.All(), out.All()); err != nil {
				b.Fatal(err)
			}
			if err := q.Wait(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		for range 20 { // compiles the kernels, and has the GPU raise its clocks
			keys()
		}
		for b.Loop() {
			keys()
		}
		b.ReportMetric(float64(n)/1e9/b.Elapsed().Seconds()*float64(b.N), "Gkeys/s")
	})
}
