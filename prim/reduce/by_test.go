package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// by is the order of By in package reduce's documentation, in plain Go.
func by[T, A any](op kernels.Operation[T, A], xs []T) A {
	if len(xs) == 0 {
		return op.Identity()
	}
	vs := make([]A, len(xs))
	for i, x := range xs {
		vs[i] = op.Map(x)
	}
	for {
		var blocks []A
		for ; len(vs) > 0; vs = vs[min(4096, len(vs)):] {
			var leaves []A
			for b := vs[:min(4096, len(vs))]; len(b) > 0; b = b[min(16, len(b)):] {
				v := b[0]
				for _, x := range b[1:min(16, len(b))] {
					v = op.Combine(v, x)
				}
				leaves = append(leaves, v)
			}
			for len(leaves) > 1 {
				var pairs []A
				for i := 0; i < len(leaves); i += 2 {
					v := leaves[i]
					if i+1 < len(leaves) {
						v = op.Combine(v, leaves[i+1])
					}
					pairs = append(pairs, v)
				}
				leaves = pairs
			}
			blocks = append(blocks, leaves[0])
		}
		if vs = blocks; len(vs) == 1 {
			return vs[0]
		}
	}
}

func testBy(t *testing.T, q *runtime.Queue, opts ...prim.Option) {
	for _, n := range append(lengths(), 15, 16, 17, 4096*3+31) {
		xs, us := make([]float32, n), make([]uint32, n)
		prims.Fill(xs)
		prims.Fill(us)
		f := prims.Views{T: t, Q: q, Opts: opts}
		square := ops.Square{From: 0.25}
		x, y := prims.View(f, xs), prims.View(f, us)
		got := prims.Result(f, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return reduce.By[opsgen.SumSquares](q, square, x, out, opts...)
		})
		prims.Same(t, fmt.Sprint("SumSquares of ", n), got[0], by(square, xs))
		whole := prims.Result(f, 1, func(out runtime.View[ops.Affine], opts ...prim.Option) (runtime.Event, error) {
			return reduce.By[opsgen.Composition](q, ops.Compose{}, y, out, opts...)
		})
		want := ops.Compose{}.Identity()
		for _, x := range us { // an associative operation gives the same in any grouping
			want = ops.Compose{}.Combine(want, ops.Compose{}.Map(x))
		}
		prims.Same(t, fmt.Sprint("Composition of ", n), whole[0], want)
	}
}

// TestBySubGroups: sub-groups of any size give the same bits.
func TestBySubGroups(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, n := range []int{1, 4, 128} {
		testBy(t, q, prim.Launch(runtime.With(properties.SubGroupSize(n))))
	}
}

// testLength: a function processes as many elements as a number on the device says.
func testLength(t *testing.T, q *runtime.Queue) {
	dev, n := q.Device(), 3*4096+5
	xs := make([]float32, n)
	prims.Fill(xs)
	prims.Special(xs, false)
	v := prims.Views{T: t, Q: q}
	x := prims.View(v, xs)
	for _, length := range []int64{-5, 0, 1, 256, 4096, 4097, int64(n), int64(n) + 1, 1 << 62, rand.Int64N(int64(n))} {
		l, err := runtime.BufferOf(dev, []int64{0, length})
		if err != nil {
			t.Fatal(err)
		}
		v.Opts = []prim.Option{prim.Length(l.Slice(1, 2))}
		part := xs[:max(min(int64(n), length), 0)]
		got := prims.Result(v, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return reduce.SumOn(q, x, out, opts...)
		})
		prims.Same(t, fmt.Sprint("Sum of ", length), got[0], sum(part))
		got = prims.Result(v, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return reduce.DotOn(q, x, x, out, opts...)
		})
		squares := make([]float32, len(part))
		for i, e := range part {
			squares[i] = e * e
		}
		prims.Same(t, fmt.Sprint("Dot of ", length), got[0], sum(squares))
		square := ops.Square{From: 1}
		got = prims.Result(v, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return reduce.By[opsgen.SumSquares](q, square, x, out, opts...)
		})
		prims.Same(t, fmt.Sprint("SumSquares of ", length), got[0], by(square, part))
		comparedIn(v, x, part)
		l.Close()
	}
}

// testGraph: functions that are recorded become nodes, which run as often as the graph is submitted,
// beside the same functions on the queue.
func testGraph(t *testing.T, q *runtime.Queue) {
	dev, n := q.Device(), 2*4096+7
	x, err := runtime.NewBuffer[float32](dev, n)
	check(t, err)
	defer x.Close()
	out, err := runtime.NewBuffer[float32](dev, 4)
	check(t, err)
	defer out.Close()
	at, err := runtime.NewBuffer[int64](dev, 2)
	check(t, err)
	defer at.Close()
	g := runtime.NewGraph(dev)
	check(t, q.BeginRecording(g))
	_, err = reduce.SumOn(q, x.All(), out.Slice(0, 1))
	check(t, err)
	_, err = reduce.MinMaxOn(q, x.All(), out.Slice(1, 3))
	check(t, err)
	_, err = reduce.CountOn(q, x.All(), at.Slice(0, 1))
	check(t, err)
	_, err = reduce.ArgMaxOn(q, x.All(), at.Slice(1, 2), prim.Length(at.Slice(0, 1)))
	check(t, err)
	_, err = reduce.By[opsgen.SumSquares](q, ops.Square{}, x.All(), out.Slice(3, 4))
	check(t, err)
	check(t, q.EndRecording())
	ex, err := g.Finalize(properties.EnableFusion())
	check(t, err)
	for range 3 {
		xs := make([]float32, n)
		prims.Fill(xs)
		check(t, x.CopyFrom(t.Context(), q, xs))
		for range 2 { // the second has the first one's memory to itself only in turn
			_, err = q.Submit(ex)
			check(t, err)
			other, err := reduce.Sum(t.Context(), dev, xs[1:])
			check(t, err)
			prims.Same(t, "Sum beside the graph", other, sum(xs[1:]))
		}
		var f [4]float32
		var i [2]int64
		check(t, out.CopyTo(t.Context(), q, f[:]))
		check(t, at.CopyTo(t.Context(), q, i[:]))
		least, greatest, last, count := xs[0], xs[0], int64(0), int64(0)
		for j, e := range xs {
			if e > greatest {
				last = int64(j)
			}
			least, greatest = min(least, e), max(greatest, e)
			if e != 0 {
				count++
			}
		}
		want := fmt.Sprint(sum(xs), least, greatest, by(ops.Square{}, xs), count, last)
		if got := fmt.Sprint(f[0], f[1], f[2], f[3], i[0], i[1]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
