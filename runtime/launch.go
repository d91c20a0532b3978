package runtime

import (
	"context"

	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// queueLaunch is a launch on a queue. A launch.Call keeps the storage of its queueLaunch for later
// launches.
type queueLaunch struct {
	exec.Launch
	command stream.Command // command of a remembered launch
	events  []pending      // unused events for later launches
}

// launchOf returns a queueLaunch for the call. launchOf reuses the storage that the call has kept.
func launchOf(c *launch.Call) *queueLaunch {
	l, _ := c.Own.(*queueLaunch)
	if l == nil {
		l = new(queueLaunch)
		c.Own = l
	}
	l.Begin(c)
	return l
}

// fewEvents is the number of events allocated at a time for launches without a context. If the
// program keeps one of these events, the memory of all of them stays allocated.
const fewEvents = 24

// nextEvent returns a new event, as newPending does. If the launch's storage contains an
// unused event, nextEvent returns that event.
func (c *queueLaunch) nextEvent(dev *Device, k *Kernel) *pending {
	if len(c.events) == 0 {
		c.events = make([]pending, fewEvents)
	}
	l := &c.events[0]
	c.events = c.events[1:]
	l.dev, l.kernel, l.ev.Owner = dev, k, l
	if dev.measuresTimes {
		l.ev.Times = dev.newTimes(nil)
	}
	return l
}

// newLaunching returns a newly allocated queueLaunch for the call, and does not store it in the call.
func newLaunching(c *launch.Call) *queueLaunch { return &queueLaunch{Launch: exec.NewLaunch(c)} }

// recordLaunch records the checked launch l. If too many launches are pending on the device,
// recordLaunch waits, at most until ctx ends.
func (d *Device) recordLaunch(ctx context.Context, rec *stream.Recorder, l *pending, c *exec.Launch, p *exec.Plan, after []*stream.Event) error {
	k := l.kernel
	l.setLocalRange(p.Local)
	if p.Empty {
		l.dependOnEvents(after)
		return nil
	}
	c.Pass(k.abi)
	if p.Print != nil {
		return d.recordPrinting(ctx, rec, l, c, p, after)
	}
	n, err := d.launchCommand(ctx, l, c, p)
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

// launchCommand makes the launch's pipeline and returns the launch as a command of the
// device's stream. The caller must call p.LetGo when the command is recorded.
func (d *Device) launchCommand(ctx context.Context, l *pending, c *exec.Launch, p *exec.Plan) (stream.Command, error) {
	k := l.kernel
	if err := d.findPipeline(ctx, k, c, p); err != nil {
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
