package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/graph"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Launch is called by generated code.
func (q *Queue) Launch(k *Kernel, c *launch.Call, opts []LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	o, err := readOptions(q.dev, opts)
	if err != nil {
		return Event{}, err
	}
	p, err := q.dev.check(k, c, &o)
	if err != nil {
		return Event{}, err
	}
	c.Cancel = o.cancel
	return q.dev.record(&q.rec, k, c, &p, o.after)
}

// readOptions applies the options. Events of other devices have no place in this
// device's order, so they are waited for here.
func readOptions(d *Device, opts []LaunchOption) (launchOptions, error) {
	var o launchOptions
	for _, opt := range opts {
		if opt == nil {
			return o, errorf(ErrInvalid, "a launch option is nil")
		}
		opt.applyLaunch(&o)
	}
	if o.err != nil {
		return o, o.err
	}
	for _, e := range o.after {
		waitForeign(d.stream, e)
	}
	return o, nil
}

func waitForeign(s *graph.Stream, e *graph.Event) {
	for _, a := range e.After() {
		waitForeign(s, a)
	}
	if es := e.Stream(); es != nil && es != s {
		e.Wait(context.Background())
	}
}

// record records a checked launch.
func (d *Device) record(rec *graph.Recorder, k *Kernel, c *launch.Call, p *plan, after []*graph.Event) (Event, error) {
	l := newLaunched(d, k)
	l.local = p.local
	if p.empty {
		if len(after) > 0 {
			l.ev = *graph.NewMarker(after)
			l.ev.Owner = l
		}
		return Event{l}, nil
	}
	passSlices(k.abi, c)
	pipeline, err := d.pipeline(k, c, p)
	if err != nil {
		return Event{}, err
	}
	n := graph.Node{
		Cmd: hal.Command{Op: hal.OpLaunch, Pipeline: pipeline, Args: c.Args, Slices: c.Passed, Cancel: c.Cancel,
			Global: deviceOrder(c.Rank, c.Global), Groups: deviceOrder(c.Rank, groups(k.abi, c, p))},
		Uses: c.Uses, After: after,
	}
	if err := d.stream.Record(rec, &n, &l.ev); err != nil {
		return Event{}, backendError(d, k, "the launch was not recorded", err)
	}
	return Event{l}, nil
}

// groups returns the number of work-groups in index order.
func groups(k *abi.Kernel, c *launch.Call, p *plan) [3]int {
	out := [3]int{1, 1, 1}
	for i := range c.Rank {
		per := p.local[i]
		if i == c.Rank-1 && c.Form == abi.Range {
			per *= max(k.Items, 1)
		}
		out[i] = (c.Global[i] + per - 1) / per
	}
	return out
}

// passSlices fills in the device slices' addresses and what they are used for.
func passSlices(k *abi.Kernel, c *launch.Call) {
	for i := range c.Slices {
		a := &c.Slices[i]
		param := &k.Params[a.Param]
		if param.Offset < 0 || a.Mem == nil || a.Len == 0 {
			continue // a zero slice
		}
		mem := a.Mem.HAL()
		binary.LittleEndian.PutUint64(c.Args[param.Offset:], mem.Address()+a.Off)
		binary.LittleEndian.PutUint64(c.Args[param.Offset+8:], uint64(a.Len))
		c.Passed = append(c.Passed, hal.SliceArg{Param: a.Param, Memory: mem, Offset: a.Off, Len: a.Len})
		c.Uses = append(c.Uses, graph.Use{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Access: param.Access})
	}
}

// deviceOrder turns index order into x, y, z, with 1 for absent dimensions.
func deviceOrder(rank int, v [3]int) [3]uint32 {
	out := [3]uint32{1, 1, 1}
	for i := range rank {
		out[i] = uint32(v[rank-1-i])
	}
	return out
}

// builtKernel holds a kernel's pipelines on one device.
type builtKernel struct {
	mu       sync.Mutex
	variants []variant
}

type variant struct {
	local    [3]int
	subGroup int
	small    bool
	cancel   bool
	specs    []hal.SpecValue
	pipeline hal.Pipeline
}

// pipeline returns the kernel with all its constants set, built when first used.
func (d *Device) pipeline(k *Kernel, c *launch.Call, p *plan) (hal.Pipeline, error) {
	local := deviceOrder(c.Rank, p.local)
	cancel := c.Cancel != nil && !d.direct() && k.leaves()
	small := d.small && !d.direct() && !cancel && k.isSmall(c)
	reservedSpecs(c, local, d.correct, d.whole(local))
	d.mu.Lock()
	if d.kernels == nil {
		d.mu.Unlock()
		return nil, d.usable()
	}
	b := d.kernels[k]
	if b == nil {
		b = &builtKernel{}
		d.kernels[k] = b
	}
	d.mu.Unlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.variants {
		v := &b.variants[i]
		if v.local == p.local && v.subGroup == p.subGroup && v.small == small && v.cancel == cancel && slices.Equal(v.specs, c.Specs) {
			return v.pipeline, nil
		}
	}
	desc := hal.PipelineDesc{
		Kernel: k.abi, Specs: slices.Clone(c.Specs), LocalSize: local,
		SubGroupSize: p.subGroup, Host: k.host, HostSpecs: slices.Clone(c.HostSpecs),
	}
	h, err := d.build(k, desc, small, cancel)
	if err != nil {
		if e := new(Error); errors.As(err, &e) {
			return nil, err
		}
		return nil, backendError(d, k, "the device "+d.Name()+" does not take the kernel", err)
	}
	d.pipelines.Add(1)
	b.variants = append(b.variants, variant{p.local, p.subGroup, small, cancel, slices.Clone(c.Specs), h})
	return h, nil
}

// build makes a pipeline of the kernel's module, or of the variant that the device
// needs, or of that for small launches, or one that leaves when it is asked to. Where the
// driver fails on the module, as compilers do, a variant may do: it is other code for the
// same results.
func (d *Device) build(k *Kernel, desc hal.PipelineDesc, small, cancel bool) (hal.Pipeline, error) {
	if d.direct() {
		return d.newPipeline(&desc)
	}
	if name := k.abi.Damaged(); name != "" {
		return nil, errorf(ErrBuild, "the file %s that was built in is not the one that its stubs were written with", name).about(k).
			advise("run kgen again, and commit what it writes")
	}
	v, missing := k.variant(d.Has, cancel)
	if missing != 0 && cancel {
		v, missing = k.variant(d.Has, false)
	}
	if missing != 0 {
		return nil, d.lacks(k, "needs", missing).about(k)
	}
	if v == nil && small {
		if h, err := d.buildVariant(k, k.small, desc); err == nil {
			return h, nil
		}
	}
	h, err := d.buildVariant(k, v, desc)
	if cancel && errors.Is(err, hal.ErrPipeline) {
		return d.build(k, desc, false, false) // which runs, if it does not leave
	}
	if v == nil && errors.Is(err, hal.ErrPipeline) {
		for i := range k.abi.Variants {
			if k.abi.Variants[i].Products != nil || k.abi.Variants[i].Cancel != cancel {
				continue
			}
			if h, err := d.buildVariant(k, &k.abi.Variants[i], desc); err == nil {
				return h, nil
			}
		}
	}
	return h, err
}

// buildVariant makes a pipeline of the kernel's own module, if v is nil, or of v.
func (d *Device) buildVariant(k *Kernel, v *abi.Variant, desc hal.PipelineDesc) (hal.Pipeline, error) {
	desc.SPIRV = k.module(v)
	desc.Cancels = v != nil && v.Cancel
	if v != nil && slices.Contains(v.Without, properties.Int64) {
		desc.Specs = splitSpecs(k.abi, desc.Specs)
	}
	return d.newPipeline(&desc)
}

func (d *Device) newPipeline(desc *hal.PipelineDesc) (hal.Pipeline, error) {
	if !d.stream.Enter() {
		return nil, graph.ErrClosed
	}
	defer d.stream.Leave()
	return d.hal.NewPipeline(desc)
}

// splitSpecs gives modules without 64-bit integers the words of such constants.
func splitSpecs(k *abi.Kernel, specs []hal.SpecValue) []hal.SpecValue {
	float := func(id uint32) bool {
		return slices.ContainsFunc(k.Specs, func(s abi.SpecConstant) bool { return s.ID == id && s.Type == "float64" })
	}
	var out []hal.SpecValue
	for _, s := range specs {
		if s.Size != 8 || float(s.ID) {
			out = append(out, s)
			continue
		}
		out = append(out, hal.SpecValue{ID: s.ID, Size: 4, Bits: s.Bits & 0xffffffff},
			hal.SpecValue{ID: abi.SpecHigh + s.ID, Size: 4, Bits: s.Bits >> 32})
	}
	return out
}

// reservedSpecs adds the values of the reserved specialization constants to those
// of the kernel's own. Modules need not have them.
func reservedSpecs(c *launch.Call, local [3]uint32, correct, whole bool) {
	for i, n := range local {
		c.Specs = append(c.Specs, hal.SpecValue{ID: abi.SpecLocalSizeX + uint32(i), Size: 4, Bits: uint64(n)})
	}
	for i, n := range c.Accessors {
		c.Specs = append(c.Specs, hal.SpecValue{ID: abi.SpecAccessor + uint32(i), Size: 4, Bits: uint64(n)})
	}
	for _, flag := range []struct {
		id uint32
		on bool
	}{{abi.SpecExactDivide, correct}, {abi.SpecWhole, whole}} {
		v := hal.SpecValue{ID: flag.id, Size: 4}
		if flag.on {
			v.Bits = 1
		}
		c.Specs = append(c.Specs, v)
	}
}

// whole reports whether all invocations of a work-group are work-items, or the device
// keeps others from running: drivers on the processor may not. It is asked for modules
// to which the work-group has one dimension.
func (d *Device) whole(local [3]uint32) bool {
	if d.info.Type != hal.VulkanCPU {
		return true
	}
	n := d.info.SubGroups[1]
	return n > 0 && local[0]*local[1]*local[2]%uint32(n) == 0
}
