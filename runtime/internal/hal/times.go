package hal

import "time"

// Times contains the times at which a command was queued, submitted, started and ended. The times
// are results of the function Now, or 0 if they are unknown. If Start and End are 0, the command
// has not run, or had no work. The backend sets Start and End once, before the command's batch has
// completed.
type Times struct {
	Queued, Submitted, Start, End int64
	Lost                          bool // the command ran, but its times could not be read
	// Nodes contains the times of the commands of an OpGraph. The backend allocates the slice
	// Nodes, or leaves Nodes nil.
	Nodes []Times
	// About is a value for the command's owner. Backends do not use this value.
	About any
}

// Timer is an optional interface of a Device that measures when commands run.
type Timer interface {
	// Time tells the device to set the Times of later commands. Time must be called before the
	// first Submit. If the device has no clock, Time returns ErrNotSupported.
	Time() error
}

var epoch = time.Now()

// Now returns the time since the program began, in nanoseconds of Go's monotonic clock.
func Now() int64 { return int64(time.Since(epoch)) + 1 }

// Time converts a result of Now to a time.Time.
func Time(now int64) time.Time { return epoch.Add(time.Duration(now - 1)) }

// The method Ran records that the command, or a part of the command, ran from start to end. Because
// the conversion from the device's clock is not exact, Ran moves start and end if they are before
// Queued or Submitted.
func (t *Times) Ran(start, end int64) {
	start = max(start, t.Submitted, t.Queued, 1)
	end = max(start, end)
	if t.Start == 0 || start < t.Start {
		t.Start = start
	}
	t.End = max(t.End, end)
}

// Sum computes the times of an OpGraph from the times of the Nodes that ran. Sum does not change
// Nodes.
func (t *Times) Sum() {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Start != 0 {
			t.Ran(n.Start, n.End)
		}
		t.Lost = t.Lost || n.Lost
	}
}
