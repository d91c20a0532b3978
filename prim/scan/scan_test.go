package scan_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/runs"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// tree scans values in place, in the order of dsl.InclusiveScanOverGroup.
func tree[A any](vs []A, combine func(x, y A) A) {
	for d := 1; d < len(vs); d *= 2 {
		for i := len(vs) - 1; i >= d; i-- {
			vs[i] = combine(vs[i-d], vs[i])
		}
	}
}

// sums is the order of package scan's documentation, in plain Go.
func sums[T prims.Real](xs []T, inclusive bool) []T {
	const each, leaves, part, rounds = kernels.Each, 256, kernels.Part, kernels.Rounds
	out := make([]T, len(xs))
	add := func(x, y T) T { return x + y }
	var before T
	for lo := 0; lo < len(xs); lo += rounds * part {
		start, total := before, T(0)
		for from := lo; from < lo+rounds*part; from += part {
			scanned := make([]T, leaves)
			at := func(leaf int) []T {
				return xs[min(from+leaf*each, len(xs)):min(from+leaf*each+each, len(xs))]
			}
			for leaf := range scanned {
				for _, x := range at(leaf) {
					scanned[leaf] += x
				}
			}
			last := scanned[leaves-1]
			tree(scanned, add)
			last = scanned[leaves-2] + last
			for leaf := range scanned {
				sum := start
				if leaf > 0 {
					sum += scanned[leaf-1]
				} else {
					sum += 0
				}
				for i, x := range at(leaf) {
					to := &out[from+leaf*each+i]
					*to = sum
					if sum += x; inclusive {
						*to = sum
					}
				}
			}
			start += last
			total += last
		}
		before += total
	}
	return out
}

// by is the order of By in package scan's documentation, in plain Go.
func by[T, A any](op kernels.Operation[T, A], xs []T, inclusive bool) []A {
	const each, tile = 8, 2048
	out := make([]A, len(xs))
	var before A // the tiles before
	for lo := 0; lo < len(xs); lo += tile {
		scanned := make([]A, tile/each)
		for leaf := range scanned {
			scanned[leaf] = op.Identity()
			for i := lo + leaf*each; i < min(lo+leaf*each+each, len(xs)); i++ {
				if v := op.Map(xs[i]); i == lo+leaf*each {
					scanned[leaf] = v
				} else {
					scanned[leaf] = op.Combine(scanned[leaf], v)
				}
			}
		}
		tree(scanned, op.Combine)
		for i := lo; i < min(lo+tile, len(xs)); i++ {
			leaf := (i - lo) / each
			v := op.Identity()
			if leaf > 0 {
				v = scanned[leaf-1]
			}
			if lo > 0 && leaf > 0 {
				v = op.Combine(before, v)
			} else if lo > 0 {
				v = before
			}
			for j := lo + leaf*each; ; j++ {
				if out[i] = v; j == i && !inclusive {
					break
				}
				if x := op.Map(xs[j]); j > 0 {
					v = op.Combine(v, x)
				} else {
					v = x
				}
				if out[i] = v; j == i {
					break
				}
			}
		}
		if last := scanned[len(scanned)-1]; lo > 0 {
			before = op.Combine(before, last)
		} else {
			before = last
		}
	}
	return out
}

// values compares the sums of one type with plain Go, on the device of a queue.
func values[T prim.Number](t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		if size := unsafe.Sizeof(T(0)); size == 8 && prims.IsFloat[T]() && !q.Device().Has(properties.FP64) {
			t.Skip("the device has no float64")
		}
		v := prims.Views{T: t, Q: q, Opts: opts}
		for _, n := range prims.Lengths(kernels.Each, kernels.Part, kernels.Tile, 3*kernels.Tile) {
			xs := make([]T, n)
			prims.Fill(xs)
			compared(v, xs)
			if n < 10000 {
				prims.Special(xs, false)
				compared(v, xs)
			}
		}
	})
}

func compared[T prim.Number](v prims.Views, xs []T) { comparedTo(v, xs, len(xs)) }

// comparedTo compares the sums of the first m elements.
func comparedTo[T prim.Number](v prims.Views, xs []T, m int) {
	x := prims.View(v, xs)
	for name, f := range map[string]func(q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error){
		"Inclusive": scan.InclusiveOn[T], "Exclusive": scan.ExclusiveOn[T],
	} {
		got := prims.Result(v, len(xs), func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) { return f(v.Q, x, out, opts...) })
		prims.Equal(v.T, fmt.Sprint(name, " of ", m), got, prims.Padded(sums(xs[:m], name == "Inclusive"), len(xs)))
	}
}

func testBy(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	v := prims.Views{T: t, Q: q, Opts: opts}
	for _, n := range prims.Lengths(8, 2048, 3*2048) {
		xs, us := make([]float32, n), make([]uint32, n)
		prims.Fill(xs)
		prims.Fill(us)
		x, u := prims.View(v, xs), prims.View(v, us)
		square := ops.Square{From: 0.5}
		prims.Equal(t, fmt.Sprint("By of ", n), prims.Result(v, n, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return scan.By[opsgen.Distances](q, square, x, out, opts...)
		}), by(square, xs, true))
		prims.Equal(t, fmt.Sprint("ExclusiveBy of ", n), prims.Result(v, n, func(out runtime.View[ops.Affine], opts ...prim.Option) (runtime.Event, error) {
			return scan.ExclusiveBy[opsgen.Compositions](q, ops.Compose{}, u, out, opts...)
		}), by(ops.Compose{}, us, false))
	}
}

// begun is a value, and whether it begins a run.
type begun[V any] struct {
	head bool
	x    V
}

// restart is the operation of ByKey.
type restart[V prims.Real] struct{}

func (restart[V]) Map(x begun[V]) begun[V] { return x }

func (restart[V]) Combine(x, y begun[V]) begun[V] {
	if y.head {
		return y
	}
	return begun[V]{x.head, x.x + y.x}
}

func (restart[V]) Identity() (zero begun[V]) { return zero }

// byKeys compares the sums of runs with plain Go. Runs have a mean length.
func byKeys[K, V prims.Real](v prims.Views, n, mean int) {
	v.T.Helper()
	keys, xs := make([]K, n), make([]V, n)
	prims.Fill(xs)
	prims.Fill(keys)
	prims.Special(keys, true)
	for i := range xs {
		if i > 0 && rand.IntN(mean) > 0 {
			keys[i] = keys[i-1]
			if keys[i] == 0 {
				keys[i] = -keys[i] // the zeros are equal
			}
		}
	}
	keyed(v, keys, xs, n)
}

// keyed compares the sums of the runs of the first m elements with plain Go.
func keyed[K, V prims.Real](v prims.Views, keys []K, xs []V, m int) {
	v.T.Helper()
	if prims.IsFloat[V]() && unsafe.Sizeof(V(0)) == 8 && !v.Q.Device().Has(properties.FP64) {
		return
	}
	n, pairs := len(xs), make([]begun[V], m)
	for i := range pairs {
		pairs[i] = begun[V]{i == 0 || cmp.Compare(keys[i-1], keys[i]) != 0, xs[i]}
	}
	k, x := prims.View(v, keys), prims.View(v, xs)
	for name, f := range map[string]func(q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error){
		"ByKey": scan.ByKeyOn[K, V], "ExclusiveByKey": scan.ExclusiveByKeyOn[K, V],
	} {
		want := make([]V, n)
		for i, p := range by(restart[V]{}, pairs, name == "ByKey") {
			if want[i] = p.x; name != "ByKey" && pairs[i].head {
				want[i] = 0
			}
		}
		got := prims.Result(v, n, func(out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
			return f(v.Q, k, x, out, opts...)
		})
		prims.Equal(v.T, fmt.Sprintf("%s of %d keys %T and values %T", name, m, keys, xs), got, want)
	}
}

func testByKeys(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	v := prims.Views{T: t, Q: q, Opts: opts}
	for _, n := range prims.Lengths(runs.Each, runs.Tile, 3*runs.Tile) {
		byKeys[uint32, float32](v, n, 1+rand.IntN(100))
	}
	byKeys[float32, uint32](v, 20011, 5000)
	byKeys[float64, int64](v, 20011, 10)
	byKeys[int8, float64](v, 20011, 10)
	byKeys[uint16, int](v, 20011, 1)
}

// all are the tests of one device.
func all(t *testing.T, dev *runtime.Device) {
	q := dev.DefaultQueue()
	values[float32](t, q)
	if !testing.Short() || dev.Info().Backend == "host" {
		values[uint32](t, q)
		values[int64](t, q)
		values[float64](t, q)
	}
	if testing.Short() && swiftshader.On() {
		return // lavapipe has the rest
	}
	t.Run("by", func(t *testing.T) { testBy(t, q) })
	t.Run("keys", func(t *testing.T) { testByKeys(t, q) })
	t.Run("silent", func(t *testing.T) { testSilent(t, q) })
}

// testSilent has work-groups that others wait for in vain: some post no totals, and in the worst
// order all begin after those that wait for them.
func testSilent(t *testing.T, q *runtime.Queue) {
	n := 12*kernels.Tile + 77
	xs := make([]float32, n)
	prims.Fill(xs)
	host := q.Device().Info().Backend == "host" // with -short, devices share the cases
	for _, silent := range []uint32{7, 1, 2}[:sample.Of(3, 1)] {
		if testing.Short() && host {
			break
		}
		with := prim.Launch(runtime.WithSpec(lookback.Silent, silent), runtime.WithSpec(lookback.Polls, uint32(3)))
		compared(prims.Views{T: t, Q: q, Opts: []prim.Option{with}}, xs)
	}
	for _, tiles := range []int{13, 1, 2}[:sample.Of(3, 1)] {
		if testing.Short() && !host {
			break
		}
		with := prim.Launch(runtime.WithSpec(lookback.Backwards, uint32(tiles)), runtime.WithSpec(lookback.Polls, uint32(2)))
		compared(prims.Views{T: t, Q: q, Opts: []prim.Option{with}}, xs[:(tiles-1)*kernels.Tile+1])
	}
	for n, launch := range map[int]prim.Option{
		12*kernels.ByTile + 77: prim.Launch(runtime.WithSpec(lookback.Silent, uint32(1)), runtime.WithSpec(lookback.Polls, uint32(3))),
		// more tiles than a work-group has work-items
		sample.Of(600, 270)*kernels.ByTile + 77: prim.Launch(runtime.WithSpec(lookback.FromFirst, uint32(1))),
	} {
		if testing.Short() && host == (n < 100*kernels.ByTile) {
			continue
		}
		us := make([]uint32, n)
		prims.Fill(us)
		v := prims.Views{T: t, Q: q, Opts: []prim.Option{launch}}
		u := prims.View(v, us)
		prims.Equal(t, fmt.Sprint("By of ", n), prims.Result(v, n, func(out runtime.View[ops.Affine], opts ...prim.Option) (runtime.Event, error) {
			return scan.By[opsgen.Compositions](q, ops.Compose{}, u, out, opts...)
		}), by(ops.Compose{}, us, true))
		if !testing.Short() || host {
			byKeys[uint8, float32](v, min(n, 30000), 500)
		}
	}
}

func TestHost(t *testing.T) { all(t, devtest.Host(t)) }

func TestVulkan(t *testing.T) { all(t, devtest.Vulkan(t)) }

func TestSwiftShader(t *testing.T) { swiftshader.Run(t, "^TestVulkan$") }

// TestSubGroups: sub-groups of any size give the same bits.
func TestSubGroups(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, n := range []int{4, 128, 1, 32}[:sample.Of(4, 2)] {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			values[float32](t, q, prim.Launch(runtime.With(properties.SubGroupSize(n))))
		})
	}
}

// TestSlices: the functions on slices.
func TestSlices(t *testing.T) {
	dev := devtest.Host(t)
	xs := make([]int32, rand.IntN(10000))
	prims.Fill(xs)
	got, err := scan.Inclusive(t.Context(), dev, xs)
	if err != nil {
		t.Fatal(err)
	}
	prims.Equal(t, "Inclusive", got, sums(xs, true))
	if got, err = scan.Exclusive(t.Context(), dev, xs); err != nil {
		t.Fatal(err)
	}
	prims.Equal(t, "Exclusive", got, sums(xs, false))
}

func BenchmarkScan(b *testing.B) {
	dev, err := runtime.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{1 << 16, 1 << 22, 1 << 28} {
		if n > 1<<24 && dev.Info().Type >= runtime.HostCPU {
			continue
		}
		benchmark[uint32](b, dev, n)
		benchmark[float32](b, dev, n)
	}
}

func benchmark[T prim.Number](b *testing.B, dev *runtime.Device, n int) {
	b.Run(fmt.Sprint(reflect.TypeFor[T](), "/", n), func(b *testing.B) {
		v, err := runtime.NewBuffer[T](dev, n)
		if err != nil {
			b.Fatal(err)
		}
		defer v.Close()
		out, err := runtime.NewBuffer[T](dev, n)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		q := dev.DefaultQueue()
		b.SetBytes(2 * int64(n) * int64(unsafe.Sizeof(T(0))))
		for range b.N {
			if _, err := scan.InclusiveOn(q, v.All(), out.All()); err != nil {
				b.Fatal(err)
			}
		}
		if err := q.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
}
