package hal

import "time"

// Times are when a command was queued, handed to the device, begun and ended there, by Now. 0 is
// unknown: a command without Start and End has not run, or had nothing to do. The backend sets
// Start and End, once, by the time that the command's batch has completed.
type Times struct {
	Queued, Submitted, Start, End int64
	Lost                          bool // the command ran, and nobody knows when: they could not be read
	// Nodes are those of the commands of an OpGraph, which the backend makes; nil if it does not.
	Nodes []Times
	// About is what the owner of the command keeps about it.
	About any
}

// Timer is what a Device may be beside: it tells when commands run.
type Timer interface {
	// Time has the device tell the Times of commands that have one from then on. It is called
	// before the first Submit. The error is ErrNotSupported if the device has no clock.
	Time() error
}

var epoch = time.Now()

// Now returns the time in nanoseconds since the program began, by the clock that package time
// compares times with, which nobody sets.
func Now() int64 { return int64(time.Since(epoch)) + 1 }

// Time returns a time of Now as one of package time.
func Time(now int64) time.Time { return epoch.Add(time.Duration(now - 1)) }

// Ran notes that the command, or a piece of it, ran from start to end. Clocks of devices are read
// from afar: what contradicts the order in which things happen is put right.
func (t *Times) Ran(start, end int64) {
	start = max(start, t.Submitted, t.Queued, 1)
	end = max(start, end)
	if t.Start == 0 || start < t.Start {
		t.Start = start
	}
	t.End = max(t.End, end)
}

// Sum takes over the times of the Nodes that ran, which stay as they are.
func (t *Times) Sum() {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Start != 0 {
			t.Ran(n.Start, n.End)
		}
		t.Lost = t.Lost || n.Lost
	}
}
