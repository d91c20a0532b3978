package stream

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
	// Fault is how the command ended, complete when the event is done. It is the batch's until
	// then, and nil before the command is recorded.
	Fault *hal.Fault
	// Times, if not nil, receives when the command ran, complete when the event is done.
	Times *hal.Times
	batch *Batch
	front *Recorder
	pos   uint64 // of the command in the stream
	rare  *Rare  // nil where all of it is zero
	seen  bool   // its failure has been returned to somebody, or nobody will ask
}

// Rare is what few events have. It stands apart, so that those of plain launches, which are made
// for each, are small.
type Rare struct {
	// Release, if not nil, is called when the event is done. It must not block.
	Release func() bool

	// Group is what the commands of one sequence share, or nil: of several that fail, one is
	// reported to who waits for the front.
	Group *Group
	// Ranks are, of a command of a sequence, the places that the command has among those whose
	// failures matter before its own; by part of a launch that has several, which may fail each
	// for itself. Of those of a Group that fail, the one with the least rank is reported.
	Ranks []int

	after []*Event // of an event without a command

	// Guarded by the stream.
	parts []*Event // of an OpGraph, if some commands did not end well
	lost  bool     // there was no room to keep its failure
	err   error    // why the command did not run whole
	from  *Event   // it ran, on what this command was to write and did not
}

// noRare stands for the Rare of events that have none. Nothing writes to it.
var noRare Rare

// Rare returns the event's rare fields, for reading.
func (e *Event) Rare() *Rare {
	if e.rare == nil {
		return &noRare
	}
	return e.rare
}

// NeedRare returns the event's rare fields, for writing: before the command is recorded, or under
// the stream's lock.
func (e *Event) NeedRare() *Rare {
	if e.rare == nil {
		e.rare = new(Rare)
	}
	return e.rare
}

// Group is some commands of which one failure is reported. Its field belongs to the stream.
type Group struct{ first *Event }

// NewMarker returns an event without a command, done when all of after are.
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

// follow makes a marker wait for the command of e. Of each stream it keeps the last
// command alone, since the others complete before that: markers behind markers stay
// as small as the first.
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

// After returns the events that an event without a command stands for.
func (e *Event) After() []*Event {
	if e.batch != nil {
		return nil // and the stream may be writing to what the event has
	}
	return e.Rare().after
}

// Done reports whether the command has completed. It does not block.
func (e *Event) Done() bool {
	for _, a := range e.After() {
		if !a.Done() {
			return false
		}
	}
	return e.batch == nil || e.batch.poll()
}

// Wait submits the command if need be and blocks until it has completed or ctx
// ends, whose error it then returns. Failed tells how the command ended.
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

// Failed reports whether a command that is done failed: by a fault; for err, because
// it did not run whole; or because it read what the command from was to write and
// had lost. The failure then counts as reported.
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
		s.told(e)
	}
	return true, h.err, h.from
}

// Parts returns the events of a Replay's commands, if some of them did not end well. It is
// called when the event is done.
func (e *Event) Parts() []*Event {
	if e.batch == nil {
		return nil
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Rare().parts
}

// Rank returns the rank of the failure of a command that is done, and whether it failed. This
// does not count as a report.
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

// Front returns the front that the command was recorded by.
func (e *Event) Front() *Recorder { return e.front }

// Outcome is Failed for an observer of the stream, with those of a Replay's commands, if some did
// not end well: it does not count as a report, and is called under the stream's lock.
func (e *Event) Outcome() (err error, from *Event, parts []*Event) {
	h := e.Rare()
	return h.err, h.from, h.parts
}

// Err is Failed of a command that failed for itself, without counting as a report.
func (e *Event) Err() error {
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Rare().err
}

// Forget says that nobody is to be told how the command ends.
func (e *Event) Forget() {
	if e.batch == nil {
		return
	}
	s := e.batch.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if !e.seen {
		e.seen = true
		s.told(e)
	}
}

// Recorder is one front of a stream. Its fields belong to the stream, but for ID.
type Recorder struct {
	ID      int32    // of its owner, who sets it before the first command
	dropped int32    // failed commands that were too many to keep
	last    uint64   // newest batch with a command of this front
	failed  []*Event // nobody has been told about these
}

// fail notes a failed command that nobody has been told about.
func (s *Stream) fail(e *Event) {
	if e.seen {
		return
	}
	if g := e.Rare().Group; g != nil {
		if old := g.first; old != nil {
			if !old.seen && e.rank() < old.rank() {
				s.replace(old, e)
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

// replace puts a failed command in the place of another that nobody has been told about.
func (s *Stream) replace(old, e *Event) {
	if old.Rare().lost {
		e.NeedRare().lost, old.NeedRare().lost = true, false
	}
	if i := slices.Index(e.front.failed, old); i >= 0 {
		e.front.failed[i] = e
	}
}

// told notes that somebody has been told about the command.
func (s *Stream) told(e *Event) {
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
	failed, more = front.failed, int(front.dropped)
	front.failed, front.dropped = nil, 0
	for _, e := range failed {
		e.seen = true
	}
	s.allTold(front)
	return failed, more
}
