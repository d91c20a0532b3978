package beamkgen

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// Type place contains the properties of an element that Beam stores in addition to the element's value.
type place struct {
	pane    typex.PaneInfo
	windows []typex.Window
	time    typex.EventTime
}

// sameWindows reports whether two lists of windows are equal. The order of an element's windows is determined by the
// window function.
func sameWindows(a, b []typex.Window) bool {
	return slices.EqualFunc(a, b, func(v, w typex.Window) bool { return v.Equals(w) })
}

// In Beam's own emitters, an output has the windows with which Beam calls the DoFn's method. Beam calls FinishBundle
// with the global window, so results at the end of a bundle would lose their windows. The emitters in this file can
// send an output with any windows, timestamp and pane. Beam passes an emitter to a DoFn as a function, whose parameters
// cannot include the windows. For this reason such a function only stores its emitter in the variable handed. The DoFn
// then uses that emitter.

// emitResult and emitFailure are the types of the functions that Beam passes to the DoFn. They are unexported, so that
// no other package can register emitters for them.
type (
	emitResult[R any]  func(R)
	emitFailure[T any] func(Failure, T)
)

// Type emitter is an output of the DoFn.
type emitter struct {
	to  exec.ElementProcessor
	ctx context.Context
	at  place // windows, timestamp and pane with which Beam calls the current method
}

func (e *emitter) Init(ctx context.Context, pane typex.PaneInfo, windows []typex.Window, time typex.EventTime) error {
	e.ctx, e.at = ctx, place{pane, windows, time}
	return nil
}

// The method send emits a value or a pair with the given windows, timestamp and pane. For a single value, parameter
// second is nil.
func (e *emitter) send(at place, value, second any) error {
	return e.to.ProcessElement(e.ctx, &exec.FullValue{Elm: value, Elm2: second, Timestamp: at.time, Windows: at.windows, Pane: at.pane})
}

type resultEmitter[R any] struct{ emitter }

func (e *resultEmitter[R]) Value() any { return emitResult[R](func(R) { handed = &e.emitter }) }

type failureEmitter[T any] struct{ emitter }

func (e *failureEmitter[T]) Value() any {
	return emitFailure[T](func(Failure, T) { handed = &e.emitter })
}

var (
	handing sync.Mutex
	handed  *emitter // emitter whose function was called last
)

// emitterOf returns an emitter. Parameter call must call the function of this emitter.
func emitterOf(call func()) *emitter {
	handing.Lock()
	defer handing.Unlock()
	handed = nil
	call()
	return handed
}
