package host

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file implements the host device, which runs the commands of submitted batches one after
// another.

type device struct {
	info   hal.Info
	budget *memoryBudget

	mu        sync.Mutex
	work      sync.Cond
	queue     []*ticket
	running   *ticket // ticket of the batch that runBatches, or Submit, executes
	closed    bool
	abandoned bool
	ended     chan struct{}

	// cmd is a copy of the running command. The outcome of cmd is stored in the fields `fault` and
	// `times`. If the device is abandoned, the owner of the command reads the original fault
	// record, although cmd may still run.
	cmd   hal.Command
	fault hal.Fault
	times hal.Times

	subGroup int  // size of sub-groups for kernels that do not require one
	forms    bool // whether kernels run in their host forms (see Form)
	allForms bool // whether spare forms run all launches, not only launches that may be cancelled
	checks   bool // whether kernels are interpreted and checked
	seed     uint64
}

func newDevice() *device {
	d := &device{info: hostInfo(), budget: &sharedBudget, subGroup: subGroupWanted(), forms: formWanted(), allForms: env.Get(env.HostForm) == "on",
		ended: make(chan struct{})}
	d.work.L = &d.mu
	go d.runBatches()
	return d
}

func (d *device) Info() *hal.Info { return &d.info }

// Time implements hal.Timer.
func (d *device) Time() error { return nil }

// The type `ticket` represents a submitted batch.
type ticket struct {
	cmds []hal.Command
	next int           // index of the first command that has not been started
	done chan struct{} // nil while Submit runs the batch
}

var done = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// markDone records that the batch is done.
func (t *ticket) markDone() {
	if t.done == nil {
		t.done = done
	} else {
		close(t.done)
	}
}

func (t *ticket) Done() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// spinTime is the longest time that Wait polls before it blocks.
const spinTime = 30 * time.Microsecond

func (t *ticket) Wait(ctx context.Context) error {
	for start := time.Now(); ; {
		if t.Done() {
			return nil
		}
		if time.Since(start) >= spinTime {
			break
		}
		runtime.Gosched() // lets the goroutine of the batch use this processor
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errClosed = errors.New("the host device is closed")

func (d *device) Submit(batch []hal.Command) (hal.Ticket, error) {
	t := &ticket{cmds: batch}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if d.running == nil && len(d.queue) == 0 && isBrief(batch) {
		d.running = t
		d.mu.Unlock()
		d.runBatch(t)
		d.mu.Lock()
		d.work.Signal() // wakes runBatches, which may have new batches to run
		return t, nil
	}
	t.done = make(chan struct{})
	d.queue = append(d.queue, t)
	d.work.Signal()
	return t, nil
}

// maxBrief is the largest number of bytes that Submit copies itself. A copy by Submit takes at most
// a tenth of a millisecond, because the caller's processor usually has the bytes in its caches.
const maxBrief = 1 << 20

// isBrief reports whether a batch consists of a few short copies, so that Submit may run
// it.
func isBrief(batch []hal.Command) bool {
	if len(batch) > 64 {
		return false
	}
	var size uint64
	for i := range batch {
		if batch[i].Op == hal.OpLaunch {
			return false
		}
		size += batch[i].Size
	}
	return size <= maxBrief
}

// Abandon records that all incomplete commands have failed, and marks their batches as done.
// Abandon does not stop a command that is running.
func (d *device) Abandon(err error) {
	d.mu.Lock()
	left := d.queue
	if d.running != nil {
		left = append([]*ticket{d.running}, left...)
	}
	already := d.abandoned
	d.queue, d.closed, d.abandoned = nil, true, true
	d.work.Signal()
	var taken []func()
	for _, t := range left {
		if already {
			break
		}
		for i := max(t.next-1, 0); i < len(t.cmds); i++ {
			c := &t.cmds[i]
			if c.Fault != nil {
				c.Fault.Failed = err
			}
			if c.Taken != nil && i >= t.next { // command t.next-1 may be running, and may still read its bytes
				taken = append(taken, c.Taken)
			}
		}
		t.markDone()
	}
	d.mu.Unlock()
	for _, f := range taken {
		f()
	}
}

// Close waits for the submitted batches, and frees the memory.
func (d *device) Close() error {
	d.mu.Lock()
	d.closed = true
	abandoned := d.abandoned
	d.work.Signal()
	d.mu.Unlock()
	if abandoned {
		return nil
	}
	<-d.ended
	d.budget.unmapAll(d)
	return nil
}

// runBatches runs the batches until the device is closed.
func (d *device) runBatches() {
	defer close(d.ended)
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for d.running != nil || len(d.queue) == 0 && !d.closed {
			d.work.Wait()
		}
		if len(d.queue) == 0 {
			return
		}
		t := d.queue[0]
		d.queue[0] = nil
		d.queue = d.queue[1:]
		d.running = t
		d.mu.Unlock()
		d.runBatch(t)
		d.mu.Lock()
	}
}

// runBatch executes the batch d.running to its end, or until the device is abandoned.
func (d *device) runBatch(t *ticket) {
	for d.startNext(t) {
		runCommand(&d.cmd)
	}
}

// startNext stores the outcome of the batch's previous command, if there is one. Then startNext
// stores the batch's next command in d.cmd, and reports whether there is a next command.
func (d *device) startNext(t *ticket) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := &d.fault; !d.abandoned && (f.Set || f.Cancelled || f.Failed != nil) {
		*t.cmds[t.next-1].Fault = *f
		*f = hal.Fault{}
	}
	if d.times.End != 0 && !d.abandoned {
		t.cmds[t.next-1].Times.Ran(d.times.Start, d.times.End)
	}
	d.times = hal.Times{}
	d.cmd = hal.Command{}
	if !d.abandoned && t.next < len(t.cmds) {
		d.cmd = t.cmds[t.next]
		if d.cmd.Fault != nil {
			d.cmd.Fault = &d.fault
		}
		if d.cmd.Times != nil {
			d.cmd.Times = &d.times
		}
		t.next++
		return true
	}
	if !d.abandoned {
		t.markDone()
	}
	t.cmds = nil
	d.running = nil
	return false
}

// The type `pipeline` describes a kernel that is ready for launches.
type pipeline struct {
	dev       *device
	kernel    *abi.Kernel
	build     Func
	local     [3]uint32
	subGroup  int
	accessors []int
	specs     []dslhook.Spec
	specBits  []hal.SpecValue
	forms     *sync.Pool     // pool of host forms; nil if launches of the kernel do not use a host form
	spare     bool           // whether the host forms run only launches that may be cancelled
	checked   *checkedKernel // nil if the kernel is not interpreted
	// Each dslhook.Scratch contains coroutines, which keep the profile labels that they were started
	// with.
	scratches sync.Pool       // pool of *dslhook.Scratch
	labels    context.Context // profile labels of the kernel's goroutines
}

func (*pipeline) Free() {}

// Cancels implements hal.Canceller.
func (p *pipeline) Cancels() bool { return p.forms != nil || p.checked != nil || !p.kernel.Lingers }

// init sets the pipeline's pools and profile label. The label is the kernel's package and type
// name, as users write it.
func (p *pipeline) init() {
	p.scratches.New = func() any { return new(dslhook.Scratch) }
	p.labels = pprof.WithLabels(context.Background(), pprof.Labels("kernel", path.Base(p.kernel.Package)+"."+p.kernel.Name))
}

func (d *device) NewPipeline(p *hal.PipelineDesc) (hal.Pipeline, error) {
	k, _ := p.Host.(*Kernel)
	if k == nil || k.Func == nil {
		return nil, fmt.Errorf("%w: %s has no Go code to run on the host", hal.ErrPipeline, p.Kernel.FullName())
	}
	if dslhook.RunItems == nil || dslhook.RunGroup == nil {
		return nil, fmt.Errorf("%w: package dsl is not part of the program", hal.ErrPipeline)
	}
	h := &pipeline{dev: d, kernel: p.Kernel, build: k.Func, local: p.LocalSize, subGroup: p.SubGroupSize, specs: p.HostSpecs, specBits: p.Specs}
	h.init()
	if h.subGroup == 0 {
		h.subGroup = d.subGroup
	}
	for i := range p.Kernel.Params {
		if p.Kernel.Params[i].Kind == abi.LocalAccessor {
			h.accessors = append(h.accessors, 0)
		}
	}
	for _, s := range p.Specs {
		if i := int(s.ID) - abi.SpecAccessor; i >= 0 && i < len(h.accessors) {
			h.accessors[i] = int(s.Bits)
		}
	}
	if d.forms && k.Form != nil {
		h.forms = newForms(k.Form)
		_, h.spare = k.Form().(spareForm)
		h.spare = h.spare && !d.allForms
	}
	if d.checks {
		var err error
		if h.checked, err = d.newChecked(p); err != nil {
			return nil, err
		}
	}
	return h, nil
}
