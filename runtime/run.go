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

// runOnSlices launches a kernel on slices of the caller's memory and waits.
//
// When ctx ends first, runOnSlices cancels the launch, as WithContext does, and returns. After
// runOnSlices has returned, neither the runtime nor the device accesses the caller's memory.
func (d *Device) runOnSlices(ctx context.Context, k *Kernel, in *queueLaunch, opts []LaunchOption) (err error) {
	if err := d.usable(); err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil").setKernel(k)
	}
	own, err := runOptions(k, opts)
	if err != nil {
		return err
	}
	own.ctx = ctx
	if err := own.waitForeign(d); err != nil {
		return err
	}
	o := commandOrder{launchOptions: own, dev: d, recorderEnds: true}
	c := &in.Launch
	var p exec.Plan
	r := sliceRun{dev: d, kernel: k, ctx: ctx, l: newPending(d, k)}
	began := false
	defer func() {
		if began {
			r.freeMemory(err)
		}
	}()
	ev, err := o.runSteps(r.l, func() error {
		if p, err = d.checkLaunch(k, c, &o.launchOptions); err != nil {
			return err
		}
		return d.mayWait()
	}, func(ctx context.Context, cancel *hal.Cancel) error {
		began = true
		r.l.needRare().ctx = ctx
		c.Cancel = cancel
		defer p.LetGo()
		return r.recordLaunch(c, &p, o.after)
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
		return err // the launch's error describes the problem better than the copies' errors
	}
	return lost
}

// recordLaunch records the launch, between copies of the caller's memory to the device and
// back.
func (r *sliceRun) recordLaunch(c *exec.Launch, p *exec.Plan, after []*stream.Event) error {
	if p.Empty {
		return r.dev.recordLaunch(r.ctx, &r.rec, r.l, c, p, after)
	}
	if err := r.layOut(c, p); err != nil {
		return err
	}
	if err := r.uploadAll(); err != nil {
		return err
	}
	if err := r.dev.recordLaunch(r.ctx, &r.rec, r.l, c, p, after); err != nil {
		return err
	}
	return r.downloadWritten(c)
}

// RunCommand enqueues a launch and waits for it. When ctx ends first, the launch is cancelled, as
// with WithContext.
func (forStubs) RunCommand(ctx context.Context, q *Queue, c Command) error {
	if err := q.usable(); err != nil {
		return err
	}
	k := c.c.kernel
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil").setKernel(k)
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
	ev, err := q.enqueueLaunch(k, newLaunching(c.c.call), opts)
	if err != nil {
		return err
	}
	return ev.Wait(ctx)
}

// errOwnContext returns the error for a call of Run with the option WithContext.
func errOwnContext(k *Kernel) error {
	return errorf(ErrInvalid, "WithContext is for launches that nobody waits for").setKernel(k).
		advise("give Run that context")
}

// sliceRun contains the state of one launch on the caller's memory.
type sliceRun struct {
	dev     *Device
	kernel  *Kernel
	ctx     context.Context
	rec     stream.Recorder
	l       *pending // event of the launch, whose cancel request also ends the copies
	regions []hostRegion
	wrapped bool // the kernel uses the caller's memory directly

	uploads, downloads []*pending
}

// hostRegion is a range of the caller's memory that one or more slices use.
type hostRegion struct {
	lo, hi uintptr
	ptr    unsafe.Pointer // start of the region, as a pointer that keeps the memory alive
	pad    uint64         // number of unused bytes before the region on the device; they give the region the same alignment as on the host
	mem    *stream.Memory
}

// memoryWrapper is a device that can use the caller's memory directly.
type memoryWrapper interface {
	Wrap(p unsafe.Pointer, size uint64) hal.Memory
}

// layOut allocates device memory for the regions, and gives each slice its memory on the device.
// Slices that overlap in the caller's memory overlap on the device, too.
func (r *sliceRun) layOut(c *exec.Launch, p *exec.Plan) error {
	args := c.Host
	regions := make([]hostRegion, 0, len(args))
	for i := range args {
		a := &args[i]
		if a.Size > 0 && r.kernel.abi.Params[a.Param].Offset >= 0 {
			lo := uintptr(a.Ptr)
			regions = append(regions, hostRegion{lo: lo, hi: lo + uintptr(a.Size), ptr: a.Ptr})
		}
	}
	r.regions = mergeRegions(regions)
	w, err := r.directDevice(c, p)
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
				size, limit, r.dev.Name()).setKernel(r.kernel)
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
		if g := r.regionOf(a); g != nil {
			s.Mem, s.Off, s.Len = g.mem, g.pad+uint64(uintptr(a.Ptr)-g.lo), a.Len
		}
		c.Place(s)
	}
	return nil
}

// directDevice returns the device if its kernels may use the caller's memory directly. Direct use
// is allowed if Run can wait until the kernel has stopped. Run can wait until the kernel has
// stopped if the context of Run cannot end, or if the kernel stops soon after a request to cancel.
func (r *sliceRun) directDevice(c *exec.Launch, p *exec.Plan) (memoryWrapper, error) {
	w, ok := r.dev.hal.(memoryWrapper)
	if !ok {
		return nil, nil
	}
	if c.Cancel == nil {
		return w, nil
	}
	if err := r.dev.findPipeline(r.ctx, r.kernel, c, p); err != nil {
		return nil, err
	}
	if s, ok := p.Pipeline.Code.(hal.Canceller); ok && s.Cancels() {
		return w, nil
	}
	return nil, nil
}

// mergeRegions sorts the regions and joins overlapping regions.
func mergeRegions(regions []hostRegion) []hostRegion {
	slices.SortFunc(regions, func(a, b hostRegion) int { return cmp.Compare(a.lo, b.lo) })
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

// regionOf returns the region that contains the slice.
func (r *sliceRun) regionOf(a *launch.HostArg) *hostRegion {
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

// uploadAll copies the caller's memory to the device. uploadAll also copies memory that the
// kernel only writes, because a kernel need not write all of that memory.
func (r *sliceRun) uploadAll() error {
	if r.wrapped {
		return nil
	}
	for i := range r.regions {
		g := &r.regions[i]
		size := uint64(g.hi - g.lo)
		l, err := r.recordTransfer(g, g.pad, hal.Command{Op: hal.OpWrite, Dst: g.mem.HAL(), DstOff: g.pad, Size: size,
			Host: unsafe.Slice((*byte)(g.ptr), size)})
		if err != nil {
			return err
		}
		r.uploads = append(r.uploads, l)
	}
	return nil
}

// downloadWritten copies slices back to the caller's memory if the kernel has written them.
func (r *sliceRun) downloadWritten(c *exec.Launch) error {
	if r.wrapped {
		return nil
	}
	for i := range c.Host {
		a := &c.Host[i]
		g := r.regionOf(a)
		if g == nil || r.kernel.abi.Params[a.Param].Access&abi.Write == 0 || r.kernel.abi.Params[a.Param].Offset < 0 {
			continue
		}
		off := g.pad + uint64(uintptr(a.Ptr)-g.lo)
		l, err := r.recordTransfer(g, off, hal.Command{Op: hal.OpRead, Src: g.mem.HAL(), SrcOff: off, Size: a.Size,
			Host: unsafe.Slice((*byte)(a.Ptr), a.Size)})
		if err != nil {
			return err
		}
		r.downloads = append(r.downloads, l)
	}
	return nil
}

// recordTransfer records a copy between the caller's memory and the region's memory at off.
func (r *sliceRun) recordTransfer(g *hostRegion, off uint64, cmd hal.Command) (*pending, error) {
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

// freeMemory frees the regions' memory on the device. Once freeMemory has returned, the device no
// longer uses the caller's memory. freeMemory is also called after an error.
func (r *sliceRun) freeMemory(err error) {
	if err != nil {
		r.l.needRare().cancel.Ask()
		if r.wrapped && r.l.needRare().cancel.Begun() {
			r.l.ev.Wait(context.Background()) // the kernel runs now, and will stop soon
		}
	}
	// The errors of all commands have been returned already, so a later wait must not return them again.
	if out := r.l.rareFields().output; out != nil {
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
