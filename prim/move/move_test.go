package move

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// elements of several sizes. Those of triple are three words of a byte, those of wide three of 4.
type (
	triple [3]uint8
	wide   struct {
		A uint32
		B float64
	}
)

// random returns elements with bits at random, among them NaNs with payloads.
func random[T any](n int, of func(uint64) T) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = of(rand.Uint64())
	}
	return xs
}

// view returns a view of a copy of xs, at an odd offset of a buffer.
func view[T any](t *testing.T, q *runtime.Queue, xs []T) runtime.View[T] {
	t.Helper()
	b, err := runtime.BufferOf(q.Device(), append(make([]T, 5), xs...))
	check(t, err)
	t.Cleanup(func() { b.Close() })
	return b.Slice(5, 5+len(xs))
}

// holds compares a view's elements, bit by bit.
func holds[T any](t *testing.T, q *runtime.Queue, name string, v runtime.View[T], want []T) {
	t.Helper()
	got := make([]T, v.Len())
	check(t, v.CopyTo(t.Context(), q, got))
	if i := differ(got, want); i >= 0 {
		t.Errorf("%s of %d elements: element %d is %v, want %v", name, len(want), i, got[i], want[i])
	}
}

// differ returns the first index at which slices differ in their bits, or -1.
func differ[T any](a, b []T) int {
	text := func(v T) string {
		switch f := any(v).(type) {
		case float32:
			return fmt.Sprint(math.Float32bits(f))
		case float64:
			return fmt.Sprint(math.Float64bits(f))
		}
		return fmt.Sprint(v)
	}
	for i := range a {
		if text(a[i]) != text(b[i]) {
			return i
		}
	}
	return -1
}

func lengths() []int {
	return []int{0, 1, 2, 3, 255, 256, 257, 1023, 1025, sample.Of(1<<16+3, 5001), 1 + rand.IntN(3000)}
}

// moved compares all functions that move elements of one type with plain Go.
func moved[T any](t *testing.T, q *runtime.Queue, of func(uint64) T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		var zero T
		for _, n := range lengths() {
			xs, old := random(n, of), random(n, of)
			v := view(t, q, xs)
			for _, length := range []int64{-1, 0, 1, int64(n) / 2, int64(n), math.MaxInt64} {
				if sample.Of(0, 1) == 1 && n > 2 && n != 257 && length != int64(n)/2 {
					continue
				}
				m := int(min(max(length, 0), int64(n)))
				opt := prim.Length(view(t, q, []int64{length}))

				out, want := view(t, q, old), slices.Clone(old)
				x := of(rand.Uint64())
				for i := range m {
					want[i] = x
				}
				_, err := FillOn(q, out, x, opt)
				check(t, err)
				holds(t, q, "Fill with a length", out, want)

				out, want = view(t, q, old), slices.Clone(old)
				copy(want, xs[:m])
				slices.Reverse(want[:m])
				_, err = ReverseOn(q, v, out, opt)
				check(t, err)
				holds(t, q, "Reverse", out, want)
				out = view(t, q, xs)
				copy(want[m:], xs[m:])
				_, err = ReverseOn(q, out, out, opt)
				check(t, err)
				holds(t, q, "Reverse in place", out, want)

				at := make([]int64, n)
				for i := range at {
					if at[i] = rand.Int64N(int64(n)+4) - 2; i%97 == 7 {
						at[i] = int64(rand.Uint64())
					}
				}
				indices := view(t, q, at)
				in := func(i int64) bool { return i >= 0 && i < int64(n) }
				out, want = view(t, q, old), slices.Clone(old)
				for i := range m {
					if want[i] = zero; in(at[i]) {
						want[i] = xs[at[i]]
					}
				}
				_, err = GatherOn(q, v, indices, out, opt)
				check(t, err)
				holds(t, q, "Gather", out, want)

				out, want = view(t, q, old), slices.Clone(old)
				for i := range m {
					if in(at[i]) {
						want[at[i]] = xs[i]
					}
				}
				_, err = ScatterOn(q, v, indices, out, opt)
				check(t, err)
				holds(t, q, "Scatter", out, want)

				out, want = view(t, q, old), slices.Clone(old)
				for i, j := range rand.Perm(n) {
					at[i] = int64(j)
				}
				for i := range m {
					want[at[i]] = xs[i]
				}
				_, err = ScatterOn(q, v, view(t, q, at), out, opt, prim.Unordered())
				check(t, err)
				holds(t, q, "Scatter without an order", out, want)
			}
			out, x := view(t, q, old), of(rand.Uint64())
			_, err := FillOn(q, out, x)
			check(t, err)
			holds(t, q, "Fill", out, slices.Repeat([]T{x}, n))
		}
		for _, shape := range [][2]int{{0, 5}, {1, 1}, {1, 40}, {40, 1}, {31, 33}, {32, 32}, {65, 64}, {1 + rand.IntN(90), 1 + rand.IntN(90)}} {
			rows, columns := shape[0], shape[1]
			xs := random(rows*columns, of)
			want := make([]T, len(xs))
			for y := range rows {
				for x := range columns {
					want[x*rows+y] = xs[y*columns+x]
				}
			}
			out := view(t, q, make([]T, len(xs)))
			_, err := TransposeOn(q, view(t, q, xs), out, rows, columns)
			check(t, err)
			holds(t, q, fmt.Sprint("Transpose, ", shape), out, want)
		}
	})
}

// sequence compares Iota with plain Go.
func sequence[T prim.Number](t *testing.T, q *runtime.Queue, first, step T) {
	for _, n := range lengths() {
		for _, length := range []int64{int64(n), int64(n) / 2} {
			out, want := view(t, q, make([]T, n)), make([]T, n)
			for i := range length {
				want[i] = first + T(T(i)*step)
			}
			_, err := IotaOn(q, out, first, step, prim.Length(view(t, q, []int64{length})))
			check(t, err)
			holds(t, q, fmt.Sprintf("Iota of %T", first), out, want)
		}
	}
}

// everything tests all types; with -short those whose kernels each driver has to compile anyway, and
// on the drivers together words of all sizes.
func everything(t *testing.T, q *runtime.Queue) {
	whole := !testing.Short() || q.Device().Info().Backend == "host"
	if whole || swiftshader.On() {
		moved(t, q, func(b uint64) uint8 { return uint8(b) })
		moved(t, q, func(b uint64) triple { return triple{uint8(b), uint8(b >> 8), uint8(b >> 16)} })
	}
	if whole {
		moved(t, q, func(b uint64) half.Float16 { return half.Float16(b) })
		moved(t, q, func(b uint64) int64 { return int64(b) })
		moved(t, q, func(b uint64) bool { return b&1 != 0 })
		moved(t, q, func(b uint64) wide { return wide{uint32(b), float64(b >> 40)} })
		sequence[int32](t, q, -5, -3)
		sequence[uint16](t, q, 65530, 3)
	}
	if whole || !swiftshader.On() {
		moved(t, q, func(b uint64) float32 { return math.Float32frombits(uint32(b | b>>32&0x7f800000)) })
		moved(t, q, func(b uint64) float64 { return math.Float64frombits(b) })
		if q.Device().Has(properties.FP64) {
			sequence(t, q, 0.1, 0.3)
		}
	}
	sequence[int8](t, q, 3, 7)
	sequence[uint64](t, q, 1<<63, 1<<50+1)
	sequence[float32](t, q, 0.1, 0.3)
}

func TestHost(t *testing.T) { all(t, devtest.Host(t).DefaultQueue()) }

func TestVulkan(t *testing.T) { all(t, devtest.Vulkan(t).DefaultQueue()) }

// all are the tests of one device, which makes each kernel ready once for them.
func all(t *testing.T, q *runtime.Queue) {
	everything(t, q)
	testGraph(t, q)
}

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestVulkan$")
}

// TestChunks: a view with more elements than a launch moves takes several launches.
func TestChunks(t *testing.T) {
	defer func(n int) { maxItems = n }(maxItems)
	maxItems = 100
	everything(t, devtest.Host(t).DefaultQueue())
}

// TestSlices: the functions on slices do as those on views.
func TestSlices(t *testing.T) {
	dev, ctx := devtest.Host(t), t.Context()
	xs := []int16{1, 2, 3, 4, 5, 6}
	check(t, Reverse(ctx, dev, xs))
	g, err := Gather(ctx, dev, xs, []int64{5, 0, 9})
	check(t, err)
	s := []int16{7, 7, 7}
	check(t, Scatter(ctx, dev, xs[:3], []int64{1, 1, -1}, s))
	m, err := Transpose(ctx, dev, xs, 2, 3)
	check(t, err)
	f, i := make([]int16, 2), make([]int16, 3)
	check(t, Fill(ctx, dev, f, 9))
	check(t, Iota(ctx, dev, i, 5, -2))
	if got, want := fmt.Sprint(xs, g, s, m, f, i), "[6 5 4 3 2 1] [1 6 0] [7 5 7] [6 3 5 2 4 1] [9 9] [5 3 1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// testGraph: functions that are recorded become nodes, which run as often as the graph is submitted.
func testGraph(t *testing.T, q *runtime.Queue) {
	dev, n := q.Device(), 1000
	x, y, at := view(t, q, make([]float32, n)), view(t, q, make([]float32, n)), view(t, q, make([]int64, n))
	g := runtime.NewGraph(dev)
	check(t, q.BeginRecording(g))
	_, err := IotaOn(q, at, int64(n)-1, -1)
	check(t, err)
	_, err = ScatterOn(q, x, at, y)
	check(t, err)
	_, err = ReverseOn(q, y, y)
	check(t, err)
	check(t, q.EndRecording())
	ex, err := g.Finalize()
	check(t, err)
	for range 3 {
		xs := random(n, func(b uint64) float32 { return float32(b) })
		check(t, x.CopyFrom(t.Context(), q, xs))
		_, err := q.Submit(ex)
		check(t, err)
		holds(t, q, "a graph", y, xs)
	}
}

// TestErrors: a call that makes no sense is an error, and launches nothing.
func TestErrors(t *testing.T) {
	dev := devtest.Host(t)
	q := dev.DefaultQueue()
	xs := []int64{1, 2, 3, 4}
	x, y := view(t, q, xs), view(t, q, xs)
	big := view(t, q, make([][17]uint32, 2))
	b, err := runtime.BufferOf(devtest.Host(t), xs)
	check(t, err)
	far := b.All()
	closed, err := runtime.BufferOf(dev, xs)
	check(t, err)
	check(t, closed.Close())
	for _, c := range []struct {
		err   error
		class error
		want  string
	}{
		{of(FillOn(q, far, 1)), runtime.ErrKernelArgument, "move.FillOn: out is a view of another device's buffer"},
		{of(FillOn(q, big, [17]uint32{}, prim.Length(x.Slice(0, 1)))), runtime.ErrInvalid, "the elements have 17 words: with a length they have at most 16"},
		{of(FillOn(q, x, 1, prim.Length(x.Slice(0, 1)))), runtime.ErrInvalid, "out overlaps the length"},
		{of(FillOn(q, view(t, q, make([]struct{}, 2)), struct{}{})), runtime.ErrInvalid, "the elements have no bytes"},
		{of(IotaOn(q, closed.All(), 1, 1)), runtime.ErrKernelArgument, "out is a view of a closed buffer"},
		{of(IotaOn(q, view(t, q, make([]half.Float16, 2)), 1, 1)), runtime.ErrInvalid, "there is no kernel for elements of package half"},
		{of(ReverseOn(q, x.Slice(0, 3), x.Slice(1, 4))), runtime.ErrInvalid, "out overlaps v"},
		{of(ReverseOn(q, x, y.Slice(1, 4))), runtime.ErrInvalid, "out has 3 elements: the function writes 4"},
		{of(GatherOn(q, x, y, y)), runtime.ErrInvalid, "out overlaps at"},
		{of(GatherOn(q, x, y, x)), runtime.ErrInvalid, "out overlaps v"},
		{of(ScatterOn(q, x.Slice(0, 2), y.Slice(0, 3), y.Slice(3, 4))), runtime.ErrInvalid, "v has 2 elements, and there are 3 indices"},
		{of(ScatterOn(q, x, y, y)), runtime.ErrInvalid, "out overlaps at"},
		{of(TransposeOn(q, x, y, 3, 2)), runtime.ErrInvalid, "v has 4 elements, which make no matrix of 3 rows and 2 columns"},
		{of(TransposeOn(q, x, y, -2, -2)), runtime.ErrInvalid, "no matrix"},
		{of(TransposeOn(q, x, y, math.MaxInt/2, 8)), runtime.ErrInvalid, "no matrix"},
		{of(TransposeOn(q, x, y, 2, 2, prim.Length(y.Slice(0, 1)))), runtime.ErrInvalid, "a matrix has no length"},
		{of(FillOn(nil, x, 1)), runtime.ErrInvalid, "move.FillOn"},
		{Reverse(t.Context(), nil, xs), runtime.ErrInvalid, "move.Reverse: the device is nil"},
	} {
		if c.err == nil || !errors.Is(c.err, c.class) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	holds(t, q, "errors", x, xs)
	holds(t, q, "errors", y, xs)
}

func of(_ runtime.Event, err error) error { return err }
