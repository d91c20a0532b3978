//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"errors"
	"flag"
	"fmt"
	gort "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// outcome is what a scenario's calls returned, and whether data that came without an
// error is wrong.
type outcome struct {
	errs  []error
	wrong string
}

func (o *outcome) note(err error) bool {
	if err != nil {
		o.errs = append(o.errs, err)
	}
	return err == nil
}

// scenario uses the public API in all ways that reach the driver, on three queues.
func scenario(opts ...runtime.OpenOption) (o outcome) {
	dev, err := runtime.Open(append(opts, runtime.Select("vulkan"))...)
	if !o.note(err) {
		return o
	}
	defer func() { o.note(dev.Close()) }()
	const n = 1000
	q, q2, q3 := dev.DefaultQueue(), dev.NewQueue(), dev.NewQueue()
	x, err := runtime.NewBuffer[uint32](dev, n)
	if !o.note(err) {
		return o
	}
	defer x.Close()
	launched := 0
	var last runtime.Event
	for i := range 300 {
		qq := q
		if i%2 == 1 {
			qq = q2
		}
		if ev, err := launchOn(qq, increment, x.All()); o.note(err) {
			launched++
			last = ev
		}
		if i%100 == 50 {
			q.Flush()
		}
	}
	waited := last.Wait(ctx) // for a launch that depends on all others
	o.note(waited)
	if p, err := last.Profile(); launched > 0 && waited == nil && (p.Start.IsZero() != errors.Is(err, runtime.ErrNoProfile)) {
		o.wrong = fmt.Sprintf("the profile is %v, and the error %v", p, err)
	}
	got := make([]uint32, n)
	copied := x.CopyTo(ctx, q3, got) // of a queue that launched nothing
	o.note(copied)
	if waited == nil && copied == nil && got[5] != uint32(launched) {
		o.wrong = fmt.Sprintf("the last launch and CopyTo succeeded, %d of %d launches have run", got[5], launched)
	}
	o.transfers(dev, q, q3)
	o.graph(dev, q, q3)
	s := make([]uint32, n)
	l := kernelimpl.NewLaunch(increment)
	kernelimpl.Slice(l, 0, s)
	if o.note(l.Run1(ctx, dev, n, nil)) && s[7] != 1 {
		o.wrong += "; Run without an error is wrong"
	}
	o.note(q.Wait(ctx))
	o.note(q2.Wait(ctx))
	o.note(q3.Wait(ctx))
	return o
}

// transfers copies more than fits into staging memory, there on one queue and back on
// another.
func (o *outcome) transfers(dev *runtime.Device, q, q3 *runtime.Queue) {
	big := make([]uint32, 5<<20) // more than a chunk
	for i := range big {
		big[i] = uint32(i)
	}
	b, err := runtime.NewBuffer[uint32](dev, len(big))
	if !o.note(err) {
		return
	}
	there := b.CopyFrom(ctx, q, big)
	o.note(there)
	back := make([]uint32, len(big))
	again := b.CopyTo(ctx, q3, back)
	o.note(again)
	if there == nil && again == nil && (back[len(big)-1] != big[len(big)-1] || back[1] != 1) {
		o.wrong += "; a copy there and back without an error is wrong"
	}
	// Memory whose clearing was lost must not be read as if it were clear.
	c, err := runtime.NewBuffer[uint32](dev, 5000)
	if o.note(err) {
		if zero := make([]uint32, 5000); o.note(c.CopyTo(ctx, q, zero)) && zero[4999] != 0 {
			o.wrong += "; a new buffer is not zero"
		}
		o.note(c.Close())
	}
	o.note(b.Close())
}

// graph runs a graph of three launches several times, and reads the result on another queue.
func (o *outcome) graph(dev *runtime.Device, q, q3 *runtime.Queue) {
	const n = 64
	x, err := runtime.NewBuffer[uint32](dev, n)
	if !o.note(err) {
		return
	}
	g := runtime.NewGraph(dev)
	for range 3 {
		l := kernelimpl.NewLaunch(increment)
		kernelimpl.View(l, 0, x.All())
		_, err := g.Add(l.Node1(n, nil))
		if !o.note(err) {
			return
		}
	}
	ex, err := g.Finalize()
	if !o.note(err) {
		return
	}
	submitted := true
	const runs = 8 // the first is not replayed, and of others not all
	for i := range runs {
		ev, err := q.Submit(ex)
		submitted = o.note(err) && submitted
		if i%3 != 2 {
			submitted = o.note(ev.Wait(ctx)) && submitted
		}
	}
	submitted = o.note(q.Wait(ctx)) && submitted
	got := make([]uint32, n)
	if o.note(x.CopyTo(ctx, q3, got)) && submitted && got[5] != 3*runs {
		o.wrong += fmt.Sprintf("; %d runs of a graph of three launches without an error leave %d", runs, got[5])
	}
	o.note(x.Close())
}

// classes are those that a driver's failure may have.
var classes = []error{runtime.ErrDeviceLost, runtime.ErrMemoryAllocation, runtime.ErrNoDevice, runtime.ErrBuild, runtime.ErrDriver}

// TestInject fails each call of the driver in turn, in several ways, and looks at what
// the public API makes of it: an error of a class that fits, no wrong data without an
// error, no hang, nothing left behind.
//
// Every second call fails in one of three ways, or with -every-call each in all of them.
func TestInject(t *testing.T) { inject(t, int32(sample.Of(6, 47))) }

var everyCall = flag.Bool("every-call", false, "TestInject, TestInjectTimed and TestInjectTwoLines fail every call in all ways, and not some in one way each")

// TestInjectTimed does it while the device notes when commands run, of which some calls are.
func TestInjectTimed(t *testing.T) {
	if testing.Short() {
		t.Skip("TestInject fails calls, too, and -short is set")
	}
	inject(t, 18, runtime.Profiling())
}

// TestInjectTwoLines does it while copies go beside kernels, as they do on GPUs.
func TestInjectTwoLines(t *testing.T) {
	sample.Deep(t, "TestInject fails calls, and TestBeside has two lines")
	vulkan.TwoLines(true)
	defer vulkan.TwoLines(false)
	inject(t, 6)
}

func inject(t *testing.T, step int32, opts ...runtime.OpenOption) {
	devtest.Vulkan(t)
	defer vkx.Inject(0, 0)
	if *everyCall {
		step = 1
	}
	before := gort.NumGoroutine()
	for i, r := range []vkx.Result{vkx.ErrorDeviceLost, vkx.ErrorOutOfDeviceMemory, vkx.ErrorInitializationFailed} {
		calls := int32(0)
		for n := 1 + int32(i)*step/3; ; n += step {
			vkx.Inject(n, r)
			done := make(chan outcome, 1)
			go func() { done <- scenario(opts...) }()
			var o outcome
			select {
			case o = <-done:
			case <-time.After(2 * time.Minute):
				buf := make([]byte, 1<<16)
				t.Fatalf("%s at call %d: hangs\n%s", vkx.ResultName(r), n, buf[:gort.Stack(buf, true)])
			}
			hit := !vkx.Pending()
			vkx.Inject(0, 0)
			if o.wrong != "" {
				t.Errorf("%s at call %d: %s; errors: %v", vkx.ResultName(r), n, o.wrong, o.errs)
			}
			if !hit {
				if len(o.errs) > 0 {
					t.Errorf("nothing was injected: %v", o.errs)
				}
				break
			}
			calls++
			for _, err := range o.errs {
				if !isOneOf(err, classes) {
					t.Errorf("%s at call %d: an error without a class that fits: %v", vkx.ResultName(r), n, err)
				}
			}
		}
		if calls < 20 && step <= 3 {
			t.Errorf("%s: only %d calls were failed", vkx.ResultName(r), calls)
		}
		t.Logf("%s: %d calls", vkx.ResultName(r), calls)
	}
	for range 100 { // what ends has some time to
		if gort.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before\n%s", gort.NumGoroutine(), before, buf[:gort.Stack(buf, true)])
}

func isOneOf(err error, classes []error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// TestReplayPoisoned: a graph that reads what a command was to write that the driver did not take
// says so, and what it writes is poisoned in turn; what it writes whole, before it is read, is not.
func TestReplayPoisoned(t *testing.T) {
	defer vkx.Inject(0, 0)
	dev := devtest.Vulkan(t)
	q := dev.NewQueue()
	x, y, z := must(runtime.NewBuffer[int32](dev, 4)), must(runtime.NewBuffer[int32](dev, 4)), must(runtime.NewBuffer[int32](dev, 4))
	g := runtime.NewGraph(dev)
	must(g.Add(runtime.Copy(y.All(), x.All())))
	reads := must(g.Finalize())
	g = runtime.NewGraph(dev)
	must(g.Add(runtime.Fill(x.All(), 5)))
	must(g.Add(runtime.Copy(z.All(), x.All())))
	mends := must(g.Finalize())
	for range 4 { // all are replayed from the second time on
		check(t, must(q.Submit(reads)).Wait(ctx))
		check(t, must(q.Submit(mends)).Wait(ctx))
	}
	got := make([]int32, 4)
	for range 3 {
		vkx.Inject(1, vkx.ErrorOutOfDeviceMemory)
		lost := must(q.Enqueue(runtime.Fill(x.All(), 1)))
		q.Flush()
		vkx.Inject(0, 0)
		ev := must(q.Submit(reads))
		if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrMemoryAllocation) || !strings.Contains(err.Error(), "read memory") {
			t.Errorf("a graph that reads what was lost: %v", err)
		}
		if err := lost.Wait(ctx); !errors.Is(err, runtime.ErrMemoryAllocation) {
			t.Error(err)
		}
		if err := y.CopyTo(ctx, q, got); !errors.Is(err, runtime.ErrMemoryAllocation) {
			t.Errorf("what it was to write: %v", err)
		}
		check(t, must(q.Submit(mends)).Wait(ctx))
		check(t, z.CopyTo(ctx, q, got))
		check(t, must(q.Submit(reads)).Wait(ctx))
		check(t, y.CopyTo(ctx, q, got))
		if got[3] != 5 {
			t.Errorf("got %d", got[3])
		}
		check(t, q.Wait(ctx))
	}
}

// TestLaunchesBesideFailures: while a goroutine launches kernels that read what was lost, another
// one waits, and with that finds how they ended. The race detector watches.
func TestLaunchesBesideFailures(t *testing.T) {
	defer vkx.Inject(0, 0)
	dev := devtest.Vulkan(t)
	q := dev.NewQueue()
	x := must(runtime.NewBuffer[uint32](dev, 64))
	check(t, must(q.Enqueue(runtime.Fill(x.All(), 0))).Wait(ctx))
	vkx.Inject(1, vkx.ErrorOutOfDeviceMemory)
	lost := must(q.Enqueue(runtime.Fill(x.All(), 1)))
	q.Flush()
	vkx.Inject(0, 0)
	failed := 0
	var done atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for last := false; !last; { // it waits once at least, however late it begins
			last = done.Load()
			if q.Wait(ctx) != nil {
				failed++
			}
		}
	})
	for range 20 {
		l := kernelimpl.NewLaunch(increment)
		kernelimpl.View(l, 0, x.All())
		must(l.ParallelFor1(q, 64, nil))
		time.Sleep(2 * time.Millisecond) // so that nothing but the wait comes after the launch
	}
	done.Store(true)
	all.Wait()
	_ = q.Wait(ctx) // or Close says what failed last
	if err := lost.Wait(ctx); !errors.Is(err, runtime.ErrMemoryAllocation) || failed == 0 {
		t.Errorf("%v; %d waits failed", err, failed)
	}
}
