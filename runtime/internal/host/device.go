package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type device struct {
	info hal.Info

	mu    sync.Mutex
	work  sync.Cond
	queue []*ticket
	// The ticket that runs, and how many of its commands have.
	current  *ticket
	finished int
	closed   bool
	ended    chan struct{}
	given    error // why the device was abandoned

	subGroup int  // size of sub-groups where kernels require none
	forms    bool // kernels run in their host forms, where they have one
	checks   bool // kernels are interpreted and checked
	seed     uint64
}

func newDevice() *device {
	d := &device{info: info(), subGroup: subGroupWanted(), forms: formWanted(), ended: make(chan struct{})}
	d.work.L = &d.mu
	go d.loop()
	return d
}

func (d *device) Info() *hal.Info { return &d.info }

// ticket is a submitted batch.
type ticket struct {
	cmds []hal.Command
	done chan struct{}
}

func (t *ticket) Done() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *ticket) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	default:
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
	t := &ticket{cmds: batch, done: make(chan struct{})}
	for i := range batch {
		if c := &batch[i]; c.Op == hal.OpWrite {
			c.Host = append([]byte(nil), c.Host...) // the caller may change its bytes
			if c.Taken != nil {
				c.Taken()
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	d.queue = append(d.queue, t)
	d.work.Signal()
	return t, nil
}

func (d *device) Close() error {
	d.mu.Lock()
	d.closed = true
	d.work.Signal()
	d.mu.Unlock()
	<-d.ended
	return nil
}

// loop runs the batches until the device is closed.
func (d *device) loop() {
	defer close(d.ended)
	for {
		d.mu.Lock()
		for len(d.queue) == 0 && !d.closed {
			d.work.Wait()
		}
		if len(d.queue) == 0 {
			d.mu.Unlock()
			return
		}
		t := d.queue[0]
		d.queue[0] = nil
		d.queue = d.queue[1:]
		d.current, d.finished = t, 0
		d.mu.Unlock()
		for i := range t.cmds {
			if !d.run(&t.cmds[i]) {
				return
			}
		}
		d.mu.Lock()
		if d.given == nil {
			d.current, t.cmds = nil, nil
			close(t.done)
		}
		d.mu.Unlock()
	}
}

// run executes one command, and reports whether the device goes on.
func (d *device) run(c *hal.Command) bool {
	// If the device is abandoned meanwhile, others have c.Fault.
	own, f := *c, hal.Fault{}
	own.Fault = &f
	run(&own)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.given != nil {
		return false
	}
	if c.Fault != nil {
		*c.Fault = f
	}
	d.finished++
	return true
}

// Abandon ends all tickets. The command that runs goes on, unseen.
func (d *device) Abandon(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.given != nil {
		return
	}
	d.given, d.closed = err, true
	tickets := d.queue
	if d.current != nil {
		tickets = append([]*ticket{d.current}, tickets...)
	}
	for k, t := range tickets {
		for i := range t.cmds {
			if k == 0 && d.current == t && i < d.finished {
				continue
			}
			if f := t.cmds[i].Fault; f != nil {
				f.Failed = err
			}
		}
		close(t.done)
	}
	d.queue = nil
	d.work.Signal()
}

// run executes one command.
func run(c *hal.Command) {
	switch c.Op {
	case hal.OpLaunch:
		launch(c)
	case hal.OpCopy:
		copy(part(c.Dst, c.DstOff, c.Size), part(c.Src, c.SrcOff, c.Size))
	case hal.OpFill:
		fill(part(c.Dst, c.DstOff, c.Size), c.Pattern)
	case hal.OpWrite:
		copy(part(c.Dst, c.DstOff, uint64(len(c.Host))), c.Host)
	case hal.OpRead:
		copy(c.Host, part(c.Src, c.SrcOff, uint64(len(c.Host))))
	default:
		panic(fmt.Sprintf("BUG: host: unknown command %d", c.Op))
	}
}

func part(m hal.Memory, off, size uint64) []byte { return m.Bytes()[off : off+size] }

func fill(b []byte, pattern uint32) {
	if pattern == 0 {
		clear(b)
		return
	}
	for ; len(b) >= 4; b = b[4:] {
		binary.LittleEndian.PutUint32(b, pattern)
	}
}

// pipeline is a kernel that is ready to run.
type pipeline struct {
	kernel    *abi.Kernel
	build     Func
	local     [3]uint32
	subGroup  int
	accessors []int
	specs     []dslhook.Spec
	specBits  []hal.SpecValue
	forms     *sync.Pool // of Form; nil where the kernel has none or it is not to run
	checked   *checked   // nil where the kernel's Go runs
}

func (*pipeline) Free() {}

func (d *device) NewPipeline(p *hal.PipelineDesc) (hal.Pipeline, error) {
	k, _ := p.Host.(*Kernel)
	if k == nil || k.Func == nil {
		return nil, fmt.Errorf("%w: %s has no Go code to run on the host", hal.ErrPipeline, p.Kernel.FullName())
	}
	if dslhook.RunItems == nil || dslhook.RunGroup == nil {
		return nil, fmt.Errorf("%w: package dsl is not part of the program", hal.ErrPipeline)
	}
	h := &pipeline{kernel: p.Kernel, build: k.Func, local: p.LocalSize, subGroup: p.SubGroupSize, specs: p.HostSpecs, specBits: p.Specs}
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
	}
	if d.checks {
		var err error
		if h.checked, err = d.newChecked(p); err != nil {
			return nil, err
		}
	}
	return h, nil
}
