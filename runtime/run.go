package runtime

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/graph"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Run is called by generated code. It launches a kernel on slices of the
// caller's memory and waits.
func (d *Device) Run(ctx context.Context, k *Kernel, c *launch.Call, opts []LaunchOption) error {
	if err := d.usable(); err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil").about(k)
	}
	o, err := readOptions(d, opts)
	if err != nil {
		return err
	}
	p, err := d.check(k, c, &o)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return waitError(err)
	}
	r := run{dev: d, kernel: k}
	defer r.free()
	if !p.empty {
		if err := r.layOut(c); err != nil {
			return err
		}
		if err := r.upload(c); err != nil {
			return err
		}
	}
	ev, err := d.record(&r.rec, k, c, &p, o.after)
	if err != nil {
		return err
	}
	last := ev
	if !p.empty {
		if last, err = r.download(c, ev); err != nil {
			return err
		}
	}
	d.stream.Flush() // the caller's memory has now been read
	if err := last.Wait(ctx); err != nil {
		return err
	}
	return ev.Wait(ctx)
}

// run is one launch on the caller's memory.
type run struct {
	dev     *Device
	kernel  *Kernel
	rec     graph.Recorder
	regions []region
}

// region is memory of the caller's that one or more slices share.
type region struct {
	lo, hi uintptr
	ptr    unsafe.Pointer // lo, for the garbage collector
	pad    uint64         // keeps the alignment that the memory has on the host
	mem    *graph.Memory
}

// wrapper is a device that can use the caller's memory as it is.
type wrapper interface {
	Wrap(p unsafe.Pointer, size uint64) hal.Memory
}

// layOut gives each slice its place on the device. Slices that overlap in the
// caller's memory do so on the device.
func (r *run) layOut(c *launch.Call) error {
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
	w, direct := r.dev.hal.(wrapper)
	for i := range r.regions {
		g := &r.regions[i]
		if direct {
			g.mem = r.dev.stream.NewMemory(w.Wrap(g.ptr, uint64(g.hi-g.lo)))
			continue
		}
		g.pad = uint64(g.lo % abi.MinSliceAlign)
		size := uint64(g.hi-g.lo) + g.pad
		if limit := r.dev.info.Limits.MaxAllocation; size > limit {
			return errorf(ErrMemoryAllocation, "a slice of %d bytes is larger than the %d bytes that the device %s allows",
				size, limit, r.dev.Name()).about(r.kernel)
		}
		mem, err := r.dev.alloc(size)
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
		c.Slices = append(c.Slices, s)
	}
	return nil
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

// find returns the region that the slice lies in.
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

// upload copies the caller's memory to the device: also that which is only
// written, since a kernel need not write all of it.
func (r *run) upload(c *launch.Call) error {
	if _, direct := r.dev.hal.(wrapper); direct {
		return nil
	}
	for i := range r.regions {
		g := &r.regions[i]
		n := graph.Node{
			Cmd: hal.Command{Op: hal.OpWrite, Dst: g.mem.HAL(), DstOff: g.pad, Size: uint64(g.hi - g.lo),
				Host: unsafe.Slice((*byte)(g.ptr), g.hi-g.lo)},
			Uses: []graph.Use{{Mem: g.mem, Lo: g.pad, Hi: g.pad + uint64(g.hi-g.lo), Access: abi.Write}},
		}
		if err := r.dev.stream.Record(&r.rec, &n, &newLaunched(r.dev, nil).ev); err != nil {
			return backendError(r.dev, r.kernel, "copying to the device "+r.dev.Name(), err)
		}
	}
	return nil
}

// download copies the written slices back, and returns the event to wait for.
func (r *run) download(c *launch.Call, last Event) (Event, error) {
	if _, direct := r.dev.hal.(wrapper); direct {
		return last, nil
	}
	for i := range c.Host {
		a := &c.Host[i]
		g := r.find(a)
		if g == nil || r.kernel.abi.Params[a.Param].Access&abi.Write == 0 || r.kernel.abi.Params[a.Param].Offset < 0 {
			continue
		}
		off := g.pad + uint64(uintptr(a.Ptr)-g.lo)
		n := graph.Node{
			Cmd: hal.Command{Op: hal.OpRead, Src: g.mem.HAL(), SrcOff: off, Size: a.Size,
				Host: unsafe.Slice((*byte)(a.Ptr), a.Size)},
			Uses: []graph.Use{{Mem: g.mem, Lo: off, Hi: off + a.Size, Access: abi.Read}},
		}
		l := newLaunched(r.dev, nil)
		if err := r.dev.stream.Record(&r.rec, &n, &l.ev); err != nil {
			return last, backendError(r.dev, r.kernel, "copying from the device "+r.dev.Name(), err)
		}
		last = Event{l}
	}
	return last, nil
}

func (r *run) free() {
	for i := range r.regions {
		if m := r.regions[i].mem; m != nil {
			m.Free()
		}
	}
}
