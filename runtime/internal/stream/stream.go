package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ErrClosed is returned for commands recorded after the stream's end.
var ErrClosed = errors.New("the device is closed")

const (
	// A batch is submitted when it has batchFull commands, or batchIdle commands if the device is
	// idle.
	batchIdle = 32
	batchFull = 256
	// maxInflight is the largest number of submitted batches that are incomplete. Beyond it,
	// recording waits.
	maxInflight = 16
	// FlushDelay is the time that a recorded command waits for others of its batch.
	FlushDelay = 100 * time.Microsecond
	// maxSpare is the number of batches whose storage is kept. It is the largest number of batches
	// at a time, which a program that launches without waiting reaches.
	maxSpare = maxInflight + 2
	// maxFailed is the largest number of failures kept for a queue that no goroutine waits for.
	maxFailed = 64
)

// Stream is the ordered sequence of commands of one device.
//
// No method waits for the device while it holds a lock. Every wait for the device ends with a
// context: the caller's, or the stream's own, which ends when the stream is abandoned.
type Stream struct {
	dev   hal.Device
	delay time.Duration

	life context.Context // ends when the stream is closed or abandoned
	end  context.CancelFunc

	submit sync.Mutex // held while a batch is submitted to the device; locked before mu

	mu         sync.Mutex
	tracker    Tracker
	cur        *Batch
	inflight   []*Batch // batches that were cur, oldest first
	seq        uint64   // number of the newest batch
	retired    uint64   // all batches up to this one have completed
	pos        uint64   // number of recorded commands
	barrierPos uint64   // position of the newest command with a barrier
	timer      *time.Timer
	armed      bool   // the timer runs
	armedFor   uint64 // the batch that the timer was set for; 0 for any
	parallel   bool   // a separate goroutine submits full batches
	handing    bool   // that goroutine exists
	hander     func() // the method value handOn, made once
	flushing   bool   // the timer's goroutine flushes
	flushAgain bool   // the timer has fired during the flush
	dying      []*memoryState
	draining   bool
	poisons    int         // number of poisoned ranges of memory
	failing    []*Recorder // the fronts with failures that no wait has returned
	lost       error       // error with which the device was lost
	closed     atomic.Bool // set under mu
	abandoned  bool
	users      int           // number of calls that use the device or a ticket
	left       chan struct{} // closed when there are no users; nil if no caller waits for that
	spare      []*storage    // the storage of completed batches
	fresh      []Batch       // unused batches: several are allocated at a time
	funcs      int           // number of host functions that have not completed
	halves     []*half       // the incomplete halves of copies between devices

	// Owner is the value that the stream is part of.
	Owner any

	timed   bool     // some events have Times
	observe Observer // nil if there is no observer

	within atomic.Uint64 // goroutine that runs a host function, or 0
}

// NewStream returns the stream of dev. Commands are submitted after delay. If delay
// is negative, they are submitted only when a caller waits or a batch is full.
func NewStream(dev hal.Device, delay time.Duration) *Stream {
	s := &Stream{dev: dev, delay: delay}
	s.life, s.end = context.WithCancel(context.Background())
	if delay >= 0 {
		s.timer = time.AfterFunc(time.Hour, s.flushSoon)
		s.timer.Stop()
		s.parallel, s.hander = runtime.GOMAXPROCS(0) > 1, s.handOn
	}
	return s
}

// Observer is called, under the stream's lock, for each command that has completed, with the number of
// bytes of each use. It must not block.
type Observer func(e *Event, c *hal.Command, uses iter.Seq2[abi.Access, uint64])

// Time makes the stream fill in the Times of events. The observer may be nil. Time is called before
// the first command is recorded.
func (s *Stream) Time(observe Observer) { s.timed, s.observe = true, observe }

// Poll finds the commands that have completed.
func (s *Stream) Poll() { s.poll() }

// Command is a command of the device, or a host function, to be recorded.
type Command struct {
	// Cmd is the command. Its Args and Slices are copied; its Barrier and Fault
	// are set by Record.
	Cmd  hal.Command
	Uses []Use
	// After lists commands of this stream that must have completed before.
	After []*Event
	// CopyHost makes Record copy the Host bytes of an OpWrite.
	CopyHost bool
	// Run, if not nil, is a host function. It is called when all earlier commands have completed,
	// and before any later command begins. Its context ends when the device is closed. If its
	// Cancel was asked, it does nothing and returns ErrCancelled.
	Run func(ctx context.Context) error
	// Always says that Run is called even if earlier commands have failed.
	Always bool
	// Cross, if not nil, makes the command a copy between two devices. Of Cmd it has Op, Size and
	// Cancel.
	Cross *Cross
}

// Record appends the command to the stream and binds e to it. If too many batches are incomplete,
// Record waits. If ctx ends first, Record returns its error.
func (s *Stream) Record(ctx context.Context, front *Recorder, n *Command, e *Event) error {
	if n.Cross != nil {
		return s.recordAcross(ctx, []*Stream{n.Cross.Far}, func() error {
			if err := s.usable(n); err != nil {
				return err
			}
			s.appendCross(front, n, n.After, e)
			return nil
		})
	}
	return s.record(ctx, func() error {
		if err := s.usable(n); err != nil {
			return err
		}
		if n.Run != nil {
			s.appendFunc(front, n, n.After, e)
		} else {
			s.append(front, n, s.mustWait(n.After), s.gatesFor(n.Uses, n.After...), e)
		}
		return nil
	})
}

// Sequence is a list of commands that are recorded together, many times.
type Sequence struct {
	Commands []Command // the commands; their After is ignored
	// Waits has, for each command, the indices of earlier commands that it waits for although they
	// share no memory.
	Waits [][]int
	// First says, for each command, whether it waits for no other command of the sequence.
	First []bool
}

// RecordAll appends the commands of a sequence, without other commands in between, and binds the
// events to them. The sequence waits for the events in after. If one of the commands cannot be
// recorded, none is.
func (s *Stream) RecordAll(ctx context.Context, front *Recorder, q *Sequence, after, events []*Event) error {
	if len(q.Commands) == 0 {
		return nil
	}
	add := func() error {
		for i := range q.Commands {
			if err := s.usable(&q.Commands[i]); err != nil {
				return err
			}
		}
		for i := range q.Commands {
			s.appendNext(front, q, i, after, events)
		}
		return nil
	}
	if far := farStreams(q.Commands); len(far) > 0 {
		return s.recordAcross(ctx, far, add)
	}
	return s.record(ctx, add)
}

// appendNext appends command i of a sequence.
func (s *Stream) appendNext(front *Recorder, q *Sequence, i int, after, events []*Event) {
	n := &q.Commands[i]
	if n.Run != nil {
		s.appendFunc(front, n, after, events[i])
		return
	}
	var behind []*Event
	if q.First[i] {
		behind = append(behind, after...)
	}
	wait := s.mustWait(behind)
	for _, w := range q.Waits[i] {
		wait = wait || events[w].pos >= s.barrierPos
		behind = append(behind, events[w])
	}
	if n.Cross != nil {
		s.appendCross(front, n, behind, events[i])
		return
	}
	s.append(front, n, wait, s.gatesFor(n.Uses, behind...), events[i])
}

// record waits if too many batches are incomplete, and calls add, which appends commands to the
// current batch. A full batch is submitted. If a second goroutine can run at the same time, it
// submits the batch, and the caller continues recording.
func (s *Stream) record(ctx context.Context, add func() error) error {
	s.mu.Lock()
	for s.cur != nil && s.cur.weight >= batchFull {
		s.mu.Unlock()
		if err := s.Flush(ctx); err != nil {
			return err
		}
		s.mu.Lock()
	}
	if err := add(); err != nil {
		s.mu.Unlock()
		return err
	}
	full := s.full()
	switch {
	case full && s.parallel && len(s.inflight) < maxInflight:
		s.seal()
		if !s.handing {
			s.handing = true
			go s.hander()
		}
		full = false
	case !full && !s.armed && s.cur != nil && s.timer != nil:
		s.arm(s.cur.seq, s.delay)
	}
	s.mu.Unlock()
	if full {
		s.TryFlush()
	}
	return nil
}

// full reports whether the current batch shall be submitted, or a batch that was held back can be.
// It checks only from time to time whether the device is idle.
func (s *Stream) full() bool {
	if s.ready() {
		return true
	}
	b := s.cur
	if b == nil || b.weight < b.look {
		return false
	}
	if b.weight >= batchFull {
		return true
	}
	b.look = min(b.weight+batchIdle/2, batchFull)
	return s.idle()
}

// arm sets the timer for a batch; 0 means the batch that is current when the timer fires. Setting a
// timer wakes a thread, so it is not set again for each batch: if the timer fires and finds a later
// batch, it is set once more.
func (s *Stream) arm(batch uint64, delay time.Duration) {
	s.armed, s.armedFor = true, batch
	s.timer.Reset(delay)
}

// handOn submits the complete batches to the device.
func (s *Stream) handOn() {
	s.submit.Lock()
	defer s.submit.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		b, before := s.next()
		if b == nil {
			s.handing = false
			return
		}
		s.hand(b, before)
	}
}

// append appends a usable command. wait demands a barrier, independently of the memory that the
// command uses. gates are the halves of copies that the command waits for.
func (s *Stream) append(front *Recorder, n *Command, wait bool, gates []*half, e *Event) {
	if len(gates) > 0 {
		s.gate(gates)
		wait = true
	}
	b := s.current()
	s.pos++
	cmd := b.add(&n.Cmd, n.Uses, e)
	cmd.Barrier = s.tracker.Add(n.Uses, wait)
	if cmd.Barrier {
		s.barrierPos = s.pos
	}
	cmd.Times = e.Times
	if cmd.Op == hal.OpLaunch {
		cmd.Args, cmd.Slices = b.keep(n.Cmd.Args, n.Cmd.Slices)
	} else if n.CopyHost {
		cmd.Host, _ = b.keep(n.Cmd.Host, nil)
	}
	for i := range n.Uses {
		n.Uses[i].Mem.state.last = b.seq
	}
	e.batch, e.pos, e.front = b, s.pos, front
	front.last = b.seq
	// Using n keeps the handles alive until their batch is recorded in them.
	runtime.KeepAlive(n)
}

// usable returns an error if the command cannot be recorded.
func (s *Stream) usable(n *Command) error {
	if s.closed.Load() {
		return ErrClosed
	}
	if s.lost != nil {
		return s.lost
	}
	for i := range n.Uses {
		if n.Uses[i].Mem.state.released.Load() {
			return ErrReleased
		}
	}
	if n.Cross != nil {
		return n.Cross.Far.usable(&Command{Uses: []Use{n.Cross.Use}})
	}
	return nil
}

// ErrReleased is returned for commands that use released memory.
var ErrReleased = errors.New("the buffer is closed")

// mustWait reports whether a command that depends on the events needs a barrier.
func (s *Stream) mustWait(after []*Event) bool {
	for _, e := range after {
		e = e.In(s)
		if s.mustWait(e.After()) {
			return true
		}
		if e.batch != nil && e.batch.stream == s && e.batch.state < batchDone && e.pos >= s.barrierPos {
			return true
		}
	}
	return false
}

// idle reports whether the device has no work.
func (s *Stream) idle() bool {
	s.collect()
	return len(s.inflight) == 0
}

// current returns the batch that commands are appended to.
func (s *Stream) current() *Batch {
	if s.cur == nil {
		var b *storage
		if n := len(s.spare); n > 0 {
			b, s.spare = s.spare[n-1], s.spare[:n-1]
		} else {
			b = new(storage)
		}
		s.seq++
		if len(s.fresh) == 0 {
			s.fresh = make([]Batch, 16)
		}
		s.cur, s.fresh = &s.fresh[0], s.fresh[1:]
		s.cur.stream, s.cur.seq, s.cur.look, s.cur.storage = s, s.seq, batchIdle, b
	}
	return s.cur
}

// flushSoon is the timer's function. Only one goroutine at a time waits for a device with too many
// incomplete batches.
func (s *Stream) flushSoon() {
	s.mu.Lock()
	s.armed = false
	if b := s.cur; b != nil && s.armedFor != 0 && b.seq != s.armedFor && !s.closed.Load() {
		s.arm(b.seq, s.delay) // the timer was set for an older batch, which was submitted
		s.mu.Unlock()
		return
	}
	s.flushAgain = true
	if s.flushing {
		s.mu.Unlock()
		return
	}
	s.flushing = true
	for s.flushAgain {
		s.flushAgain = false
		s.mu.Unlock()
		s.Flush(s.life)
		s.mu.Lock()
	}
	s.flushing = false
	s.mu.Unlock()
}

// Flush submits all recorded commands. If too many batches are incomplete, Flush waits. If ctx ends
// first, Flush returns its error.
func (s *Stream) Flush(ctx context.Context) error {
	for {
		s.mu.Lock()
		s.collect()
		var oldest *Batch
		if n := len(s.inflight); s.cur != nil && !s.abandoned {
			if oldest = s.running(); oldest == nil && n >= maxInflight {
				oldest = s.inflight[n-maxInflight]
			}
		}
		s.mu.Unlock()
		if oldest != nil {
			if err := oldest.wait(ctx); err != nil {
				return err
			}
		}
		if s.TryFlush() {
			return nil
		}
	}
}

// TryFlush submits all recorded commands. If too many batches are incomplete, or a host function
// runs, TryFlush leaves the commands to a later flush, and returns false.
func (s *Stream) TryFlush() bool {
	s.submit.Lock()
	defer s.submit.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.cur != nil && !s.abandoned && (s.running() != nil || len(s.inflight) >= maxInflight)
	switch {
	case !late:
		s.seal()
	case s.timer != nil && !s.closed.Load():
		s.arm(0, s.delay) // the timer's goroutine waits for the device
	}
	for {
		b, before := s.next()
		if b == nil {
			return !late
		}
		s.hand(b, before)
	}
}

// hand submits a batch to the device, or starts the batch's host function.
func (s *Stream) hand(b, before *Batch) {
	abandoned := s.abandoned
	if s.timed {
		b.stamp()
	}
	if b.run != nil && !abandoned {
		t := &hostTicket{done: make(chan struct{})}
		b.state, b.ticket = batchSubmitted, t
		if b.submitted != nil {
			close(b.submitted)
		}
		s.users++
		go s.call(b, before, b.events[0], b.cmds[0].Cancel, t)
		return
	}
	if h := b.half; h != nil {
		close(h.handed)
		if !abandoned {
			b.state, b.ticket = batchSubmitted, &h.ticket
			if b.submitted != nil {
				close(b.submitted)
			}
			return
		}
	}
	b.gates = nil
	s.mu.Unlock()
	var ticket hal.Ticket
	err := hal.ErrAbandoned
	if !abandoned {
		ticket, err = s.dev.Submit(b.cmds)
	}
	if err != nil {
		for i := range b.cmds {
			if c := &b.cmds[i]; c.Taken != nil {
				c.Taken()
			}
		}
	}
	s.mu.Lock()
	b.state = batchSubmitted
	b.ticket, b.err = ticket, err
	if b.submitted != nil {
		close(b.submitted)
	}
	s.collect()
}

// poll processes the batches that have completed.
func (s *Stream) poll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
}

// collect processes the batches that have completed, in order.
func (s *Stream) collect() {
	n := 0
	for _, b := range s.inflight {
		if !b.finish() {
			break
		}
		n++
	}
	if n == 0 {
		return
	}
	s.retired = s.inflight[n-1].seq
	rest := copy(s.inflight, s.inflight[n:])
	clear(s.inflight[rest:])
	s.inflight = s.inflight[:rest]
}

// WaitAll waits for all commands of the front.
func (s *Stream) WaitAll(ctx context.Context, front *Recorder) error {
	s.mu.Lock()
	last := front.last
	s.mu.Unlock()
	return s.waitThrough(ctx, last)
}

// WaitMemory waits for all commands that use the memory.
func (s *Stream) WaitMemory(ctx context.Context, m *Memory) error {
	s.mu.Lock()
	last := m.state.last
	s.mu.Unlock()
	return s.waitThrough(ctx, last)
}

// waitThrough waits for the batches up to the one with the number last.
func (s *Stream) waitThrough(ctx context.Context, last uint64) error {
	for {
		s.mu.Lock()
		s.collect()
		var b *Batch
		if n := len(s.inflight); n > 0 && s.inflight[0].seq <= last {
			// Waiting for the newest is enough: the others complete before it.
			b = s.inflight[min(uint64(n-1), last-s.inflight[0].seq)]
		}
		if s.cur != nil && s.cur.seq <= last {
			b = s.cur
		}
		dying := len(s.dying) > 0
		s.mu.Unlock()
		if b == nil {
			if dying {
				s.reap() // the memory is freed when the wait returns
			}
			return nil
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
	}
}

// Close submits all recorded commands, waits for all batches and for all users of the device, and
// ends the stream. Closing the device then frees the remaining memory. If ctx ends first, Close
// abandons the device: all waits end, and the device must never be closed. The error has the number
// of incomplete commands.
func (s *Stream) Close(ctx context.Context) error {
	if err := s.MayWait(); err != nil {
		return err
	}
	s.mu.Lock()
	already := s.closed.Load()
	s.closed.Store(true)
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	if already {
		return nil
	}
	err := s.waitThrough(ctx, ^uint64(0))
	if err == nil {
		err = s.waitUsers(ctx)
	}
	if err != nil {
		return s.abandon()
	}
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dying = nil
	return nil
}

// abandon ends all waits for a device that is still busy.
func (s *Stream) abandon() error {
	s.mu.Lock()
	s.abandoned = true
	behind := 0
	for _, b := range s.inflight {
		behind += b.weight
	}
	if s.cur != nil {
		behind += s.cur.weight
	}
	users := s.users
	err := fmt.Errorf("%w: %d commands had not completed, %d calls were using it", hal.ErrAbandoned, behind, users)
	s.lost = err
	s.dying = nil
	s.endFuncs(err)
	s.mu.Unlock()
	s.dev.Abandon(err)
	s.end()
	s.TryFlush()
	s.poll()
	return err
}

// waitUsers waits until no call uses the device.
func (s *Stream) waitUsers(ctx context.Context) error {
	s.mu.Lock()
	if s.users == 0 {
		s.mu.Unlock()
		return nil
	}
	left := make(chan struct{})
	s.left = left
	s.mu.Unlock()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Enter makes the caller a user of the device: Close waits until Leave is called. Enter returns
// false after Close.
func (s *Stream) Enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	s.users++
	return true
}

// Leave ends the use that Enter began.
func (s *Stream) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	if s.users == 0 && s.left != nil {
		close(s.left)
		s.left = nil
	}
}

// Closed reports whether Close was called.
func (s *Stream) Closed() bool {
	return s.closed.Load()
}
