package runtime_test

import (
	"context"
	"errors"
	"fmt"
	gort "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// growing returns a graph of n launches, each of which adds by to the first element of x.
func growing(t *testing.T, dev *runtime.Device, x *runtime.Buffer[int32], n int, by int32, props ...properties.Property) (*runtime.ExecutableGraph, []*runtime.Node) {
	t.Helper()
	g := runtime.NewGraph(dev)
	var nodes []*runtime.Node
	for range n {
		nodes = append(nodes, must(g.Add(stepsgen.Grow{By: by, Out: x.Slice(0, 1)}.Node(1))))
	}
	return must(g.Finalize(props...)), nodes
}

func firstOf(t *testing.T, dev *runtime.Device, x *runtime.Buffer[int32]) int32 {
	t.Helper()
	got := make([]int32, x.Len())
	check(t, x.CopyTo(context.Background(), dev.DefaultQueue(), got))
	return got[0]
}

// TestReplayAllocates: submitting a graph, handing it to the device and waiting for it allocates at
// most once in two times, however many nodes it has: events and tickets are made 16 at a time, and
// three in 16 are what there is where no other goroutine allocates.
func TestReplayAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	dev := devtest.Vulkan(t)
	q := dev.DefaultQueue()
	for _, n := range []int{1, 10, 100, 1000}[:sample.Of(4, 3)] {
		x := must(runtime.NewBuffer[int32](dev, 1))
		ex, _ := growing(t, dev, x, n, 1)
		runs := 64
		if n > 100 {
			runs = 32 // which take as long
		}
		ran, mallocs, total := 0, uint64(runs), uint64(0)
		run := func() {
			for range runs {
				check(t, must(q.Submit(ex)).Wait(context.Background()))
			}
			ran += runs
		}
		run() // at first, memory is made that is kept
		for try := 0; try < 10 && mallocs > uint64(runs/2); try++ {
			var before, after gort.MemStats
			gort.ReadMemStats(&before)
			run()
			gort.ReadMemStats(&after)
			if m := after.Mallocs - before.Mallocs; m < mallocs { // what is more is others'
				mallocs, total = m, after.TotalAlloc-before.TotalAlloc
			}
		}
		t.Logf("%d nodes: %d allocations in %d submissions, %d bytes each", n, mallocs, runs, total/uint64(runs))
		if mallocs > uint64(runs/2) || total/uint64(runs) > 4096 {
			t.Errorf("%d nodes: %d allocations in %d submissions, %d bytes each", n, mallocs, runs, total/uint64(runs))
		}
		if got := firstOf(t, dev, x); int(got) != n*ran {
			t.Errorf("%d nodes ran %d times", n, got)
		}
		check(t, x.Close())
	}
}

// TestReplayFault: a submission returns the fault of the first node that has one, whether it is
// replayed or not, and the next one is not disturbed by it. Who does not wait is told later, once.
func TestReplayFault(t *testing.T) {
	dev := devtest.Vulkan(t)
	q := dev.NewQueue()
	x, at := must(runtime.NewBuffer[int32](dev, 40)), must(runtime.NewBuffer[int32](dev, 1))
	grow := func(i, n int) runtime.Command { // has a fault if n is less than 4
		return stepsgen.Grow{By: 1, Out: x.Slice(10*i, 10*i+n)}.Node(4)
	}
	g := runtime.NewGraph(dev)
	must(g.Add(stepsgen.Grow{By: 1, Out: at.All()}.Node(1)))
	first := must(g.Add(grow(0, 5)))
	must(g.Add(grow(1, 3)))
	must(g.Add(grow(2, 3)))
	ex := must(g.Finalize(properties.Updatable()))
	fault := func(err error, index int) {
		t.Helper()
		var f *runtime.Fault
		if !errors.As(err, &f) || f.A != int64(index) || f.Kernel != "steps.Grow" {
			t.Errorf("got %v, want a fault with index %d", err, index)
		}
	}
	for range 6 {
		ev := must(q.Submit(ex))
		fault(ev.Wait(ctx), 3)
		fault(ev.Wait(ctx), 3)
		check(t, q.Wait(ctx)) // it has been told
		must(q.Submit(ex))
		err := q.Wait(ctx)
		fault(err, 3)
		if n := strings.Count(fmt.Sprint(err), "index"); n != 1 {
			t.Errorf("%d faults are told: %v", n, err)
		}
		check(t, q.Wait(ctx))
	}
	check(t, ex.Update(first, grow(0, 2)))
	for range 6 {
		if err := must(q.Submit(ex)).Wait(ctx); !strings.Contains(fmt.Sprint(err), "with length 2") {
			t.Errorf("the first node's fault is not told: %v", err)
		}
	}
	var events []runtime.Event
	check(t, ex.Update(first, grow(0, 4)))
	for range 30 {
		events = append(events, must(q.Submit(ex)))
	}
	for _, ev := range events {
		fault(ev.Wait(ctx), 3)
	}
	check(t, q.Wait(ctx))
	if got := firstOf(t, dev, at); got != 6*2+6+30 { // a fault poisons nothing
		t.Errorf("%d runs", got)
	}
}

// TestReplayUpdated updates a graph while submissions are in flight: they run as they were.
func TestReplayUpdated(t *testing.T) {
	dev := devtest.Vulkan(t)
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[int32](dev, 1))
	ex, nodes := growing(t, dev, x, 5, 1, properties.Updatable())
	want := int32(0)
	by := int32(1) // of the first node
	for i := range 60 {
		must(q.Submit(ex))
		want += 4 + by
		if i%6 == 5 {
			by = int32(i)
			check(t, ex.Update(nodes[0], stepsgen.Grow{By: by, Out: x.Slice(0, 1)}.Node(1)))
		}
		if i%4 == 0 {
			q.Flush()
		}
	}
	if got := firstOf(t, dev, x); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// TestReplayConcurrent submits a graph on several queues while it is updated, forgotten and made
// anew, and launches run between.
func TestReplayConcurrent(t *testing.T) {
	dev := devtest.Vulkan(t)
	x := must(runtime.NewBuffer[int32](dev, 1))
	ex, nodes := growing(t, dev, x, 5, 1, properties.Updatable())
	const runs = 200
	var all sync.WaitGroup
	for k := range 3 {
		q := dev.NewQueue()
		all.Go(func() {
			for i := range runs {
				ev, err := q.Submit(ex)
				if err == nil && i%(3+k) == 0 {
					err = ev.Wait(ctx)
				}
				if err == nil && i%10 == 0 {
					_, err = stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(q, 1)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Go(func() {
		for i := range runs {
			time.Sleep(100 * time.Microsecond)
			if err := ex.Update(nodes[i%5], stepsgen.Grow{By: 1, Out: x.Slice(0, 1)}.Node(1)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	all.Go(func() {
		q := dev.NewQueue()
		for range runs / 10 {
			other, _ := growing(t, dev, x, 2, 1)
			for range 3 {
				must(q.Submit(other))
			}
			gort.GC() // its recordings go when nothing uses them any more
		}
	})
	all.Wait()
	if got, want := firstOf(t, dev, x), int32(3*runs*5+3*runs/10+runs/10*6); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// TestReplayClosed: a graph of a closed buffer is ErrInvalid, also when it has been replayed
// before, and what is in flight is not disturbed.
func TestReplayClosed(t *testing.T) {
	dev := devtest.Vulkan(t)
	q := dev.DefaultQueue()
	x, y := must(runtime.NewBuffer[int32](dev, 1)), must(runtime.NewBuffer[int32](dev, 1))
	g := runtime.NewGraph(dev)
	must(g.Add(stepsgen.Grow{By: 1, Out: x.All()}.Node(1)))
	must(g.Add(stepsgen.Grow{By: 1, Out: y.All()}.Node(1)))
	ex := must(g.Finalize())
	var events []runtime.Event
	for range 10 {
		events = append(events, must(q.Submit(ex)))
	}
	check(t, y.Close())
	if _, err := q.Submit(ex); !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "closed") {
		t.Errorf("got %v, want ErrInvalid", err)
	}
	for _, ev := range events {
		check(t, ev.Wait(ctx))
	}
	if got := firstOf(t, dev, x); got != 10 {
		t.Errorf("%d of 10 runs", got)
	}
	check(t, dev.Close())
	if _, err := q.Submit(ex); err == nil {
		t.Error("a closed device takes a graph")
	}
}

// TestReplayDependsOn: launches wait for graphs and graphs for launches, of which they share no
// memory, and an event of a graph is one of a queue.
func TestReplayDependsOn(t *testing.T) {
	dev := devtest.Vulkan(t)
	q := dev.NewQueue()
	x, y := must(runtime.NewBuffer[int32](dev, 1)), must(runtime.NewBuffer[int32](dev, 1))
	ex, _ := growing(t, dev, x, 5, 1)
	var ev runtime.Event
	for range 20 {
		one := must(stepsgen.Grow{By: 1, Out: y.All()}.ParallelFor(q, 1, runtime.DependsOn(ev)))
		ev = must(q.Submit(ex, runtime.DependsOn(one, ev)))
	}
	check(t, ev.Wait(ctx))
	if !ev.Done() {
		t.Error("the event is not done")
	}
	if a, b := firstOf(t, dev, x), firstOf(t, dev, y); a != 100 || b != 20 {
		t.Errorf("%d and %d", a, b)
	}
	ended, end := context.WithCancel(context.Background())
	defer end()
	check(t, must(q.Submit(ex, runtime.WithContext(ended))).Wait(ctx)) // is not replayed
	if got := firstOf(t, dev, x); got != 105 {
		t.Errorf("got %d", got)
	}
}
