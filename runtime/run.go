package runtime

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// The method run launches a kernel on slices of the caller's memory and waits.
//
// When ctx ends first, the function run cancels the launch, as WithContext does, and returns. After
// run has returned, neither the runtime nor the device accesses the caller's memory.
func (d *Device) run(ctx context.Context, k *Kernel, in *launching, opts []LaunchOption) (err error) {
	if err := d.usable(); err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil").about(k)
	}
	own, err := runOptions(k, opts)
	if err != nil {
		return err
	}
	own.ctx = ctx
	if err := own.waitForeign(d); err != nil {
		return err
	}
	o := order{launchOptions: own, dev: d, attended: true}
	c := &in.Launch
	var p exec.Plan
	r := run{dev: d, kernel: k, ctx: ctx, l: newPending(d, k)}
	began := false
	defer func() {
		if began {
			r.end(err)
		}
	}()
	ev, err := o.do(r.l, func() error {
		if p, err = d.check(k, c, &o.launchOptions); err != nil {
			return err
		}
		return d.mayWait()
	}, func(ctx context.Context, cancel *hal.Cancel) error {
		began = true
		r.l.needRare().ctx = ctx
		c.Cancel = cancel
		defer p.LetGo()
		return r.record(c, &p, o.after)
	})
	if err != nil {
		return err
	}
	var lost error
	for _, l := range r.downloads {
		if err := (Event{l}).Wait(ctx); err != nil && lost == nil {
			lost = err
		}
	}
	if err := ev.Wait(ctx); err != nil {
		return err // the launch's error says more than the copies' errors
	}
	return lost
}

// The method record records the launch, between copies of the caller's memory to the device and
// back.
func (r *run) record(c *exec.Launch, p *exec.Plan, after []*stream.Event) error {
	if p.Empty {
		return r.dev.record(r.ctx, &r.rec, r.l, c, p, after)
	}
	if err := r.layOut(c, p); err != nil {
		return err
	}
	if err := r.upload(); err != nil {
		return err
	}
	if err := r.dev.record(r.ctx, &r.rec, r.l, c, p, after); err != nil {
		return err
	}
	return r.download(c)
}

// RunCommand enqueues a launch and waits for it. When ctx ends first, the launch is cancelled, as
// with WithContext.
func (forStubs) RunCommand(ctx context.Context, q *Queue, c Command) error {
	if err := q.usable(); err != nil {
		return err
	}
	k := c.c.kernel
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil").about(k)
	}
	if err := q.notRecording("running a kernel, which waits for it,"); err != nil {
		return err
	}
	if _, err := runOptions(k, c.c.opts); err != nil {
		return err
	}
	if err := q.dev.mayWait(); err != nil {
		return err
	}
	opts := c.c.opts
	if ctx.Done() != nil {
		opts = append(opts[:len(opts):len(opts)], WithContext(ctx))
	}
	ev, err := q.launch(k, newLaunching(c.c.call), opts)
	if err != nil {
		return err
	}
	return ev.Wait(ctx)
}

// errOwnContext returns the error for a call of Run with the option WithContext.
func errOwnContext(k *Kernel) error {
	return errorf(ErrInvalid, "WithContext is for launches that nobody waits for").about(k).
		advise("give Run that context")
}

// The type run contains the state of one launch on the caller's memory.
type run struct {
	dev     *Device
	kernel  *Kernel
	ctx     context.Context
	rec     stream.Recorder
	l       *pending // event of the launch, whose cancel request also ends the copies
	regions []region
	wrapped bool // the kernel uses the caller's memory directly

	uploads, downloads []*pending
}

// The type region is a range of the caller's memory that one or more slices use.
type region struct {
	lo, hi uintptr
	ptr    unsafe.Pointer // the address in the field lo as a pointer, which the garbage collector follows
	pad    uint64         // number of bytes before the region on the device, which give it the same alignment as on the host
	mem    *stream.Memory
}

// The type wrapper is a device that can use the caller's memory directly.
type wrapper interface {
	Wrap(p unsafe.Pointer, size uint64) hal.Memory
}

// layOut allocates device memory for the regions, and gives each slice its memory on the device.
// Slices that overlap in the caller's memory overlap on the device, too.
func (r *run) layOut(c *exec.Launch, p *exec.Plan) error {
	args := c.Host
	regions := make([]region, 0, len(args))
	for i := range args {
		a := &args[i]
		if a.Size > 0 && r.kernel.abi.Params[a.Param].Offset >= 0 {
			lo := uintptr(a.Ptr)
			regions = append(regions, region{lo: lo, hi: lo + uintptr(a.Size), ptr: a.Ptr})
		}
	}
	r.regions = merge(regions)
	w, err := r.wrapper(c, p)
	if err != nil {
		return err
	}
	r.wrapped = w != nil
	for i := range r.regions {
		g := &r.regions[i]
		if r.wrapped {
			g.mem = r.dev.stream.NewMemory(w.Wrap(g.ptr, uint64(g.hi-g.lo)))
			continue
		}
		g.pad = uint64(g.lo % abi.MinSliceAlign)
		size := uint64(g.hi-g.lo) + g.pad
		if limit := r.dev.info.Limits.MaxAllocation; size > limit {
			return errorf(ErrMemoryAllocation, "a slice of %d bytes is larger than the %d bytes that the device %s allows",
				size, limit, r.dev.Name()).about(r.kernel)
		}
		mem, err := r.dev.alloc(size, hal.DeviceMemory)
		if err != nil {
			return err
		}
		g.mem = mem
	}
	for i := range args {
		a := &args[i]
		s := launch.SliceArg{Param: a.Param, Size: a.Size}
		if g := r.find(a); g != nil {
			s.Mem, s.Off, s.Len = g.mem, g.pad+uint64(uintptr(a.Ptr)-g.lo), a.Len
		}
		c.Place(s)
	}
	return nil
}

// The method wrapper returns the device if its kernels may use the caller's memory directly. Direct
// use is allowed if Run can wait until the kernel has stopped. Run can wait that long if its
// context cannot end, or if the kernel stops soon after a request.
func (r *run) wrapper(c *exec.Launch, p *exec.Plan) (wrapper, error) {
	w, ok := r.dev.hal.(wrapper)
	if !ok {
		return nil, nil
	}
	if c.Cancel == nil {
		return w, nil
	}
	if err := r.dev.find(r.ctx, r.kernel, c, p); err != nil {
		return nil, err
	}
	if s, ok := p.Pipeline.Code.(hal.Canceller); ok && s.Cancels() {
		return w, nil
	}
	return nil, nil
}

// merge sorts the regions and joins those that overlap.
func merge(regions []region) []region {
	slices.SortFunc(regions, func(a, b region) int { return cmp.Compare(a.lo, b.lo) })
	out := regions[:0]
	for _, g := range regions {
		if n := len(out); n > 0 && g.lo < out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, g.hi)
			continue
		}
		out = append(out, g)
	}
	return out
}

// find returns the region that contains the slice.
func (r *run) find(a *launch.HostArg) *region {
	if a.Size == 0 {
		return nil
	}
	for i := range r.regions {
		if g := &r.regions[i]; g.lo <= uintptr(a.Ptr) && uintptr(a.Ptr) < g.hi {
			return g
		}
	}
	return nil
}

// upload copies the caller's memory to the device. The method upload also copies memory that the
// kernel only writes, because a kernel need not write all of that memory.
func (r *run) upload() error {
	if r.wrapped {
		return nil
	}
	for i := range r.regions {
		g := &r.regions[i]
		size := uint64(g.hi - g.lo)
		l, err := r.copy(g, g.pad, hal.Command{Op: hal.OpWrite, Dst: g.mem.HAL(), DstOff: g.pad, Size: size,
			Host: unsafe.Slice((*byte)(g.ptr), size)})
		if err != nil {
			return err
		}
		r.uploads = append(r.uploads, l)
	}
	return nil
}

// download copies the slices that the kernel wrote back to the caller's memory.
func (r *run) download(c *exec.Launch) error {
	if r.wrapped {
		return nil
	}
	for i := range c.Host {
		a := &c.Host[i]
		g := r.find(a)
		if g == nil || r.kernel.abi.Params[a.Param].Access&abi.Write == 0 || r.kernel.abi.Params[a.Param].Offset < 0 {
			continue
		}
		off := g.pad + uint64(uintptr(a.Ptr)-g.lo)
		l, err := r.copy(g, off, hal.Command{Op: hal.OpRead, Src: g.mem.HAL(), SrcOff: off, Size: a.Size,
			Host: unsafe.Slice((*byte)(a.Ptr), a.Size)})
		if err != nil {
			return err
		}
		r.downloads = append(r.downloads, l)
	}
	return nil
}

// The method copy records a copy between the caller's memory and the region's memory at off.
func (r *run) copy(g *region, off uint64, cmd hal.Command) (*pending, error) {
	l := newPending(r.dev, nil)
	l.needRare().ctx = r.ctx
	access, what := abi.Write, "copying to the device "
	if cmd.Op == hal.OpRead {
		access, what = abi.Read, "copying from the device "
	}
	cmd.Cancel = &r.l.needRare().cancel
	n := stream.Command{Cmd: cmd, Uses: []stream.Use{{Mem: g.mem, Lo: off, Hi: off + cmd.Size, Access: access}}}
	if err := r.dev.stream.Record(r.ctx, &r.rec, &n, &l.ev); err != nil {
		return nil, backendError(r.dev, r.kernel, what+r.dev.Name(), err)
	}
	return l, nil
}

// The method end frees the device's memory. After that, the caller may use the caller's own memory
// again. The method end is also called after an error.
func (r *run) end(err error) {
	if err != nil {
		r.l.needRare().cancel.Ask()
		if r.wrapped && r.l.needRare().cancel.Begun() {
			r.l.ev.Wait(context.Background()) // the kernel runs now, and will stop soon
		}
	}
	// The errors of all commands have been returned already.
	if out := r.l.rare().output; out != nil {
		out.ev.Forget()
	}
	for _, l := range append(append(r.uploads, r.downloads...), r.l) {
		l.ev.Forget()
	}
	for i := range r.regions {
		if m := r.regions[i].mem; m != nil {
			m.Free()
		}
	}
}
