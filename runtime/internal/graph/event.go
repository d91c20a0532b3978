package graph

import (
	"context"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Event stands for one recorded command. Its owner allocates it, as part of
// whatever else it keeps about the command, and hands it to Stream.Record.
type Event struct {
	// Owner is the value that the event is part of.
	Owner any
	// Fault is the command's fault record, complete when the event is done.
	Fault hal.Fault

	batch *Batch
	pos   uint64   // of the command in the stream
	after []*Event // of an event without a command
	front *Recorder
	seen  bool // its failure has been returned to somebody; guarded by the stream
}

// NewMarker returns an event without a command, done when all of after are.
func NewMarker(after []*Event) *Event { return &Event{after: after} }

// Stream returns the stream that the event's command was recorded in, or nil.
func (e *Event) Stream() *Stream {
	if e.batch == nil {
		return nil
	}
	return e.batch.stream
}

// After returns the events that an event without a command stands for.
func (e *Event) After() []*Event { return e.after }

// Done reports whether the command has completed. It does not block.
func (e *Event) Done() bool {
	for _, a := range e.after {
		if !a.Done() {
			return false
		}
	}
	return e.batch == nil || e.batch.poll()
}

// Wait submits the command if need be and blocks until it has completed or ctx
// ends, whose error it then returns. Failed tells how the command ended.
func (e *Event) Wait(ctx context.Context) error {
	for _, a := range e.after {
		if err := a.Wait(ctx); err != nil {
			return err
		}
	}
	if e.batch == nil {
		return nil
	}
	return e.batch.wait(ctx)
}

// Failed reports whether a command that is done failed: by a fault, or because
// its batch did, whose error it returns. The failure then counts as reported.
func (e *Event) Failed() (bool, error) {
	if e.batch == nil {
		return false, nil
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.batch.err == nil && !e.Fault.Set {
		return false, nil
	}
	if !e.seen {
		e.seen = true
		e.front.forget(e)
	}
	return true, e.batch.err
}

// Recorder is one front of a stream. Its fields belong to the stream.
type Recorder struct {
	last   uint64 // newest batch with a command of this front
	failed []*Event
}

func (r *Recorder) forget(e *Event) {
	for i, f := range r.failed {
		if f == e {
			r.failed = append(r.failed[:i], r.failed[i+1:]...)
			return
		}
	}
}
