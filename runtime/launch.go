package runtime

import (
	"context"

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

// event returns a new pending as newPending does. It takes one that the launch keeps, if there is one.
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
func (d *Device) record(ctx context.Context, rec *stream.Recorder, l *pending, c *exec.Launch, p *exec.Plan, after []*stream.Event) error {
	k := l.kernel
	l.setLocalRange(p.Local)
	if p.Empty {
		l.becomes(after)
		return nil
	}
	c.Pass(k.abi)
	if p.Print != nil {
		return d.recordPrinting(ctx, rec, l, c, p, after)
	}
	n, err := d.command(ctx, l, c, p)
	if err != nil {
		return err
	}
	defer p.LetGo()
	n.After = after
	if after == nil && c.Cancel == nil {
		d.memos.Remember(k.code, c, p, d.hasSmall(k))
	}
	if err := d.stream.Record(ctx, rec, &n, &l.ev); err != nil {
		return backendError(d, k, "the launch was not recorded", err)
	}
	return nil
}

// command returns the launch as a command of the device's stream, once its pipeline is made.
// Whoever calls it calls p.letGo when the command is recorded.
func (d *Device) command(ctx context.Context, l *pending, c *exec.Launch, p *exec.Plan) (stream.Command, error) {
	k := l.kernel
	if err := d.find(ctx, k, c, p); err != nil {
		return stream.Command{}, err
	}
	if c.Cancel != nil && k.abi.Lingers {
		s, ok := p.Pipeline.Code.(hal.Canceller)
		l.stays = !ok || !s.Cancels()
	}
	return c.Command(k.abi, p, p.Pipeline), nil
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
