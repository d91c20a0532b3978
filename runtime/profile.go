package runtime

import (
	"errors"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Profiling records when the device's commands run, for Event.Profile. Without Profiling, the
// device measures no times, and launches are not slowed down. With Profiling, the device writes two
// timestamps for each command.
func Profiling() OpenOption { return openFunc(func(o *openOptions) { o.profile = true }) }

// Profile contains the times when a command was queued, submitted to the device, started and ended.
// The times satisfy Queued <= Submitted <= Start <= End.
//
// All times are times of the host's monotonic clock, which package time uses, and may be compared
// with time.Now. Start and End are read from the device's clock, and their difference is as exact
// as that clock. To convert Start and End to the host's clock, the runtime asks the driver to
// compare the clocks, if the driver can (VK_EXT_calibrated_timestamps). If the driver cannot
// compare the clocks, the runtime uses empty submissions. The error of the conversion is then at
// most the duration of a submission. If a converted time contradicts the order of the four times,
// the runtime changes that time.
type Profile struct {
	Queued    time.Time // time at which the program launched the command
	Submitted time.Time // time when the batch with the command was submitted to the driver
	Start     time.Time // time when the device had completed the commands that this command waits for
	End       time.Time // time when the command was done on the device
}

// Duration returns End - Start, which is how long the command ran on the device.
func (p Profile) Duration() time.Duration { return p.End.Sub(p.Start) }

// Profile returns when the command ran. The profile of a submitted graph covers the whole run. A launch over an empty
// range ends when the commands that it waited for have ended. A copy from or to the host ends when the device has
// completed its part of the copy.
//
// Errors are of class ErrNoProfile if the device was opened without Profiling or writes no
// timestamps. Errors are of class ErrInvalid if the command has not completed yet or is a node of a
// graph. For a command that did not run, Profile returns the error of Wait.
func (e Event) Profile() (Profile, error) {
	switch l := e.l; {
	case l == nil:
		return Profile{}, errorf(ErrInvalid, "the zero Event has no profile").advise("use one that a launch returned")
	case l.rareFields().node != nil:
		return Profile{}, errorf(ErrInvalid, "a node of a graph has no profile").advise("ask the event of Queue.Submit")
	case !l.dev.profilingOn:
		return Profile{}, errorf(ErrNoProfile, "the device %s was opened without profiling", l.dev.Name()).
			advise("open it with runtime.Profiling()")
	case l.dev.noClock != nil:
		err := errorf(ErrNoProfile, "the device %s does not say when commands run", l.dev.Name())
		err.Err = l.dev.noClock
		return Profile{}, err
	case !e.Done():
		return Profile{}, errorf(ErrInvalid, "the command has not completed yet").advise("wait for the event first")
	}
	t := e.l.commandTimes()
	if t.Lost {
		return Profile{}, errorf(ErrNoProfile, "the timestamps of the device %s could not be read", e.l.dev.Name())
	}
	if t.Start == 0 {
		if err := e.l.commandError(); err != nil {
			return Profile{}, err
		}
		t.Ran(0, 0) // the command had no work
	}
	t.Submitted = max(t.Submitted, t.Queued)
	return Profile{hal.Time(t.Queued), hal.Time(t.Submitted), hal.Time(t.Start), hal.Time(t.End)}, nil
}

// commandTimes returns the times of a completed command. If a command has several parts, the times
// begin with the start of the first part, and end with the end of the last part.
func (l *pending) commandTimes() hal.Times {
	var t hal.Times
	if l.ev.Times != nil {
		t = *l.ev.Times
	}
	if len(t.Nodes) > 0 {
		t.Sum()
	}
	for _, p := range l.rareFields().parts {
		n := p.commandTimes()
		t.Lost = t.Lost || n.Lost
		if n.Start != 0 {
			if t.Submitted == 0 || n.Submitted < t.Submitted {
				t.Submitted = n.Submitted
			}
			t.Ran(n.Start, n.End)
		}
	}
	if l.rareFields().parts == nil {
		for _, a := range l.ev.After() {
			if a.Times != nil {
				t.Lost = t.Lost || a.Times.Lost
			}
			if a.Times != nil && a.Times.End != 0 { // a command without work begins and ends when its last predecessor ends
				t.Submitted = max(t.Submitted, a.Times.Submitted)
				t.Start, t.End = max(t.Start, a.Times.End, t.Queued), max(t.End, a.Times.End, t.Queued)
			}
		}
	}
	return t
}

var errNoClock = errors.New("its backend has no clock")

// startClock makes the device and its stream measure when commands run, if an option requires these
// times.
func (d *Device) startClock(o *openOptions) {
	d.profilingOn = o.profile
	if !o.profile && d.trace == nil {
		return
	}
	d.noClock = errNoClock
	if t, ok := d.hal.(hal.Timer); ok {
		d.noClock = t.Time()
	}
	d.measuresTimes = d.noClock == nil || d.trace != nil
	if d.measuresTimes {
		var observe stream.Observer
		if d.trace != nil {
			observe = d.traceCommand
		}
		d.stream.Time(observe)
	}
}

// newTimes returns memory for the times of a command, or nil if the device does not measure times.
func (d *Device) newTimes(about any) *hal.Times {
	if !d.measuresTimes {
		return nil
	}
	return &hal.Times{Queued: hal.Now(), About: about}
}
