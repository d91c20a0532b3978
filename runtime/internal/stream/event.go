package stream

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Event represents one recorded command. The owner of an Event allocates the Event, usually as part
// of a larger value about the command, and passes it to Stream.Record.
type Event struct {
	// Owner is the value that the event is part of.
	Owner any
	// Fault contains the outcome of the command. Fault is nil before the command is recorded. While
	// the event is not done, Fault belongs to the batch. When the event is done, Fault is complete.
	Fault *hal.Fault
	// Times, if it is not nil, receives the times of the command. Times is complete when the event is
	// done.
	Times *hal.Times
	batch *Batch
	front *Recorder
	pos   uint64 // position of the command in the stream
	rare  *Rare  // the rare fields; nil if all are zero
	seen  bool   // a caller has received the failure, or no caller will ask for the failure
}

// Rare contains the fields that few events need. Rare is a separate struct, so that the events of
// plain launches are small.
type Rare struct {
	// Release, if it is not nil, is called when the event is done. Release must not block.
	Release func() bool

	// Group is shared by all commands of a sequence, or nil. If several commands of a Group fail, a
	// wait for the front returns only one failure.
	Group *Group
	// Ranks contains the ranks of the command in its Group. If several commands of the Group fail,
	// a wait reports the failure with the lowest rank. If parts of a launch can fail separately,
	// Ranks contains a rank for each part.
	Ranks []int

	after []*Event // events that must complete before an event without a command is done

	parts []*Event // events of an OpGraph's commands, if some failed
	lost  bool     // the failure was dropped because there were too many failures
	err   error    // reason why the command did not complete
	from  *Event   // command that failed to write the memory that this command has read
}

// noRare is the Rare of all events without rare fields. Nothing writes to noRare.
var noRare Rare

// Rare returns the event's rare fields, for reading.
func (e *Event) Rare() *Rare {
	if e.rare == nil {
		return &noRare
	}
	return e.rare
}

// NeedRare returns the event's rare fields, for writing. NeedRare may be called before the command
// is recorded, or under the stream's lock.
func (e *Event) NeedRare() *Rare {
	if e.rare == nil {
		e.rare = new(Rare)
	}
	return e.rare
}

// Group is a set of commands that report one failure together. Only the stream sets the fields of a
// Group.
type Group struct{ first *Event }

// NewMarker returns an event without a command. The event is done when all events in after are
// done.
func NewMarker(after []*Event) *Event {
	m := &Event{}
	for _, e := range after {
		if e.batch == nil {
			for _, a := range e.After() {
				m.follow(a)
			}
		} else {
			m.follow(e)
		}
	}
	return m
}

// `follow` makes a marker wait for the command of e. For each stream, the marker refers only to the
// newest command, because the stream's older commands complete first. So a marker that waits for
// other markers has at most one event for each stream.
func (m *Event) follow(e *Event) {
	r := m.NeedRare()
	for i, a := range r.after {
		if a.batch.stream == e.batch.stream {
			if e.pos > a.pos {
				r.after[i] = e
			}
			return
		}
	}
	r.after = append(r.after, e)
}

// Stream returns the stream that the event's command was recorded in, or nil.
func (e *Event) Stream() *Stream {
	if e.batch == nil {
		return nil
	}
	return e.batch.stream
}

// The method After returns the events that must complete before an event without a command is done.
func (e *Event) After() []*Event {
	if e.batch != nil {
		return nil // the stream may be writing to the event's rare fields
	}
	return e.Rare().after
}

// Done reports whether the command has completed. Done does not block.
func (e *Event) Done() bool {
	for _, a := range e.After() {
		if !a.Done() {
			return false
		}
	}
	return e.batch == nil || e.batch.pollBatch()
}

// Wait submits the command if necessary, and blocks until it has completed. If ctx ends first, Wait
// returns the error of ctx. Failed returns the outcome of the command.
func (e *Event) Wait(ctx context.Context) error {
	for _, a := range e.After() {
		if err := a.Wait(ctx); err != nil {
			return err
		}
	}
	if e.batch == nil {
		return nil
	}
	return e.batch.wait(ctx)
}

// Failed reports whether a completed command failed. If the command did not complete, the result
// `err` is the reason. If the command read memory that another command failed to write, the result
// `from` is the event of that other command. If a command failed, but both `err` and `from` are
// nil, the command has a fault. After Failed, the failure counts as reported.
func (e *Event) Failed() (failed bool, err error, from *Event) {
	if e.batch == nil {
		return false, nil, nil
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	h := e.Rare()
	if h.err == nil && h.from == nil && !e.Fault.Set {
		return false, nil, nil
	}
	if !e.seen {
		e.seen = true
		s.markReported(e)
	}
	return true, h.err, h.from
}

// Parts returns the events of a Replay's commands, if some commands failed. The event must be done.
func (e *Event) Parts() []*Event {
	if e.batch == nil {
		return nil
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Rare().parts
}

// Rank returns the rank of a completed command's failure, and whether the command failed. After
// Rank, the failure does not count as reported.
func (e *Event) Rank() (rank int, failed bool) {
	if e.batch == nil {
		return 0, false
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	h := e.Rare()
	return e.rank(), h.err != nil || h.from != nil || e.Fault.Set
}

func (e *Event) rank() int {
	h := e.Rare()
	switch {
	case len(h.Ranks) == 0:
		return 0
	case h.err == nil && h.from == nil && e.Fault.Part < len(h.Ranks):
		return h.Ranks[e.Fault.Part]
	}
	return h.Ranks[0]
}

// Front returns the Recorder that the command was recorded through.
func (e *Event) Front() *Recorder { return e.front }

// Outcome returns the same `err` and `from` as Failed. Only observers call Outcome, because they
// run under the stream's lock. After Outcome, the failure does not count as reported. The result
// `parts` contains the events of a Replay's commands, if some commands failed.
func (e *Event) Outcome() (err error, from *Event, parts []*Event) {
	h := e.Rare()
	return h.err, h.from, h.parts
}

// Err returns the reason why the command did not complete, or nil. After Err, the failure does not
// count as reported.
func (e *Event) Err() error {
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Rare().err
}

// If the command fails, Forget makes later waits for the front ignore the failure.
func (e *Event) Forget() {
	if e.batch == nil {
		return
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if !e.seen {
		e.seen = true
		s.markReported(e)
	}
}

// Recorder is one front of a stream. A queue records its commands through its Recorder. All fields
// except ID belong to the stream.
type Recorder struct {
	ID      int32    // number that the owner sets before the first command
	dropped int32    // number of failures that were dropped because there were too many failures
	last    uint64   // number of the newest batch with a command of this front
	failed  []*Event // failed commands that no wait has reported
}

// addFailure records the failure of a command, for the next call that waits for the command.
func (s *Stream) addFailure(e *Event) {
	if e.seen {
		return
	}
	if g := e.Rare().Group; g != nil {
		if old := g.first; old != nil {
			if !old.seen && e.rank() < old.rank() {
				s.replaceFailure(old, e)
				g.first = e
			}
			return
		}
		g.first = e
	}
	r := e.front
	if len(r.failed) == 0 {
		s.failing = append(s.failing, r)
	}
	if len(r.failed) < maxFailed {
		r.failed = append(r.failed, e)
	} else {
		e.NeedRare().lost = true
		r.dropped++
	}
}

// replaceFailure replaces the event `old` with e in the front's list of failures.
func (s *Stream) replaceFailure(old, e *Event) {
	if old.Rare().lost {
		e.NeedRare().lost, old.NeedRare().lost = true, false
	}
	if i := slices.Index(e.front.failed, old); i >= 0 {
		e.front.failed[i] = e
	}
}

// markReported records that a wait has returned the command's failure.
func (s *Stream) markReported(e *Event) {
	if g := e.Rare().Group; g != nil && g.first != nil {
		e = g.first
		e.seen = true
	}
	r := e.front
	if e.Rare().lost {
		e.NeedRare().lost = false
		r.dropped = max(r.dropped-1, 0)
	}
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

// Failures returns the failed commands of the front that no wait has reported, oldest first.
// Failures also returns the number of dropped failures. After Failures, all these failures count as
// reported.
func (s *Stream) Failures(front *Recorder) (failed []*Event, more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeFailures(front)
}

// AllFailures is like Failures, but for all fronts of the stream.
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
	failed, more = front.failed, int(front.dropped)
	front.failed, front.dropped = nil, 0
	for _, e := range failed {
		e.seen = true
	}
	s.allTold(front)
	return failed, more
}
