package runtime_test

import (
	"context"
	"errors"
	gort "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// heldAt is what the host form of kernel waiting waits at.
var heldAt atomic.Pointer[chan struct{}]

// waiting is increment, whose work-items wait at the heldAt on the host device.
var waiting = module("increment", func(a *kernelimpl.HostArgs) any {
	x := kernelimpl.HostSlice[uint32](a, 0)
	return func(it dsl.Item1) {
		if c := heldAt.Load(); c != nil {
			<-*c
		}
		x[it.GlobalID()]++
	}
})

func launchOn(q *runtime.Queue, k *runtime.Kernel, v runtime.View[uint32], opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(k)
	kernelimpl.View(l, 0, v)
	return l.ParallelFor1(q, runtime.Range1(v.Len()), opts)
}

// occupy gives the device work that lasts until release is called, or for a few
// seconds where nothing can hold a device up, and returns the event of its last
// launch.
func occupy(t *testing.T, dev *runtime.Device, seconds int) (last runtime.Event, release func()) {
	t.Helper()
	q := dev.NewQueue()
	if dev.Info().Backend != "vulkan" {
		c := make(chan struct{})
		heldAt.Store(&c)
		ev := must(launchOn(q, waiting, must(runtime.NewBuffer[uint32](dev, 8)).All()))
		q.Flush()
		return ev, func() { heldAt.Store(nil); close(c) }
	}
	x := must(runtime.NewBuffer[uint32](dev, 4<<20))
	check(t, must(launchOn(q, increment, x.All())).Wait(ctx))
	start := time.Now()
	for range 4 {
		check(t, must(launchOn(q, increment, x.All())).Wait(ctx))
	}
	each := time.Since(start) / 4
	for range min(2000, time.Duration(seconds)*time.Second/each+1) {
		last = must(launchOn(q, increment, x.All()))
	}
	q.Flush()
	return last, func() {}
}

// soon returns a context that ends soon.
func soon(t *testing.T) context.Context {
	c, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	t.Cleanup(cancel)
	return c
}

// joinContexts fails the test if f does not return for a minute.
func joinContexts(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		buf := make([]byte, 1<<16)
		t.Fatalf("%s does not return\n%s", what, buf[:gort.Stack(buf, true)])
	}
}

// TestDeadlines calls all that waits while the device is busy: a deadline ends the
// wait, before the device is done.
func TestDeadlines(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		large := sample.Of(40<<20, 18<<20) // more than is copied aside at once
		big := must(runtime.NewBuffer[uint32](dev, large))
		small := must(runtime.NewBuffer[uint32](dev, 64))
		q := dev.DefaultQueue()
		check(t, q.Wait(ctx))
		for seconds := sample.Of(2, 1); ; seconds *= 2 {
			last, release := occupy(t, dev, seconds)
			src, dst, own := make([]uint32, large), make([]uint32, 64), make([]uint32, 64)
			for _, c := range []struct {
				name string
				call func(ctx context.Context) error
			}{
				{"CopyFrom", func(ctx context.Context) error { return big.CopyFrom(ctx, q, src) }},
				{"CopyTo", func(ctx context.Context) error { return small.CopyTo(ctx, q, dst) }},
				{"Event.Wait", last.Wait},
				{"Queue.Wait", dev.NewQueue().Wait},
				{"Queue.Wait with work", func(ctx context.Context) error {
					q := dev.NewQueue()
					must(launchOn(q, increment, small.All()))
					return q.Wait(ctx)
				}},
				{"Run", func(ctx context.Context) error {
					l := kernelimpl.NewLaunch(increment)
					kernelimpl.Slice(l, 0, own)
					return l.Run1(ctx, dev, 64, nil)
				}},
			} {
				joinContexts(t, c.name, func() {
					switch err := c.call(soon(t)); {
					case last.Done(), c.name == "Queue.Wait" && err == nil:
					case c.name == "CopyFrom" && err == nil && dev.Info().Backend != "vulkan": // it was copied aside
					case !errors.Is(err, runtime.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded):
						t.Errorf("%s: %v", c.name, err)
					}
				})
			}
			joinContexts(t, "NewBuffer", func() { check(t, must(runtime.NewBuffer[uint32](dev, 1000)).Close()) })
			early := !last.Done()
			for i := range dst {
				dst[i], own[i] = 77, 77 // the caller's again
			}
			for i := range src {
				src[i] = 99
			}
			release()
			check(t, last.Wait(ctx))
			dev.DefaultQueue().Wait(ctx) // with the errors of what was cancelled
			for i := range dst {
				if dst[i] != 77 || own[i] != 77 {
					t.Fatalf("word %d was written after the deadline: %d and %d", i, dst[i], own[i])
				}
			}
			if early {
				break
			}
			if seconds > 30 {
				t.Skip("the device is too fast to be late")
			}
		}
		// What the cancelled copy was to write is not to be had, until it is written.
		if dev.Info().Backend == "vulkan" {
			got := make([]uint32, large)
			if err := big.CopyTo(ctx, q, got); !errors.Is(err, runtime.ErrDeadline) {
				t.Errorf("CopyTo of what a cancelled CopyFrom left: %v", err)
			}
			check(t, big.CopyFrom(ctx, q, got))
			check(t, big.CopyTo(ctx, q, got))
		}
	})
}

// TestFullQueue launches more than a device takes that does not go on: with a
// context, the launch that finds no room ends with it.
func TestFullQueue(t *testing.T) {
	dev := openHost(t)
	x := must(runtime.NewBuffer[uint32](dev, 8))
	_, release := occupy(t, dev, 0)
	defer release()
	q := dev.NewQueue()
	joinContexts(t, "a launch", func() {
		c, cancel := context.WithCancel(ctx)
		time.AfterFunc(200*time.Millisecond, cancel)
		for i := 0; ; i++ {
			_, err := launchOn(q, increment, x.All(), runtime.WithContext(c))
			if err == nil && i < 100_000 {
				continue
			}
			if !errors.Is(err, runtime.ErrCanceled) || !errors.Is(err, context.Canceled) {
				t.Errorf("launch %d: %v", i, err)
			}
			return
		}
	})
}

// TestCloseTimeout closes devices that are busy: Close gives up, says so, and all
// waits end; the program goes on with another device.
func TestCloseTimeout(t *testing.T) {
	test := func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.NewBuffer[uint32](dev, 64))
		last, release := occupy(t, dev, 3)
		defer release()
		waited := make(chan error, 2)
		go func() { waited <- last.Wait(ctx) }()
		go func() { waited <- x.CopyTo(ctx, dev.NewQueue(), make([]uint32, 64)) }()
		var err error
		joinContexts(t, "Close", func() { err = dev.Close() })
		if err == nil {
			t.Skip("the device was done in time")
		}
		if !errors.Is(err, runtime.ErrDeviceLost) {
			t.Errorf("Close: %v", err)
		}
		t.Log(err)
		for range 2 {
			joinContexts(t, "a wait", func() {
				if err := <-waited; err == nil {
					t.Error("a wait for an abandoned device returned nil")
				}
			})
		}
		if _, err := runtime.NewBuffer[uint32](dev, 1); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("NewBuffer: %v", err)
		}
		check(t, x.Close())
		other := openHost(t)
		heldAt.Store(nil)
		s := []uint32{1, 2}
		l := kernelimpl.NewLaunch(increment)
		kernelimpl.Slice(l, 0, s)
		check(t, l.Run1(ctx, other, 2, nil))
		equal(t, "on another device", s, []uint32{2, 3})
	}
	for _, name := range []string{"host", "vulkan"} {
		t.Run(name, func(t *testing.T) {
			if name == "vulkan" {
				TestVulkanIsThere(t)
			}
			test(t, must(runtime.Open(runtime.Select(name), runtime.CloseTimeout(50*time.Millisecond))))
		})
	}
}

// TestCancel cancels launches that wait for others: they do not run, and what reads
// what they were to write is told so.
func TestCancel(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := must(runtime.NewBuffer[uint32](dev, 8)), must(runtime.NewBuffer[uint32](dev, 8))
		check(t, dev.DefaultQueue().Wait(ctx))
		_, release := occupy(t, dev, 0)
		c, cancel := context.WithCancelCause(ctx)
		cause := errors.New("the other device has failed")
		q := dev.NewQueue()
		ev := must(launchOn(q, increment, x.All(), runtime.WithContext(c)))
		other := must(launchOn(q, increment, y.All(), runtime.WithContext(c), runtime.WithContext(ctx)))
		cancel(cause)
		time.Sleep(10 * time.Millisecond) // context.AfterFunc has a goroutine of its own
		release()
		if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrCanceled) || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("the cancelled launch: %v", err)
		}
		check(t, other.Wait(ctx))
		got := make([]uint32, 8)
		if err := x.CopyTo(ctx, q, got); !errors.Is(err, runtime.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("CopyTo: %v", err)
		} else {
			t.Log(err)
		}
		check(t, y.CopyTo(ctx, q, got))
		check(t, x.CopyFrom(ctx, q, got))
		check(t, x.CopyTo(ctx, q, got))
		check(t, q.Wait(ctx))
		_, err := launchOn(q, increment, x.All(), runtime.WithContext(c))
		if !errors.Is(err, runtime.ErrCanceled) || !strings.Contains(err.Error(), "was not enqueued, because its context had ended before: context canceled: the other device has failed") {
			t.Errorf("a launch with a context that has ended: %v", err)
		}
		if err := kernelimpl.NewLaunch(increment).Run1(c, dev, 0, []runtime.LaunchOption{runtime.WithContext(ctx)}); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("Run with WithContext: %v", err)
		}
	})
}

// TestForeignEvents has calls depend on a launch of another device, which is busy: they
// end with their contexts.
func TestForeignEvents(t *testing.T) {
	busy, dev := openHost(t), openHost(t)
	last, release := occupy(t, busy, 0)
	defer release()
	x := must(runtime.NewBuffer[uint32](dev, 8))
	joinContexts(t, "Run", func() {
		l := kernelimpl.NewLaunch(increment)
		kernelimpl.Slice(l, 0, make([]uint32, 8))
		if err := l.Run1(soon(t), dev, 8, []runtime.LaunchOption{runtime.DependsOn(last)}); !errors.Is(err, runtime.ErrDeadline) {
			t.Error(err)
		}
	})
	joinContexts(t, "a launch", func() {
		_, err := launchOn(dev.DefaultQueue(), increment, x.All(), runtime.DependsOn(last), runtime.WithContext(soon(t)))
		if !errors.Is(err, runtime.ErrDeadline) {
			t.Error(err)
		}
	})
}

// TestEmptyChain makes empty launches that depend on each other twice.
func TestEmptyChain(t *testing.T) {
	dev := openHost(t)
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[uint32](dev, 8))
	last, release := occupy(t, dev, 0)
	joinContexts(t, "the chain", func() {
		for range 100 {
			last = must(launchOn(q, increment, x.Slice(0, 0), runtime.DependsOn(last, last)))
		}
		if last.Done() {
			t.Error("done too early")
		}
		if err := last.Wait(soon(t)); !errors.Is(err, runtime.ErrDeadline) {
			t.Error(err)
		}
		release()
		check(t, last.Wait(ctx))
	})
}
