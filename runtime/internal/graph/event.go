package graph

import (
	"context"
	"slices"

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
		s.told(e)
	}
	return true, e.batch.err
}

// Recorder is one front of a stream. Its fields belong to the stream.
type Recorder struct {
	last    uint64   // newest batch with a command of this front
	failed  []*Event // nobody has been told about these
	dropped int      // and about these, which were too many to keep
}

// fail notes a failed command that nobody has been told about.
func (s *Stream) fail(e *Event) {
	r := e.front
	if len(r.failed) == 0 {
		s.failing = append(s.failing, r)
	}
	if len(r.failed) < maxFailed {
		r.failed = append(r.failed, e)
	} else {
		r.dropped++
	}
}

// told notes that somebody has been told about the command.
func (s *Stream) told(e *Event) {
	r := e.front
	if i := slices.Index(r.failed, e); i >= 0 {
		r.failed = slices.Delete(r.failed, i, i+1)
		if len(r.failed) == 0 {
			s.allTold(r)
		}
	}
}

func (s *Stream) allTold(r *Recorder) {
	if i := slices.Index(s.failing, r); i >= 0 {
		s.failing = slices.Delete(s.failing, i, i+1)
	}
}

// Failures returns the failed commands of the front that nobody has been told
// about, oldest first, and how many more there are. They then count as reported.
func (s *Stream) Failures(front *Recorder) (failed []*Event, more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeFailures(front)
}

// AllFailures is Failures for all fronts.
func (s *Stream) AllFailures() (failed []*Event, more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.failing) > 0 {
		f, n := s.takeFailures(s.failing[0])
		failed, more = append(failed, f...), more+n
	}
	return failed, more
}

func (s *Stream) takeFailures(front *Recorder) (failed []*Event, more int) {
	failed, more = front.failed, front.dropped
	front.failed, front.dropped = nil, 0
	for _, e := range failed {
		e.seen = true
	}
	s.allTold(front)
	return failed, more
}
