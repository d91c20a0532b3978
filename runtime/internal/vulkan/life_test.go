//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// churn collects garbage and makes more of it until the test ends.
func churn(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var keep [64][]byte
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			keep[i%len(keep)] = make([]byte, 1+i*97%65536)
			if i%50 == 0 {
				runtime.GC()
			}
			runtime.Gosched()
		}
	})
	t.Cleanup(func() { close(stop); wg.Wait() })
}

func increment(t testing.TB, d *device) hal.Pipeline {
	desc := backendtest.Desc("increment")
	p, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChurn(t *testing.T) {
	d := open(t)
	churn(t)
	pipelines, submits := 2000, 10000
	if testing.Short() {
		pipelines, submits = 200, 1000
	}
	desc := backendtest.Desc("scale")
	for i := range pipelines {
		for k := range desc.Specs {
			if desc.Specs[k].ID == 7 {
				desc.Specs[k].Bits = uint64(i % 10)
			}
		}
		p, err := d.NewPipeline(&desc)
		if err != nil {
			t.Fatal(err)
		}
		p.Free()
	}
	m, err := d.Alloc(1024, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(m.Bytes())
	p := increment(t, d)
	var tickets []hal.Ticket
	for range submits {
		c := backendtest.Launch(p, desc.Kernel, 256, backendtest.Span{Mem: m, Len: 256})
		c.Barrier = true
		tk, err := d.Submit([]hal.Command{c})
		if err != nil {
			t.Fatal(err)
		}
		if tickets = append(tickets, tk); len(tickets) == 100 {
			for _, tk := range tickets {
				if err := tk.Wait(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			tickets = tickets[:0]
		}
	}
	for i := range 256 {
		if got := m.Bytes()[4*i : 4*i+4]; uint32(got[0])|uint32(got[1])<<8 != uint32(submits) {
			t.Fatalf("word %d is %v, want %d", i, got, submits)
		}
	}
}

// TestMemoryFlat allocates and frees again and again.
func TestMemoryFlat(t *testing.T) {
	d := open(t)
	blocks := -1
	for i := range 10000 {
		sizes := []uint64{100, 5000, 1 << 20, 40 << 20}
		if i%100 != 0 {
			sizes = sizes[:3]
		}
		var list []hal.Memory
		for _, n := range sizes {
			m, err := d.Alloc(n, hal.MemoryKind(i%2))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, m)
		}
		for _, m := range list {
			m.Free()
		}
		if i == 100 {
			blocks = d.mem.count
		}
	}
	if d.mem.count != blocks {
		t.Errorf("%d blocks, %d after 100 rounds", d.mem.count, blocks)
	}
}

// TestExhaustion allocates until a small heap is full.
func TestExhaustion(t *testing.T) {
	d := open(t)
	const heap = 256 << 20
	for _, p := range d.mem.pools {
		p.heap = heap
	}
	d.mem.limit = heap
	var list []hal.Memory
	for i := 0; ; i++ {
		m, err := d.Alloc([]uint64{1 << 20, 48 << 20, 3000}[i%3], hal.DeviceMemory)
		if errors.Is(err, hal.ErrOutOfMemory) {
			break
		}
		if err != nil || i > 1000 {
			t.Fatalf("allocation %d: %v", i, err)
		}
		list = append(list, m)
	}
	if len(list) < 6 {
		t.Errorf("only %d allocations", len(list))
	}
	for _, m := range list {
		m.Free()
	}
	m, err := d.Alloc(48<<20, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	m.Free()
}

// scenario opens a device, uses it and closes it, and returns the first error.
func scenario() (err error) {
	dev, err := New().Open(0)
	if err != nil {
		return err
	}
	defer dev.Close()
	var tickets []hal.Ticket
	x, err := dev.Alloc(1<<10, hal.DeviceMemory)
	if err != nil {
		return err
	}
	defer x.Free()
	big, err := dev.Alloc(70<<20, hal.DeviceMemory)
	if err != nil {
		return err
	}
	defer big.Free()
	desc := backendtest.Desc("table")
	p, err := dev.NewPipeline(&desc)
	if err != nil {
		return err
	}
	defer p.Free()
	host := make([]byte, 70<<20)
	defer func() {
		for _, tk := range tickets {
			if e := tk.Wait(context.Background()); e != nil && err == nil {
				err = e
			}
		}
	}()
	g, err := dev.(*device).NewGraph([]hal.Command{
		{Op: hal.OpFill, Dst: x, Size: 800},
		backendtest.Launch(p, desc.Kernel, 200, backendtest.Span{Mem: x, Len: 200}),
	})
	if err != nil {
		return err
	}
	for i := range 40 {
		var f hal.Fault
		c := backendtest.Launch(p, desc.Kernel, 200, backendtest.Span{Mem: x, Len: 200})
		c.Barrier, c.Fault = true, &f
		run := hal.Command{Op: hal.OpGraph, Barrier: true, Graph: g, Fault: new(hal.Fault)}
		batch := []hal.Command{run, c, {Op: hal.OpRead, Barrier: true, Src: x, Size: 800, Host: host[800*i : 800*i+800]}}
		if i == 20 {
			batch = append(batch,
				hal.Command{Op: hal.OpWrite, Dst: big, Size: uint64(len(host)), Host: host},
				hal.Command{Op: hal.OpRead, Barrier: true, Src: big, Size: uint64(len(host)), Host: host})
		}
		tk, err := dev.Submit(batch)
		if err != nil {
			return err
		}
		tickets = append(tickets, tk)
	}
	return nil
}

var everyCall = flag.Bool("every-call", false, "TestInjected fails every call in each way, and not each in one way, one of 6 of those that repeat, or one of 97 with -short; TestTwoLines does so, too, and only then")

// TestInjected makes the fallible calls of the scenario fail in turn.
func TestInjected(t *testing.T) {
	devices(t)
	defer vkx.Inject(0, 0)
	for i, c := range []struct {
		result vkx.Result
		want   error
	}{
		{vkx.ErrorDeviceLost, hal.ErrDeviceLost},
		{vkx.ErrorOutOfDeviceMemory, hal.ErrOutOfMemory},
		{vkx.ErrorInitializationFailed, nil},
	} {
		n := int32(1)
		if !*everyCall {
			n += int32(i) // the three results take turns
		}
		for {
			vkx.Inject(n, c.result)
			err := scenario()
			hit := !vkx.Pending()
			vkx.Inject(0, 0)
			if err == nil && !hit {
				break
			}
			if err != nil && c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("call %d fails with %s: %v", n, vkx.ResultName(c.result), err)
			}
			if c.result == vkx.ErrorDeviceLost && err == nil {
				t.Logf("call %d: the loss was not noticed", n)
			}
			switch {
			case *everyCall:
				n++
			case testing.Short():
				n += 97
			case n > 40: // later ones are much the same batch again
				n += 16
			default:
				n += 3
			}
		}
		t.Logf("%s: %d calls", vkx.ResultName(c.result), n-1)
		if err := scenario(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		loader.Lock()
		if loader.open != 0 {
			t.Errorf("%d devices are open", loader.open)
		}
		loader.Unlock()
	}
}

// TestCompleted: a part is complete when the line has its value, and not before, whatever later
// parts there are; once complete it stays so without asking the driver.
func TestCompleted(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(256, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	q := &d.queue
	l := &q.lines[0]
	if p := (&part{q: q, line: l, value: l.pushedValue + 2}); p.hasCompleted() || p.awaitPart(0) != vkx.Timeout {
		t.Error("a part that was never submitted is complete")
	}
	var last *part
	for i := range byte(100) {
		tk, err := d.Submit([]hal.Command{{Op: hal.OpFill, Dst: m, Size: 256, Pattern: uint32(i), Barrier: true}})
		if err != nil {
			t.Fatal(err)
		}
		p := tk.(*ticket).parts[0]
		if last != nil && p.value != last.value+1 {
			t.Errorf("value %d behind value %d", p.value, last.value)
		}
		for last = p; !p.hasCompleted(); {
		}
		if m.Bytes()[252] != i || l.reachedValue.Load() < p.value {
			t.Fatalf("fill %d is complete, and the host sees %d", i, m.Bytes()[252])
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if !last.hasCompleted() || last.awaitPart(0) != vkx.Success {
		t.Error("a part is not complete once the device is closed")
	}
}

// TestAgain submits the same commands again and again: from the second time on they are in the
// command buffer already, unless something was destroyed that it may name, or they are others.
func TestAgain(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(1024, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(m.Bytes())
	runs := 0
	run := func(p hal.Pipeline, items int, want bool) {
		t.Helper()
		c := backendtest.Launch(p, backendtest.Desc("increment").Kernel, items, backendtest.Span{Mem: m, Len: items})
		c.Barrier, c.Fault = true, new(hal.Fault)
		tk, err := d.Submit([]hal.Command{c})
		if err != nil {
			t.Fatal(err)
		}
		part := tk.(*ticket).parts[0]
		if err := tk.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if part.unchanged != want {
			t.Errorf("run %d: submitted again: %t, want %t", runs, part.unchanged, want)
		}
		if runs++; !c.Fault.Clean() || m.Bytes()[0] != byte(runs) {
			t.Errorf("run %d: %+v; the word is %d", runs, c.Fault, m.Bytes()[0])
		}
	}
	p := increment(t, d)
	run(p, 256, false)
	run(p, 256, true)
	run(p, 256, true)
	run(p, 128, false)
	run(p, 256, false)
	run(p, 256, true)
	other := increment(t, d)
	run(p, 256, true)
	other.Free()
	run(p, 256, false)
	run(p, 256, true)
	for range 20 { // pipelines whose handles are the same: the driver takes the place that has become free
		p.Free()
		p = increment(t, d)
		run(p, 256, false)
		run(p, 256, true)
	}
	big, err := d.Alloc(2*dedicatedSize, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	big.Free()
	d.mem.destroy(d.mem.unused())
	run(p, 256, false)
}

// TestLost: once lost, every call says so, and all can be freed.
func TestLost(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(1024, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	p := increment(t, d)
	defer vkx.Inject(0, 0)
	vkx.Inject(1, vkx.ErrorDeviceLost)
	var fault hal.Fault
	fill := []hal.Command{{Op: hal.OpFill, Dst: m, Size: 1024, Fault: &fault}}
	tk, err := d.Submit(fill)
	vkx.Inject(0, 0)
	if err != nil || !tk.Done() || !errors.Is(fault.Failed, hal.ErrDeviceLost) {
		t.Fatalf("Submit: %v; the command: %v", err, fault.Failed)
	}
	if _, err := d.Submit(fill); err != fault.Failed {
		t.Errorf("second Submit: %v", err)
	}
	if _, err := d.Alloc(1, hal.DeviceMemory); !errors.Is(err, hal.ErrDeviceLost) {
		t.Errorf("Alloc: %v", err)
	}
	desc := backendtest.Desc("fill")
	if _, err := d.NewPipeline(&desc); !errors.Is(err, hal.ErrDeviceLost) {
		t.Errorf("NewPipeline: %v", err)
	}
	p.Free()
	m.Free()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestByKernel runs the suite with copies and fills by kernel everywhere.
func TestByKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("TestConformance runs the suite, and -short is set")
	}
	devices(t)
	backendtest.Run(t, avid{}, 0)
}

type (
	avid       struct{ backend }
	avidDriver struct{ hal.Driver }
)

func (avid) Driver() hal.Driver { return avidDriver{New()} }

func (d avidDriver) Open(i int) (hal.Device, error) {
	dev, err := d.Driver.Open(i)
	if err == nil {
		dev.(*device).built.onAnyDevice = true
	}
	return dev, err
}

func TestPipelineErrors(t *testing.T) {
	d := open(t)
	for name, change := range map[string]func(*hal.PipelineDesc){
		"no module":       func(p *hal.PipelineDesc) { p.SPIRV = nil },
		"work-group":      func(p *hal.PipelineDesc) { p.LocalSize = [3]uint32{1 << 20, 1, 1} },
		"work-group of 0": func(p *hal.PipelineDesc) { p.LocalSize = [3]uint32{0, 1, 1} },
		"work-items":      func(p *hal.PipelineDesc) { p.LocalSize = [3]uint32{1024, 1024, 64} },
		"sub-group":       func(p *hal.PipelineDesc) { p.SubGroupSize = 2 * int(d.phys.MaxSubgroupSize) },
		"sub-group of 7":  func(p *hal.PipelineDesc) { p.SubGroupSize = 7 },
		"constant":        func(p *hal.PipelineDesc) { p.Specs[0].Size = 3 },
	} {
		desc := backendtest.Desc("fill")
		change(&desc)
		class := hal.ErrPipeline
		if strings.HasPrefix(name, "sub-group") {
			class = hal.ErrNotSupported
		}
		if _, err := d.NewPipeline(&desc); !errors.Is(err, class) || !strings.Contains(err.Error(), "backendtest.fill") {
			t.Errorf("%s: %v", name, err)
		}
	}
	desc := backendtest.Desc("fill")
	desc.SubGroupSize = int(d.phys.SubgroupSize)
	p, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	p.Free()
	p.Free()
}

func TestSubmitErrors(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(64, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	p := increment(t, d)
	for name, c := range map[string]hal.Command{
		"operation":    {Op: 99},
		"no memory":    {Op: hal.OpFill, Size: 4},
		"no pipeline":  {Op: hal.OpLaunch},
		"past the end": {Op: hal.OpFill, Dst: m, DstOff: 32, Size: 36},
		"offset":       {Op: hal.OpRead, Src: m, SrcOff: 1 << 63, Size: 4, Host: make([]byte, 4)},
		"fill":         {Op: hal.OpFill, Dst: m, Size: 3},
		"host size":    {Op: hal.OpWrite, Dst: m, Size: 8, Host: make([]byte, 4)},
		"arguments":    {Op: hal.OpLaunch, Pipeline: p, Groups: [3]uint32{1, 1, 1}},
	} {
		if _, err := d.Submit([]hal.Command{c}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestNoDriver looks at the errors of a machine without Vulkan, in a process of
// its own.
func TestNoDriver(t *testing.T) {
	if os.Getenv("KGEN_TEST_NO_DRIVER") == "1" {
		list, err := New().Enumerate()
		if err == nil {
			t.Fatalf("%d devices", len(list))
		}
		if _, err := New().Open(0); err == nil {
			t.Fatal("Open succeeded")
		}
		t.Log(err)
		return
	}
	devices(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoDriver$", "-test.v")
	none := need.Dir(t) + "/none.json"
	cmd.Env = append(os.Environ(), "KGEN_TEST_NO_DRIVER=1", "KGEN_VALIDATE=", "VK_DRIVER_FILES="+none, "VK_ICD_FILENAMES="+none)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "install") {
		t.Errorf("%v: %s", err, out)
	}
}
