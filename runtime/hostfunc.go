package runtime

import (
	"context"
	"errors"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// HostMemory is memory of the host that a host function uses; see HostFunc.
type HostMemory struct {
	use  dag.HostUse
	keep any // the memory
}

// HostReads says that a host function reads the elements of s.
func HostReads[T any](s []T) HostMemory { return hostMemory(s, false) }

// HostWrites says that a host function writes, and may read, the elements of s.
func HostWrites[T any](s []T) HostMemory { return hostMemory(s, true) }

func hostMemory[T any](s []T, write bool) HostMemory {
	lo := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	var zero T
	return HostMemory{dag.HostUse{Lo: lo, Hi: lo + uintptr(len(s))*unsafe.Sizeof(zero), Write: write}, s}
}

// HostFunc calls f on the host, between commands of the device: SYCL's host_task. On a queue, f
// is called when all that was enqueued before on the device has completed, and what is enqueued
// later begins when f has returned.
//
// In a graph, it is a node that depends on all nodes before it, and all later ones depend on it.
// With memory, it depends on those alone, before it, that After names or that copy to the memory,
// and the nodes that copy from memory which f writes, or to memory that it uses, depend on it:
//
//	g.Add(runtime.Download(sums, out.All()))
//	g.Add(runtime.HostFunc(func(ctx context.Context) error {
//		scale[0] = 1 / sums[0]
//		return nil
//	}, runtime.HostReads(sums), runtime.HostWrites(scale)))
//	g.Add(runtime.Upload(in.All(), scale))
//
// No two launches with f between them are fused. One function runs at a time, on a goroutine of
// its own; the device has nothing to do meanwhile. Its context ends with that of WithContext, and
// when the device is closed without waiting. f may enqueue commands, which come after all that
// was enqueued before, but whatever waits for f's own device returns ErrInvalid: it would never
// end.
//
// f is not called if a command of its graph before it, or one of DependsOn, has failed. What f
// returns, or panics with, is returned by the wait for the command, in an error of class
// ErrHostFunc.
func HostFunc(f func(ctx context.Context) error, memory ...HostMemory) Command {
	c := &command{kind: "host function", label: "host function"}
	if f == nil {
		c.err = errorf(ErrInvalid, "the host function is nil")
		return Command{c}
	}
	c.host = dag.Uses{Func: true, All: len(memory) == 0}
	for _, m := range memory {
		c.host.Host, c.keep = append(c.host.Host, m.use), append(c.keep, m.keep)
	}
	c.node = stream.Command{Run: f}
	return Command{c}
}

// within has the function of a node called with the caller's context, which ends with the
// device's.
func within(ctx context.Context, run func(context.Context) error) func(context.Context) error {
	if ctx == nil || run == nil {
		return run
	}
	return func(life context.Context) error {
		if ctx.Err() != nil {
			return stream.ErrCancelled // who asks for the end may not have come to it
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return run(ctx)
	}
}

// mayWait reports a wait for the device within a host function of the device.
func (d *Device) mayWait() error {
	if err := d.stream.MayWait(); err != nil {
		return waitError(err)
	}
	return nil
}

// errWithin is the error of such a wait.
func errWithin() *Error {
	return errorf(ErrInvalid, "a host function waits for its own device, which waits for it").
		advise("return first, and wait where the function was enqueued; to use results, copy them by Download and add the function behind")
}

// hostFailed returns the error of a host function that failed or was not called, or nil.
func hostFailed(err error) *Error {
	f := (*stream.HostError)(nil)
	if !errors.As(err, &f) || errors.Is(err, hal.ErrAbandoned) {
		return nil
	}
	return &Error{Class: ErrHostFunc, Problem: "a host function failed", Err: f.Err}
}
