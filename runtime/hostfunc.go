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
	keep any // slice that keeps the memory allocated
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

// HostFunc returns a command that calls f on the host, between commands of the device. HostFunc
// corresponds to SYCL's host_task. On a queue, f is called when all commands that were enqueued
// earlier on the device have completed. Commands that are enqueued later begin only after f has
// returned.
//
// In a graph, the host function depends on all earlier nodes, and all later nodes depend on the
// host function. If the caller states the memory that f uses, the host function depends only on
// earlier nodes that copy to this memory, and on nodes that the option After names. A later node
// depends on the host function only if the node copies from memory that f writes, or to memory that
// f uses:
//
//	g.Add(runtime.Download(sums, out.All()))
//	g.Add(runtime.HostFunc(func(ctx context.Context) error {
//		scale[0] = 1 / sums[0]
//		return nil
//	}, runtime.HostReads(sums), runtime.HostWrites(scale)))
//	g.Add(runtime.Upload(in.All(), scale)) // depends on the host function, because of scale.
//
// A launch before f and a launch after f are never fused. Only one host function runs at a time, on
// its own goroutine. The device is idle while a host function runs. The context of f ends when the
// context of WithContext ends, or when the device is closed without waiting. The function f may
// enqueue commands, which run after all commands that were enqueued earlier. If f calls a function
// that waits for f's own device, the function returns ErrInvalid, because the wait would never end.
//
// The function f is not called if an earlier command of the same graph, or a command of DependsOn,
// has failed. If f returns an error or panics, Event.Wait returns an error of class ErrHostFunc
// that wraps the error or describes the panic.
func HostFunc(f func(ctx context.Context) error, memory ...HostMemory) Command {
	c := &commandData{kind: "host function", label: "host function"}
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

// joinContexts returns a function that calls `run` with a new context. The new context ends when
// ctx ends, or when the device's context ends.
func joinContexts(ctx context.Context, run func(context.Context) error) func(context.Context) error {
	if ctx == nil || run == nil {
		return run
	}
	return func(life context.Context) error {
		if ctx.Err() != nil {
			return stream.ErrCancelled // ctx has ended, but the command may not have been cancelled yet
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return run(ctx)
	}
}

// mayWait returns an error if the caller is a host function of the device, because a host function
// must not wait for its own device.
func (d *Device) mayWait() error {
	if err := d.stream.MayWait(); err != nil {
		return waitError(err)
	}
	return nil
}

// errWithin returns the error for a host function that waits for its own device.
func errWithin() *Error {
	return errorf(ErrInvalid, "a host function waits for its own device, which waits for it").
		advise("return first, and wait where the function was enqueued; to use results, copy them by Download and add the function behind")
}

// hostFailed converts the error of a failed host function to an error of this package. For other
// errors, hostFailed returns nil.
func hostFailed(err error) *Error {
	f := (*stream.HostError)(nil)
	if !errors.As(err, &f) || errors.Is(err, hal.ErrAbandoned) {
		return nil
	}
	return &Error{Class: ErrHostFunc, Problem: "a host function failed", Err: f.Err}
}
