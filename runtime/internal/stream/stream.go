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

// ErrClosed is returned for commands that are recorded after the stream has ended.
var ErrClosed = errors.New("the device is closed")

const (
	// The stream submits a batch of batchFull commands. If the device is idle, the stream also
	// submits a batch of batchIdle commands.
	batchIdle = 32
	batchFull = 256
	// maxInflight is the largest number of submitted batches that are incomplete. If maxInflight
	// batches are incomplete, a method that records a command waits first.
	maxInflight = 16
	// FlushDelay is the time that a recorded command waits for other commands of its batch.
	FlushDelay = 100 * time.Microsecond
	// maxSpare is the number of batches whose storage is kept for reuse. At most maxSpare batches
	// exist at a time. A program that launches without waiting reaches this number.
	maxSpare = maxInflight + 2
	// maxFailed is the largest number of failures that are kept for a queue if no goroutine waits
	// for it.
	maxFailed = 64
)

// Stream is the ordered sequence of commands of one device.
//
// No method holds a lock while it waits for the device. Every wait for the device ends when the
// context of the caller or the context of the stream ends. The stream's context ends when the
// stream is closed or abandoned.
type Stream struct {
	dev   hal.Device
	delay time.Duration

	life context.Context // ends when the stream is closed or abandoned
	end  context.CancelFunc

	submit sync.Mutex // locked while a batch is submitted to the device; must be locked before mu

	mu         sync.Mutex
	tracker    Tracker
	cur        *Batch
	inflight   []*Batch // sealed batches that may not have completed on the device, oldest first
	seq        uint64   // number of the newest batch
	retired    uint64   // all batches up to this number have completed
	pos        uint64   // number of recorded commands
	barrierPos uint64   // position of the newest command with a barrier
	timer      *time.Timer
	armed      bool   // the timer is set
	armedFor   uint64 // number of the batch that the timer was set for; 0 for the batch that is current when the timer fires
	parallel   bool   // a separate goroutine submits full batches
	handing    bool   // a goroutine that submits full batches is running
	hander     func() // method value of handOn, made only once
	flushing   bool   // the timer's goroutine runs flushSoon
	flushAgain bool   // the timer has fired while flushing was true
	dying      []*memoryState
	draining   bool
	poisons    int         // number of poisoned ranges of memory
	failing    []*Recorder // fronts with failures that no wait has reported
	lost       error       // error that reported the loss of the device, or nil
	closed     atomic.Bool // Close was called; set under mu
	abandoned  bool
	users      int             // number of calls that use the device or a ticket
	left       chan struct{}   // channel closed when there are no users; nil if no caller waits for the users
	spare      []*batchStorage // storage of completed batches, for reuse
	fresh      []Batch         // unused batches, allocated several at a time
	funcs      int             // number of host functions that have not completed
	halves     []*half         // the incomplete halves of copies between devices

	// Owner is the value that the stream is part of.
	Owner any

	timed   bool     // events may have Times
	observe Observer // nil if there is no observer

	within atomic.Uint64 // goroutine that runs a host function, or 0
}

// NewStream returns the stream of dev. The stream submits a batch when the duration delay has
// passed since the batch's first command was recorded. If delay is negative, the stream submits
// commands only when a caller waits or a batch is full.
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

// Observer is a function that the stream calls for each completed command, under the stream's lock.
// The argument `uses` contains a pair for each memory use of the command: the kind of access and
// the number of bytes. An Observer must not block.
type Observer func(e *Event, c *hal.Command, uses iter.Seq2[abi.Access, uint64])

// Time makes the stream set the Times of events. The observer may be nil. Time must be called
// before the first command is recorded.
func (s *Stream) Time(observe Observer) { s.timed, s.observe = true, observe }

// Poll makes the stream process the commands that have completed.
func (s *Stream) Poll() { s.poll() }

// Command describes a command to be recorded, which is either a command of the device or a host
// function.
type Command struct {
	// Cmd is the command. Record copies the Args and Slices of Cmd, and sets Barrier and Fault in
	// the copy of Cmd.
	Cmd  hal.Command
	Uses []Use
	// After lists commands of this stream that must have completed before this command begins.
	After []*Event
	// CopyHost makes Record copy the Host bytes of an OpWrite.
	CopyHost bool
	// Run is a host function, or nil. The stream calls Run when all earlier commands have
	// completed, and before any later command begins. The context of Run ends when the device is
	// closed. If Cancel requests the end of the command, Run does nothing and returns ErrCancelled.
	Run func(ctx context.Context) error
	// Always says that the stream calls Run even if earlier commands have failed.
	Always bool
	// Cross, if not nil, makes the command a copy between two devices. A copy between two devices
	// has only the fields Op, Size and Cancel of Cmd.
	Cross *Cross
}

// Record appends the command to the stream and binds e to it. If too many batches are incomplete,
// Record waits. If ctx ends first, Record returns the error of ctx.
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
	return s.recordWith(ctx, func() error {
		if err := s.usable(n); err != nil {
			return err
		}
		if n.Run != nil {
			s.appendFunc(front, n, n.After, e)
		} else {
			s.appendUsable(front, n, s.mustWait(n.After), s.gatesFor(n.Uses, n.After...), e)
		}
		return nil
	})
}

// Sequence is a list of commands that are recorded together, possibly many times.
type Sequence struct {
	Commands []Command // commands of the sequence, whose field After is ignored
	// Waits maps the index of a command to the indices of earlier commands that the command must
	// wait for, although the commands share no memory.
	Waits [][]int
	// First[i] says that command i waits for no other command of the sequence.
	First []bool
}

// RecordAll appends the commands of a sequence, without other commands in between, and binds the
// events to them. The sequence waits for the events in after. If one command cannot be recorded, no
// command is recorded.
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
	return s.recordWith(ctx, add)
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
	s.appendUsable(front, n, wait, s.gatesFor(n.Uses, behind...), events[i])
}

// recordWith waits if too many batches are incomplete. Then recordWith calls the function `add`,
// which appends commands to the current batch. recordWith submits the batch if the batch is full.
// If GOMAXPROCS is greater than 1, another goroutine submits full batches, and the caller continues
// recording.
func (s *Stream) recordWith(ctx context.Context, add func() error) error {
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
	full := s.mustSubmit()
	switch {
	case full && s.parallel && len(s.inflight) < maxInflight:
		s.seal()
		if !s.handing {
			s.handing = true
			go s.hander()
		}
		full = false
	case !full && !s.armed && s.cur != nil && s.timer != nil:
		s.setTimer(s.cur.seq, s.delay)
	}
	s.mu.Unlock()
	if full {
		s.TryFlush()
	}
	return nil
}

// mustSubmit reports whether the current batch must be submitted. mustSubmit also returns
// true if a batch that was held back can be submitted. mustSubmit checks only from time to
// time whether the device is idle.
func (s *Stream) mustSubmit() bool {
	if s.canSubmitHeld() {
		return true
	}
	b := s.cur
	if b == nil || b.weight < b.nextCheck {
		return false
	}
	if b.weight >= batchFull {
		return true
	}
	b.nextCheck = min(b.weight+batchIdle/2, batchFull)
	return s.deviceIdle()
}

// setTimer sets the timer for the batch with the given number. The number 0 means the batch that is
// current when the timer fires. Each call of setTimer wakes a thread, so setTimer is not called
// again for each batch. If the timer fires and the batch was submitted already, the timer is set
// once more for a later batch.
func (s *Stream) setTimer(batch uint64, delay time.Duration) {
	s.armed, s.armedFor = true, batch
	s.timer.Reset(delay)
}

// handOn submits all sealed batches to the device.
func (s *Stream) handOn() {
	s.submit.Lock()
	defer s.submit.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		b, before := s.nextHeld()
		if b == nil {
			s.handing = false
			return
		}
		s.submitBatch(b, before)
	}
}

// appendUsable adds a command that the method `usable` has accepted. If wait is set, the command
// gets a barrier even if its memory uses need no barrier. The command waits for the halves of
// copies in `gates`.
func (s *Stream) appendUsable(front *Recorder, n *Command, wait bool, gates []*half, e *Event) {
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
		cmd.Args, cmd.Slices = b.keepArgs(n.Cmd.Args, n.Cmd.Slices)
	} else if n.CopyHost {
		cmd.Host, _ = b.keepArgs(n.Cmd.Host, nil)
	}
	for i := range n.Uses {
		n.Uses[i].Mem.state.last = b.seq
	}
	e.batch, e.pos, e.front = b, s.pos, front
	front.last = b.seq
	// runtime.KeepAlive keeps the memory handles in n alive until the code above has stored the
	// batch's number in their states.
	runtime.KeepAlive(n)
}

// `usable` returns an error if the command cannot be recorded.
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

// mustWait reports whether a command needs a barrier because it must wait for the events in after.
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

// deviceIdle reports whether the device has no work.
func (s *Stream) deviceIdle() bool {
	s.collect()
	return len(s.inflight) == 0
}

// The method `current` returns the batch that the stream appends commands to.
func (s *Stream) current() *Batch {
	if s.cur == nil {
		var b *batchStorage
		if n := len(s.spare); n > 0 {
			b, s.spare = s.spare[n-1], s.spare[:n-1]
		} else {
			b = new(batchStorage)
		}
		s.seq++
		if len(s.fresh) == 0 {
			s.fresh = make([]Batch, 16)
		}
		s.cur, s.fresh = &s.fresh[0], s.fresh[1:]
		s.cur.stream, s.cur.seq, s.cur.nextCheck, s.cur.batchStorage = s, s.seq, batchIdle, b
	}
	return s.cur
}

// flushSoon is the function that the timer calls. Only one goroutine at a time waits for a device
// with too many incomplete batches.
func (s *Stream) flushSoon() {
	s.mu.Lock()
	s.armed = false
	if b := s.cur; b != nil && s.armedFor != 0 && b.seq != s.armedFor && !s.closed.Load() {
		s.setTimer(b.seq, s.delay) // the timer was set for an older batch, which has been submitted
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
// first, Flush returns the error of ctx.
func (s *Stream) Flush(ctx context.Context) error {
	for {
		s.mu.Lock()
		s.collect()
		var oldest *Batch
		if n := len(s.inflight); s.cur != nil && !s.abandoned {
			if oldest = s.runningBatch(); oldest == nil && n >= maxInflight {
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
	late := s.cur != nil && !s.abandoned && (s.runningBatch() != nil || len(s.inflight) >= maxInflight)
	switch {
	case !late:
		s.seal()
	case s.timer != nil && !s.closed.Load():
		s.setTimer(0, s.delay) // lets the timer's goroutine wait for the device
	}
	for {
		b, before := s.nextHeld()
		if b == nil {
			return !late
		}
		s.submitBatch(b, before)
	}
}

// submitBatch submits the batch b to the device, or starts the host function of the batch.
func (s *Stream) submitBatch(b, before *Batch) {
	abandoned := s.abandoned
	if s.timed {
		b.stampSubmitted()
	}
	if b.run != nil && !abandoned {
		t := &hostTicket{done: make(chan struct{})}
		b.state, b.ticket = batchSubmitted, t
		if b.submitted != nil {
			close(b.submitted)
		}
		s.users++
		go s.callHostFunc(b, before, b.events[0], b.cmds[0].Cancel, t)
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

// pollBatch processes completed batches. pollBatch locks the stream.
func (s *Stream) poll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
}

// The method `collect` processes completed batches, in order. The caller has locked the stream.
func (s *Stream) collect() {
	n := 0
	for _, b := range s.inflight {
		if !b.finishBatch() {
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

// waitThrough waits for all batches whose numbers are at most last.
func (s *Stream) waitThrough(ctx context.Context, last uint64) error {
	for {
		s.mu.Lock()
		s.collect()
		var b *Batch
		if n := len(s.inflight); n > 0 && s.inflight[0].seq <= last {
			// It is enough to wait for the newest batch, because older batches complete first.
			b = s.inflight[min(uint64(n-1), last-s.inflight[0].seq)]
		}
		if s.cur != nil && s.cur.seq <= last {
			b = s.cur
		}
		dying := len(s.dying) > 0
		s.mu.Unlock()
		if b == nil {
			if dying {
				s.freeReleased() // frees the memory before the wait returns
			}
			return nil
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
	}
}

// Close submits all recorded commands, waits for all batches and for all users of the device, and
// ends the stream. When the device is closed later, it frees the remaining memory. If ctx ends
// first, Close abandons the device, and ends all waits for it. An abandoned device must never be
// closed. The error of Close contains the number of incomplete commands.
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
		return s.abandonStream()
	}
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dying = nil
	return nil
}

// abandonStream ends all waits for a device that has not completed its work.
func (s *Stream) abandonStream() error {
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

// Enter makes the caller a user of the device. After Enter, Close waits until Leave is called.
// After Close, Enter returns false.
func (s *Stream) Enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	s.users++
	return true
}

// Leave ends the use of the device that Enter began.
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
