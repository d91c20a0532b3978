package reduce_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/runs"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// part is the sum of some neighbours, from the last one on that begins a run, if there is one.
type part[V prims.Real] struct {
	head bool
	sum  V
}

func (x part[V]) then(y part[V]) part[V] {
	if y.head {
		return y
	}
	return part[V]{x.head, x.sum + y.sum}
}

// runSums returns the sums of runs in the order of the documentation, in plain Go.
func runSums[V prims.Real](xs []part[V]) (sums []V) {
	const leaves = runs.Tile / runs.Each
	var tilesBefore part[V]
	for lo := 0; lo < len(xs); lo += runs.Tile {
		scanned := make([]part[V], leaves)
		for i := lo; i < min(lo+runs.Tile, len(xs)); i++ {
			if leaf := (i - lo) / runs.Each; (i-lo)%runs.Each == 0 {
				scanned[leaf] = xs[i]
			} else {
				scanned[leaf] = scanned[leaf].then(xs[i])
			}
		}
		for d := 1; d < leaves; d *= 2 {
			for i := leaves - 1; i >= d; i-- {
				scanned[i] = scanned[i-d].then(scanned[i])
			}
		}
		var sum part[V]
		for i := lo; i < min(lo+runs.Tile, len(xs)); i++ {
			if leaf := (i - lo) / runs.Each; (i-lo)%runs.Each == 0 {
				switch sum = tilesBefore; {
				case leaf > 0 && lo > 0:
					sum = sum.then(scanned[leaf-1])
				case leaf > 0:
					sum = scanned[leaf-1]
				}
			}
			if sum = sum.then(xs[i]); i == 0 {
				sum = xs[i]
			}
			if i+1 == len(xs) || xs[i+1].head {
				sums = append(sums, sum.sum)
			}
		}
		if lo == 0 {
			tilesBefore = scanned[leaves-1]
		} else {
			tilesBefore = tilesBefore.then(scanned[leaves-1])
		}
	}
	return sums
}

// byKeys compares the sums of runs with plain Go. Runs have a mean length.
func byKeys[K, V prims.Real](v prims.Views, n, mean int) {
	v.T.Helper()
	keys, xs := make([]K, n), make([]V, n)
	prims.Fill(xs)
	prims.Fill(keys)
	prims.Special(keys, true)
	for i := range xs {
		if i > 0 && rand.IntN(mean) > 0 {
			if keys[i] = keys[i-1]; keys[i] == 0 {
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
	n, parts := len(xs), make([]part[V], m)
	each, sums := make([]K, n), make([]V, n) // with zeros after the runs
	runs := 0
	for i := range parts {
		if parts[i] = (part[V]{i == 0 || cmp.Compare(keys[i-1], keys[i]) != 0, xs[i]}); parts[i].head {
			each[runs] = keys[i]
			runs++
		}
		sums[runs-1] += xs[i]
	}
	if prims.IsFloat[V]() {
		copy(sums, runSums(parts))
	}
	k, x := prims.View(v, keys), prims.View(v, xs)
	toKeys, count := prims.View(v, make([]K, n)), prims.View(v, []int64{-7})
	got := prims.Result(v, n, func(out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
		return reduce.ByKeyOn(v.Q, k, x, toKeys, out, count, opts...)
	})
	what := fmt.Sprintf("ByKey of %d keys %T and values %T", m, keys, xs)
	prims.Equal(v.T, what+": the number", prims.Read(v, count), []int64{int64(runs)})
	prims.Equal(v.T, what+": the keys", prims.Read(v, toKeys), each)
	prims.Equal(v.T, what+": the sums", got, sums)
}

func testByKeys(t *testing.T, q *runtime.Queue) {
	v := prims.Views{T: t, Q: q}
	for _, n := range prims.Lengths(runs.Each, runs.Tile, 3*runs.Tile) {
		byKeys[uint32, float32](v, n, 1+rand.IntN(100))
	}
	byKeys[float32, uint32](v, 20011, 5000)
	byKeys[float64, int64](v, 20011, 10)
	byKeys[int8, float64](v, 20011, 10)
	byKeys[uint16, int](v, 20011, 1)
	v.Opts = []prim.Option{prim.Launch(runtime.WithSpec(lookback.Silent, uint32(2)), runtime.WithSpec(lookback.Polls, uint32(2)))}
	byKeys[int64, float32](v, 9*runs.Tile+1, 3000)
}

// testKeyGraph: the runs of as many elements as a number on the device says are added up in a graph, and
// their number is the length of the next function.
func testKeyGraph(t *testing.T, q *runtime.Queue) {
	const n = 3*runs.Tile + 5
	v := prims.Views{T: t, Q: q}
	keys, xs := prims.View(v, make([]uint16, n)), prims.View(v, make([]int32, n))
	each, sums, count := prims.View(v, make([]uint16, n)), prims.View(v, make([]int32, n)), prims.View(v, []int64{0})
	length, greatest := prims.View(v, []int64{0}), prims.View(v, []int32{0})
	g := runtime.NewGraph(q.Device())
	check(t, q.BeginRecording(g))
	_, err := reduce.ByKeyOn(q, keys, xs, each, sums, count, prim.Length(length))
	check(t, err)
	_, err = reduce.MaxOn(q, sums, greatest, prim.Length(count))
	check(t, err)
	check(t, q.EndRecording())
	ex, err := g.Finalize()
	check(t, err)
	for _, m := range []int64{n, 1, 2500, n + 9} {
		ks, vs := make([]uint16, n), make([]int32, n)
		want, most, sum := int64(0), int32(-1), int32(0)
		for i := range ks {
			ks[i], vs[i] = uint16(i)/100+uint16(rand.IntN(2)), int32(rand.IntN(1000))
			if int64(i) < m {
				if i == 0 || ks[i] != ks[i-1] {
					want, sum = want+1, 0
				}
				sum += vs[i]
				most = max(most, sum) // no value is negative
			}
		}
		check(t, keys.CopyFrom(t.Context(), q, ks))
		check(t, xs.CopyFrom(t.Context(), q, vs))
		check(t, length.CopyFrom(t.Context(), q, []int64{m}))
		for range 2 {
			_, err = q.Submit(ex)
			check(t, err)
		}
		prims.Equal(t, fmt.Sprint("runs of ", m), prims.Read(v, count), []int64{want})
		prims.Equal(t, fmt.Sprint("greatest sum of ", m), prims.Read(v, greatest), []int32{most})
	}
}
