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

// The metrics of a Function's pipeline step, in the namespace "beamkgen".
var (
	batchesMetric  = beam.NewDistribution("beamkgen", "batch_elements")
	launchesMetric = beam.NewCounter("beamkgen", "launches")
	bytesMetric    = beam.NewCounter("beamkgen", "bytes")
	deviceMetric   = beam.NewCounter("beamkgen", "device_ns")
	untimedMetric  = beam.NewCounter("beamkgen", "launches_untimed")
	failuresMetric = beam.NewCounter("beamkgen", "failures")
)

// Worker gives one call of a launch function access to the device. The launch function must not use
// the Worker in other goroutines, or after the launch function has returned.
type Worker struct {
	ctx     context.Context
	dev     *runtime.Device
	queue   *runtime.Queue
	buffers []io.Closer

	launches, untimed, bytes int64
	device                   time.Duration
}

// Context returns the context of the bundle from Beam, which is needed for waits, logs and metrics.
func (w *Worker) Context() context.Context { return w.ctx }

// Device returns the device of the process. The launch function must not close the device, because other bundles use it
// too.
func (w *Worker) Device() *runtime.Device { return w.dev }

// Queue returns a queue of the device that no other goroutine uses. When the launch function
// returns, beamkgen waits for the queue. A failure on the queue counts as an error of the launch
// function.
func (w *Worker) Queue() *runtime.Queue { return w.queue }

// Run waits for a launch. The arguments of Run are the results of a launch method:
//
//	err := w.Run(gen.Scale{X: x, Out: out}.ParallelFor(w.Queue(), runtime.Range1(n)))
//
// Run adds one to the metric launches, and adds the launch's time on the device to the metric device_ns. Run returns
// the error of the launch or of Event.Wait. If a work-item panicked, the error is a *runtime.Fault.
func (w *Worker) Run(ev runtime.Event, err error) error {
	if err != nil {
		return err
	}
	err = ev.Wait(w.ctx)
	p, noProfile := ev.Profile() // without a profile, the duration is 0
	w.Count(1, 0, p.Duration())
	if errors.Is(noProfile, runtime.ErrNoProfile) {
		w.untimed++
	}
	return err
}

// Count adds its arguments to the metrics launches, bytes and device_ns. Launch functions must call
// Count for launches and copies that do not use Run, To or From. For example, launches of graphs,
// of package prim and of generated Run functions need a call of Count.
func (w *Worker) Count(launches, bytes int64, device time.Duration) {
	w.launches += launches
	w.bytes += bytes
	w.device += device
}

// To copies a slice to the device, and returns a view of the copy. The device memory of the copy is
// freed after the launch function has returned. To adds the number of bytes of the slice to the
// metric bytes. To returns the same errors as runtime.BufferOf.
func To[E any](w *Worker, s []E) (runtime.View[E], error) {
	b, err := runtime.BufferOf(w.dev, s)
	if err != nil {
		return runtime.View[E]{}, err
	}
	w.buffers = append(w.buffers, b)
	w.bytes += bytesOf(s)
	return b.All(), nil
}

// New returns a view of n zeros on the device. The device memory of the zeros is freed after the
// launch function has returned. New returns the same errors as runtime.NewBuffer.
func New[E any](w *Worker, n int) (runtime.View[E], error) {
	b, err := runtime.NewBuffer[E](w.dev, n)
	if err != nil {
		return runtime.View[E]{}, err
	}
	w.buffers = append(w.buffers, b)
	return b.All(), nil
}

// From copies a view to a slice of the same length, after the launches that write the view. From
// adds the number of bytes of the slice to the metric bytes. From returns the same errors as
// View.CopyTo. The errors include failures of launches if the launch function has not waited for
// these launches.
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

// The method `end` waits for the queue, frees the buffers and writes the metrics. If the launch
// function did not wait for some launches, the method `end` returns their failures.
func (w *Worker) end() error {
	err := w.queue.Wait(w.ctx)
	for _, b := range w.buffers {
		b.Close() // the memory is freed when the last command that uses the buffer has completed
	}
	launchesMetric.Inc(w.ctx, w.launches)
	untimedMetric.Inc(w.ctx, w.untimed)
	bytesMetric.Inc(w.ctx, w.bytes)
	deviceMetric.Inc(w.ctx, int64(w.device))
	return err
}
