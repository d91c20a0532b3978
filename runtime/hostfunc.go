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
	keep any // slice that contains the memory
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
// before on the device have completed. Commands that are enqueued later begin when f has returned.
//
// In a graph, the host function depends on all nodes before it, and all later nodes depend on it. If memory is given,
// the node has fewer edges. The host function then depends only on the earlier nodes that the option After names, or
// that copy to the memory. A later node depends on the host function only if the node copies from memory that f writes,
// or to memory that f uses:
//
//	g.Add(runtime.Download(sums, out.All()))
//	g.Add(runtime.HostFunc(func(ctx context.Context) error {
//		scale[0] = 1 / sums[0]
//		return nil
//	}, runtime.HostReads(sums), runtime.HostWrites(scale)))
//	g.Add(runtime.Upload(in.All(), scale)) // depends on the host function, because of scale.
//
// Launches before and after f are not fused. Only one host function runs at a time, on its own goroutine. The device is
// idle while a host function runs. The context of f ends when the context of WithContext ends, or when the device is
// closed without waiting. f may enqueue commands. These commands run after all commands that were enqueued before. A
// call in f that waits for f's own device returns ErrInvalid, because the wait would never end.
//
// f is not called if an earlier command of its graph, or a command of DependsOn, has failed.
// Event.Wait for the command returns f's error or panic, in an error of class ErrHostFunc.
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

// joinContexts returns a function that calls run with a context. That context ends when ctx ends or when the device's
// context ends.
func joinContexts(ctx context.Context, run func(context.Context) error) func(context.Context) error {
	if ctx == nil || run == nil {
		return run
	}
	return func(life context.Context) error {
		if ctx.Err() != nil {
			return stream.ErrCancelled // the goroutine that cancels the command may not have run yet
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return run(ctx)
	}
}

// mayWait returns an error if it is called in a host function of the device, which must not wait
// for the device.
func (d *Device) mayWait() error {
	if err := d.stream.MayWait(); err != nil {
		return waitError(err)
	}
	return nil
}

// errWithin returns the error for a wait that mayWait refuses.
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
