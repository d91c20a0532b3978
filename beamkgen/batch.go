package beamkgen

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"

	"github.com/kgen-go/kgen/runtime"
)

// openBatches is the largest number of batches that a bundle fills at the same time. Each batch of
// a bundle is for different windows. openBatches limits the memory that a bundle with many windows
// needs.
const openBatches = 64

// The variable `now` is the clock for Options.Wait.
var now = time.Now

// batchFn is the DoFn of a Function. Beam never uses a batchFn for two bundles at the same time.
type batchFn[T, R any] struct {
	Function string // name of the Function; the only field that Beam sends to workers

	fn       *Function[T, R] // nil before Setup
	dev      *runtime.Device // device to which queue belongs
	queue    *runtime.Queue
	results  *emitter // output for results; nil before the bundle's first element
	failures *emitter
	open     []*batch[T] // batches that have not been launched, in order of age, oldest first
}

// A batch contains elements of the same windows, for one call of the launch function.
type batch[T any] struct {
	windows  []typex.Window
	elements []T
	places   []place
	began    time.Time // time at which the first element arrived; zero without Options.Wait
}

// Setup finds the Function by name, opens the device if the process has no open device, and checks
// that the device can run the kernels.
func (f *batchFn[T, R]) Setup(ctx context.Context) error {
	registered, _ := functions.Load(f.Function)
	fn, ok := registered.(*Function[T, R])
	if !ok {
		return &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf("this worker has no beamkgen function %q from %v to %v", f.Function, reflect.TypeFor[T](), reflect.TypeFor[R]()),
			Remedy: "run a worker that is built of the pipeline's program"}
	}
	f.fn = fn
	return f.prepare()
}

// The method `prepare` opens the process's device if necessary, and checks that the device can run
// the kernels. If the device was lost, `prepare` opens another device.
func (f *batchFn[T, R]) prepare() error {
	dev, err := process.device()
	if err == nil && dev != f.dev {
		if err = dev.Compatible(f.fn.options.Kernels...); err == nil {
			f.dev, f.queue = dev, dev.NewQueue()
		}
	}
	if err != nil {
		return fmt.Errorf("beamkgen function %q: %w", f.Function, err)
	}
	return nil
}

// StartBundle drops the elements that an earlier, failed bundle has left.
func (f *batchFn[T, R]) StartBundle(_ context.Context, _ emitResult[R], _ emitFailure[T]) error {
	f.results, f.failures, f.open = nil, nil, nil
	return nil
}

// ProcessElement adds an element to the batch for the element's windows. ProcessElement also
// launches batches that are full, and batches that are older than Options.Wait.
func (f *batchFn[T, R]) ProcessElement(ctx context.Context, element T, result emitResult[R], failure emitFailure[T]) error {
	if f.results == nil {
		f.results = emitterOf(func() { result(*new(R)) })
		f.failures = emitterOf(func() { failure(Failure{}, element) })
		if f.results == nil || f.failures == nil {
			return f.fn.invalid("its emitters are not those that Register registered", "")
		}
	}
	b, err := f.batchOf(ctx, f.results.at.windows)
	if err != nil {
		return err
	}
	at := f.results.at
	at.windows = b.windows
	b.elements, b.places = append(b.elements, element), append(b.places, at)
	if len(b.elements) == f.fn.options.Size {
		if err := f.flush(ctx, slices.Index(f.open, b)); err != nil {
			return err
		}
	}
	return f.flushOld(ctx)
}

// FinishBundle launches all batches of the bundle.
func (f *batchFn[T, R]) FinishBundle(ctx context.Context, _ emitResult[R], _ emitFailure[T]) error {
	for len(f.open) > 0 {
		if err := f.flush(ctx, 0); err != nil {
			return err
		}
	}
	f.results, f.failures = nil, nil
	return nil
}

// batchOf returns the open batch for elements of the windows, or opens a batch. If openBatches
// batches are already open, batchOf launches the oldest batch before it opens a batch.
func (f *batchFn[T, R]) batchOf(ctx context.Context, windows []typex.Window) (*batch[T], error) {
	for _, b := range slices.Backward(f.open) {
		if sameWindows(b.windows, windows) {
			return b, nil
		}
	}
	if len(f.open) == openBatches {
		if err := f.flush(ctx, 0); err != nil {
			return nil, err
		}
	}
	b := &batch[T]{windows: slices.Clone(windows)}
	if f.fn.options.Wait > 0 {
		b.began = now()
	}
	f.open = append(f.open, b)
	return b, nil
}

// flushOld launches the batches that are older than Options.Wait, unless Options.Wait is 0.
func (f *batchFn[T, R]) flushOld(ctx context.Context) error {
	for f.fn.options.Wait > 0 && len(f.open) > 0 && now().Sub(f.open[0].began) >= f.fn.options.Wait {
		if err := f.flush(ctx, 0); err != nil {
			return err
		}
	}
	return nil
}

// The method `flush` launches batch i of the open batches, and emits the results and failures of
// the batch.
func (f *batchFn[T, R]) flush(ctx context.Context, i int) error {
	b := f.open[i]
	f.open = slices.Delete(f.open, i, i+1)
	if err := f.prepare(); err != nil {
		return err
	}
	batchesMetric.Update(ctx, int64(len(b.elements)))
	return f.compute(ctx, b, 0, len(b.elements))
}

// The method `compute` launches the elements [i, j) of a batch, and emits their results. A fault
// does not tell which element caused the fault. After a fault, `compute` calls itself for each half
// of the elements. If a launch for a single element faults, the element becomes a failure. The
// method `compute` returns all errors that are not faults, including errors of later pipeline
// steps.
func (f *batchFn[T, R]) compute(ctx context.Context, b *batch[T], i, j int) error {
	results, err := f.call(ctx, b.elements[i:j:j])
	if err == nil {
		for k, r := range results {
			if err := f.results.send(b.places[i+k], r, nil); err != nil {
				return err
			}
		}
		return nil
	}
	if errors.Is(err, runtime.ErrDeviceLost) {
		process.lost(f.dev)
	}
	fault := faultOf(err)
	if fault == nil {
		return fmt.Errorf("beamkgen function %q, %d elements of a batch of %d: %w", f.Function, j-i, len(b.elements), err)
	}
	if j-i == 1 {
		failuresMetric.Inc(ctx, 1)
		failure := Failure{Function: f.Function, Position: i, Batch: len(b.elements),
			Kernel: fault.Kernel, Pos: fault.Pos, Item: fault.GlobalID, Message: fault.Error()}
		return f.failures.send(b.places[i], failure, b.elements[i])
	}
	half := i + (j-i)/2
	if err := f.compute(ctx, b, i, half); err != nil {
		return err
	}
	return f.compute(ctx, b, half, j)
}

// The method `call` executes the launch function once, and waits for all launches on the queue.
func (f *batchFn[T, R]) call(ctx context.Context, elements []T) ([]R, error) {
	w := &Worker{ctx: ctx, dev: f.dev, queue: f.queue}
	results, err := f.fn.launch(w, elements)
	if left := w.end(); err == nil {
		err = left
	}
	if err == nil && len(results) != len(elements) {
		return nil, f.fn.invalid(fmt.Sprintf("the launch function returned %d results for %d elements", len(results), len(elements)), "return one for each element, in their order")
	}
	return results, err
}
