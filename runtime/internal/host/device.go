package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type device struct {
	info hal.Info

	mu     sync.Mutex
	work   sync.Cond
	queue  []*ticket
	closed bool
	ended  chan struct{}

	subGroup int  // size of sub-groups where kernels require none
	forms    bool // kernels run in their host forms, where they have one
	allForms bool // even those that are for launches that may be cancelled
	checks   bool // kernels are interpreted and checked
	seed     uint64
}

func newDevice() *device {
	d := &device{info: info(), subGroup: subGroupWanted(), forms: formWanted(), allForms: env.Get(env.HostForm) == "on", ended: make(chan struct{})}
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
		d.mu.Unlock()
		for i := range t.cmds {
			run(&t.cmds[i])
		}
		t.cmds = nil
		close(t.done)
	}
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
	spare     bool       // forms are for launches that may be cancelled
	checked   *checked   // nil where the kernel's Go runs
}

func (*pipeline) Free() {}

// Cancels implements hal.Canceller.
func (p *pipeline) Cancels() bool { return p.forms != nil || p.checked != nil || !p.kernel.Lingers }

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
