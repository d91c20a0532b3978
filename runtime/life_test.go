package runtime_test

import (
	"context"
	"errors"
	gort "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

func TestCloseInAnyOrder(t *testing.T) {
	for order := range 6 {
		dev := must(runtime.Open(runtime.Select("host")))
		x := must(runtime.BufferOf(dev, iota[int32](1600)))
		y := must(runtime.BufferOf(dev, iota[int32](1600)))
		q := dev.NewQueue()
		var ev runtime.Event
		for range 5 {
			ev = must(modelgen.Reverse{X: x.All()}.ParallelFor(q, runtime.NDRange1{Global: 1600, Local: 16}))
		}
		steps := []func() error{x.Close, dev.Close, y.Close}
		for i := range 3 {
			check(t, steps[(order+i*(1+order%2))%3]())
		}
		for _, s := range steps {
			check(t, s())
		}
		check(t, ev.Wait(ctx))
		check(t, q.Wait(ctx))
		q.Flush()
		if !ev.Done() {
			t.Error("closing the device does not run what was launched")
		}
	}
	var none *runtime.Buffer[int]
	check(t, none.Close())
	var noDevice *runtime.Device
	check(t, noDevice.Close())
}

// TestCloseWhileBusy closes a device that many goroutines use.
func TestCloseWhileBusy(t *testing.T) {
	for range 20 {
		dev := must(runtime.Open(runtime.Select("host")))
		q := dev.DefaultQueue()
		var wg sync.WaitGroup
		var closed atomic.Bool
		for range 8 {
			wg.Go(func() {
				for {
					b, err := runtime.NewBuffer[int32](dev, 16)
					var ev runtime.Event
					if err == nil {
						ev, err = modelgen.Reverse{X: b.All()}.ParallelFor(q, runtime.NDRange1{Global: 16, Local: 16})
					}
					if err == nil {
						err = ev.Wait(ctx)
					}
					if err == nil {
						err = modelgen.RunReverse(ctx, dev, model.Reverse{X: make([]int32, 16)}, runtime.NDRange1{Global: 16, Local: 16})
					}
					b.Close()
					if err != nil {
						if !closed.Load() || !errors.Is(err, runtime.ErrInvalid) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		closed.Store(true)
		check(t, dev.Close())
		wg.Wait()
	}
}

// gate is a kernel that waits until the test lets it go on.
func gate(open chan struct{}) *runtime.Kernel {
	return kernelimpl.Register(&abi.Kernel{Name: "Gate", Package: "k", Form: abi.Task, Items: 1},
		func(*kernelimpl.HostArgs) any { return func(dsl.Task) { <-open } })
}

func TestDeadline(t *testing.T) {
	dev := openHost(t)
	q := dev.DefaultQueue()
	open := make(chan struct{})
	k := gate(open)
	ev := must(kernelimpl.NewLaunch(k).SingleTask(q, nil))
	soon, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	buf := must(runtime.NewBuffer[int32](dev, 1))
	must(modelgen.Mix{Out: buf.All()}.ParallelFor(q, 0))
	for what, err := range map[string]error{
		"Event.Wait": ev.Wait(soon),
		"Queue.Wait": q.Wait(soon),
		"Run":        kernelimpl.NewLaunch(k).RunTask(soon, dev, nil),
	} {
		if !errors.Is(err, runtime.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := ev.Wait(canceled); !errors.Is(err, context.Canceled) || errors.Is(err, runtime.ErrDeadline) {
		t.Errorf("canceled: %v", err)
	}
	if ev.Done() {
		t.Error("done too early")
	}
	close(open)
	check(t, ev.Wait(ctx))
	check(t, ev.Wait(canceled)) // commands that are done need no wait
	check(t, q.Wait(ctx))
}

// TestCloseWhileInUse frees a buffer that a launch still uses.
func TestCloseWhileInUse(t *testing.T) {
	c := newCounting(t)
	dev := runtime.OpenHAL(c, "test")
	defer dev.Close()
	q := dev.DefaultQueue()
	open := make(chan struct{})
	must(kernelimpl.NewLaunch(gate(open)).SingleTask(q, nil))
	x := must(runtime.BufferOf(dev, iota[int32](16)))
	ev := must(modelgen.Reverse{X: x.All()}.ParallelFor(q, runtime.NDRange1{Global: 16, Local: 16}))
	q.Flush()
	x.Close()
	if c.live.Load() != 1 {
		t.Error("memory was freed while a launch uses it")
	}
	close(open)
	check(t, ev.Wait(ctx))
	for range 1000 {
		if c.live.Load() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("memory was not freed")
}

// counting counts the allocations that live.
type counting struct {
	hal.Device
	live  atomic.Int64
	total atomic.Int64
	limit int64 // allocations that may live, if set
}

func newCounting(t testing.TB) *counting {
	d, err := host.New().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return &counting{Device: d}
}

func (c *counting) Alloc(size uint64, kind hal.MemoryKind) (hal.Memory, error) {
	if c.limit > 0 && c.live.Load() >= c.limit {
		return nil, hal.ErrOutOfMemory
	}
	m, err := c.Device.Alloc(size, kind)
	if err == nil {
		c.live.Add(1)
		c.total.Add(1)
		m = &countedMemory{Memory: m, c: c}
	}
	return m, err
}

type countedMemory struct {
	hal.Memory
	c     *counting
	freed atomic.Bool
}

func (m *countedMemory) Free() {
	if m.freed.Swap(true) {
		panic("freed twice")
	}
	m.c.live.Add(-1)
	m.Memory.Free()
}

// Submit hands the host backend its own memory.
func (c *counting) Submit(batch []hal.Command) (hal.Ticket, error) {
	own := func(m hal.Memory) hal.Memory {
		if m, ok := m.(*countedMemory); ok {
			if m.freed.Load() {
				panic("used after it was freed")
			}
			return m.Memory
		}
		return m
	}
	for i := range batch {
		cmd := &batch[i]
		cmd.Dst, cmd.Src = own(cmd.Dst), own(cmd.Src)
		for j := range cmd.Slices {
			cmd.Slices[j].Memory = own(cmd.Slices[j].Memory)
		}
	}
	return c.Device.Submit(batch)
}

func TestFlatCycles(t *testing.T) {
	c := newCounting(t)
	for name, dev := range map[string]*runtime.Device{"host": openHost(t), "counting": runtime.OpenHAL(c, "test")} {
		q := dev.DefaultQueue()
		data := iota[int32](1024)
		cycle := func() {
			b := must(runtime.BufferOf(dev, data))
			must(modelgen.Reverse{X: b.All()}.ParallelFor(q, runtime.NDRange1{Global: 16, Local: 16}))
			check(t, b.Close())
		}
		heap := func() uint64 {
			check(t, q.Wait(ctx))
			gort.GC()
			gort.GC()
			var m gort.MemStats
			gort.ReadMemStats(&m)
			return m.HeapAlloc
		}
		for range 500 {
			cycle()
		}
		before := heap()
		for i := range 10_000 {
			cycle()
			if i%100 == 0 {
				check(t, modelgen.RunReverse(ctx, dev, model.Reverse{X: data}, runtime.NDRange1{Global: 16, Local: 16}))
				if live := c.live.Load(); live > 2000 {
					t.Fatalf("%d allocations live", live)
				}
			}
		}
		if after := heap(); after > before+1<<20 {
			t.Errorf("%s: the heap grows from %d to %d bytes", name, before, after)
		}
		check(t, dev.Close())
	}
	if c.total.Load() < 10_000 {
		t.Error("the cycles did not allocate")
	}
}

// TestForgottenBuffers leaves freeing to the garbage collector.
func TestForgottenBuffers(t *testing.T) {
	c := newCounting(t)
	c.limit = 10
	dev := runtime.OpenHAL(c, "test")
	defer dev.Close()
	view := must(runtime.BufferOf(dev, iota[int32](16))).All() // keeps its memory
	for range 100 {
		must(runtime.NewBuffer[int32](dev, 16))
	}
	for range 100 {
		gort.GC()
		time.Sleep(time.Millisecond)
		check(t, dev.DefaultQueue().Wait(ctx))
		if c.live.Load() <= 1 {
			break
		}
	}
	if n := c.live.Load(); n != 1 {
		t.Errorf("%d allocations live", n)
	}
	got := make([]int32, 16)
	check(t, view.CopyTo(ctx, dev.DefaultQueue(), got))
	equal(t, "view", got, iota[int32](16))
}

// broken is a device that fails.
type broken struct {
	hal.Device
	mu  sync.Mutex
	err error
}

func (b *broken) Submit(batch []hal.Command) (hal.Ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, b.err
	}
	return b.Device.Submit(batch)
}

func TestDeviceLost(t *testing.T) {
	h, err := host.New().Open(0)
	check(t, err)
	b := &broken{Device: h}
	dev := runtime.OpenHAL(b, "test")
	q := dev.DefaultQueue()
	x := must(runtime.BufferOf(dev, iota[int32](16)))
	nd := runtime.NDRange1{Global: 16, Local: 16}
	b.err = hal.ErrOutOfMemory
	ev := must(modelgen.Reverse{X: x.All()}.ParallelFor(q, nd))
	if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrMemoryAllocation) {
		t.Errorf("no memory: %v", err)
	}
	b.err = hal.ErrDeviceLost
	must(modelgen.Reverse{X: x.All()}.ParallelFor(q, nd))
	if err := q.Wait(ctx); !errors.Is(err, runtime.ErrDeviceLost) {
		t.Errorf("lost: %v", err)
	}
	if _, err := (modelgen.Reverse{X: x.All()}).ParallelFor(q, nd); !errors.Is(err, runtime.ErrDeviceLost) {
		t.Errorf("after: %v", err)
	}
	check(t, dev.Close())
}

// null is a device that does nothing, at once.
type null struct{ hal.Device }

func (null) Submit([]hal.Command) (hal.Ticket, error) { return null{}, nil }
func (null) Done() bool                               { return true }
func (null) Wait(context.Context) error               { return nil }

func openNull(t testing.TB) *runtime.Device {
	h, err := host.New().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	dev := runtime.OpenHAL(null{h}, "test")
	t.Cleanup(func() { dev.Close() })
	return dev
}

func TestLaunchAllocations(t *testing.T) {
	dev := openNull(t)
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[float32](dev, 16))
	n := testing.AllocsPerRun(1000, func() {
		must(modelgen.SAXPY{A: 1, X: x.All(), Y: x.All()}.ParallelFor(q, 16))
	})
	if n > 5 { // the event and part of a batch; the race detector adds some
		t.Errorf("a launch makes %v allocations", n)
	}
}

// BenchmarkLaunch measures what the runtime itself costs.
func BenchmarkLaunch(b *testing.B) {
	dev := openNull(b)
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[float32](dev, 16))
	b.ReportAllocs()
	for b.Loop() {
		must(modelgen.SAXPY{A: 1, X: x.All(), Y: x.All()}.ParallelFor(q, 1))
	}
	if err := q.Wait(ctx); err != nil {
		b.Fatal(err)
	}
}

// nullTimer is a device that does nothing, and says when.
type nullTimer struct{ null }

func (nullTimer) Time() error { return nil }

// BenchmarkLaunchTimed is BenchmarkLaunch with Profiling.
func BenchmarkLaunchTimed(b *testing.B) {
	dev := runtime.OpenHALWith(nullTimer{null{must(host.New().Open(0))}}, "test", runtime.Profiling())
	defer dev.Close()
	q := dev.DefaultQueue()
	x := must(runtime.NewBuffer[float32](dev, 16))
	b.ReportAllocs()
	for b.Loop() {
		must(modelgen.SAXPY{A: 1, X: x.All(), Y: x.All()}.ParallelFor(q, 1))
	}
	if err := q.Wait(ctx); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkHost measures a small launch on the host device, with the wait.
func BenchmarkHost(b *testing.B) {
	dev := openHost(b)
	x := iota[float32](256)
	b.ReportAllocs()
	for b.Loop() {
		if err := modelgen.RunSAXPY(ctx, dev, model.SAXPY{A: 1, X: x, Y: x}, 256); err != nil {
			b.Fatal(err)
		}
	}
}
