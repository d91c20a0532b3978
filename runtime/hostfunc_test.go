package runtime_test

import (
	"context"
	"errors"
	"fmt"
	gort "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/runtime"
)

var bg = context.Background()

func grow(v runtime.View[int32], by int32) runtime.Command {
	return stepsgen.Grow{By: by, Out: v}.Node(runtime.Range1(v.Len()))
}

// TestHostFuncOrder: a function on a queue sees what was enqueued before, and what comes later
// waits for it.
func TestHostFuncOrder(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q, other := dev.NewQueue(), dev.NewQueue()
		x := must(runtime.NewBuffer[int32](dev, 4))
		seen := make([]int32, 4)
		var order []int
		for i := range 20 {
			must(q.Enqueue(grow(x.All(), 1)))
			must(other.Enqueue(runtime.Download(seen, x.All())))
			must(q.Enqueue(runtime.HostFunc(func(context.Context) error {
				order = append(order, int(seen[0]))
				if i == 3 {
					time.Sleep(20 * time.Millisecond) // what is enqueued meanwhile waits
				}
				seen[0] = int32(100 * (i + 1))
				return nil
			})))
			must(q.Enqueue(runtime.Upload(x.All(), seen)))
		}
		check(t, q.Wait(bg))
		want := []int{1}
		for i := range 19 {
			want = append(want, 100*(i+1)+1)
		}
		if got := firstOf(t, dev, x); !slices.Equal(order, want) || got != 2000 {
			t.Errorf("the functions saw %v, want %v; at last there is %d", order, want, got)
		}
	})
}

// TestHostFuncFails: what a function returns or panics with is the failure of its command.
func TestHostFuncFails(t *testing.T) {
	errOwn := errors.New("own")
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.NewQueue()
		x := must(runtime.NewBuffer[int32](dev, 1))
		for _, c := range []struct {
			f    func(context.Context) error
			is   error
			text string
		}{
			{func(context.Context) error { return fmt.Errorf("it is %w", errOwn) }, errOwn, "it is own"},
			{func(context.Context) error { panic("oh") }, nil, "it panicked: oh"},
			{func(context.Context) error { gort.Goexit(); return nil }, nil, "it ended its goroutine"},
			{func(context.Context) error { return context.Canceled }, context.Canceled, "canceled"},
		} {
			ev := must(q.Enqueue(runtime.HostFunc(c.f)))
			must(q.Enqueue(grow(x.All(), 1))) // is none of its business
			err := ev.Wait(bg)
			if !errors.Is(err, runtime.ErrHostFunc) || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %q", err, c.text)
			}
			check(t, q.Wait(bg)) // it has been told
			called := false
			next := must(q.Enqueue(runtime.HostFunc(func(context.Context) error { called = true; return nil }), runtime.DependsOn(ev)))
			if err := next.Wait(bg); !errors.Is(err, runtime.ErrHostFunc) || called {
				t.Errorf("behind a failure: called: %v, %v", called, err)
			}
		}
		if _, err := q.Enqueue(runtime.HostFunc(nil)); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("no function: %v", err)
		}
		if got := firstOf(t, dev, x); got != 4 {
			t.Errorf("%d of 4 launches ran", got)
		}
	})
}

// TestHostFuncWaits: a function that waits for its device is told so, and does not hang.
func TestHostFuncWaits(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.NewQueue()
		x := must(runtime.NewBuffer[int32](dev, 1<<16))
		before := must(q.Enqueue(grow(x.All(), 1)))
		big := make([]int32, 1<<16)
		ev := must(q.Enqueue(runtime.HostFunc(func(ctx context.Context) error {
			check(t, before.Wait(ctx)) // that is done
			later := must(q.Enqueue(grow(x.All(), 2)))
			for what, err := range map[string]error{
				"Event.Wait": later.Wait(ctx), "Queue.Wait": q.Wait(ctx), "CopyTo": x.CopyTo(ctx, q, big), "CopyFrom": x.CopyFrom(ctx, q, big),
				"Close": dev.Close(), "Run": stepsgen.RunGrow(ctx, dev, steps.Grow{By: 1, Out: big}, 4),
			} {
				if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "waits for its own device") {
					t.Errorf("%s: %v", what, err)
				}
			}
			return nil
		})))
		check(t, ev.Wait(bg))
		check(t, q.Wait(bg))
		if got := firstOf(t, dev, x); got != 3 {
			t.Errorf("got %d, want 3", got)
		}
	})
}

// TestHostFuncEnds: a context ends a function, and one that has not begun is not called.
func TestHostFuncEnds(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.NewQueue()
		ctx, cancel := context.WithCancel(bg)
		begun := make(chan bool)
		first := must(q.Enqueue(runtime.HostFunc(func(ctx context.Context) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}), runtime.WithContext(ctx)))
		called := false
		second := must(q.Enqueue(runtime.HostFunc(func(context.Context) error { called = true; return nil }), runtime.WithContext(ctx)))
		<-begun
		cancel()
		if err := first.Wait(bg); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
		if err := second.Wait(bg); !errors.Is(err, runtime.ErrCanceled) || called {
			t.Errorf("the second: called: %v, %v", called, err)
		}
		q.Wait(bg)
	})
}

// TestHostFuncClose: closing a device waits for the function, or abandons it.
func TestHostFuncClose(t *testing.T) {
	dev := must(runtime.Open(runtime.Select("host")))
	done := false
	must(dev.DefaultQueue().Enqueue(runtime.HostFunc(func(context.Context) error {
		time.Sleep(10 * time.Millisecond)
		done = true
		return nil
	})))
	check(t, dev.Close())
	if !done {
		t.Error("Close did not wait")
	}
	dev = must(runtime.Open(runtime.Select("host"), runtime.CloseTimeout(20*time.Millisecond)))
	q, ends := dev.DefaultQueue(), make(chan error)
	var waiting sync.WaitGroup
	ev := must(q.Enqueue(runtime.HostFunc(func(ctx context.Context) error {
		<-ctx.Done()
		ends <- ctx.Err()
		return nil
	})))
	x := must(runtime.NewBuffer[int32](dev, 1))
	held := must(q.Enqueue(grow(x.All(), 1)))
	for _, ev := range []runtime.Event{ev, held} {
		waiting.Go(func() {
			if err := ev.Wait(bg); !errors.Is(err, runtime.ErrDeviceLost) {
				t.Error(err)
			}
		})
	}
	if err := dev.Close(); !errors.Is(err, runtime.ErrDeviceLost) {
		t.Error(err)
	}
	waiting.Wait()
	if err := <-ends; err == nil {
		t.Error("its context did not end")
	}
}

// TestHostFuncMany: many goroutines enqueue functions and launches, which all run, in their order.
func TestHostFuncMany(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.NewBuffer[int32](dev, 1))
		var running, calls atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				q := dev.NewQueue()
				last := 0
				for i := range 30 {
					must(q.Enqueue(grow(x.All(), 1)))
					must(q.Enqueue(runtime.HostFunc(func(context.Context) error {
						if running.Add(1) != 1 || last != i {
							t.Errorf("function %d after %d, or two at a time", i, last)
						}
						last++
						calls.Add(1)
						running.Add(-1)
						return nil
					})))
				}
				check(t, q.Wait(bg))
			})
		}
		all.Wait()
		if got := firstOf(t, dev, x); got != 120 || calls.Load() != 120 {
			t.Errorf("%d launches, %d calls", got, calls.Load())
		}
	})
}
