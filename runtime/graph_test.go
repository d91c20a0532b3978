package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/endless/endlessgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGraphCancelled cancels a graph while its first node runs, for ever: all of it ends, and
// what it was to write is not there to be read.
func TestGraphCancelled(t *testing.T) {
	if raceEnabled {
		t.Setenv("KGEN_HOST_FORM", "on") // the kernel's own Go ends between work-items
	}
	for _, dev := range []*runtime.Device{devtest.Host(t), devtest.VulkanOrNone(t)} {
		if dev == nil {
			continue
		}
		t.Run(dev.Info().Backend, func(t *testing.T) {
			const n = 1 << 16 // lavapipe ends loops after 65,535 rounds: that many take seconds
			g := runtime.NewGraph(dev)
			q := dev.DefaultQueue()
			rounds := zeros(dev, n)
			check(t, q.BeginRecording(g))
			search := endlessgen.Search{Seeds: endlessgen.Seeds{From: ones(dev, n), To: zeros(dev, n), Rounds: rounds}}
			must(search.ParallelFor(q, n))
			copied := zeros(dev, n)
			must(q.Enqueue(runtime.Copy(copied, rounds)))
			check(t, q.EndRecording())
			ex := must(g.Finalize())
			ended, end := context.WithCancel(context.Background())
			ev := must(q.Submit(ex, runtime.WithContext(ended)))
			q.Flush()
			time.Sleep(10 * time.Millisecond)
			end()
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrCanceled) {
				t.Fatalf("got %v, want ErrCanceled", err)
			}
			check(t, q.Wait(ctx)) // the failures of the other nodes have been told
			got := make([]uint32, n)
			for _, v := range []runtime.View[uint32]{rounds, copied} {
				if err := v.CopyTo(ctx, q, got); !errors.Is(err, runtime.ErrCanceled) {
					t.Errorf("reading what was cancelled: %v", err)
				}
			}
			check(t, must(q.Enqueue(runtime.Fill(rounds, 1))).Wait(ctx))
			check(t, rounds.CopyTo(ctx, q, got))
		})
	}
}

// TestGraphKeepsPipelines submits a graph while another goroutine updates it, on a device that
// keeps one pipeline: what a submission uses must not go meanwhile.
func TestGraphKeepsPipelines(t *testing.T) {
	dev := openHost(t)
	dev.SetMaxVariants(1)
	x := must(runtime.NewBuffer[int32](dev, 64))
	node := func(size int) runtime.Command {
		return stepsgen.Grow{By: 1, Out: x.All()}.Node(64, runtime.With(properties.WorkGroupSizeHint(size)))
	}
	g := runtime.NewGraph(dev)
	n := must(g.Add(node(1)))
	ex := must(g.Finalize(properties.Updatable()))
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := ex.Update(n, node(1+i%64)); err != nil {
				done <- err
				return
			}
		}
	}()
	const runs = 2000
	for range runs {
		must(dev.DefaultQueue().Submit(ex))
	}
	close(stop)
	check(t, <-done)
	got := make([]int32, 64)
	check(t, x.CopyTo(context.Background(), dev.DefaultQueue(), got))
	if got[9] != runs {
		t.Errorf("%d of %d runs were done", got[9], runs)
	}
}

// TestEmptyRelease: a launch without work-items lets its context go.
func TestEmptyRelease(t *testing.T) {
	dev := openHost(t)
	x := must(runtime.NewBuffer[int32](dev, 64))
	first := must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(dev.DefaultQueue(), 64))
	ctx := &counted{Context: context.Background(), done: make(chan struct{})}
	ev := must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(dev.DefaultQueue(), 0, runtime.DependsOn(first), runtime.WithContext(ctx)))
	check(t, ev.Wait(context.Background()))
	if n := ctx.waiting.Load(); n != 0 {
		t.Errorf("%d functions wait for the context's end", n)
	}
}

// TestGraphStillRunning: as with launches, the wait for a graph that was to end says which of
// its kernels cannot be cancelled.
func TestGraphStillRunning(t *testing.T) {
	t.Setenv("KGEN_HOST_FORM", "off")
	dev := openHost(t)
	q := dev.DefaultQueue()
	for n := 64; n < 1<<22; n *= 4 {
		g := runtime.NewGraph(dev)
		must(g.Add(endlessgen.Count{N: n, Out: rounds(dev, 1)}.Node(runtime.Range2{1, 1})))
		ended, end := context.WithCancel(context.Background())
		ev := must(q.Submit(must(g.Finalize()), runtime.WithContext(ended)))
		q.Flush()
		time.Sleep(10 * time.Millisecond) // commands that have not begun are cancelled
		end()
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Millisecond)
		err := ev.Wait(ctx)
		stop()
		late := !ev.Done()
		ev.Wait(context.Background())
		if !late {
			continue // too fast
		}
		if !errors.Is(err, runtime.ErrDeadline) || !strings.Contains(err.Error(), "still running") || !strings.Contains(err.Error(), "Count") {
			t.Error(err)
		}
		return
	}
	t.Fatal("the kernel is never late")
}

// counted is a context that counts what waits for its end.
type counted struct {
	context.Context
	done    chan struct{}
	waiting atomic.Int32
}

func (c *counted) Done() <-chan struct{} { return c.done }

func (c *counted) AfterFunc(func()) func() bool {
	c.waiting.Add(1)
	return func() bool { c.waiting.Add(-1); return true }
}

// BenchmarkReplay compares a graph of launches with the launches: what the calls take, and what
// it takes until all have completed. Those of a chain depend on each other.
func BenchmarkReplay(b *testing.B) {
	for _, dev := range []*runtime.Device{devtest.Host(b), devtest.VulkanOrNone(b)} {
		if dev == nil {
			continue
		}
		q := dev.DefaultQueue()
		for _, n := range []int{10, 100, 1000} {
			for _, chain := range []bool{false, true} {
				x := must(runtime.NewBuffer[int32](dev, 64*n))
				g := runtime.NewGraph(dev)
				kernels := make([]stepsgen.Grow, n)
				for i := range kernels {
					kernels[i] = stepsgen.Grow{By: 1, Out: x.Slice(64*i, 64*i+1)}
					if chain {
						kernels[i].Out = x.Slice(0, 1)
					}
					must(g.Add(kernels[i].Node(1)))
				}
				ex := must(g.Finalize())
				wait := func(b *testing.B, ev runtime.Event) {
					b.StopTimer()
					if err := ev.Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				name := fmt.Sprintf("%s/n=%d/chain=%v", dev.Info().Backend, n, chain)
				b.Run(name+"/graph", func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						wait(b, must(q.Submit(ex)))
					}
				})
				b.Run(name+"/launches", func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						var ev runtime.Event
						for i := range kernels {
							ev = must(kernels[i].ParallelFor(q, 1))
						}
						wait(b, ev)
					}
				})
				b.Run(name+"/graph-complete", func(b *testing.B) {
					for b.Loop() {
						if err := must(q.Submit(ex)).Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
				b.Run(name+"/launches-complete", func(b *testing.B) {
					for b.Loop() {
						var ev runtime.Event
						for i := range kernels {
							ev = must(kernels[i].ParallelFor(q, 1))
						}
						if err := ev.Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
				x.Close()
			}
		}
	}
}
