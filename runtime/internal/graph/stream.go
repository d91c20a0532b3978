package graph

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ErrClosed is returned for commands recorded after the stream's end.
var ErrClosed = errors.New("the device is closed")

var background = context.Background()

const (
	// A batch of this many commands is submitted: early if the device would
	// otherwise have nothing to do.
	batchIdle = 32
	batchFull = 256

	// maxInflight is how many batches the device may be behind; past it, recording
	// waits.
	maxInflight = 16

	// FlushDelay is how long a recorded command waits for company.
	FlushDelay = 100 * time.Microsecond

	// spinTime is how long a wait polls before it blocks.
	spinTime = 30 * time.Microsecond

	// maxFailed bounds the failures kept for a queue that nobody waits on.
	maxFailed = 64
)

// Stream is the ordered line of commands of one device.
type Stream struct {
	dev   hal.Device
	delay time.Duration

	submit sync.Mutex   // held while a batch is handed to the device; taken before mu
	using  sync.RWMutex // held for reading while the device or a ticket is used; taken before submit

	mu         sync.Mutex
	tracker    Tracker
	cur        *Batch
	inflight   []*Batch // submitted, oldest first
	seq        uint64   // of the newest batch
	retired    uint64   // all batches up to this one have completed
	pos        uint64   // commands recorded
	barrierPos uint64   // the newest command with a barrier
	timer      *time.Timer
	dying      []*memoryState
	draining   bool
	failing    []*Recorder // with failures that nobody has been told about
	lost       error
	closed     bool
	spare      *Batch // storage for reuse
}

// NewStream returns the stream of dev. Commands are submitted after delay; if it
// is negative, only when somebody waits or enough have gathered.
func NewStream(dev hal.Device, delay time.Duration) *Stream {
	s := &Stream{dev: dev, delay: delay}
	if delay >= 0 {
		s.timer = time.AfterFunc(time.Hour, s.Flush)
		s.timer.Stop()
	}
	return s
}

// Node is a command to be recorded.
type Node struct {
	// Cmd is the command. Its Args and Slices are copied; its Barrier and Fault
	// are set by Record.
	Cmd  hal.Command
	Uses []Use
	// After lists commands of this stream that must have completed before.
	After []*Event
	// CopyHost makes Record copy the Host bytes of an OpWrite.
	CopyHost bool
}

// Record appends the command to the stream and binds e to it.
func (s *Stream) Record(front *Recorder, n *Node, e *Event) error {
	s.mu.Lock()
	if err := s.usable(n); err != nil {
		s.mu.Unlock()
		return err
	}
	b := s.current()
	s.pos++
	cmd := n.Cmd
	cmd.Barrier = s.tracker.Add(n.Uses, s.mustWait(n.After))
	if cmd.Barrier {
		s.barrierPos = s.pos
	}
	cmd.Fault = nil
	if cmd.Op == hal.OpLaunch {
		cmd.Fault = &e.Fault
		cmd.Args, cmd.Slices = b.keep(n.Cmd.Args, n.Cmd.Slices)
	} else if n.CopyHost {
		cmd.Host, _ = b.keep(n.Cmd.Host, nil)
	}
	for i := range n.Uses {
		n.Uses[i].Mem.state.last = b.seq
	}
	e.batch, e.pos, e.front = b, s.pos, front
	front.last = b.seq
	b.cmds = append(b.cmds, cmd)
	b.events = append(b.events, e)
	full := len(b.cmds) >= batchFull || len(b.cmds) >= batchIdle && s.idle()
	if len(b.cmds) == 1 && !full && s.timer != nil {
		s.timer.Reset(s.delay)
	}
	s.mu.Unlock()
	// Using the memory keeps the handles alive until its batch is noted in them.
	runtime.KeepAlive(n)
	if full {
		s.Flush()
	}
	return nil
}

// usable reports why the command cannot be recorded.
func (s *Stream) usable(n *Node) error {
	if s.closed {
		return ErrClosed
	}
	if s.lost != nil {
		return s.lost
	}
	for i := range n.Uses {
		if n.Uses[i].Mem.state.released {
			return ErrReleased
		}
	}
	return nil
}

// ErrReleased is returned for commands that use released memory.
var ErrReleased = errors.New("the buffer is closed")

// mustWait reports whether a command that depends on the events needs a barrier.
func (s *Stream) mustWait(after []*Event) bool {
	for _, e := range after {
		if s.mustWait(e.after) {
			return true
		}
		if e.batch != nil && e.batch.stream == s && e.batch.state < batchDone && e.pos >= s.barrierPos {
			return true
		}
	}
	return false
}

// idle reports whether the device has nothing to do.
func (s *Stream) idle() bool {
	s.collect()
	return len(s.inflight) == 0
}

// current returns the batch that records.
func (s *Stream) current() *Batch {
	if s.cur == nil {
		b := s.spare
		s.spare = nil
		if b == nil {
			b = &Batch{}
		}
		s.seq++
		s.cur = &Batch{stream: s, seq: s.seq, submitted: make(chan struct{}),
			cmds: b.cmds, events: b.events, bytes: b.bytes, slices: b.slices}
	}
	return s.cur
}

// Flush submits what has been recorded.
func (s *Stream) Flush() { s.flush(background) }

// flush is Flush; the wait for a device that is far behind ends with ctx.
func (s *Stream) flush(ctx context.Context) error {
	var oldest *Batch
	s.mu.Lock()
	if n := len(s.inflight); n >= maxInflight {
		oldest = s.inflight[n-maxInflight]
	}
	s.mu.Unlock()
	if oldest != nil {
		if err := oldest.wait(ctx); err != nil {
			return err
		}
	}
	s.submit.Lock()
	defer s.submit.Unlock()
	s.mu.Lock()
	b := s.cur
	s.cur = nil
	s.mu.Unlock()
	if b == nil {
		return nil
	}
	ticket, err := s.dev.Submit(b.cmds)
	s.mu.Lock()
	defer s.mu.Unlock()
	b.state = batchSubmitted
	if err != nil {
		ticket = failed{err}
	}
	b.ticket = ticket
	s.inflight = append(s.inflight, b)
	close(b.submitted)
	s.collect()
	return nil
}

// failed is the ticket of a batch that could not be submitted.
type failed struct{ err error }

func (f failed) Done() bool                 { return true }
func (f failed) Wait(context.Context) error { return f.err }

// poll notes which batches have completed.
func (s *Stream) poll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collect()
}

// collect notes which batches have completed. Batches may overtake each other,
// but memory waits for the oldest.
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
	if len(s.dying) > 0 {
		s.freeDying()
	}
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

// waitThrough waits for the batches up to the one with number last.
func (s *Stream) waitThrough(ctx context.Context, last uint64) error {
	s.mu.Lock()
	pending := s.cur != nil && s.cur.seq <= last
	s.mu.Unlock()
	if pending {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	for {
		s.submit.Lock() // a batch on its way to the device is in neither list
		s.mu.Lock()
		s.collect()
		var b *Batch
		if len(s.inflight) > 0 && s.inflight[0].seq <= last {
			b = s.inflight[0]
		}
		s.mu.Unlock()
		s.submit.Unlock()
		if b == nil {
			return nil
		}
		if err := b.wait(ctx); err != nil {
			return err
		}
	}
}

// Close submits what has been recorded, waits for all batches and ends the
// stream. The memory that is left belongs to the device's end.
func (s *Stream) Close() {
	s.submit.Lock()
	s.mu.Lock()
	already := s.closed
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.submit.Unlock()
	if already {
		return
	}
	s.Flush()
	s.waitThrough(background, ^uint64(0))
	s.using.Lock() // those who wait for a ticket have seen it done
	defer s.using.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dying = nil
}

// Enter keeps Close from returning until Leave is called, so that the device can
// be used. It reports false after Close.
func (s *Stream) Enter() bool {
	s.using.RLock()
	if s.Closed() {
		s.using.RUnlock()
		return false
	}
	return true
}

// Leave ends what Enter began.
func (s *Stream) Leave() { s.using.RUnlock() }

// Closed reports whether Close was called.
func (s *Stream) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
