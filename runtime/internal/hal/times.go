package hal

import "time"

// Times are the times, by Now, at which a command was queued, submitted, started and ended. 0 is
// unknown: a command without Start and End has not run, or had no work. The backend sets Start and
// End, once, before the command's batch has completed.
type Times struct {
	Queued, Submitted, Start, End int64
	Lost                          bool // the command ran, but its times could not be read
	// Nodes are the times of the commands of an OpGraph. The backend allocates them; nil if it does
	// not.
	Nodes []Times
	// About is data of the command's owner.
	About any
}

// Timer is an optional interface of a Device that measures when commands run.
type Timer interface {
	// Time makes the device fill in the Times of later commands. It is called before the first
	// Submit. The error is ErrNotSupported if the device has no clock.
	Time() error
}

var epoch = time.Now()

// Now returns the time in nanoseconds since the program began, by the monotonic clock of package
// time.
func Now() int64 { return int64(time.Since(epoch)) + 1 }

// Time returns a result of Now as a time.Time.
func Time(now int64) time.Time { return epoch.Add(time.Duration(now - 1)) }

// Ran records that the command, or a part of it, ran from start to end. The device's clock is
// converted with some error, so Ran moves times that would contradict the order of events.
func (t *Times) Ran(start, end int64) {
	start = max(start, t.Submitted, t.Queued, 1)
	end = max(start, end)
	if t.Start == 0 || start < t.Start {
		t.Start = start
	}
	t.End = max(t.End, end)
}

// Sum computes the command's times from those of the Nodes that ran. The Nodes do not change.
func (t *Times) Sum() {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Start != 0 {
			t.Ran(n.Start, n.End)
		}
		t.Lost = t.Lost || n.Lost
	}
}
