package stream

// This file runs host functions as commands of the stream.
//
// A host function is a batch of its own. The function runs, on a goroutine, when all earlier
// batches have completed. The stream holds later batches back until the function returns, and then
// submits them to the device.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// ErrWithin is the error for a host function that waits for its own stream, because such a wait
// would never end.
var ErrWithin = errors.New("a host function waits for its device")

// HostError is the error for a host function that failed.
type HostError struct{ Err error }

func (e *HostError) Error() string { return e.Err.Error() }

// Unwrap returns the function's own error.
func (e *HostError) Unwrap() error { return e.Err }

// errSkipped is the error for a host function that was not called.
var errSkipped = errors.New("it was not called: a command before it failed")

// hostTicket is the ticket of a running host function.
type hostTicket struct {
	once sync.Once
	done chan struct{}
}

func (t *hostTicket) end() { t.once.Do(func() { close(t.done) }) }

func (t *hostTicket) Done() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *hostTicket) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The method `seal` closes the current batch to further commands. The batch is submitted after the
// batches before it.
func (s *Stream) seal() {
	if b := s.cur; b != nil {
		s.cur, b.sealedUnsent = nil, true
		s.inflight = append(s.inflight, b)
	}
}

// appendFunc appends a host function as a batch of its own. The batch waits for the events in
// after.
func (s *Stream) appendFunc(front *Recorder, n *Command, after []*Event, e *Event) {
	s.seal()
	b := s.current()
	s.pos++
	s.barrierPos = s.pos // later commands begin after the function has returned
	b.run, b.after, b.runAlways = n.Run, after, n.Always
	e.batch, e.pos, e.front = b, s.pos, front
	front.last = b.seq
	b.add(&hal.Command{Op: hal.OpHost, Cancel: n.Cmd.Cancel}, nil, e)
	s.seal()
	s.funcs++
}

// runningBatch returns the batch of the host function that is running, or nil.
func (s *Stream) runningBatch() *Batch {
	if s.funcs == 0 {
		return nil
	}
	for _, b := range s.inflight {
		if b.run != nil && !b.sealedUnsent && b.err == nil && !b.ticket.Done() {
			return b
		}
	}
	return nil
}

// canSubmitHeld reports whether the stream can submit a batch that it held back.
func (s *Stream) canSubmitHeld() bool {
	return s.funcs > 0 && s.inflight[len(s.inflight)-1].sealedUnsent && s.runningBatch() == nil
}

// nextHeld finds the first batch that the stream holds back. If the batch can be submitted now,
// nextHeld releases and returns it; otherwise nextHeld returns nil. nextHeld also returns the last
// incomplete batch before that batch, or nil.
func (s *Stream) nextHeld() (b, before *Batch) {
	if !s.abandoned && s.runningBatch() != nil {
		return nil, nil
	}
	for _, b := range s.inflight {
		if b.sealedUnsent {
			if !s.abandoned && b.gated() {
				return nil, nil
			}
			b.sealedUnsent = false
			return b, before
		}
		before = b
	}
	return nil, nil
}

// callHostFunc calls the host function of the batch b, with the event e, once the batch before b
// has completed. Afterwards callHostFunc submits the batches that were held back. The parameters e
// and cancel are needed because the batch loses both values if the device is abandoned.
func (s *Stream) callHostFunc(b, before *Batch, e *Event, cancel *hal.Cancel, t *hostTicket) {
	var start int64
	ended := func(f hal.Fault) {
		now := hal.Now()
		s.mu.Lock()
		if !t.Done() { // the device has not been abandoned
			*e.Fault = f
			if e.Times != nil && start != 0 {
				e.Times.Ran(start, now)
			}
		}
		s.mu.Unlock()
	}
	defer s.Leave()
	defer func() {
		t.end()
		s.poll()
		s.TryFlush()
	}()
	if before != nil && before.wait(s.life) != nil {
		return // the device is abandoned
	}
	s.mu.Lock()
	run, failed := b.run, e.Rare().Group != nil && e.Rare().Group.first != nil
	always := b.runAlways
	for _, a := range b.after {
		failed = failed || a.hasFailed()
	}
	s.mu.Unlock()
	switch {
	case run == nil: // the device was abandoned
		return
	case failed && !always:
		ended(hal.Fault{Failed: &HostError{errSkipped}})
		return
	case cancel.Asked():
		ended(hal.Fault{Cancelled: true})
		return
	}
	var err error = &HostError{errors.New("it ended its goroutine")}
	start = hal.Now()
	s.within.Store(goroutineID())
	defer func() {
		s.within.Store(0)
		if r := recover(); r != nil {
			err = &HostError{fmt.Errorf("it panicked: %v\n\n%s", r, debug.Stack())}
		}
		ended(hal.Fault{Failed: err})
	}()
	if err = run(s.life); err != nil && err != ErrCancelled {
		err = &HostError{err}
	}
}

// endFuncs ends all waits for running host functions and for copies between devices. The stream
// calls endFuncs when the device is abandoned.
func (s *Stream) endFuncs(err error) {
	for _, h := range s.halves {
		if !h.batch.sealedUnsent && !h.ticket.Done() {
			h.event.Fault.Failed = err
			h.ticket.end()
		}
	}
	if b := s.runningBatch(); b != nil {
		b.events[0].Fault.Failed = err
		b.ticket.(*hostTicket).end()
	}
}

// hasFailed reports whether the command of the event failed, or whether a command that the
// event waits for failed.
func (e *Event) hasFailed() bool {
	for _, a := range e.After() {
		if a.hasFailed() {
			return true
		}
	}
	h := e.Rare()
	return e.batch != nil && (h.err != nil || h.from != nil || e.Fault.Set || len(h.parts) > 0)
}

// MayWait returns ErrWithin if the caller is the running host function, which must not wait for the
// stream.
func (s *Stream) MayWait() error {
	if id := s.within.Load(); id != 0 && id == goroutineID() {
		return ErrWithin
	}
	return nil
}

// goroutineID returns the number that stack traces give to the calling goroutine.
func goroutineID() uint64 {
	var buf [40]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	text, _, _ = bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(text), 10, 64)
	return id
}
