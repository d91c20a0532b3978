package runtime

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Queue accepts launches and copies for a device. The commands may run in any order and at the same
// time, unless they use the same memory. A command sees the writes of all earlier commands of all
// queues of the device. A command does not overwrite memory that earlier commands still read. So
// commands that share memory need no events.
//
// The runtime collects launches and submits them to the device together. The runtime submits when a
// goroutine waits, when Flush is called, when there are enough launches, or 100 microseconds after
// the first launch.
//
// The methods of a queue may be called from several goroutines.
type Queue struct {
	dev  *Device
	rec  stream.Recorder
	into atomic.Pointer[Graph] // graph that the queue records into, or nil
	ctx  context.Context       // context that ends the queue's commands, or nil
}

// ID returns the number of the queue in traces. The default queue has the number 1.
func (q *Queue) ID() int { return int(q.rec.ID) }

// Device returns the queue's device.
func (q *Queue) Device() *Device { return q.dev }

// Flush submits the launches to the device, without waiting for them. If too much work is pending
// on the device, the launches are submitted a little later.
func (q *Queue) Flush() {
	if q.usable() == nil {
		q.dev.stream.TryFlush()
	}
}

// Wait blocks until all commands of the queue have completed or ctx ends. Wait returns the
// failures, such as a *Fault, except failures that a wait for an event has returned. If there are
// several failures, the error joins them, oldest first.
func (q *Queue) Wait(ctx context.Context) error {
	if q == nil || q.dev == nil {
		return q.usable()
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	if err := q.notRecording("waiting"); err != nil {
		return err
	}
	if err := q.dev.stream.WaitAll(ctx, &q.rec); err != nil {
		return waitError(err)
	}
	return joinErrors(q.takeFailures())
}

// takeFailures returns the failures of the queue that no call has returned yet.
// takeFailures marks these failures as returned.
func (q *Queue) takeFailures() []error { return failures(q.dev.stream.Failures(&q.rec)) }

func failures(events []*stream.Event, more int) []error {
	var out []error
	for _, e := range events {
		if err := e.Owner.(*pending).commandError(); err != nil {
			out = append(out, err)
		}
	}
	if more > 0 {
		out = append(out, fmt.Errorf("%d more launches failed", more))
	}
	return out
}

// `usable` returns an error if the queue or its device is nil, closed or lost.
func (q *Queue) usable() error {
	if q == nil || q.dev == nil {
		return errorf(ErrInvalid, "no queue").advise("use one that a Device returned")
	}
	return q.dev.usable()
}
