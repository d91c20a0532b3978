package runtime

import (
	"errors"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Profiling has the device note when its commands run, for Event.Profile. Without it launches
// cost nothing for that; with it, each one has two timestamps written on the device.
func Profiling() OpenOption { return openFunc(func(o *openOptions) { o.profile = true }) }

// Profile is when a command was queued, handed to the device, begun and ended there, in this order:
// Queued <= Submitted <= Start <= End.
//
// All are times of the host's monotonic clock, which package time measures with, and may be
// compared with time.Now. Start and End are read from the device's clock; their difference is as
// exact as that clock. Where they lie on the host's clock is what the driver says, where it compares
// the clocks (VK_EXT_calibrated_timestamps), and else found with empty submissions, as exactly as the
// time that one takes. What would contradict the order above is moved to where it does not.
type Profile struct {
	Queued    time.Time // the launch was called
	Submitted time.Time // the batch with the command was handed to the driver
	Start     time.Time // what it waits for on the device was done
	End       time.Time // it was done on the device
}

// Duration returns how long the command ran on the device: End - Start.
func (p Profile) Duration() time.Duration { return p.End.Sub(p.Start) }

// Profile returns when the command ran. The profile of a submitted graph is that of the whole run;
// that of a launch over an empty range is the end of what it waited for. A copy from or to the
// host ends when the device has done its part.
//
// The errors are of class ErrNoProfile if the device was opened without Profiling or writes no
// timestamps, and ErrInvalid if the command has not completed yet or is a node of a graph. A
// command that did not run returns what Wait does.
func (e Event) Profile() (Profile, error) {
	switch l := e.l; {
	case l == nil:
		return Profile{}, errorf(ErrInvalid, "the zero Event has no profile").advise("use one that a launch returned")
	case l.rare().node != nil:
		return Profile{}, errorf(ErrInvalid, "a node of a graph has no profile").advise("ask the event of Queue.Submit")
	case !l.dev.profiling:
		return Profile{}, errorf(ErrNoProfile, "the device %s was opened without profiling", l.dev.Name()).
			advise("open it with runtime.Profiling()")
	case l.dev.noClock != nil:
		err := errorf(ErrNoProfile, "the device %s does not say when commands run", l.dev.Name())
		err.Err = l.dev.noClock
		return Profile{}, err
	case !e.Done():
		return Profile{}, errorf(ErrInvalid, "the command has not completed yet").advise("wait for the event first")
	}
	t := e.l.times()
	if t.Lost {
		return Profile{}, errorf(ErrNoProfile, "the timestamps of the device %s could not be read", e.l.dev.Name())
	}
	if t.Start == 0 {
		if err := e.l.failure(); err != nil {
			return Profile{}, err
		}
		t.Ran(0, 0) // there was nothing to do
	}
	t.Submitted = max(t.Submitted, t.Queued)
	return Profile{hal.Time(t.Queued), hal.Time(t.Submitted), hal.Time(t.Start), hal.Time(t.End)}, nil
}

// times returns the times of a command that is done, or of all those that it stands for.
func (l *pending) times() hal.Times {
	var t hal.Times
	if l.ev.Times != nil {
		t = *l.ev.Times
	}
	if len(t.Nodes) > 0 {
		t.Sum()
	}
	for _, p := range l.rare().parts {
		n := p.times()
		t.Lost = t.Lost || n.Lost
		if n.Start != 0 {
			if t.Submitted == 0 || n.Submitted < t.Submitted {
				t.Submitted = n.Submitted
			}
			t.Ran(n.Start, n.End)
		}
	}
	if l.rare().parts == nil {
		for _, a := range l.ev.After() {
			if a.Times != nil {
				t.Lost = t.Lost || a.Times.Lost
			}
			if a.Times != nil && a.Times.End != 0 { // a marker begins and ends when the last of them ends
				t.Submitted = max(t.Submitted, a.Times.Submitted)
				t.Start, t.End = max(t.Start, a.Times.End, t.Queued), max(t.End, a.Times.End, t.Queued)
			}
		}
	}
	return t
}

var errNoClock = errors.New("its backend has no clock")

// clock has the device and its stream time commands, if the options ask for that.
func (d *Device) clock(o *openOptions) {
	d.profiling = o.profile
	if !o.profile && d.trace == nil {
		return
	}
	d.noClock = errNoClock
	if t, ok := d.hal.(hal.Timer); ok {
		d.noClock = t.Time()
	}
	d.timed = d.noClock == nil || d.trace != nil
	if d.timed {
		var observe stream.Observer
		if d.trace != nil {
			observe = d.observe
		}
		d.stream.Time(observe)
	}
}

// newTimes returns where the times of a command go, or nil if nobody asks for them.
func (d *Device) newTimes(about any) *hal.Times {
	if !d.timed {
		return nil
	}
	return &hal.Times{Queued: hal.Now(), About: about}
}
