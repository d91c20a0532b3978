package runtime

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Queue takes launches and copies for a device. They may run in any order and at
// the same time, but for what they read and write: a command sees the writes of
// all earlier commands, of this queue and of the device's others, and does not
// disturb their reads. So there is no need for events between commands that
// share memory.
//
// Launches are gathered and handed to the device together: when somebody waits,
// when Flush is called, when enough are there, or a moment after the first (100
// microseconds).
//
// The methods of a queue may be called from several goroutines.
type Queue struct {
	dev  *Device
	rec  stream.Recorder
	into atomic.Pointer[Graph] // that the queue records into, or nil
}

// ID returns the number of the queue, which traces have: 1 is the default queue's.
func (q *Queue) ID() int { return int(q.rec.ID) }

// Device returns the queue's device.
func (q *Queue) Device() *Device { return q.dev }

// Flush hands what has been launched to the device, without waiting for it: if the
// device is far behind, a little later.
func (q *Queue) Flush() {
	if q.usable() == nil {
		q.dev.stream.TryFlush()
	}
}

// Wait blocks until all commands of the queue have completed or ctx ends. It
// returns the failures, such as a *Fault, of those launches whose events nobody
// has waited for, oldest first; if there are several, joined.
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

// failures takes the failures that nobody has been told about.
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

// usable reports why the queue cannot be used.
func (q *Queue) usable() error {
	if q == nil || q.dev == nil {
		return errorf(ErrInvalid, "no queue").advise("use one that a Device returned")
	}
	return q.dev.usable()
}
