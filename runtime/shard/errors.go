package shard

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/kgen-go/kgen/runtime"
)

// Error is an error that occurred on one device of a group.
type Error struct {
	Index  int // index of the device in the group
	Device *runtime.Device
	Err    error // error of a call or a launch on that device
}

// Error returns a line such as
//
//	device 1 (NVIDIA H200): saxpy.SAXPY: saxpy/kernel.go:18:2: index out of range [5] with length 3 (work-item [5])
func (e *Error) Error() string {
	return fmt.Sprintf("device %d (%s): %v", e.Index, e.Device.Name(), e.Err)
}

// Unwrap returns the field Err.
func (e *Error) Unwrap() error { return e.Err }

// `invalid` returns an error of class runtime.ErrInvalid.
func invalid(remedy, format string, args ...any) error {
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
}

// contextError returns the error for a context that has ended.
func contextError(ctx context.Context) error {
	class := runtime.ErrCanceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		class = runtime.ErrDeadline
	}
	return &runtime.Error{Class: class, Problem: "the context ended before the devices were done", Err: ctx.Err()}
}

// usableContext returns an error if ctx is nil or has ended.
func usableContext(ctx context.Context) error {
	if ctx == nil {
		return invalid("give context.Background() for no bound", "the context is nil")
	}
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	return nil
}

// joined is the type of the errors that errors.Join returns.
var joined = reflect.TypeOf(errors.Join(errors.ErrUnsupported))

// withoutRepeats returns the error of a wait, which errors.Join has made of the errors of many launches.
// Of errors with the same text, withoutRepeats keeps the first, and says how many others there are.
func withoutRepeats(err error) error {
	if reflect.TypeOf(err) != joined {
		return err
	}
	var kept []error
	seen := map[string]bool{}
	errs := err.(interface{ Unwrap() []error }).Unwrap()
	for _, e := range errs {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			kept = append(kept, e)
		}
	}
	if more := len(errs) - len(kept); more > 0 {
		kept = append(kept, fmt.Errorf("(and %d more with the same text)", more))
	}
	return errors.Join(kept...)
}
