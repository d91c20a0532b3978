package runtime

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Queue takes launches and copies for a device. They may run in any order and at the same time,
// unless they use the same memory. A command sees the writes of all earlier commands, of this queue
// and of the device's other queues, and does not disturb their reads. So commands that share memory
// need no events.
//
// The runtime collects launches and submits them to the device together. It does so when a
// goroutine waits, when Flush is called, when there are enough launches, or a moment after the
// first (100 microseconds).
//
// The methods of a queue may be called from several goroutines.
type Queue struct {
	dev  *Device
	rec  stream.Recorder
	into atomic.Pointer[Graph] // graph that the queue records into, or nil
	ctx  context.Context       // context that ends the queue's commands, or nil
}

// ID returns the number of the queue in traces: the default queue has the number 1.
func (q *Queue) ID() int { return int(q.rec.ID) }

// Device returns the queue's device.
func (q *Queue) Device() *Device { return q.dev }

// Flush submits the launches to the device, without waiting for them. If too much work is pending
// on the device, they are submitted a little later.
func (q *Queue) Flush() {
	if q.usable() == nil {
		q.dev.stream.TryFlush()
	}
}

// Wait blocks until all commands of the queue have completed or ctx ends. It returns the failures,
// such as a *Fault, of those launches whose events nobody has waited for, oldest first. Several
// failures are joined.
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
	return join(q.failures())
}

// failures returns the failures that no call has returned yet, and marks them as returned.
func (q *Queue) failures() []error { return failures(q.dev.stream.Failures(&q.rec)) }

func failures(events []*stream.Event, more int) []error {
	var out []error
	for _, e := range events {
		if err := e.Owner.(*pending).failure(); err != nil {
			out = append(out, err)
		}
	}
	if more > 0 {
		out = append(out, fmt.Errorf("%d more launches failed", more))
	}
	return out
}

// usable returns an error if the queue cannot be used.
func (q *Queue) usable() error {
	if q == nil || q.dev == nil {
		return errorf(ErrInvalid, "no queue").advise("use one that a Device returned")
	}
	return q.dev.usable()
}
