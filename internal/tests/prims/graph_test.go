package prims_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// stages is the memory of a chain of functions, each of which takes as many elements as the one before
// has left: those above 0.25, in order, the different ones of them, and how often each comes.
type stages struct {
	x, some, sorted, unique, alone, values runtime.View[float32]
	ones, lengths                          runtime.View[int64]
	counts                                 runtime.View[int64] // of some, unique, ones and lengths
}

func newStages(v prims.Views, n int) stages {
	floats := func() runtime.View[float32] { return prims.View(v, make([]float32, n)) }
	longs := func(n int) runtime.View[int64] { return prims.View(v, make([]int64, n)) }
	return stages{floats(), floats(), floats(), floats(), floats(), floats(), longs(n), longs(n), longs(4)}
}

// record makes a graph of the chain, which waits for nothing.
func (s stages) record(v prims.Views) *runtime.ExecutableGraph {
	t, q := v.T, v.Q
	t.Helper()
	count := func(i int) runtime.View[int64] { return s.counts.Slice(i, i+1) }
	g := runtime.NewGraph(q.Device())
	check(t, q.BeginRecording(g))
	_, err := pick.Where[opsgen.Above](q, ops.Greater{Than: 0.25}, s.x, s.some, count(0))
	check(t, err)
	_, err = sort.KeysOn(q, s.some, s.sorted, prim.Length(count(0)))
	check(t, err)
	_, err = pick.UniqueOn(q, s.sorted, s.unique, count(1), prim.Length(count(0)))
	check(t, err)
	_, err = pick.RunLengthsOn(q, s.unique, s.alone, s.ones, count(2), prim.Length(count(1)))
	check(t, err)
	_, err = pick.RunLengthsOn(q, s.sorted, s.values, s.lengths, count(3), prim.Length(count(0)))
	check(t, err)
	check(t, q.EndRecording())
	ex, err := g.Finalize()
	check(t, err)
	return ex
}

// compare compares the results of one run with plain Go.
func (s stages) compare(v prims.Views, name string, xs []float32) {
	v.T.Helper()
	var some []float32
	for _, x := range xs {
		if x > 0.25 {
			some = append(some, x)
		}
	}
	slices.Sort(some)
	unique := slices.Compact(slices.Clone(some))
	lengths := make([]int64, len(unique))
	for _, x := range some {
		i, _ := slices.BinarySearch(unique, x)
		lengths[i]++
	}
	n, m := len(some), len(unique)
	prims.Equal(v.T, name+": the counts", prims.Read(v, s.counts), []int64{int64(n), int64(m), int64(m), int64(m)})
	prims.Equal(v.T, name+": Keys", prims.Read(v, s.sorted.Slice(0, n)), some)
	prims.Equal(v.T, name+": Unique", prims.Read(v, s.unique.Slice(0, m)), unique)
	prims.Equal(v.T, name+": RunLengths of Unique", prims.Read(v, s.ones.Slice(0, m)), slices.Repeat([]int64{1}, m))
	prims.Equal(v.T, name+": the values of RunLengths", prims.Read(v, s.values.Slice(0, m)), unique)
	prims.Equal(v.T, name+": RunLengths", prims.Read(v, s.lengths.Slice(0, m)), lengths)
}

// TestGraph: functions of several families are one graph, which runs on other elements each time. The
// program waits for the device once, after the last run: each run's results are copied on the device.
func TestGraph(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 9001
		v := prims.Views{T: t, Q: dev.DefaultQueue()}
		s := newStages(v, n)
		ex := s.record(v)
		lists := [][]float32{elements(n, 40), elements(n, 1), make([]float32, n), elements(n, 100000), elements(n, 300)}
		var inputs []runtime.View[float32]
		var results []stages
		for _, xs := range lists {
			inputs = append(inputs, prims.View(v, xs))
			results = append(results, newStages(v, n))
		}
		other := dev.NewQueue()
		for i, r := range results {
			queue := []*runtime.Queue{v.Q, other}[i%2]
			copied(t, v.Q, s.x, inputs[i])
			_, err := queue.Submit(ex)
			check(t, err)
			copied(t, v.Q, r.sorted, s.sorted)
			copied(t, v.Q, r.unique, s.unique)
			copied(t, v.Q, r.values, s.values)
			copied(t, v.Q, r.ones, s.ones)
			copied(t, v.Q, r.lengths, s.lengths)
			copied(t, v.Q, r.counts, s.counts)
		}
		for i, r := range results {
			r.compare(v, fmt.Sprint("run ", i), lists[i])
		}
	})
}

// TestSwiftShader runs the graph in words of 32 bits.
func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^TestGraph$")
}

// TestSubmissions: two submissions of a graph run one after the other, on different queues too.
func TestSubmissions(t *testing.T) {
	t.Run("host", func(t *testing.T) { submissions(t, devtest.Host(t, runtime.Profiling())) })
	t.Run("vulkan", func(t *testing.T) { submissions(t, devtest.Vulkan(t, runtime.Profiling())) })
}

func submissions(t *testing.T, dev *runtime.Device) {
	const n = 20011
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	s := newStages(v, n)
	xs := elements(n, 5000)
	check(t, s.x.CopyFrom(t.Context(), v.Q, xs))
	ex := s.record(v)
	other := dev.NewQueue()
	var events []runtime.Event
	for i := range 6 {
		ev, err := []*runtime.Queue{v.Q, other}[i%2].Submit(ex)
		check(t, err)
		events = append(events, ev)
	}
	s.compare(v, "the last run", xs)
	for i, ev := range events[1:] {
		before, err := events[i].Profile()
		check(t, err)
		after, err := ev.Profile()
		check(t, err)
		if after.Start.Before(before.End) {
			t.Errorf("run %d begins %v before the end of the one before", i+1, before.End.Sub(after.Start))
		}
	}
}

// elements returns random numbers, with repetitions.
func elements(n, different int) []float32 {
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(rand.IntN(different)-different/3) / 4
	}
	return xs
}

// copied enqueues a copy on the device.
func copied[T any](t *testing.T, q *runtime.Queue, to, from runtime.View[T]) {
	t.Helper()
	_, err := q.Enqueue(runtime.Copy(to, from))
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
