package graph

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type batchState uint8

const (
	batchRecording batchState = iota
	batchSubmitted
	batchDone
)

// Batch is a group of commands that are submitted together.
type Batch struct {
	stream    *Stream
	seq       uint64
	submitted chan struct{} // closed when ticket is set

	// The rest is guarded by the stream's mu.
	state  batchState
	ticket hal.Ticket
	err    error // of the whole batch

	cmds   []hal.Command
	events []*Event
	// Storage that commands point into; it may move while it grows, since
	// earlier pieces keep the old array alive.
	bytes  []byte
	slices []hal.SliceArg
}

// keep copies a command's arguments into the batch.
func (b *Batch) keep(args []byte, slices []hal.SliceArg) ([]byte, []hal.SliceArg) {
	n := (len(b.bytes) + 7) &^ 7 // values are read at their own alignment
	if n+len(args) > cap(b.bytes) {
		b.bytes = make([]byte, 0, max(4096, 2*cap(b.bytes), len(args)))
		n = 0
	}
	b.bytes = append(b.bytes[:n], args...)
	m := len(b.slices)
	b.slices = append(b.slices, slices...)
	return b.bytes[n:len(b.bytes):len(b.bytes)], b.slices[m:len(b.slices):len(b.slices)]
}

// finish notes that the batch has completed, and reports whether it has.
func (b *Batch) finish() bool {
	switch {
	case b.state == batchDone:
		return true
	case b.state == batchRecording || !b.ticket.Done():
		return false
	}
	b.state = batchDone
	b.err = b.ticket.Wait(background)
	s := b.stream
	if errors.Is(b.err, hal.ErrDeviceLost) && s.lost == nil {
		s.lost = b.err
	}
	for _, e := range b.events {
		if b.err != nil || e.Fault.Set {
			s.fail(e)
		}
	}
	// Events may be kept for long; they need none of this.
	clear(b.cmds)
	clear(b.events)
	clear(b.slices)
	if s.spare == nil && cap(b.bytes) <= 1<<20 {
		s.spare = &Batch{cmds: b.cmds[:0], events: b.events[:0], bytes: b.bytes[:0], slices: b.slices[:0]}
	}
	b.cmds, b.events, b.bytes, b.slices, b.ticket = nil, nil, nil, nil, nil
	return true
}

// poll reports whether the batch has completed.
func (b *Batch) poll() bool {
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	if b.finish() {
		b.stream.collect()
		return true
	}
	return false
}

// wait submits the batch if need be and blocks until it has completed.
func (b *Batch) wait(ctx context.Context) error {
	if b.poll() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s := b.stream
	s.mu.Lock()
	recording := s.cur == b
	s.mu.Unlock()
	if recording {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	select {
	case <-b.submitted:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := b.waitTicket(ctx)
	if err == nil && !b.poll() {
		return errors.New("BUG: a batch is not done after its wait")
	}
	return err
}

// waitTicket waits for a submitted batch.
func (b *Batch) waitTicket(ctx context.Context) error {
	b.stream.using.RLock()
	defer b.stream.using.RUnlock()
	b.stream.mu.Lock()
	ticket := b.ticket
	b.stream.mu.Unlock()
	if ticket == nil {
		return nil // somebody else saw it complete
	}
	for start := time.Now(); !ticket.Done() && time.Since(start) < spinTime; {
		runtime.Gosched()
	}
	if !ticket.Done() {
		if err := ticket.Wait(ctx); err != nil && ctx.Err() != nil && !ticket.Done() {
			return ctx.Err()
		}
	}
	return nil
}
