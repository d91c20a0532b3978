package beamkgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"

	"github.com/kgen-go/kgen/beamkgen/internal/division/divisiongen"
	"github.com/kgen-go/kgen/runtime"
)

// Number is an element.
type Number struct{ ID, X int32 }

// divide is a launch function: it divides 5040 by each number.
func divide(w *Worker, batch []Number) ([]int32, error) {
	xs := make([]int32, len(batch))
	for i, n := range batch {
		xs[i] = n.X
	}
	x, err1 := To(w, xs)
	out, err2 := New[int32](w, len(xs))
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := w.Run(divisiongen.Divide{A: 5040, X: x, Out: out}.ParallelFor(w.Queue(), runtime.Range1(len(xs)))); err != nil {
		return nil, err
	}
	return xs, From(w, out, xs)
}

// sink is a node after the DoFn.
type sink struct{ got []exec.FullValue }

func (s *sink) ProcessElement(_ context.Context, v *exec.FullValue, _ ...exec.ReStream) error {
	s.got = append(s.got, *v)
	return nil
}

// bundle drives a DoFn as Beam does.
type bundle[T, R any] struct {
	t               *testing.T
	fn              *batchFn[T, R]
	results, failed sink
	result          exec.ReusableEmitter
	failure         exec.ReusableEmitter
	calls           [][]T // the batches that the launch function got
	element         int
	launch          func(w *Worker, batch []T) ([]R, error)
	emitR           emitResult[R]
	emitF           emitFailure[T]
}

func newBundle[T, R any](t *testing.T, launch func(w *Worker, batch []T) ([]R, error), o Options) *bundle[T, R] {
	t.Helper()
	b := &bundle[T, R]{t: t, launch: launch}
	b.result, b.failure = &resultEmitter[R]{emitter{to: &b.results}}, &failureEmitter[T]{emitter{to: &b.failed}}
	b.emitR, b.emitF = b.result.Value().(emitResult[R]), b.failure.Value().(emitFailure[T])
	b.fn = &batchFn[T, R]{Function: "test", fn: &Function[T, R]{name: "test", options: o, launch: func(w *Worker, batch []T) ([]R, error) {
		b.calls = append(b.calls, slices.Clone(batch))
		return b.launch(w, batch)
	}}}
	if err := b.fn.prepare(); err != nil {
		t.Fatal(err)
	}
	b.init(window.SingleGlobalWindow, 0)
	if err := b.fn.StartBundle(t.Context(), b.emitR, b.emitF); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle[T, R]) init(ws []typex.Window, at typex.EventTime) {
	pane := typex.PaneInfo{Index: int64(b.element)}
	if err := errors.Join(b.result.Init(b.t.Context(), pane, ws, at), b.failure.Init(b.t.Context(), pane, ws, at)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle[T, R]) add(ws []typex.Window, at typex.EventTime, element T) error {
	b.init(ws, at)
	b.element++
	return b.fn.ProcessElement(b.t.Context(), element, b.emitR, b.emitF)
}

func (b *bundle[T, R]) finish() error {
	b.init(window.SingleGlobalWindow, 0)
	return b.fn.FinishBundle(b.t.Context(), b.emitR, b.emitF)
}

func (b *bundle[T, R]) sizes() (sizes []int) {
	for _, c := range b.calls {
		sizes = append(sizes, len(c))
	}
	return sizes
}

func numbers(n int) (all []Number) {
	for i := range n {
		all = append(all, Number{int32(i), int32(i%100 + 1)})
	}
	return all
}

// TestBatches: batches are of Options.Size elements, the last of a bundle may have fewer, and each
// element has its result, in order. A bundle without elements launches nothing.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		elements, size int
		want           []int
	}{
		{0, 4, nil},
		{1, 4, []int{1}},
		{4, 4, []int{4}},
		{10, 4, []int{4, 4, 2}},
		{3, 1, []int{1, 1, 1}},
		{5, math.MaxInt, []int{5}},
	} {
		b := newBundle(t, divide, Options{Size: c.size})
		for round := range 2 { // a DoFn has many bundles
			b.calls, b.results.got = nil, nil
			for i, n := range numbers(c.elements) {
				if err := b.add(window.SingleGlobalWindow, typex.EventTime(i), n); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.finish(); err != nil {
				t.Fatal(err)
			}
			if got := b.sizes(); !slices.Equal(got, c.want) {
				t.Errorf("%d elements by %d, round %d: batches of %d, want %d", c.elements, c.size, round, got, c.want)
			}
			if len(b.results.got) != c.elements || len(b.failed.got) != 0 {
				t.Fatalf("%d elements by %d: %d results and %d failures", c.elements, c.size, len(b.results.got), len(b.failed.got))
			}
			for i, n := range numbers(c.elements) {
				if got := b.results.got[i].Elm; got != 5040/n.X {
					t.Errorf("%d elements by %d: result %d is %v, want %d", c.elements, c.size, i, got, 5040/n.X)
				}
			}
			if err := b.fn.StartBundle(t.Context(), b.emitR, b.emitF); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStartBundle: a bundle does not get the elements that a failed bundle has left. The runner sends them again.
func TestStartBundle(t *testing.T) {
	b := newBundle(t, divide, Options{Size: 10})
	for range 2 {
		if err := b.fn.StartBundle(t.Context(), b.emitR, b.emitF); err != nil {
			t.Fatal(err)
		}
		if err := b.add(window.SingleGlobalWindow, 0, Number{1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.finish(); err != nil || len(b.results.got) != 1 {
		t.Errorf("%d results, %v; want 1", len(b.results.got), err)
	}
}

// TestWait: an element launches batches that have waited for long enough, and no others.
func TestWait(t *testing.T) {
	clock := time.Now()
	now = func() time.Time { return clock }
	defer func() { now = time.Now }()
	b := newBundle(t, divide, Options{Size: 100, Wait: time.Second})
	first, second := interval(0, 10), interval(10, 20)
	add := func(ws []typex.Window) {
		t.Helper()
		if err := b.add(ws, 0, Number{0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	add(first)
	clock = clock.Add(time.Second / 2)
	add(second)
	add(first)
	if len(b.calls) != 0 {
		t.Errorf("batches of %d after half a second", b.sizes())
	}
	clock = clock.Add(time.Second / 2)
	add(second) // the batch of first is a second old, that of second half a second
	if got := b.sizes(); !slices.Equal(got, []int{2}) {
		t.Errorf("batches of %d after a second, want 2", got)
	}
	add(first) // begins a batch
	clock = clock.Add(time.Second / 2)
	add(first)
	if got := b.sizes(); !slices.Equal(got, []int{2, 2}) {
		t.Errorf("batches of %d after a second and a half, want 2 and 2", got)
	}
	if err := b.finish(); err != nil || !slices.Equal(b.sizes(), []int{2, 2, 2}) {
		t.Errorf("batches of %d in the end, %v; want 2, 2 and 2", b.sizes(), err)
	}
}

// TestWaitWhenFull: an element that fills its batch launches the old batches, too.
func TestWaitWhenFull(t *testing.T) {
	clock := time.Now()
	now = func() time.Time { return clock }
	defer func() { now = time.Now }()
	b := newBundle(t, divide, Options{Size: 2, Wait: time.Second})
	for i, ws := range [][]typex.Window{interval(0, 10), interval(10, 20), interval(10, 20)} {
		if err := b.add(ws, 0, Number{int32(i), 1}); err != nil {
			t.Fatal(err)
		}
		clock = clock.Add(time.Second / 2)
	}
	if got := b.sizes(); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("batches of %d, want 2 and 1", got)
	}
}

func interval(from, to typex.EventTime) []typex.Window {
	return []typex.Window{window.IntervalWindow{Start: from, End: to}}
}

// TestPlaces: a batch has elements of the same windows alone, and each result and failure has its
// element's windows, timestamp and pane, also at the end of the bundle.
func TestPlaces(t *testing.T) {
	for _, windows := range []int{1, 2, 7, openBatches, openBatches + 1, 3 * openBatches} {
		b := newBundle(t, divide, Options{Size: 5})
		rng := rand.New(rand.NewPCG(1, uint64(windows)))
		in := map[int32][]typex.Window{}
		for i := range 1000 {
			w := rng.IntN(windows)
			ws := interval(typex.EventTime(w), typex.EventTime(w+1))
			if w%3 == 2 { // elements of several windows, as in sliding ones
				ws = append(interval(0, typex.EventTime(w)), ws...)
			}
			in[int32(i)] = ws
			if err := b.add(ws, typex.EventTime(1000+i), Number{int32(i), int32(i % 50)}); err != nil {
				t.Fatal(err)
			}
			if len(b.fn.open) > openBatches {
				t.Fatalf("%d open batches", len(b.fn.open))
			}
		}
		if err := b.finish(); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.calls {
			for _, n := range c {
				if !reflect.DeepEqual(in[n.ID], in[c[0].ID]) {
					t.Fatalf("%d windows: a batch has elements of %v and %v", windows, in[n.ID], in[c[0].ID])
				}
			}
		}
		if len(b.results.got) != 980 || len(b.failed.got) != 20 {
			t.Fatalf("%d windows: %d results and %d failures", windows, len(b.results.got), len(b.failed.got))
		}
		seen := map[int]bool{}
		for _, v := range slices.Concat(b.results.got, b.failed.got) {
			i := int(v.Timestamp) - 1000
			x, want := int32(i%50), any(nil)
			if x != 0 {
				want = 5040 / x
			}
			got := v.Elm
			if f, ok := got.(Failure); ok {
				got = nil
				if v.Elm2 != (Number{int32(i), 0}) || f.Kernel != "division.Divide" {
					t.Errorf("%d windows: the failure %+v has the element %v, want that of %d", windows, f, v.Elm2, i)
				}
			}
			if seen[i] || got != want || v.Pane.Index != int64(i) || !sameWindows(v.Windows, in[int32(i)]) {
				t.Errorf("%d windows: element %d in %v of pane %d has %v in %v, pane %d; twice: %v", windows, i, in[int32(i)], i, got, v.Windows, v.Pane.Index, seen[i])
			}
			seen[i] = true
		}
	}
}

// TestFaults: the elements on which a work-item panics are failures with their position, and all others
// have their results. The search for one of n elements takes 1 + 2·log2(n) launches.
func TestFaults(t *testing.T) {
	const size = 64
	rng := rand.New(rand.NewPCG(1, 2))
	cases := [][]int{{}, {0}, {63}, {31}, {32}, {0, 63}, rng.Perm(size)}
	for range 20 {
		cases = append(cases, rng.Perm(size)[:rng.IntN(size)])
	}
	for _, bad := range cases {
		b := newBundle(t, divide, Options{Size: size})
		in := numbers(size + 3) // a second batch has no fault
		for _, i := range bad {
			in[i].X = 0
		}
		for _, n := range in {
			if err := b.add(window.SingleGlobalWindow, typex.EventTime(n.ID), n); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.finish(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(bad)
		for k, v := range b.failed.got {
			i := bad[min(k, len(bad)-1)]
			f := v.Elm.(Failure)
			if f.Position != i || f.Batch != size || v.Elm2 != in[i] || f.Function != "test" || !slices.Equal(f.Item, []int{0}) ||
				f.Message != f.Kernel+": "+f.Pos+": integer divide by zero (work-item [0])" {
				t.Errorf("%d: failure %d is %+v of %v", bad, k, f, v.Elm2)
			}
		}
		if len(b.failed.got) != len(bad) || len(b.results.got) != len(in)-len(bad) {
			t.Fatalf("%d: %d failures and %d results", bad, len(b.failed.got), len(b.results.got))
		}
		k := 0
		for i, n := range in {
			if n.X == 0 {
				continue
			}
			if v := b.results.got[k]; v.Elm != 5040/n.X || int(v.Timestamp) != i {
				t.Errorf("%d: result %d is %v at %d, want %d at %d", bad, k, v.Elm, v.Timestamp, 5040/n.X, i)
			}
			k++
		}
		if len(bad) == 1 && len(b.calls) != 1+2*6+1 {
			t.Errorf("%d: %d launches, want 13, and 1 of the second batch", bad, len(b.calls))
		}
	}
}

// TestFaultWithoutWait: beamkgen waits for launches for which the launch function did not.
func TestFaultWithoutWait(t *testing.T) {
	b := newBundle(t, func(w *Worker, batch []Number) ([]int32, error) {
		xs := make([]int32, len(batch))
		x, err1 := To(w, xs)
		out, err2 := New[int32](w, len(xs))
		_, err3 := divisiongen.Divide{A: 1, X: x, Out: out}.ParallelFor(w.Queue(), runtime.Range1(len(xs)))
		return xs, errors.Join(err1, err2, err3)
	}, Options{Size: 1})
	if err := b.add(window.SingleGlobalWindow, 0, Number{}); err != nil || len(b.failed.got) != 1 || len(b.results.got) != 0 {
		t.Errorf("%d failures and %d results, %v; want 1 failure", len(b.failed.got), len(b.results.got), err)
	}
}

// TestErrors: all errors but faults are those of the bundle, and nothing is emitted.
func TestErrors(t *testing.T) {
	fault := &runtime.Fault{Kernel: "a.K"}
	other := errors.New("other")
	for _, c := range []struct {
		name     string
		err      error
		results  int
		class    error
		failures int
	}{
		{"fault", fault, 0, nil, 2},
		{"wrapped fault", fmt.Errorf("launch: %w", fault), 0, nil, 2},
		{"two faults", errors.Join(fault, fault), 0, nil, 2},
		{"fault and another", errors.Join(fault, other), 0, other, 0},
		{"another and fault", errors.Join(other, fault), 0, other, 0},
		{"other", other, 0, other, 0},
		{"not supported", &runtime.Error{Class: runtime.ErrKernelNotSupported}, 0, runtime.ErrKernelNotSupported, 0},
		{"loop", &runtime.LoopError{}, 0, nil, 0},
		{"memory", &runtime.Error{Class: runtime.ErrMemoryAllocation}, 0, runtime.ErrMemoryAllocation, 0},
		{"deadline", &runtime.Error{Class: runtime.ErrDeadline}, 0, runtime.ErrDeadline, 0},
		{"too few results", nil, 1, runtime.ErrInvalid, 0},
		{"too many results", nil, 3, runtime.ErrInvalid, 0},
		{"no results", nil, 0, runtime.ErrInvalid, 0},
	} {
		b := newBundle(t, func(*Worker, []Number) ([]int32, error) { return make([]int32, c.results), c.err }, Options{Size: 2})
		err := errors.Join(b.add(window.SingleGlobalWindow, 0, Number{}), b.add(window.SingleGlobalWindow, 0, Number{}), b.finish())
		if (err == nil) != (c.failures > 0) || !errors.Is(err, c.class) && c.class != nil {
			t.Errorf("%s: %v, want class %v", c.name, err, c.class)
		}
		if len(b.failed.got) != c.failures || len(b.results.got) != 0 {
			t.Errorf("%s: %d failures and %d results", c.name, len(b.failed.got), len(b.results.got))
		}
	}
}
