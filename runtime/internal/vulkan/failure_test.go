//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// hung is how long a test waits for what must end: much longer than it takes on a
// loaded machine.
const hung = 60 * time.Second

// stacks returns the stacks of all goroutines.
func stacks() string {
	buf := make([]byte, 1<<16)
	return string(buf[:runtime.Stack(buf, true)])
}

// TestOneFails submits a batch in which one command cannot get staging memory: it
// fails alone.
func TestOneFails(t *testing.T) {
	d := open(t)
	x, err := d.Alloc(1024, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(x.Bytes())
	m, err := d.Alloc(8<<20, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	p := increment(t, d)
	write := hal.Command{Op: hal.OpWrite, Barrier: true, Dst: m, Size: 64, Host: make([]byte, 64)}
	tk, err := d.Submit([]hal.Command{write})
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Nothing but what there is; a read of 8 MiB needs a ring of 8.
	d.mem.mu.Lock()
	d.mem.limit = d.mem.bytes
	for _, p := range d.mem.pools {
		p.next = 1 << 20
	}
	d.mem.mu.Unlock()
	inc := backendtest.Launch(p, backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: x, Len: 256})
	inc.Barrier = true
	read := hal.Command{Op: hal.OpRead, Src: m, Size: 8 << 20, Host: make([]byte, 8<<20)}
	batch := []hal.Command{inc, write, read, inc}
	var faults [4]hal.Fault
	for i := range batch {
		batch[i].Fault = &faults[i]
	}
	tk, err = d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil || !tk.Done() {
		t.Fatal(err)
	}
	for i, f := range faults {
		if want := i == 2; errors.Is(f.Failed, hal.ErrOutOfMemory) != want || (f.Failed != nil) != want {
			t.Errorf("command %d: %v", i, f.Failed)
		}
	}
	if n := x.Bytes()[0]; n != 2 {
		t.Errorf("%d of 2 launches have run", n)
	}
}

// TestSubmitFails fails vkQueueSubmit: the commands of that submission fail, and
// those before and behind it run.
func TestSubmitFails(t *testing.T) {
	d := open(t)
	x, err := d.Alloc(1024, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(x.Bytes())
	p := increment(t, d)
	var faults [3]hal.Fault
	var last hal.Ticket
	for i := range faults {
		c := backendtest.Launch(p, backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: x, Len: 256})
		c.Barrier, c.Fault = true, &faults[i]
		if i == 1 {
			vkx.Inject(1, vkx.ErrorOutOfHostMemory)
		}
		last, err = d.Submit([]hal.Command{c})
		vkx.Inject(0, 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := last.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, f := range faults {
		if want := i == 1; errors.Is(f.Failed, hal.ErrOutOfMemory) != want || (f.Failed != nil) != want {
			t.Errorf("command %d: %v", i, f.Failed)
		}
	}
	if n := x.Bytes()[0]; n != 2 {
		t.Errorf("the word is %d after two launches", n)
	}
}

// slow returns a launch that takes a while: a device that is a processor adds up much
// memory.
func slow(t *testing.T, d *device) hal.Command {
	const n = 16 << 20
	m, err := d.Alloc(4*n, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	return backendtest.Launch(increment(t, d), backendtest.Desc("increment").Kernel, n, backendtest.Span{Mem: m, Len: n})
}

// TestSubmitDoesNotWait submits copies larger than any staging memory behind launches
// that take a while: Submit returns before they have run.
func TestSubmitDoesNotWait(t *testing.T) {
	d := open(t)
	const size = 3 * maxRing
	m, err := d.Alloc(size, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	launch := slow(t, d)
	launch.Barrier = true
	first, err := d.Submit([]hal.Command{launch, launch, launch, launch}[:sample.Of(4, 2)])
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan struct{})
	host := make([]byte, size)
	host[size-1] = 7
	write := hal.Command{Op: hal.OpWrite, Barrier: true, Dst: m, Size: size, Host: host, Taken: func() { close(taken) }}
	back := make([]byte, size)
	read := hal.Command{Op: hal.OpRead, Barrier: true, Src: m, Size: size, Host: back}
	second, err := d.Submit([]hal.Command{write, read})
	if err != nil {
		t.Fatal(err)
	}
	if first.Done() {
		t.Log("the launches had ended: the test shows nothing on this machine")
	}
	select {
	case <-taken:
		if !first.Done() {
			t.Error("what does not fit was taken before there was room")
		}
	default:
	}
	third, err := d.Submit([]hal.Command{launch})
	if err != nil {
		t.Fatal(err)
	}
	<-taken
	host[size-1] = 8 // too late
	for _, tk := range []hal.Ticket{third, second, first} {
		if err := tk.Wait(context.Background()); err != nil || !tk.Done() {
			t.Error(err)
		}
	}
	if back[size-1] != 7 {
		t.Errorf("the last byte is %d", back[size-1])
	}
}

// TestCancelledCopies asks for the end of copies that wait behind launches.
func TestCancelledCopies(t *testing.T) {
	d := open(t)
	const size = 3 * maxRing
	m, err := d.Alloc(size, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	launch := slow(t, d)
	launch.Barrier = true
	var faults [2]hal.Fault
	var cancels [2]hal.Cancel
	host := make([]byte, size)
	batch := []hal.Command{launch, launch,
		{Op: hal.OpWrite, Barrier: true, Dst: m, Size: size, Host: make([]byte, size), Fault: &faults[0], Cancel: &cancels[0]},
		{Op: hal.OpRead, Barrier: true, Src: m, Size: size, Host: host, Fault: &faults[1], Cancel: &cancels[1]}}
	tk, err := d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	early := !tk.Done()
	cancels[1].Ask()
	host[0], host[size-1] = 1, 1 // the caller's again
	cancels[0].Ask()
	if err := tk.Wait(context.Background()); err != nil || !tk.Done() {
		t.Fatal(err)
	}
	if early && (!faults[1].Cancelled || host[0] != 1 || host[size-1] != 1) {
		t.Errorf("the read: %+v, %d and %d", faults[1], host[0], host[size-1])
	}
	if faults[0].Failed != nil || faults[1].Failed != nil {
		t.Error(faults)
	}
}

// TestAbandon gives up a device whose work goes on: tickets are done, with errors.
func TestAbandon(t *testing.T) {
	d := open(t)
	launch := slow(t, d)
	var fault hal.Fault
	launch.Fault = &fault
	batch := make([]hal.Command, sample.Of(8, 3))
	for i := range batch {
		batch[i] = launch
	}
	tk, err := d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	d.Abandon(hal.ErrAbandoned)
	if !tk.Done() || !errors.Is(fault.Failed, hal.ErrAbandoned) {
		t.Errorf("done: %v, %v", tk.Done(), fault.Failed)
	}
	if _, err := d.Submit(batch[:1]); !errors.Is(err, hal.ErrAbandoned) {
		t.Error(err)
	}
	d.vk.WaitIdle() // what a test of a device that hangs cannot do
}

// TestAskedBefore submits a launch that was asked to end before: it does not run.
func TestAskedBefore(t *testing.T) {
	d := open(t)
	x, err := d.Alloc(1024, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(x.Bytes())
	var fault hal.Fault
	var cancel hal.Cancel
	cancel.Ask()
	c := backendtest.Launch(increment(t, d), backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: x, Len: 256})
	c.Fault, c.Cancel = &fault, &cancel
	tk, err := d.Submit([]hal.Command{c})
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !fault.Cancelled || x.Bytes()[0] != 0 {
		t.Errorf("%+v; the word is %d", fault, x.Bytes()[0])
	}
}

// TestNoAnswer waits for a probe of a device that does not come to it: opening it ends,
// and gives the device up.
func TestNoAnswer(t *testing.T) {
	d := open(t)
	old := answerTime
	answerTime = time.Millisecond
	defer func() { answerTime = old }()
	launch := slow(t, d)
	tk, err := d.Submit([]hal.Command{launch, launch, launch, launch})
	if err != nil {
		t.Fatal(err)
	}
	err = d.awaitProbe(tk.(*ticket))
	if err == nil {
		t.Skip("the device has answered in a millisecond")
	}
	if !errors.Is(err, hal.ErrAbandoned) || !errors.Is(d.lostErr(), hal.ErrAbandoned) {
		t.Error(err)
	}
	d.vk.WaitIdle() // what a test of a device that hangs cannot do
}

// TestCancelRecords fills a part with launches of which every other can be cancelled: those
// have their records where the device sees what the host writes meanwhile, the others in the
// host's memory, and each kernel runs once.
func TestCancelRecords(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(4, hal.HostMemory)
	if err != nil {
		t.Fatal(err)
	}
	clear(m.Bytes())
	desc := backendtest.Desc("increment")
	plain := increment(t, d)
	desc.Cancels = true
	leaves, err := d.NewPipeline(&desc)
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]hal.Command, maxLaunches)
	faults := make([]hal.Fault, len(batch))
	for i := range batch {
		p := plain
		if i%2 == 1 {
			p = leaves
		}
		batch[i] = backendtest.Launch(p, desc.Kernel, 1, backendtest.Span{Mem: m, Len: 1})
		batch[i].Barrier, batch[i].Fault = true, &faults[i]
		if i%2 == 1 {
			batch[i].Cancel = new(hal.Cancel)
		}
	}
	old := watch
	defer func() { watch = old }()
	near, parts := 0, 0
	watch = func(d *device, p *part, _ vkx.Commands) {
		parts++
		for i := range p.faults {
			if p.slot.inNear[i] {
				near++
			}
		}
		if p.slot.cancelRecords == nil || p.slot.cancelRecords.pool.kind != d.mem.types.upload {
			t.Error("the records of what can be cancelled are not in memory that the device reads")
		}
	}
	tk, err := d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if parts != 1 || near != maxLaunches/2 {
		t.Errorf("%d parts, %d records of %d launches in the device's memory", parts, near, maxLaunches)
	}
	for i, f := range faults {
		if f.Failed != nil || f.Cancelled {
			t.Errorf("launch %d: %+v", i, f)
		}
	}
	if n := binary.LittleEndian.Uint32(m.Bytes()); n != maxLaunches {
		t.Errorf("%d increments, want %d", n, maxLaunches)
	}
}
