package stream

import (
	"context"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file collects commands in batches, waits for batches, and processes each batch after its
// commands have completed.

type batchState uint8

const (
	batchRecording batchState = iota
	batchSubmitted
	batchDone
)

// someFaults is the number of fault records that a batch allocates at a time.
const someFaults = 32

// Batch is a group of commands that are submitted together.
type Batch struct {
	stream *Stream
	seq    uint64
	// The stream's mu guards the fields below.
	state        batchState
	sealedUnsent bool          // the batch takes no more commands, but has not been submitted to the device
	runAlways    bool          // run is called even if earlier commands have failed
	submitted    chan struct{} // closed when ticket or err is set; nil if no caller has asked for the channel
	weight       int           // number of commands; a Replay counts as all of its commands
	nextCheck    int           // value of weight at which the stream next checks whether the device is idle
	ticket       hal.Ticket
	err          error                           // reason why the batch was not submitted, or nil
	run          func(ctx context.Context) error // the host function of the batch, or nil
	after        []*Event                        // events that the host function waits for
	half         *half                           // half of a copy between devices, if the batch consists of that half; otherwise nil
	gates        []*half                         // halves of copies between devices; the batch is submitted after these halves have completed

	*batchStorage // storage of the batch; spentStorage after the batch has completed
}

// batchStorage contains a batch's commands. When the batch has completed, another batch reuses its
// storage. The Batch value itself stays in memory as long as an event refers to it.
type batchStorage struct {
	faults  []*[someFaults]hal.Fault // fault records of all commands
	cmds    []hal.Command
	events  []*Event
	uses    []use     // memory uses of all commands
	ends    []int     // the uses of command i are uses[ends[i-1]:ends[i]]
	replays []*Replay // replays of the commands that are an OpGraph

	// The fields `bytes` and `slices` contain the memory that commands point to. The fields `bytes`
	// and `slices` are reallocated when they grow. Commands that point into an old array keep that
	// array alive.
	bytes  []byte
	slices []hal.SliceArg
}

// All batches that have completed share spentStorage. Nothing writes to spentStorage.
var spentStorage batchStorage

// A use contains the same data as a Use, but not the memory's handle. A use must not keep the
// handle alive.
type use struct {
	mem    *memoryState
	lo, hi uint64
	access uint8
}

// `add` appends a command to the batch, and returns the batch's copy of the command.
func (b *Batch) add(cmd *hal.Command, uses []Use, e *Event) *hal.Command {
	b.cmds = appendCommand(b.cmds, cmd)
	b.weight++
	b.events = append(b.events, e)
	for i := range uses {
		u := &uses[i]
		if u.Access != 0 && u.Lo < u.Hi {
			b.uses = append(b.uses, use{u.Mem.state, u.Lo, u.Hi, uint8(u.Access)})
		}
	}
	b.ends = append(b.ends, len(b.uses))
	c := &b.cmds[len(b.cmds)-1]
	e.Fault = b.faultRecord(len(b.cmds) - 1)
	c.Fault = e.Fault
	return c
}

// appendCommand appends a command to a list. For a launch, appendCommand sets only the fields that
// launches have. The unused elements of the list's array must be zero. Copying all fields would
// take three times as long.
func appendCommand(list []hal.Command, cmd *hal.Command) []hal.Command {
	n := len(list)
	if cmd.Op != hal.OpLaunch || n == cap(list) {
		return append(list, *cmd)
	}
	list = list[:n+1]
	c := &list[n]
	c.Op, c.Pipeline, c.Global, c.Groups, c.Args, c.Slices = cmd.Op, cmd.Pipeline, cmd.Global, cmd.Groups, cmd.Args, cmd.Slices
	if cmd.Cancel != nil {
		c.Cancel = cmd.Cancel
	}
	return list
}

// faultRecord returns the fault record of command i.
func (b *Batch) faultRecord(i int) *hal.Fault {
	if i/someFaults == len(b.faults) {
		b.faults = append(b.faults, new([someFaults]hal.Fault))
	}
	return &b.faults[i/someFaults][i%someFaults]
}

// noFault is the fault record of every event whose command has succeeded.
var noFault hal.Fault

// forgetFaults returns the batch's fault records for reuse if all commands have succeeded. If a
// command has failed, events still refer to the fault records.
func (b *Batch) forgetFaults() []*[someFaults]hal.Fault {
	for i := range b.events {
		f := b.faultRecord(i)
		if !f.Clean() {
			return nil
		}
		f.Part, f.Parts = 0, nil
	}
	for _, e := range b.events {
		e.Fault = &noFault
	}
	return b.faults
}

// usesOf returns the uses of command i.
func (b *Batch) usesOf(i int) []use {
	lo := 0
	if i > 0 {
		lo = b.ends[i-1]
	}
	return b.uses[lo:b.ends[i]]
}

// stampSubmitted stores the current time as the time of the batch's submission.
func (b *Batch) stampSubmitted() {
	now := hal.Now()
	for _, e := range b.events {
		if e.Times != nil {
			e.Times.Submitted = now
		}
	}
}

// callObserver calls the stream's observer for each command.
func (b *Batch) callObserver() {
	for i, e := range b.events {
		b.stream.observe(e, &b.cmds[i], func(yield func(abi.Access, uint64) bool) {
			for _, u := range b.usesOf(i) {
				if !yield(abi.Access(u.access), u.hi-u.lo) {
					return
				}
			}
		})
	}
}

// keepArgs copies a command's arguments and slices into the storage of the batch.
func (b *Batch) keepArgs(args []byte, slices []hal.SliceArg) ([]byte, []hal.SliceArg) {
	n := (len(b.bytes) + 7) &^ 7 // the runtime reads values at their natural alignment
	if n+len(args) > cap(b.bytes) {
		b.bytes = make([]byte, 0, max(4096, 2*cap(b.bytes), len(args)))
		n = 0
	}
	b.bytes = append(b.bytes[:n], args...)
	m := len(b.slices)
	b.slices = append(b.slices, slices...)
	return b.bytes[n:len(b.bytes):len(b.bytes)], b.slices[m:len(b.slices):len(b.slices)]
}

// finishBatch processes the batch if the batch has completed, and reports whether the batch has
// completed. All earlier batches have already been finished, so the ranges of memory that they
// poisoned are known.
func (b *Batch) finishBatch() bool {
	switch {
	case b.state == batchDone:
		return true
	case b.state == batchRecording || b.err == nil && !b.ticket.Done():
		return false
	}
	b.state = batchDone
	s := b.stream
	s.settle(b)
	if s.observe != nil {
		b.callObserver()
	}
	if b.run != nil {
		s.funcs--
		b.run, b.after = nil, nil
	}
	// Callers may keep events for a long time, but events do not need the storage of the batch. An
	// abandoned device may still read the storage of a batch, which is then not reused.
	if !s.abandoned {
		faults, kept := b.forgetFaults(), b.batchStorage
		clear(kept.cmds)
		clear(kept.events)
		clear(kept.uses)
		clear(kept.slices)
		clear(kept.replays)
		if len(s.spare) < maxSpare && cap(kept.bytes) <= 1<<20 && cap(kept.cmds) <= 2*batchFull {
			*kept = batchStorage{faults, kept.cmds[:0], kept.events[:0], kept.uses[:0], kept.ends[:0], kept.replays[:0], kept.bytes[:0], kept.slices[:0]}
			s.spare = append(s.spare, kept)
		}
	}
	b.batchStorage, b.ticket = &spentStorage, nil
	return true
}

// pollBatch reports whether the batch has completed.
func (b *Batch) pollBatch() bool {
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	if b.state != batchDone {
		b.stream.collect()
	}
	return b.state == batchDone
}

// The method `wait` submits the batch if necessary, and blocks until the batch has completed or ctx
// ends.
func (b *Batch) wait(ctx context.Context) error {
	if b.pollBatch() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s := b.stream
	if err := s.MayWait(); err != nil {
		return err
	}
	s.mu.Lock()
	recording, held := s.cur == b, b.sealedUnsent
	s.mu.Unlock()
	switch {
	case recording:
		if err := s.Flush(ctx); err != nil {
			return err
		}
	case held:
		s.handOn() // submits the batch here, without waiting for the goroutine that submits full batches
	}
	select {
	case <-b.whenSubmitted():
	case <-ctx.Done():
		return ctx.Err()
	}
	err := b.waitTicket(ctx)
	// A batch that failed immediately still completes after the batches before it.
	for err == nil && !b.pollBatch() {
		s.mu.Lock()
		oldest := b
		if len(s.inflight) > 0 && s.inflight[0].seq < b.seq { // if this is false, b has completed in the meantime
			oldest = s.inflight[0]
		}
		s.mu.Unlock()
		select {
		case <-oldest.whenSubmitted():
			err = oldest.waitTicket(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// closedChan is the channel that whenSubmitted returns for batches that have been
// submitted already.
var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// whenSubmitted returns a channel that is closed when the batch has been submitted, or could not be
// submitted.
func (b *Batch) whenSubmitted() <-chan struct{} {
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	if b.state != batchRecording {
		return closedChan
	}
	if b.submitted == nil {
		b.submitted = make(chan struct{})
	}
	return b.submitted
}

// waitTicket waits for a submitted batch.
func (b *Batch) waitTicket(ctx context.Context) error {
	s := b.stream
	s.mu.Lock()
	ticket := b.ticket
	if ticket == nil {
		s.mu.Unlock()
		return nil // the batch was not submitted, or another caller has seen that it completed
	}
	s.users++ // keeps Close waiting until the ticket is no longer used
	s.mu.Unlock()
	defer s.Leave()
	for !ticket.Done() {
		if err := ticket.Wait(ctx); err != nil && ctx.Err() != nil && !ticket.Done() {
			return ctx.Err()
		}
	}
	return nil
}
