package runtime

import (
	"context"

	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// The type launching is a launch on a queue. The storage of a launching stays with its call, for
// later launches.
type launching struct {
	exec.Launch
	command stream.Command // command of a remembered launch
	events  []pending      // unused events for later launches
}

// launchOf returns a launching for the call. launchOf reuses the storage that the call has kept.
func launchOf(c *launch.Call) *launching {
	l, _ := c.Own.(*launching)
	if l == nil {
		l = new(launching)
		c.Own = l
	}
	l.Begin(c)
	return l
}

// fewEvents is the number of events allocated at a time for launches without a context. An event
// that the program keeps also keeps the memory of the other events allocated.
const fewEvents = 24

// The method event returns a new event, as newPending does. If the launch's storage contains an
// unused event, the method event returns that event.
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

// newLaunching returns a launching for a call that has no storage for a launching.
func newLaunching(c *launch.Call) *launching { return &launching{Launch: exec.NewLaunch(c)} }

// The method record records the checked launch l. If too many launches are pending on the device,
// the method record waits, at most until ctx ends.
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

// The method command makes the launch's pipeline and returns the launch as a command of the
// device's stream. The caller must call p.LetGo when the command is recorded.
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

// fillsSubGroups reports whether all invocations that run in a work-group are work-items. The
// result is true if the work-group fills its last sub-group, or if the device runs no other
// invocations in that sub-group. Drivers on the processor may run other invocations. fillsSubGroups
// is called for modules that treat the work-group as having one dimension.
func (d *Device) fillsSubGroups(local [3]uint32) bool {
	if d.info.Type != hal.VulkanCPU {
		return true
	}
	n := d.info.SubGroups[1]
	return n > 0 && local[0]*local[1]*local[2]%uint32(n) == 0
}
