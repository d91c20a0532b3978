package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// incrementing launches the kernel increment on all elements.
func incrementing(q *runtime.Queue, x *runtime.Buffer[uint32]) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(increment)
	kernelimpl.View(l, 0, x.All())
	return l.ParallelFor1(q, runtime.Range1(x.Len()), nil)
}

// TestCopiesBesideLaunches: copies are commands as launches are, and happen between two
// of them, whichever goroutines and queues they come from. All elements are alike at all
// times, so a copy that runs beside a launch shows.
func TestCopiesBesideLaunches(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 1 << 18
		launches, copies := sample.Of(100, 30), sample.Of(40, 12)
		x := must(runtime.NewBuffer[uint32](dev, n))
		uniform := func(what string, got []uint32) {
			if i := slices.IndexFunc(got, func(v uint32) bool { return v != got[0] }); i >= 0 {
				t.Errorf("%s: element %d is %d, element 0 is %d", what, i, got[i], got[0])
			}
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for range launches {
				if _, err := incrementing(dev.DefaultQueue(), x); err != nil {
					t.Error(err)
				}
				dev.DefaultQueue().Flush()
			}
		})
		for g := range 2 {
			wg.Go(func() {
				q, host := dev.NewQueue(), make([]uint32, n)
				for i := range copies {
					var err error
					if g == 0 {
						err = x.CopyTo(ctx, q, host)
						uniform(fmt.Sprintf("CopyTo %d", i), host)
					} else {
						host = slices.Repeat([]uint32{uint32(1000 * i)}, n)
						err = x.CopyFrom(ctx, q, host)
						clear(host) // it is the caller's again
					}
					if err != nil || t.Failed() {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		host := make([]uint32, n)
		check(t, x.CopyTo(ctx, dev.DefaultQueue(), host))
		uniform("in the end", host)
	})
}

// TestCloseBufferBesideUse closes buffers that other goroutines copy and launch on.
func TestCloseBufferBesideUse(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 1 << 16
		for round := range 100 {
			x := must(runtime.BufferOf(dev, slices.Repeat([]uint32{7}, n)))
			var wg sync.WaitGroup
			for i, use := range []func(q *runtime.Queue, host []uint32) error{
				func(q *runtime.Queue, host []uint32) error { return x.CopyTo(ctx, q, host) },
				func(q *runtime.Queue, host []uint32) error { return x.CopyFrom(ctx, q, host) },
				func(q *runtime.Queue, host []uint32) error {
					ev, err := incrementing(q, x)
					if err == nil {
						err = ev.Wait(ctx)
					}
					return err
				},
			} {
				wg.Go(func() {
					q, host := dev.NewQueue(), make([]uint32, n)
					for {
						err := use(q, host)
						if err == nil {
							continue
						}
						want := runtime.ErrInvalid
						if i == 2 {
							want = runtime.ErrKernelArgument
						}
						if !errors.Is(err, want) || !strings.Contains(err.Error(), "closed") {
							t.Errorf("use %d: %v, want %v", i, err, want)
						}
						return
					}
				})
			}
			time.Sleep(time.Duration(round*7%20) * 20 * time.Microsecond)
			check(t, x.Close())
			wg.Wait()
			if t.Failed() {
				return
			}
		}
	})
}

// BenchmarkCopy copies to and from idle devices.
func BenchmarkCopy(b *testing.B) {
	for _, name := range []string{"host", "vulkan"} {
		dev, err := runtime.Open(runtime.Select(name))
		if err != nil {
			b.Log(err)
			continue
		}
		for _, size := range []int{4 << 10, 64 << 10, 1 << 20, 64 << 20} {
			x, host := must(runtime.NewBuffer[byte](dev, size)), make([]byte, size)
			for to, f := range map[string]func() error{
				"to":   func() error { return x.CopyTo(ctx, dev.DefaultQueue(), host) },
				"from": func() error { return x.CopyFrom(ctx, dev.DefaultQueue(), host) },
			} {
				b.Run(name+"/"+to+"/"+strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			x.Close()
		}
		dev.Close()
	}
}

// TestCloseBesideEverything closes devices while goroutines do all that one does with
// them: each call succeeds, or says that the device is closed.
func TestCloseBesideEverything(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	for i, info := range runtime.Devices() {
		t.Run(info.Backend, func(t *testing.T) {
			for round := range rounds {
				dev := must(runtime.Open(runtime.Select(strconv.Itoa(i))))
				closeBeside(t, dev, time.Duration(round)*time.Millisecond)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func closeBeside(t *testing.T, dev *runtime.Device, after time.Duration) {
	const n = 1 << 14
	var closed atomic.Bool
	var done atomic.Int64
	shared := must(runtime.NewBuffer[uint32](dev, n))
	users := []func(q *runtime.Queue, host []uint32) error{
		func(q *runtime.Queue, host []uint32) error { return shared.CopyTo(ctx, q, host) },
		func(q *runtime.Queue, host []uint32) error { return shared.CopyFrom(ctx, q, host) },
		func(q *runtime.Queue, host []uint32) error { return shared.Slice(0, 9).CopyTo(ctx, q, host[:9]) },
		func(q *runtime.Queue, host []uint32) error { return shared.Slice(7, 9).CopyFrom(ctx, q, host[:2]) },
		func(q *runtime.Queue, host []uint32) error {
			b, err := runtime.NewBuffer[uint32](dev, n)
			b.Close()
			return err
		},
		func(q *runtime.Queue, host []uint32) error {
			b, err := runtime.BufferOf(dev, host)
			if err == nil {
				err = b.CopyTo(ctx, q, host)
			}
			b.Close()
			return err
		},
		func(q *runtime.Queue, host []uint32) error {
			ev, err := incrementing(q, shared)
			ev.Done()
			return err
		},
		func(q *runtime.Queue, host []uint32) error {
			ev, err := incrementing(q, shared)
			if err == nil {
				err = ev.Wait(ctx)
			}
			return err
		},
		func(q *runtime.Queue, host []uint32) error {
			l := kernelimpl.NewLaunch(increment)
			kernelimpl.Slice(l, 0, host)
			return l.Run1(ctx, dev, runtime.Range1(len(host)), nil)
		},
		func(q *runtime.Queue, host []uint32) error {
			q.Flush()
			return q.Wait(ctx)
		},
	}
	var wg sync.WaitGroup
	for i, use := range users {
		wg.Go(func() {
			q, host := dev.NewQueue(), make([]uint32, n)
			for {
				err := use(q, host)
				if done.Add(1); err == nil && closed.Load() {
					// Only calls that need no device succeed after Close.
					return
				}
				if err == nil {
					continue
				}
				if !closed.Load() || !errors.Is(err, runtime.ErrInvalid) {
					t.Errorf("use %d: %v", i, err)
				}
				return
			}
		})
	}
	for done.Load() < int64(len(users)) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(after)
	closed.Store(true)
	check(t, dev.Close())
	wg.Wait()
	shared.Close()
}
