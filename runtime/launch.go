package runtime

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// launching is a call's launch on a queue, with storage that stays with the call's.
type launching struct {
	exec.Launch
	command stream.Command // the command of a launch that the device remembers
	events  []pending      // the events of launches to come
}

// launchOf returns a launch of the call.
func launchOf(c *launch.Call) *launching {
	l, _ := c.Own.(*launching)
	if l == nil {
		l = new(launching)
		c.Own = l
	}
	l.Begin(c)
	return l
}

// fewEvents is how many events are made at a time for launches without a context: each that is
// kept keeps the others' memory.
const fewEvents = 24

// event returns a new pending, as newPending does, from those that the launch keeps.
func (c *launching) event(dev *Device, k *Kernel) *pending {
	if len(c.events) == 0 {
		c.events = make([]pending, fewEvents)
	}
	l := &c.events[0]
	c.events = c.events[1:]
	l.dev, l.kernel, l.ev.Owner = dev, k, l
	if dev.timed {
		l.ev.Times = dev.newTimes(nil)
	}
	return l
}

// newLaunching returns a launch of a call whose storage is no stub's.
func newLaunching(c *launch.Call) *launching { return &launching{Launch: exec.NewLaunch(c)} }

// record records the checked launch l. It waits for room in the device's line until
// ctx ends.
func (d *Device) record(ctx context.Context, rec *stream.Recorder, l *pending, c *exec.Launch, p *plan, after []*stream.Event) error {
	k := l.kernel
	l.setLocalRange(p.local)
	if p.empty {
		l.becomes(after)
		return nil
	}
	c.Pass(k.abi)
	if p.print != nil {
		return d.recordPrinting(ctx, rec, l, c, p, after)
	}
	n, err := d.command(ctx, l, c, p)
	if err != nil {
		return err
	}
	defer p.letGo()
	n.After = after
	if after == nil && c.Cancel == nil {
		d.remember(k, c, p)
	}
	if err := d.stream.Record(ctx, rec, &n, &l.ev); err != nil {
		return backendError(d, k, "the launch was not recorded", err)
	}
	return nil
}

// command returns the launch as a command of the device's stream, once its pipeline is made.
// Whoever calls it calls p.letGo when the command is recorded.
func (d *Device) command(ctx context.Context, l *pending, c *exec.Launch, p *plan) (stream.Command, error) {
	k := l.kernel
	if err := d.find(ctx, k, c, p); err != nil {
		return stream.Command{}, err
	}
	if c.Cancel != nil && k.abi.Lingers {
		s, ok := p.variant.pipeline.(hal.Canceller)
		l.stays = !ok || !s.Cancels()
	}
	return launchCommand(k, c, p, p.variant), nil
}

// launchCommand returns a launch with a pipeline as a command of the device's stream.
func launchCommand(k *Kernel, c *exec.Launch, p *plan, v *variant) stream.Command {
	// The pipeline is a use without access: it lives until the batch has completed.
	c.Uses = append(c.Uses, stream.Use{Mem: v.handle})
	return stream.Command{
		Cmd: hal.Command{Op: hal.OpLaunch, Pipeline: v.pipeline, Cancel: c.Cancel, Args: c.Block, Slices: c.Passed,
			Global: deviceOrder(c.Rank, c.Global), Groups: deviceOrder(c.Rank, groups(k.abi, c, p))},
		Uses: c.Uses,
	}
}

// groups returns the number of work-groups in index order.
func groups(k *abi.Kernel, c *exec.Launch, p *plan) [3]int {
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

// deviceOrder turns index order into x, y, z, with 1 for absent dimensions.
func deviceOrder(rank int, v [3]int) [3]uint32 {
	out := [3]uint32{1, 1, 1}
	for i := range rank {
		out[i] = uint32(v[rank-1-i])
	}
	return out
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
func reservedSpecs(c *exec.Launch, local [3]uint32, correct, fused, flushes, whole bool) {
	for i, n := range local {
		c.Specs = append(c.Specs, hal.SpecValue{ID: abi.SpecLocalSizeX + uint32(i), Size: 4, Bits: uint64(n)})
	}
	for i, n := range c.Accessors {
		c.Specs = append(c.Specs, hal.SpecValue{ID: abi.SpecAccessor + uint32(i), Size: 4, Bits: uint64(n)})
	}
	flushed := hal.SpecValue{ID: abi.SpecFlushed, Size: 4}
	if flushes {
		flushed.Bits = abi.SubnormalFloats
	}
	c.Specs = append(c.Specs, flushed)
	for _, flag := range []struct {
		id uint32
		on bool
	}{{abi.SpecExactDivide, correct}, {abi.SpecFused, fused}, {abi.SpecWhole, whole}} {
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
