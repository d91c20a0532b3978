package runtime

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Event represents a launch or another command. An Event is a small value. For the zero Event, Done
// returns true.
type Event struct{ l *pending }

// A pending is a recorded launch, copy or host function.
type pending struct {
	ev     stream.Event
	dev    *Device
	kernel *Kernel  // nil if the command is not a launch
	local  [3]int32 // work-group size, in the order of the range's dimensions
	// hostFunc says that the command is a host function.
	hostFunc bool
	stays    bool // after the kernel has begun, the launch continues even if ctx ends
	prints   bool // the command writes the output of a kernel that prints

	rareOrNil *rarePending // fields that few commands use; nil if all these fields are zero
}

// rarePending holds the fields that few commands use; see stream.Rare.
type rarePending struct {
	cancel hal.Cancel
	ctx    context.Context // context that cancels the launch when the context ends, or nil

	node   *Node    // graph node for the command, if the queue records into a graph; otherwise nil
	output *pending // command that writes the printed output of the kernel, or nil

	parts []*pending // commands of a submitted graph, in the graph's order; nil for a graph that ran as a single OpGraph
}

// noRare is the result of rareFields for commands without rare fields. The value of noRare never
// changes.
var noRare rarePending

// rareFields returns the command's rare fields, for reading.
func (l *pending) rareFields() *rarePending {
	if l.rareOrNil == nil {
		return &noRare
	}
	return l.rareOrNil
}

// needRare returns the command's rare fields. The caller may write to these fields before the
// command is recorded.
func (l *pending) needRare() *rarePending {
	if l.rareOrNil == nil {
		l.rareOrNil = new(rarePending)
	}
	return l.rareOrNil
}

func newPending(dev *Device, k *Kernel) *pending {
	l := &pending{dev: dev, kernel: k}
	l.ev.Owner, l.ev.Times = l, dev.newTimes(nil)
	return l
}

// Wait blocks until the launch has completed or ctx ends. If ctx ends first, the launch continues.
// To end the launch when a context ends, give the launch the option [WithContext]. Wait returns the
// launch's *Fault if a work-item panicked. If the launch did not complete, because the device
// failed or the launch was cancelled, Wait returns the reason as an error. If the launch read
// memory that another launch failed to write, the error also contains the error of the other
// launch. Later calls of Wait return the same result.
func (e Event) Wait(ctx context.Context) error {
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	if e.l == nil {
		return nil
	}
	h := e.l.rareFields()
	if h.node != nil {
		return e.l.waitRecorded()
	}
	if err := e.l.ev.Wait(ctx); err != nil {
		return e.l.stillRuns(waitError(err))
	}
	out := h.output
	if out == nil {
		return e.l.commandError()
	}
	if err := out.ev.Wait(ctx); err != nil {
		return waitError(err)
	}
	var failed []error
	for _, l := range []*pending{e.l, out} {
		if err := l.commandError(); err != nil {
			failed = append(failed, err)
		}
	}
	return joinErrors(failed)
}

// stillRuns extends the error of a wait if the launch's context has ended, but the kernel is still
// running. The additional text says that the kernel cannot be cancelled.
func (l *pending) stillRuns(err error) error {
	for _, p := range l.rareFields().parts {
		if p.stays {
			return p.stillRuns(err)
		}
	}
	var e *Error
	if l.stays && l.rareFields().ctx.Err() != nil && errors.As(err, &e) {
		e.setKernel(l.kernel).Problem += "; the kernel is still running, and cannot be cancelled"
		if l.dev.isHost() {
			e.advise("without its host form it ends between work-items only: see KGEN_HOST_FORM")
		} else {
			e.advise("write //kgen:cancel above its method Kernel and run go generate: launches of it then end with their contexts")
		}
	}
	return err
}

// Done reports whether the launch has completed, without blocking. The event of a node of a graph
// is never done.
func (e Event) Done() bool {
	if e.l == nil {
		return true
	}
	h := e.l.rareFields()
	return h.node == nil && e.l.ev.Done() && (h.output == nil || h.output.ev.Done())
}

// LocalRange returns the launch's work-group size, in the order of the range's dimensions.
// LocalRange is empty for a task. For a launch over a range, the size comes from the kernel's
// properties, or the runtime has chosen the size.
func (e Event) LocalRange() []int {
	if e.l == nil || e.l.kernel == nil {
		return nil
	}
	local := e.l.localRange()
	return append([]int{}, local[:e.l.kernel.abi.Rank]...)
}

func (l *pending) localRange() [3]int {
	return [3]int{int(l.local[0]), int(l.local[1]), int(l.local[2])}
}

func (l *pending) setLocalRange(local [3]int) {
	l.local = [3]int32{int32(local[0]), int32(local[1]), int32(local[2])} // Vulkan's sizes also have 32 bits
}

// commandError returns the command's error, or nil if the command has not failed.
func (l *pending) commandError() error {
	var first *pending
	least := 0
	parts := l.rareFields().parts
	if l.kernel == nil && parts == nil {
		for _, e := range l.ev.Parts() {
			parts = append(parts, e.Owner.(*pending))
		}
	}
	for _, p := range parts {
		if rank, failed := p.ev.Rank(); failed && (first == nil || rank < least) {
			first, least = p, rank
		}
	}
	if first != nil {
		for _, p := range parts {
			if p != first {
				p.ev.Forget() // discard this failure, because the first failure may have caused it
			}
		}
		return first.commandError()
	}
	failed, err, from := l.ev.Failed()
	switch {
	case !failed:
		return nil
	case err != nil:
		return l.lostError(err)
	case from != nil:
		return l.readUnwritten(from)
	}
	switch f := l.ev.Fault; {
	case f.Err != nil:
		return f.Err
	case len(f.Found) > 0:
		return newCheckError(l.kernel, f.Found)
	}
	return newFault(l.kernel, l.ev.Fault)
}

// lostError returns the error of a command that did not complete.
func (l *pending) lostError(err error) error {
	what := "the launch"
	switch {
	case l.hostFunc:
		what = "the host function"
	case l.kernel == nil:
		what = "a copy"
	}
	if e := hostFailed(err); e != nil {
		if l.prints {
			e.Class, e.Problem = ErrPrint, "what the kernel has printed was not written"
			e.setKernel(l.kernel)
		}
		return e
	}
	if e := (*stream.CrossError)(nil); errors.As(err, &e) {
		return l.crossFailed(e)
	}
	if f := l.ev.Fault; errors.Is(err, stream.ErrEnded) {
		return &LoopError{Kernel: l.kernel.Name(), Pos: abi.LoopPos(f.Loops, int(f.Ended)), Number: int(f.Ended), Device: l.dev.Name()}
	}
	if errors.Is(err, stream.ErrCancelled) {
		e := errorf(ErrCanceled, "%s was cancelled before its end", what)
		e.Err = context.Canceled
		if ctx := l.rareFields().ctx; ctx != nil && ctx.Err() != nil {
			if e.Err = endOf(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) {
				e.Class = ErrDeadline
			}
		}
		if l.kernel != nil {
			e.setKernel(l.kernel)
		}
		return e
	}
	return backendError(l.dev, l.kernel, what+" did not run whole on the device "+l.dev.Name(), err)
}

// unwritten is the problem of a command that read memory which another command failed to write.
const unwritten = "it read memory that an earlier command was to write, which did not run whole"

// readUnwritten returns the error of the command l, which read memory that another command failed
// to write. The argument `writer` is the event of the command that failed. If that command itself is a
// copy of unwritten memory of another device, readUnwritten returns the first failure.
func (l *pending) readUnwritten(writer *stream.Event) error {
	cause := writer.Owner.(*pending).lostError(writer.Err())
	e := errorf(ErrInvalid, unwritten).
		advise("copy to all of that memory, or fill it (CopyFrom, runtime.Fill); a launch that writes it is not enough, because it may leave elements as they are")
	var first *Error
	for errors.As(cause, &first) && first.Problem == unwritten {
		cause = first.Err
	}
	switch {
	case errors.As(cause, &first):
		e.Class = first.Class
	case errors.Is(cause, ErrFeatureNotSupported): // cause is a *LoopError
		e.Class = ErrFeatureNotSupported
	}
	if l.kernel != nil {
		e.setKernel(l.kernel)
	}
	e.Err = cause
	return e
}

// joinErrors is like errors.Join, but returns a single error unchanged.
func joinErrors(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
