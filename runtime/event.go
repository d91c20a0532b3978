package runtime

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/graph"
)

// Event stands for one launch. It is a small value; the zero Event is done.
type Event struct{ l *launched }

// launched is a recorded launch or copy.
type launched struct {
	ev     graph.Event
	dev    *Device
	kernel *Kernel // nil for a copy
	local  [3]int  // in index order
}

func newLaunched(dev *Device, k *Kernel) *launched {
	l := &launched{dev: dev, kernel: k}
	l.ev.Owner = l
	return l
}

// Wait blocks until the launch has completed or ctx ends; the launch goes on in
// the latter case. It returns the launch's *Fault, if a work-item panicked, and
// any error of the device. Waiting again returns the same.
func (e Event) Wait(ctx context.Context) error {
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	if e.l == nil {
		return nil
	}
	if err := e.l.ev.Wait(ctx); err != nil {
		return waitError(err)
	}
	return e.l.failure()
}

// Done reports whether the launch has completed. It does not block.
func (e Event) Done() bool { return e.l == nil || e.l.ev.Done() }

// LocalRange returns the work-group size that the launch used, in the kernel's
// index order; it has no elements for a task. For a range launch it is what the
// kernel's properties or the runtime chose.
func (e Event) LocalRange() []int {
	if e.l == nil || e.l.kernel == nil {
		return nil
	}
	return append([]int{}, e.l.local[:e.l.kernel.abi.Rank]...)
}

// failure returns how the command failed, if it did.
func (l *launched) failure() error {
	failed, err := l.ev.Failed()
	switch {
	case !failed:
		return nil
	case err != nil:
		return backendError(l.dev, l.kernel, "the device "+l.dev.Name()+" failed", err)
	}
	switch f := &l.ev.Fault; {
	case f.Err != nil:
		return f.Err
	case f.Ended != 0:
		return &LoopError{Kernel: l.kernel.Name(), Pos: abi.LoopPos(f.Loops, int(f.Ended)), Number: int(f.Ended), Device: l.dev.Name()}
	case len(f.Found) > 0:
		return newCheckError(l.kernel, f.Found)
	}
	return newFault(l.kernel, &l.ev.Fault)
}

// join is errors.Join, but leaves a single error as it is.
func join(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
