package runtime

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// The classes of errors, for use with errors.Is. The classes correspond to error codes of SYCL
// 2020. Most errors of this package are of type *Error, which describes the problem and often a
// remedy. A run-time panic in a kernel is a *Fault.
var (
	// ErrInvalid is the class of errors for invalid calls, such as use of a closed device or
	// buffer, a negative size, conflicting properties, or an element type with pointers.
	ErrInvalid = errors.New("invalid")
	// ErrNDRange reports that a kernel cannot be launched over the given range. For example, the
	// range may not be a multiple of the work-group size, or the kernel may require another
	// work-group size or rank.
	ErrNDRange = errors.New("invalid nd-range")
	// ErrKernelNotSupported reports a kernel that the device cannot run. The device lacks an
	// aspect, a work-group size or a sub-group size that the kernel needs.
	ErrKernelNotSupported = errors.New("kernel not supported")
	// ErrFeatureNotSupported reports a feature that the device does not support, or that is not
	// available in the calling code.
	ErrFeatureNotSupported = dslhook.ErrFeatureNotSupported
	// ErrMemoryAllocation reports that the device or a work-group has too little memory.
	ErrMemoryAllocation = errors.New("memory allocation")
	// ErrKernelArgument reports an invalid argument of a kernel, such as a view of another device's
	// buffer.
	ErrKernelArgument = errors.New("kernel argument")
	// ErrBuild reports a module that the device does not accept, or that cannot be made from the
	// kernel's IR. ErrBuild also reports a module whose properties differ from the result of the
	// kernel's Properties method in this program.
	ErrBuild = errors.New("build")
	// ErrCompileProgram reports a program that cannot be compiled.
	ErrCompileProgram = errors.New("compile program")
	// ErrSpecConst reports a specialization constant that is unknown or not set. Errors of this
	// class also match ErrCompileProgram.
	ErrSpecConst error = subclass{"specialization constant", ErrCompileProgram}
	// ErrDeviceLost reports a device that has failed and cannot be used again. Open another device.
	ErrDeviceLost = errors.New("device lost")
	// ErrDriver reports a failure of the device's driver if no other class describes the failure.
	ErrDriver = errors.New("driver")
	// ErrDeadline reports a wait or a launch whose context reached its deadline. Errors of this
	// class also match context.DeadlineExceeded. If a wait for a launch reaches its deadline, the
	// launch continues, unless the launch itself has the context (by WithContext or Run).
	ErrDeadline = errors.New("deadline exceeded")
	// ErrCanceled reports a wait or a launch whose context was cancelled. Errors of this class also
	// match context.Canceled. If a wait for a launch is cancelled, the launch may continue (see
	// ErrDeadline).
	ErrCanceled = errors.New("canceled")
	// ErrHostFunc reports a host function that returned an error or panicked. Errors of this class
	// also match the function's own error.
	ErrHostFunc = errors.New("host function")
	// ErrPrint reports a failure of the writer that receives the output of kernels (see PrintTo).
	// Errors of this class also match the writer's own error. The kernel that printed the output
	// has completed.
	ErrPrint = errors.New("print")
	// ErrStale reports generated code that is older than its kernels. Open returns ErrStale, but
	// only in tests.
	ErrStale = errors.New("stale generated code")
	// ErrNoProfile is the error of Event.Profile if the device was opened without Profiling, or has
	// no timestamps. Errors of this class also match ErrFeatureNotSupported.
	ErrNoProfile error = subclass{"no profile", ErrFeatureNotSupported}
	// ErrNoDevice is the error of Open if no device matches the caller's choice, or if no device
	// can be opened.
	ErrNoDevice = errors.New("no such device")
)

type subclass struct {
	text  string
	super error
}

func (s subclass) Error() string { return s.text }
func (s subclass) Unwrap() error { return s.super }

// Error is the type of most errors of this package.
type Error struct {
	Class   error  // one of the Err variables
	Kernel  string // package and name of the kernel that caused the error, or ""
	Problem string
	Remedy  string // advice that solves the problem, or ""
	Err     error  // cause of the error, or nil
	// The field Uses lists the places in the kernel's code that need missing aspects, if kgen has
	// found these places.
	Uses []abi.Use
}

// Error returns a line such as
//
//	blur.Blur: kernel not supported: it needs the aspect fp64, which the device llvmpipe lacks: blur.Blur.Kernel (blur/kernel.go:20:3) → blur.weight (blur/kernel.go:31:9)
func (e *Error) Error() string {
	var b strings.Builder
	if e.Kernel != "" {
		b.WriteString(e.Kernel + ": ")
	}
	fmt.Fprintf(&b, "%v: %s", e.Class, e.Problem)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}

// Unwrap returns the error's class and its cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

func errorf(class error, format string, args ...any) *Error {
	return &Error{Class: class, Problem: fmt.Sprintf(format, args...)}
}

// setKernel sets the name of the kernel that caused the error, and returns the error.
func (e *Error) setKernel(k *Kernel) *Error {
	e.Kernel = k.Name()
	return e
}

func (e *Error) advise(format string, args ...any) *Error {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// waitError makes an error of this package from the error of a wait that ended early.
func waitError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Class: ErrDeadline, Problem: "the wait ended before the device was done", Err: context.DeadlineExceeded}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Class: ErrCanceled, Problem: "the wait ended before the device was done", Err: context.Canceled}
	}
	if errors.Is(err, stream.ErrWithin) {
		return errWithin()
	}
	return err
}

// notEnqueued makes the error of a command whose context had ended before the command was enqueued. The argument k is nil
// for commands without a kernel.
func notEnqueued(ctx context.Context, k *Kernel) error {
	err := waitError(ctx.Err())
	if e, ok := err.(*Error); ok {
		e.Problem, e.Err = "the command was not enqueued, because its context had ended before", endOf(ctx)
		if k != nil {
			e.setKernel(k)
		}
	}
	return err
}

// endOf returns the error of a context that has ended. If the context has a cause (see
// context.WithCancelCause), the error contains the cause.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// backendError wraps an error of the device in an *Error with a class.
func backendError(dev *Device, k *Kernel, problem string, err error) *Error {
	if errors.Is(err, stream.ErrWithin) {
		return errWithin()
	}
	e := &Error{Class: ErrInvalid, Problem: problem, Err: err}
	if k != nil {
		e.setKernel(k)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Class = ErrDeadline
	case errors.Is(err, context.Canceled):
		e.Class = ErrCanceled
	case errors.Is(err, hal.ErrOutOfMemory):
		e.Class = ErrMemoryAllocation
	case errors.Is(err, hal.ErrDeviceLost):
		e.Class = ErrDeviceLost
		e.advise("close the device %s and open it again", dev.Name())
	case errors.Is(err, hal.ErrAbandoned):
		e.Class = ErrDeviceLost
		e.advise("open another device; what runs on %s may run on until the program ends", dev.Name())
	case errors.Is(err, hal.ErrDriver):
		e.Class = ErrDriver
	case errors.Is(err, hal.ErrNotSupported):
		e.Class = ErrKernelNotSupported
		e.advise("open another device; the host device runs every kernel")
	case errors.Is(err, hal.ErrPipeline):
		e.Class = ErrBuild
	case errors.Is(err, stream.ErrReleased):
		e.Class = ErrKernelArgument
	}
	return e
}

// A Fault is a run-time panic of a work-item. A panic in a kernel stops only the work-item, and the
// wait for the launch returns the Fault. If several work-items of a launch panic, the Fault
// describes the first panic. After a Fault, the device can still be used. Values that other
// work-items wrote remain in memory.
type Fault struct {
	Kernel   string    // package and name, such as "saxpy.SAXPY"
	Pos      string    // file:line:col in the kernel's source
	GlobalID []int     // global id of the work-item, in the order of the range's dimensions
	Kind     FaultKind // kind of the panic
	A, B     int64     // values in the text of the panic, such as the index and the length
	Message  string    // text of an explicit panic, as Go prints it
	Unsigned bool      // A contains the bits of a uint64 that is greater than the greatest int64
}

// FaultKind says which panic caused a [Fault], such as an index out of range.
type FaultKind = abi.FaultKind

// Error returns a line such as
//
//	saxpy.SAXPY: saxpy/kernel.go:18:2: index out of range [5] with length 3 (work-item [5])
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Kernel + ": ")
	if f.Pos != "" {
		b.WriteString(f.Pos + ": ")
	}
	b.WriteString(f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message))
	if len(f.GlobalID) > 0 {
		fmt.Fprintf(&b, " (work-item %v)", f.GlobalID)
	}
	return b.String()
}

// A LoopError reports a loop that the device ended too early. Mesa's llvmpipe runs a few work-items
// together. Once the work-items that run together have run about 65,000 loop iterations, llvmpipe
// leaves the current loop and all enclosing loops. Kernels cannot prevent llvmpipe from leaving
// loops. The results of the launch are wrong, even if the launch also has a Fault. A LoopError is
// of the class ErrFeatureNotSupported. To avoid the error, use the host device or a GPU, or use
// more launches with fewer iterations.
type LoopError struct {
	Kernel string // package and name
	Pos    string // file:line:col of the loop in the kernel's source; "" for a loop that kgen has added, or a loop in a module of LoadModule
	Number int    // number of the loop among the module's loops, beginning with 1
	Device string
}

// Error returns a line such as
//
//	search.Find: search/kernel.go:18:2: feature not supported: the device llvmpipe ends loops …
func (e *LoopError) Error() string {
	at := e.Pos
	if at == "" {
		at = fmt.Sprintf("loop %d of the module", e.Number)
	}
	return fmt.Sprintf("%s: %s: %v: the device %s ended this loop early, as it does with loops of some 65,000 rounds, so what the launch wrote is wrong; "+
		"use the host device or a GPU, or make more launches of fewer rounds", e.Kernel, at, ErrFeatureNotSupported, e.Device)
}

// Unwrap returns ErrFeatureNotSupported.
func (e *LoopError) Unwrap() error { return ErrFeatureNotSupported }

// newFault converts a launch's fault record to a Fault.
func newFault(k *Kernel, r *hal.Fault) *Fault {
	f := &Fault{Kernel: k.Name(), Pos: r.Pos, Kind: r.Kind, A: r.A, B: r.B, Message: r.Message, Unsigned: r.Unsigned}
	rank := k.abi.Rank
	if r.Kind == abi.FaultNone {
		if int(r.Site) < len(k.abi.Sites) {
			s := &k.abi.Sites[r.Site]
			f.Pos, f.Kind, f.Message, f.Unsigned = s.Pos, s.Kind, s.Message, s.Unsigned
			if len(k.abi.Parts) > 0 {
				p := &k.abi.Parts[s.Part]
				f.Kernel, rank = p.Name, p.Rank
			}
		} else {
			f.Kind, f.Message = abi.FaultPanic, fmt.Sprintf("BUG: fault at unknown site %d", r.Site)
		}
	}
	if f.Kind == abi.FaultPanic {
		f.Message = abi.PanicText(f.Message, f.A, f.B)
	}
	f.Unsigned = f.Unsigned && f.A < 0
	for i := range rank {
		f.GlobalID = append(f.GlobalID, int(r.GlobalID[rank-1-i]))
	}
	return f
}

// shortName returns the kernel's name as Go source writes it, such as saxpy.SAXPY.
func shortName(k *abi.Kernel) string {
	return path.Base(k.Package) + "." + k.Name
}
