package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/examples/median/filter"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// compiler is a device that does nothing but count pipelines. making is called for
// each, and makes it fail; batches complete when busy is false.
type compiler struct {
	hal.Device
	making func(*hal.PipelineDesc) error
	busy   atomic.Bool

	made, live, now, most atomic.Int64
}

type countedPipeline struct {
	c     *compiler
	freed atomic.Bool
}

func (p *countedPipeline) Free() {
	if p.freed.Swap(true) {
		panic("a pipeline is freed twice")
	}
	p.c.live.Add(-1)
}

func (c *compiler) NewPipeline(d *hal.PipelineDesc) (hal.Pipeline, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
	}
	if c.making != nil {
		if err := c.making(d); err != nil {
			return nil, err
		}
	}
	c.made.Add(1)
	c.live.Add(1)
	return &countedPipeline{c: c}, nil
}

// Submit fails for a pipeline that has been freed.
func (c *compiler) Submit(batch []hal.Command) (hal.Ticket, error) {
	t := countedTicket{c: c}
	for i := range batch {
		if p, ok := batch[i].Pipeline.(*countedPipeline); ok {
			t.uses = append(t.uses, p)
		}
	}
	return t, nil
}

type countedTicket struct {
	c    *compiler
	uses []*countedPipeline
}

func (t countedTicket) Done() bool {
	for _, p := range t.uses {
		if p.freed.Load() && t.c.busy.Load() {
			panic("a pipeline is freed while a batch uses it")
		}
	}
	return !t.c.busy.Load()
}

func (t countedTicket) Wait(ctx context.Context) error {
	for !t.Done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Microsecond):
		}
	}
	return nil
}

func openCompiler(t testing.TB) (*compiler, *runtime.Device) {
	h, err := host.New().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	c := &compiler{Device: h}
	dev := runtime.OpenHAL(c, "test")
	t.Cleanup(func() { c.busy.Store(false); dev.Close() })
	return c, dev
}

// median launches with a value of the constant Window.
func median(t testing.TB, dev *runtime.Device, opts ...runtime.LaunchOption) error {
	x := must(runtime.NewBuffer[float32](dev, 64))
	defer x.Close()
	_, err := filtergen.Median{In: x.All(), Out: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.Range2{8, 8}, opts...)
	return err
}

func window(n int) runtime.LaunchOption { return runtime.WithSpec(filter.Window, n) }

// wantLive waits until so many pipelines are left at most.
func wantLive(t *testing.T, c *compiler, n int64) {
	t.Helper()
	for range 20000 {
		if c.live.Load() <= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d pipelines are left, want %d", c.live.Load(), n)
}

// TestVariantsBounded: values of constants by the thousand do not pile up, and what is
// launched again and again stays.
func TestVariantsBounded(t *testing.T) {
	c, dev := openCompiler(t)
	dev.SetMaxVariants(16)
	for i := range 2000 {
		if err := median(t, dev, window(1+i%500)); err != nil {
			t.Fatal(err)
		}
		if i%4 == 0 {
			if err := median(t, dev, window(511)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := dev.DefaultQueue().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if made := c.made.Load(); made != 2001 {
		t.Errorf("%d pipelines were made, want 2001: what is launched often was not kept", made)
	}
	wantLive(t, c, 16)
}

// TestVariantsInFlight: a pipeline that a batch uses is freed after it.
func TestVariantsInFlight(t *testing.T) {
	c, dev := openCompiler(t)
	dev.SetMaxVariants(4)
	c.busy.Store(true)
	for i := range 60 {
		if err := median(t, dev, window(1+i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.live.Load(); n != 60 {
		t.Errorf("%d of 60 pipelines are left while the device is busy", n)
	}
	c.busy.Store(false)
	if err := dev.DefaultQueue().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	wantLive(t, c, 4)
}

// TestVariantsLocks: while the driver makes a pipeline, launches of others go on, and
// several that want it wait for the one that is being made.
func TestVariantsLocks(t *testing.T) {
	c, dev := openCompiler(t)
	if err := median(t, dev, window(3)); err != nil {
		t.Fatal(err)
	}
	begun, proceed := make(chan struct{}, 10), make(chan struct{})
	c.making = func(*hal.PipelineDesc) error { begun <- struct{}{}; <-proceed; return nil }
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := median(t, dev, window(5)); err != nil {
				t.Error(err)
			}
		})
	}
	<-begun
	if err := median(t, dev, window(3)); err != nil { // would wait for ever
		t.Error(err)
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if err := median(t, dev, window(5), runtime.WithContext(short)); !errors.Is(err, runtime.ErrDeadline) {
		t.Errorf("a launch whose deadline passed while it waited for the driver: %v", err)
	}
	close(proceed)
	wg.Wait()
	if c.made.Load() != 2 || dev.Pipelines() != 2 {
		t.Errorf("%d pipelines were made, want 2", c.made.Load())
	}
}

// TestVariantsAbandoned: what a launch gave up waiting for is there for the next.
func TestVariantsAbandoned(t *testing.T) {
	c, dev := openCompiler(t)
	proceed := make(chan struct{})
	c.making = func(*hal.PipelineDesc) error { <-proceed; return nil }
	ended, cancel := context.WithCancel(ctx)
	time.AfterFunc(time.Millisecond, cancel)
	if err := median(t, dev, window(5), runtime.WithContext(ended)); !errors.Is(err, runtime.ErrCanceled) {
		t.Errorf("a launch whose context ended: %v", err)
	}
	close(proceed)
	if err := median(t, dev, window(5)); err != nil || c.made.Load() != 1 {
		t.Errorf("%v, %d pipelines were made, want 1", err, c.made.Load())
	}
}

func medianProgram(t *testing.T, dev *runtime.Device, n int) *runtime.Program {
	t.Helper()
	p := must(runtime.NewProgram(dev, filtergen.Kernels()...))
	must(runtime.SetSpec(p, filter.Window, n))
	return p
}

// TestBuildCompiles: Build makes ready what launches then find, several at a time, and
// a device keeps it while the Executable is there.
func TestBuildCompiles(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(2))
	c, dev := openCompiler(t)
	dev.SetMaxVariants(4)
	exe := must(medianProgram(t, dev, 7).Build())
	made := c.made.Load()
	if made == 0 {
		t.Fatal("Build made nothing")
	}
	big := func(opts ...runtime.LaunchOption) error {
		x := must(runtime.NewBuffer[float32](dev, 1<<20))
		defer x.Close()
		_, err := filtergen.Median{In: x.All(), Out: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.Range2{1024, 1024}, opts...)
		return err
	}
	if err := big(runtime.WithProgram(exe)); err != nil || c.made.Load() != made {
		t.Errorf("%v; the launch made %d pipelines, which Build had promised", err, c.made.Load()-made)
	}
	for i := range 40 {
		if err := big(window(20 + i)); err != nil {
			t.Fatal(err)
		}
	}
	before := c.made.Load()
	if err := big(runtime.WithProgram(exe)); err != nil || c.made.Load() != before {
		t.Errorf("%v; the device did not keep what the Executable has", err)
	}
	goruntime.KeepAlive(exe)
}

// TestBuildParallel: two pipelines are made at once, and no more than GOMAXPROCS.
func TestBuildParallel(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(2))
	c, dev := openCompiler(t)
	two := make(chan struct{})
	var n atomic.Int64
	c.making = func(*hal.PipelineDesc) error {
		if n.Add(1) == 2 {
			close(two)
		}
		<-two // one alone would wait for ever
		return nil
	}
	p := must(runtime.NewProgram(dev, append(filtergen.Kernels(), modelgen.Kernels()...)...))
	if _, err := p.Build(); err != nil {
		t.Fatal(err)
	}
	if most := c.most.Load(); most != 2 {
		t.Errorf("%d pipelines were made at a time, want 2", most)
	}
}

// TestBuildCancelled: a build whose context ends leaves the program as it was.
func TestBuildCancelled(t *testing.T) {
	c, dev := openCompiler(t)
	begun, proceed := make(chan struct{}, 10), make(chan struct{})
	c.making = func(*hal.PipelineDesc) error { begun <- struct{}{}; <-proceed; return nil }
	p := medianProgram(t, dev, 7)
	ended, cancel := context.WithCancel(ctx)
	result := make(chan error)
	go func() { _, err := p.BuildContext(ended); result <- err }()
	<-begun
	if _, err := runtime.SetSpec(p, filter.Window, 9); !errors.Is(err, runtime.ErrSpecConst) {
		t.Errorf("a constant was set while the program was built: %v", err)
	}
	cancel()
	if err := <-result; !errors.Is(err, runtime.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("a build that was cancelled: %v", err)
	}
	must(runtime.SetSpec(p, filter.Window, 5))
	close(proceed)
	must(p.Build())
	if _, err := p.BuildContext(ended); err != nil {
		t.Errorf("a program that is built already: %v", err)
	}
	if _, err := medianProgram(t, dev, 3).BuildContext(ended); !errors.Is(err, runtime.ErrCanceled) {
		t.Errorf("a build with a context that has ended: %v", err)
	}
}

// TestBuildFails: a driver that does not take a kernel fails the build, and the
// program can be changed.
func TestBuildFails(t *testing.T) {
	c, dev := openCompiler(t)
	var refuse atomic.Bool // Build leaves compilations that go on
	refuse.Store(true)
	c.making = func(*hal.PipelineDesc) error {
		if refuse.Load() {
			return fmt.Errorf("no: %w", hal.ErrPipeline)
		}
		return nil
	}
	p := medianProgram(t, dev, 7)
	if _, err := p.Build(); !errors.Is(err, runtime.ErrBuild) {
		t.Errorf("got %v, want ErrBuild", err)
	}
	refuse.Store(false)
	must(runtime.SetSpec(p, filter.Window, 9))
	must(p.Build())
	// What failed is tried again. The failed build may have left another compilation of the
	// same, which fails yet, too.
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		_, err := medianProgram(t, dev, 7).Build()
		if err == nil {
			break
		}
		if !errors.Is(err, runtime.ErrBuild) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if err := median(t, dev, window(11)); err != nil {
		t.Error(err)
	}
}

// backed is a device whose driver takes no kernel, and has memory for so many bytes of a work-item's
// own.
type backed struct {
	*compiler
	bytes int
}

func (b backed) Info() *hal.Info {
	info := *b.compiler.Info()
	info.Limits.PrivateBacked = b.bytes
	return &info
}

// TestUnbacked: where the driver fails over a kernel whose work-items have more memory of their own
// than it is sure to have, the error says how much there is. The kernel of median has 9 float32s.
func TestUnbacked(t *testing.T) {
	for _, test := range []struct {
		bytes int
		class error
		text  string
	}{
		{0, runtime.ErrDriver, "does not take the kernel"},
		{36, runtime.ErrDriver, "does not take the kernel"},
		{32, runtime.ErrMemoryAllocation, "filter.Median: memory allocation: a work-item's own arrays take 36 bytes, and the driver of "},
	} {
		c, _ := openCompiler(t)
		failed := fmt.Errorf("VK_ERROR_UNKNOWN: %w", hal.ErrDriver)
		c.making = func(*hal.PipelineDesc) error { return failed }
		err := median(t, runtime.OpenHAL(backed{c, test.bytes}, "test"))
		if !errors.Is(err, test.class) || !errors.Is(err, failed) || !strings.Contains(fmt.Sprint(err), test.text) {
			t.Errorf("with memory for %d bytes: %v", test.bytes, err)
		}
	}
}
