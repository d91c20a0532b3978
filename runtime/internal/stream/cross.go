package stream

// This file records copies between the memory of two devices.
//
// A copy between two devices has two halves. Each half is a batch in the stream of one of the two
// devices. A goroutine moves the bytes after all earlier batches of both streams have been
// submitted. The earlier commands that use the copy's memory must also have completed. Both halves
// are incomplete until the goroutine has moved the bytes.
//
// Later commands that do not use the copy's memory start without waiting for the halves. For
// example, if a copy reads the memory x on the source, a launch on the source that does not use x
// runs during the copy. A later command that uses the copy's memory begins a batch that is held
// back. All batches after that batch are held back, too. Two copies in opposite directions are an
// exchange. A command that needs one copy of an exchange may also wait for the other (see joins).

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Cross describes a copy between the devices of two streams. The near memory belongs to the stream
// that records the command, and the far memory belongs to the stream Far. The command's Uses
// contain the near memory.
type Cross struct {
	Far *Stream
	Use Use // the far memory, which is read if the near memory is written
	// Event makes the event of the far half.
	Event func() *Event
	// Move moves the bytes. Move ends early if ctx ends or the copy is cancelled.
	Move func(ctx context.Context, cancel *hal.Cancel) Moved
}

// Moved describes how the move of a copy's bytes has ended.
type Moved struct {
	Src, Dst  error // the failures of the two devices
	Cancelled bool  // the move has ended early
}

// CrossError is the error of one half of a copy, if the half's own device did not fail. The reason
// is that the other half failed with the error Err, or that the command From failed to write the
// source memory.
type CrossError struct {
	Other *Stream
	Err   error
	From  *Event
}

// Error returns the text of the other half's failure.
func (e *CrossError) Error() string {
	if e.Err == nil {
		return "the memory to copy was not written"
	}
	return e.Err.Error()
}

// `crossings` is locked while a copy between two streams is recorded. The lock gives the copies the
// same order in all streams. Only a goroutine that has locked crossings may lock the mu of several
// streams.
var crossings sync.Mutex

// `crossing` is a recorded copy between two streams.
type crossing struct {
	src, dst *half
	near     *half // the half that the caller's event belongs to
	move     func(ctx context.Context, cancel *hal.Cancel) Moved
	cancel   *hal.Cancel
	after    []*Event // events that the copy waits for because of the caller's options
}

// `half` is the part of a copy that belongs to one stream.
type half struct {
	stream *Stream
	other  *half
	event  *Event
	use    Use // memory that this half of the copy uses; zero after the half has completed
	batch  *Batch
	ticket hostTicket
	handed chan struct{} // closed when all batches before the half have been submitted
	last   uint64        // number of the newest batch that uses the half's memory and must complete before the half
	row    uint64        // number of the first batch of the half's row; halves without other commands between them form a row
	told   bool          // the caller has given events that the copy waits for
}

// recordAcross calls `add`, which appends commands to s. The commands may include copies between s
// and the streams in `far`. If too many batches of a stream are incomplete, recordAcross first
// waits.
func (s *Stream) recordAcross(ctx context.Context, far []*Stream, add func() error) error {
	all := append([]*Stream{s}, far...)
	for _, t := range all {
		if err := t.makeRoom(ctx); err != nil {
			return err
		}
	}
	crossings.Lock()
	defer crossings.Unlock()
	for _, t := range all {
		t.mu.Lock()
		defer t.mu.Unlock()
	}
	return add()
}

// makeRoom waits while too many batches are incomplete.
func (s *Stream) makeRoom(ctx context.Context) error {
	for {
		s.mu.Lock()
		s.collect()
		var oldest *Batch
		if n := len(s.inflight); n >= maxInflight && !s.abandoned {
			oldest = s.inflight[n-maxInflight]
		}
		s.mu.Unlock()
		if oldest == nil {
			return nil
		}
		if err := oldest.wait(ctx); err != nil {
			return err
		}
	}
}

// farStreams returns the other streams that the commands copy from or to, without duplicates.
func farStreams(cmds []Command) (far []*Stream) {
	for i := range cmds {
		if c := cmds[i].Cross; c != nil && !slices.Contains(far, c.Far) {
			far = append(far, c.Far)
		}
	}
	return far
}

// appendCross appends the two halves of a copy, and starts the goroutine that moves the copy's
// bytes. The caller has checked the copy with the method `usable`, and holds the mu of both
// streams.
func (s *Stream) appendCross(front *Recorder, n *Command, after []*Event, e *Event) {
	c := n.Cross
	x := &crossing{move: c.Move, cancel: n.Cmd.Cancel, after: after}
	near := s.appendHalf(front, n, n.Uses[0], after, e)
	distant := c.Event()
	distant.seen = true // the near event reports the failure
	far := c.Far.appendHalf(new(Recorder), n, c.Use, after, distant)
	near.other, far.other = far, near
	x.near, x.src, x.dst = near, near, far
	if near.use.Access&abi.Write != 0 {
		x.src, x.dst = far, near
	}
	go x.run()
}

// appendHalf appends a half of a copy as a batch of its own.
func (s *Stream) appendHalf(front *Recorder, n *Command, use Use, after []*Event, e *Event) *half {
	s.seal()
	h := &half{stream: s, event: e, use: use, handed: make(chan struct{}), told: len(after) > 0}
	h.last = s.lastConflict(h)
	h.ticket.done = make(chan struct{})
	for _, a := range commandsOf(after) {
		if a = a.In(s); a.batch.stream == s {
			h.last = max(h.last, a.batch.seq)
		}
	}
	b := s.current()
	s.pos++
	b.half, h.batch, h.row = h, b, b.seq
	if n := len(s.inflight); n > 0 && s.inflight[n-1].half != nil {
		h.row = s.inflight[n-1].half.row
	}
	e.batch, e.pos, e.front = b, s.pos, front
	cmd := hal.Command{Op: n.Cmd.Op, Size: n.Cmd.Size, Times: e.Times}
	b.add(&cmd, []Use{use}, e)
	front.last, use.Mem.state.last = b.seq, b.seq
	s.seal()
	s.halves = append(s.halves, h)
	s.users++
	return h
}

// lastConflict returns the number of the newest incomplete batch that uses the same elements as h, or
// 0 if there is no such batch. The half h must wait for that batch. All batches of the stream must be
// sealed.
//
// For example, batch 1 writes x[0:100], and batch 2 is a half that reads x[0:10]. A half that writes
// x[90:100] then waits for batch 1, but not for batch 2.
func (s *Stream) lastConflict(h *half) uint64 {
	for _, b := range slices.Backward(s.inflight) {
		if slices.ContainsFunc(b.uses, func(u use) bool { return h.sharesElements(u.mem, u.lo, u.hi, abi.Access(u.access)) }) {
			return b.seq
		}
	}
	return 0
}

// commandsOf returns the given events that belong to commands. An event without a
// command is replaced with the events that it waits for.
func commandsOf(events []*Event) (out []*Event) {
	for _, e := range events {
		if e.batch != nil {
			out = append(out, e)
		}
		out = append(out, commandsOf(e.After())...)
	}
	return out
}

// In returns the copy's event in s if e is an event of a copy between s and another stream.
// Otherwise, In returns e.
func (e *Event) In(s *Stream) *Event {
	if e.batch != nil && e.batch.stream != s && e.batch.half != nil && e.batch.half.other.stream == s {
		return e.batch.half.other.event
	}
	return e
}

// gatesFor returns the incomplete halves that a command must wait for. The command must wait if it
// conflicts with the half, or if the half's event is in `after`.
func (s *Stream) gatesFor(uses []Use, after ...*Event) (gates []*half) {
	if len(s.halves) == 0 {
		return nil
	}
	events := commandsOf(after)
	for _, h := range s.halves {
		ordered := slices.ContainsFunc(events, func(e *Event) bool { return e.In(s) == h.event })
		if ordered || slices.ContainsFunc(uses, h.conflicts) {
			gates = append(gates, h)
		}
	}
	return gates
}

// `conflicts` reports whether a command with the use u must wait for the half.
func (h *half) conflicts(u Use) bool {
	return u.Access != 0 && h.sharesElements(u.Mem.state, u.Lo, u.Hi, u.Access)
}

// sharesElements reports whether a use and the half's use have elements in common, and at least one
// of the two uses writes.
func (h *half) sharesElements(mem *memoryState, lo, hi uint64, access abi.Access) bool {
	return mem == h.use.Mem.state && lo < h.use.Hi && h.use.Lo < hi && (access|h.use.Access)&abi.Write != 0
}

// `gate` makes the current batch wait for the given halves of copies. If other commands of the batch
// need not wait for all of these halves, `gate` begins a new batch, unless joins says that the
// commands may wait.
func (s *Stream) gate(gates []*half) {
	b := s.cur
	if b != nil {
		more := slices.DeleteFunc(slices.Clone(gates), func(h *half) bool { return slices.Contains(b.gates, h) })
		if !slices.ContainsFunc(more, func(h *half) bool { return !b.joins(h) }) {
			b.gates = append(b.gates, more...)
			return
		}
		s.seal()
	}
	s.current().gates = gates
}

// joins reports whether all commands of the batch may wait for the half h, although some commands do
// not need h. This is the case if the batch must wait for a half o, and h and o are the two
// directions of an exchange with another stream. The two copies then begin and end at about the same
// time, and one submission for all commands is faster than two. The copies of an exchange are
// next to each other in both streams. The copy of h waits for no later commands than the copy of o, and
// moves at most as many bytes.
func (b *Batch) joins(h *half) bool {
	return slices.ContainsFunc(b.gates, func(o *half) bool {
		near := o.row == h.row && h.last <= o.last
		far := o.other.stream == h.other.stream && o.other.row == h.other.row && h.other.last <= o.other.last
		// The use of a completed half is empty.
		return near && far && !h.told && o.use.Access != h.use.Access && o.use.Hi-o.use.Lo >= h.use.Hi-h.use.Lo
	})
}

// gated reports whether a half that the batch waits for is incomplete.
func (b *Batch) gated() bool {
	return slices.ContainsFunc(b.gates, func(h *half) bool { return !h.ticket.Done() })
}

// errLeft is the error of a copy that ends because a device was abandoned.
var errLeft = fmt.Errorf("%w during the copy", hal.ErrAbandoned)

// `run` waits until both devices have reached the copy. Then `run` moves the bytes and ends both
// halves.
func (x *crossing) run() {
	ctx, cancel := context.WithCancel(x.src.stream.life)
	defer cancel()
	defer context.AfterFunc(x.dst.stream.life, cancel)()
	m, from, start := x.turn(ctx)
	if start != 0 {
		m = x.move(ctx, x.cancel)
	}
	m.Src, m.Dst = cmp.Or(m.Src, x.src.left()), cmp.Or(m.Dst, x.dst.left())
	now := hal.Now()
	for _, h := range []*half{x.src, x.dst} {
		h.end(x.outcome(h, m, from), start, now)
	}
	for _, h := range []*half{x.src, x.dst} {
		h.stream.poll()
		h.stream.TryFlush()
		h.stream.Leave()
	}
}

// `turn` waits for the commands before the copy, and returns the time at which the move begins. If
// there is no move, the time is 0, and m is the outcome of the copy. If a failed command should
// have written the source, the result `from` is that command.
func (x *crossing) turn(ctx context.Context) (m Moved, from *Event, start int64) {
	halves := []*half{x.src, x.dst}
	for _, h := range halves {
		h.stream.TryFlush()
	}
	for _, h := range halves {
		select {
		case <-h.handed:
		case <-ctx.Done():
			return Moved{}, nil, 0 // a device was abandoned
		}
	}
	for _, h := range halves {
		if h.stream.waitThrough(ctx, h.last) != nil {
			return Moved{}, nil, 0 // a device was abandoned
		}
	}
	for _, e := range x.after {
		if e.Wait(ctx) != nil {
			return Moved{}, nil, 0 // a device was abandoned
		}
	}
	if x.src.left() != nil || x.dst.left() != nil || x.cancel.Asked() {
		return Moved{Cancelled: true}, nil, 0
	}
	s := x.src.stream
	s.mu.Lock()
	from = x.src.use.Mem.state.poisonedBy(x.src.use.Lo, x.src.use.Hi)
	s.mu.Unlock()
	if from != nil {
		return Moved{}, from, 0
	}
	return Moved{}, nil, hal.Now()
}

// `left` returns an error if the half's device was abandoned.
func (h *half) left() error {
	h.stream.mu.Lock()
	defer h.stream.mu.Unlock()
	if h.stream.abandoned {
		return errLeft
	}
	return nil
}

// `outcome` determines the outcome of a half. A failure of the destination is also the outcome of
// the source's half if the caller's event belongs to the source's half.
func (x *crossing) outcome(h *half, m Moved, from *Event) (f hal.Fault) {
	own, other := m.Src, m.Dst
	if h == x.dst {
		own, other = m.Dst, m.Src
	}
	switch {
	case own != nil:
		f.Failed = own
	case h != x.dst && h != x.near:
	case other != nil:
		f.Failed = &CrossError{Other: h.other.stream, Err: other}
	case from != nil && h == x.dst: // the source's half fails by itself, because it reads poisoned memory
		f.Failed = &CrossError{Other: h.other.stream, From: from}
	default:
		f.Cancelled = m.Cancelled
	}
	return f
}

// `end` completes the half.
func (h *half) end(f hal.Fault, start, now int64) {
	s := h.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if !h.ticket.Done() { // the device has not been abandoned
		*h.event.Fault = f
		if h.event.Times != nil && start != 0 {
			h.event.Times.Ran(start, now)
		}
	}
	// A barrier that was recorded during the copy may fail to order the copied bytes. The next
	// command that uses the memory therefore needs another barrier.
	s.tracker.insert(h.use)
	s.halves = slices.DeleteFunc(s.halves, func(o *half) bool { return o == h })
	h.use = Use{}
	h.ticket.end()
}
