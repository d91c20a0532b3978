package beamkgen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/kgen-go/kgen/beamkgen/internal/division/divisiongen"
	"github.com/kgen-go/kgen/runtime"
)

// The functions of the tests. Those of TestInvalid have one mistake each.
var (
	quotients = Register("beamkgen.quotients", divide, Options{Size: 16, Kernels: []*runtime.Kernel{divisiongen.Kernels()[0]}})
	halves    = Register("beamkgen.halves", divide, Options{Size: 16, Kernels: divisiongen.Kernels()})
	lost      = Register("beamkgen.lost", func(*Worker, []Number) ([]int32, error) {
		return nil, &runtime.Error{Class: runtime.ErrDriver, Problem: "the driver gave up"}
	}, Options{Size: 16})
	words = Register("beamkgen.words", func(w *Worker, batch []string) ([]int, error) {
		lengths := make([]int, len(batch))
		for i, s := range batch {
			lengths[i] = len(s)
		}
		return lengths, nil
	}, Options{Size: 2})

	nilKernel  = Register("beamkgen.nilKernel", divide, Options{Size: 1, Kernels: []*runtime.Kernel{nil}})
	sameName   = Register("beamkgen.quotients", divide, Options{Size: 1})
	wrongType  = Register("beamkgen.wrongType", func(*Worker, []func()) ([]int, error) { return nil, nil }, Options{Size: 1})
	wrongAgain = Register("beamkgen.wrongAgain", func(*Worker, []func()) ([]int, error) { return nil, nil }, Options{Size: 1})
)

// The pipelines run in this process, so their last steps can collect elements here.
var collected struct {
	sync.Mutex
	results, failures, sums []string
}

func stamp(n Number, emit func(beam.EventTime, Number)) { emit(timeOf(n.ID), n) }

// timeOf is the timestamp of an element.
func timeOf(id int32) beam.EventTime { return beam.EventTime(id) * 100 }

func collectResult(w beam.Window, at beam.EventTime, q int32) {
	collected.Lock()
	defer collected.Unlock()
	collected.results = append(collected.results, fmt.Sprint(w, at, q))
}

func collectFailure(w beam.Window, at beam.EventTime, f Failure, n Number) {
	collected.Lock()
	defer collected.Unlock()
	if f.Function != quotients.name || f.Kernel != "division.Divide" || f.Position < 0 || f.Position >= f.Batch || f.Batch > 16 ||
		!slices.Equal(f.Item, []int{0}) || f.Message != f.Kernel+": "+f.Pos+": integer divide by zero (work-item [0])" {
		collected.failures = append(collected.failures, fmt.Sprintf("wrong: %+v", f))
	}
	collected.failures = append(collected.failures, fmt.Sprint(w, at, n))
}

func keyed(q int32) (int, int) { return 0, int(q) }

func add(a, b int) int { return a + b }

func collectSum(w beam.Window, _ int, sum int) {
	collected.Lock()
	defer collected.Unlock()
	collected.sums = append(collected.sums, fmt.Sprint(w, sum))
}

func collectLength(n int) {
	collected.Lock()
	defer collected.Unlock()
	collected.results = append(collected.results, fmt.Sprint(n))
}

func init() {
	register.Function2x0(stamp)
	register.Function3x0(collectResult)
	register.Function4x0(collectFailure)
	register.Function1x2(keyed)
	register.Function2x1(add)
	register.Function3x0(collectSum)
	register.Function1x0(collectLength)
	register.Emitter2[beam.EventTime, Number]()
}

func TestMain(m *testing.M) {
	os.Setenv("KGEN_DEVICE", "host")
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// elements returns a collection with n numbers, each with its timestamp; every 50th is zero.
func elements(s beam.Scope, n int) beam.PCollection {
	all := numbers(n)
	for i := range all {
		all[i].X = int32(i % 50)
	}
	return beam.ParDo(s, stamp, beam.Reshuffle(s, beam.CreateList(s, all)))
}

// TestPipeline: on both runners, results, failures and sums of results are in their windows, with their
// timestamps. The metrics count, and there is one device.
func TestPipeline(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		name    string
		fn      *window.Fn
		windows func(at beam.EventTime) []beam.Window
	}{
		{"global", window.NewGlobalWindows(), func(beam.EventTime) []beam.Window { return []beam.Window{window.GlobalWindow{}} }},
		{"fixed", window.NewFixedWindows(3 * time.Second), func(at beam.EventTime) []beam.Window {
			start := at / 3000 * 3000
			return []beam.Window{window.IntervalWindow{Start: start, End: start + 3000}}
		}},
		{"sliding", window.NewSlidingWindows(2*time.Second, 4*time.Second), func(at beam.EventTime) []beam.Window {
			start := at / 2000 * 2000
			return []beam.Window{window.IntervalWindow{Start: start, End: start + 4000}, window.IntervalWindow{Start: start - 2000, End: start + 2000}}
		}},
	} {
		var results, failures, sums []string
		sum := map[beam.Window]int{}
		for i := range int32(n) {
			for _, w := range c.windows(timeOf(i)) {
				if x := i % 50; x != 0 {
					results = append(results, fmt.Sprint(w, timeOf(i), 5040/x))
					sum[w] += int(5040 / x)
				} else {
					failures = append(failures, fmt.Sprint(w, timeOf(i), Number{i, 0}))
				}
			}
		}
		for w, s := range sum {
			sums = append(sums, fmt.Sprint(w, s))
		}
		for _, runner := range []string{"direct", "prism"} {
			collected.results, collected.failures, collected.sums = nil, nil, nil
			p, s := beam.NewPipelineWithRoot()
			quotient, failed := quotients.ParDo(s, beam.WindowInto(s, c.fn, elements(s, n)))
			beam.ParDo0(s, collectResult, quotient)
			beam.ParDo0(s, collectFailure, failed)
			beam.ParDo0(s, collectSum, beam.CombinePerKey(s, add, beam.ParDo(s, keyed, quotient)))
			res, err := beam.Run(context.Background(), runner, p)
			if err != nil {
				t.Fatalf("%s, %s windows: %v", runner, c.name, err)
			}
			for _, part := range []struct {
				name      string
				got, want []string
			}{{"results", collected.results, results}, {"failures", collected.failures, failures}, {"sums", collected.sums, sums}} {
				slices.Sort(part.got)
				slices.Sort(part.want)
				if !slices.Equal(part.got, part.want) {
					t.Errorf("%s, %s windows: %d %s, want %d:\n%v\nwant\n%v", runner, c.name, len(part.got), part.name, len(part.want), part.got, part.want)
				}
			}
			checkMetrics(t, runner+", "+c.name, res, n, n/50)
		}
	}
	if OpenedDevices() != 1 {
		t.Errorf("%d devices were opened", OpenedDevices())
	}
}

// checkMetrics compares the metrics with the numbers of elements and failures. Each launch copies 4 bytes an
// element to the device, and 4 back, if it does not fail.
func checkMetrics(t *testing.T, name string, res beam.PipelineResult, elements, failures int64) {
	t.Helper()
	got := map[string]int64{}
	for _, c := range res.Metrics().AllMetrics().Counters() {
		if c.Namespace() == "beamkgen" {
			got[c.Name()] += c.Result()
		}
	}
	for _, d := range res.Metrics().AllMetrics().Distributions() {
		if d.Namespace() == "beamkgen" {
			got[d.Name()] += d.Result().Sum
			got["batches"] += d.Result().Count
		}
	}
	batches := got["batches"]
	if got["batch_elements"] != elements || batches < elements/16 || batches > elements {
		t.Errorf("%s: %d elements in %d batches, want %d", name, got["batch_elements"], batches, elements)
	}
	// A batch of 16 has at most one fault, which takes at most 9 launches: 1 + 2·log2(16).
	if l := got["launches"]; l < batches || l > batches+8*failures || got["launches_untimed"] != 0 {
		t.Errorf("%s: %d launches of %d batches, %d of them untimed", name, l, batches, got["launches_untimed"])
	}
	if b := got["bytes"]; b < 8*(elements-failures) || b > 8*elements+4*31*failures || b%4 != 0 {
		t.Errorf("%s: %d bytes of %d elements", name, b, elements)
	}
	if got["device_ns"] <= 0 || got["failures"] != failures {
		t.Errorf("%s: %d ns, %d failures; want %d", name, got["device_ns"], got["failures"], failures)
	}
}

// TestOrdinaryTypes: elements and results need not be of a type with a name.
func TestOrdinaryTypes(t *testing.T) {
	for _, runner := range []string{"direct", "prism"} {
		collected.results = nil
		p, s := beam.NewPipelineWithRoot()
		lengths, _ := words.ParDo(s, beam.Create(s, "a", "bb", "ccc", "dddd", "eeeee"))
		beam.ParDo0(s, collectLength, lengths)
		if _, err := beam.Run(context.Background(), runner, p); err != nil {
			t.Fatal(runner, err)
		}
		slices.Sort(collected.results)
		if got := fmt.Sprint(collected.results); got != "[1 2 3 4 5]" {
			t.Errorf("%s: %s", runner, got)
		}
	}
}

// TestFailedBundle: errors other than faults fail the bundle. Beam keeps their text alone.
func TestFailedBundle(t *testing.T) {
	for _, runner := range []string{"direct", "prism"} {
		p, s := beam.NewPipelineWithRoot()
		quotient, _ := lost.ParDo(s, elements(s, 10))
		beam.ParDo0(s, collectResult, quotient)
		_, err := beam.Run(context.Background(), runner, p)
		if err == nil || !strings.Contains(err.Error(), "the driver gave up") {
			t.Errorf("%s: %v", runner, err)
		}
	}
}

// TestInvalid: wrong arguments are errors where the pipeline is made, and add nothing to it.
func TestInvalid(t *testing.T) {
	after := Register("beamkgen.after", divide, Options{Size: 1})
	var missing *Function[Number, int32]
	type function interface {
		TryParDo(beam.Scope, beam.PCollection) (beam.PCollection, beam.PCollection, error)
	}
	p, s := beam.NewPipelineWithRoot()
	in := elements(s, 1)
	before, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fn   function
		s    beam.Scope
		in   beam.PCollection
		want string
	}{
		{Register("", divide, Options{Size: 1}), s, in, "without a name"},
		{Register[Number, int32]("beamkgen.a", nil, Options{Size: 1}), s, in, "the launch function is nil"},
		{Register("beamkgen.a", divide, Options{}), s, in, "batches of 0 elements"},
		{Register("beamkgen.a", divide, Options{Size: -1}), s, in, "batches of -1 elements"},
		{Register("beamkgen.a", divide, Options{Size: 1, Wait: -1}), s, in, "wait for -1ns"},
		{after, s, in, "after beam.Init"},
		{nilKernel, s, in, "Options.Kernels[0] is nil"},
		{sameName, s, in, "another Function has this name"},
		{wrongType, s, in, "Beam does not take elements of type func()"},
		{wrongAgain, s, in, "Beam does not take elements of type func()"},
		{missing, s, in, "a nil beamkgen.Function"},
		{&Function[Number, int32]{}, s, in, "not registered"},
		{quotients, beam.Scope{}, in, "of no pipeline"},
		{quotients, s, beam.PCollection{}, "of no pipeline"},
		{words, s, in, "the input is a PCollection<beamkgen.Number>, not a PCollection<string>"},
		{quotients, s, beam.ParDo(s.Scope("kv"), func(n Number) (Number, int) { return n, 0 }, in), "not a PCollection<beamkgen.Number>"},
	} {
		_, _, err := c.fn.TryParDo(c.s, c.in)
		if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	now, _, err := p.Build()
	if err != nil || len(now) != len(before)+1 { // with the function of the last case
		t.Errorf("the pipeline had %d edges and has %d, %v", len(before), len(now), err)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("ParDo panics with %v", err)
		}
	}()
	words.ParDo(s, in)
}
