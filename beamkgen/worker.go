package beamkgen

import (
	"context"
	"errors"
	"io"
	"time"
	"unsafe"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/kgen-go/kgen/runtime"
)

// The metrics of each Function's step, in the namespace "beamkgen".
var (
	batchesMetric  = beam.NewDistribution("beamkgen", "batch_elements")
	launchesMetric = beam.NewCounter("beamkgen", "launches")
	bytesMetric    = beam.NewCounter("beamkgen", "bytes")
	deviceMetric   = beam.NewCounter("beamkgen", "device_ns")
	untimedMetric  = beam.NewCounter("beamkgen", "launches_untimed")
	failuresMetric = beam.NewCounter("beamkgen", "failures")
)

// Worker is the device for one call of a launch function. It must not be used after the call. Its methods
// are for the goroutine of the call.
type Worker struct {
	ctx     context.Context
	dev     *runtime.Device
	queue   *runtime.Queue
	buffers []io.Closer

	launches, untimed, bytes int64
	device                   time.Duration
}

// Context returns the context that Beam gives the bundle, for waits, logs and metrics.
func (w *Worker) Context() context.Context { return w.ctx }

// Device returns the device of the process. It must not be closed: other bundles use it, too.
func (w *Worker) Device() *runtime.Device { return w.dev }

// Queue returns a queue of the device that no other goroutine uses. When the launch function returns,
// beamkgen waits for the queue, and takes the queue's failures as those of the function.
func (w *Worker) Queue() *runtime.Queue { return w.queue }

// Run waits for a launch, whose method returns the arguments:
//
//	err := w.Run(gen.Scale{X: x, Out: out}.ParallelFor(w.Queue(), runtime.Range1(n)))
//
// It adds one to the metric launches, and the launch's time on the device to device_ns. It returns the
// error of the launch, or that of Event.Wait: a *runtime.Fault if a work-item panicked.
func (w *Worker) Run(ev runtime.Event, err error) error {
	if err != nil {
		return err
	}
	err = ev.Wait(w.ctx)
	p, noProfile := ev.Profile() // with a duration of 0 if there is none
	w.Count(1, 0, p.Duration())
	if errors.Is(noProfile, runtime.ErrNoProfile) {
		w.untimed++
	}
	return err
}

// Count adds to the metrics launches, bytes and device_ns. It is for launches and copies without Run, To and
// From: those of graphs, of package prim and of Run functions.
func (w *Worker) Count(launches, bytes int64, device time.Duration) {
	w.launches += launches
	w.bytes += bytes
	w.device += device
}

// To copies a slice to the device and returns the view of the copy. The memory is freed after the call of
// the launch function. The bytes of the slice are added to the metric bytes. Errors are those of
// runtime.BufferOf.
func To[E any](w *Worker, s []E) (runtime.View[E], error) {
	b, err := runtime.BufferOf(w.dev, s)
	if err != nil {
		return runtime.View[E]{}, err
	}
	w.buffers = append(w.buffers, b)
	w.bytes += bytesOf(s)
	return b.All(), nil
}

// New returns the view of n zeros on the device, whose memory is freed after the call of the launch
// function. Errors are those of runtime.NewBuffer.
func New[E any](w *Worker, n int) (runtime.View[E], error) {
	b, err := runtime.NewBuffer[E](w.dev, n)
	if err != nil {
		return runtime.View[E]{}, err
	}
	w.buffers = append(w.buffers, b)
	return b.All(), nil
}

// From copies a view to a slice of the same length, after all launches that write the view. The bytes of the
// slice are added to the metric bytes. Errors are those of View.CopyTo. These include failures of launches for
// which nothing has waited yet.
func From[E any](w *Worker, v runtime.View[E], s []E) error {
	if err := v.CopyTo(w.ctx, w.queue, s); err != nil {
		return err
	}
	w.bytes += bytesOf(s)
	return nil
}

func bytesOf[E any](s []E) int64 {
	var e E
	return int64(len(s)) * int64(unsafe.Sizeof(e))
}

// end waits for the queue, frees the buffers and writes the metrics. It returns the failures of launches for
// which the launch function did not wait.
func (w *Worker) end() error {
	err := w.queue.Wait(w.ctx)
	for _, b := range w.buffers {
		b.Close() // frees the memory when its last command has completed
	}
	launchesMetric.Inc(w.ctx, w.launches)
	untimedMetric.Inc(w.ctx, w.untimed)
	bytesMetric.Inc(w.ctx, w.bytes)
	deviceMetric.Inc(w.ctx, int64(w.device))
	return err
}
