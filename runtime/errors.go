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

// The classes of errors, for use with errors.Is. They are SYCL 2020's error
// codes, as far as those have a meaning here. Most errors of this package are of
// type *Error and carry what was wrong and what to do; a run-time panic in a
// kernel is a *Fault.
var (
	// ErrInvalid is a call that makes no sense: a closed device or buffer, a
	// negative size, conflicting properties, an element type with pointers.
	ErrInvalid = errors.New("invalid")
	// ErrNDRange is a range that the kernel cannot be launched over: it is no
	// multiple of the work-group size, the work-group size is not the one that
	// the kernel requires, or the ranks differ.
	ErrNDRange = errors.New("invalid nd-range")
	// ErrKernelNotSupported is a kernel that this device cannot run: it needs an
	// aspect, a work-group size or a sub-group size that the device lacks.
	ErrKernelNotSupported = errors.New("kernel not supported")
	// ErrFeatureNotSupported is a feature that this device or place lacks.
	ErrFeatureNotSupported = dslhook.ErrFeatureNotSupported
	// ErrMemoryAllocation is a lack of memory, of the device or of a work-group.
	ErrMemoryAllocation = errors.New("memory allocation")
	// ErrKernelArgument is an argument that the kernel cannot be given, such as a
	// view of another device's buffer.
	ErrKernelArgument = errors.New("kernel argument")
	// ErrBuild is a module that the device does not accept, that cannot be made of the kernel's IR,
	// or that was compiled with other properties than the kernel's Properties method returns in
	// this program.
	ErrBuild = errors.New("build")
	// ErrCompileProgram is a program that cannot be compiled.
	ErrCompileProgram = errors.New("compile program")
	// ErrSpecConst is a specialization constant that is unknown or not set.
	// Errors of this class are of the class ErrCompileProgram too.
	ErrSpecConst error = subclass{"specialization constant", ErrCompileProgram}
	// ErrDeviceLost is a device that works no more. Open another.
	ErrDeviceLost = errors.New("device lost")
	// ErrDriver is a failure of the device's driver that has no class of its own.
	ErrDriver = errors.New("driver")
	// ErrDeadline is a wait, or a launch, whose context's deadline passed. Such errors
	// match context.DeadlineExceeded too. What was waited for goes on, unless the
	// launch was given the context (WithContext) or the wait was Run's.
	ErrDeadline = errors.New("deadline exceeded")
	// ErrCanceled is the same of a context that was cancelled. Such errors match
	// context.Canceled too.
	ErrCanceled = errors.New("canceled")
	// ErrHostFunc is a host function that returned an error or panicked. Such errors match the
	// function's own too.
	ErrHostFunc = errors.New("host function")
	// ErrPrint is a writer that did not take what a kernel has printed; see PrintTo. Such errors
	// match the writer's own too. The kernel has run.
	ErrPrint = errors.New("print")
	// ErrStale is generated code that is older than its kernels. In tests, Open returns it.
	ErrStale = errors.New("stale generated code")
	// ErrNoProfile is the answer of Event.Profile where nobody knows when commands ran: the device
	// was opened without Profiling, or has no timestamps. Errors of this class are of the class
	// ErrFeatureNotSupported too.
	ErrNoProfile error = subclass{"no profile", ErrFeatureNotSupported}
	// ErrNoDevice is returned by Open when no device answers the request.
	ErrNoDevice = errors.New("no such device")
)

type subclass struct {
	text  string
	super error
}

func (s subclass) Error() string { return s.text }
func (s subclass) Unwrap() error { return s.super }

// Error is an error of this package.
type Error struct {
	Class   error  // one of the Err variables
	Kernel  string // package and name of the kernel, if it is about one
	Problem string
	Remedy  string // what to do, if that can be said
	Err     error  // the cause, if there is one
	// Uses says where the kernel uses the aspects that the device lacks, if kgen
	// found these in its code.
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

// about names the kernel that the error is about.
func (e *Error) about(k *Kernel) *Error {
	e.Kernel = k.Name()
	return e
}

func (e *Error) advise(format string, args ...any) *Error {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// waitError turns the error of a wait that ended early into the package's own.
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

// backendError gives an error of the device its class.
func backendError(dev *Device, k *Kernel, problem string, err error) *Error {
	if errors.Is(err, stream.ErrWithin) {
		return errWithin()
	}
	e := &Error{Class: ErrInvalid, Problem: problem, Err: err}
	if k != nil {
		e.about(k)
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

// A Fault is a run-time panic of a work-item: what in Go would have stopped the
// program stops the work-item, and is returned by the wait for the launch. Of
// several in one launch it is the first. The device stays usable. What other
// work-items wrote stays written.
type Fault struct {
	Kernel   string    // package and name, such as "saxpy.SAXPY"
	Pos      string    // file:line:col in the kernel's source
	GlobalID []int     // of the work-item, in the kernel's index order
	Kind     FaultKind // prints gc's words
	A, B     int64     // the values that gc prints, such as the index and the length
	Message  string    // the text of an explicit panic, as gc prints it
	Unsigned bool      // A is a uint64 past the greatest int64
}

// FaultKind is the kind of a [Fault].
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

// A LoopError is a loop that the device ended before the kernel did, which no kernel can
// prevent: Mesa's llvmpipe leaves all loops that a work-item is in once it has made some
// 65,000 rounds in them and others, together with the few work-items that it runs it with,
// and goes on behind them. What the launch wrote is wrong then, also where it faulted. It
// is of the class ErrFeatureNotSupported. Use the host device or a GPU, or make more
// launches of fewer rounds.
type LoopError struct {
	Kernel string // package and name
	Pos    string // file:line:col of the loop in the kernel's source; "" if kgen has added it, or of LoadModule
	Number int    // of the loop among those of the module, from 1
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

// newFault turns a launch's fault record into an error.
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

// shortName returns the kernel's name as Go source names it.
func shortName(k *abi.Kernel) string {
	return path.Base(k.Package) + "." + k.Name
}
