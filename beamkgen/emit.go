package beamkgen

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// The type `place` contains the data that Beam stores for each element in addition to the element's
// value.
type place struct {
	pane    typex.PaneInfo
	windows []typex.Window
	time    typex.EventTime
}

// sameWindows reports whether two lists of windows are equal. Lists with the same windows are in
// the same order, because the window function determines the order.
func sameWindows(a, b []typex.Window) bool {
	return slices.EqualFunc(a, b, func(v, w typex.Window) bool { return v.Equals(w) })
}

// Beam calls a method of the DoFn with a list of windows, and Beam's own emitters use these windows
// for all outputs. Beam calls FinishBundle with the global window, so results at the end of a
// bundle would lose their windows. The emitters in this file can send an output with any windows,
// timestamp and pane. Beam passes an emitter to a DoFn as a function, whose parameters cannot
// include the windows. Because the parameters cannot include the windows, the emit functions in
// this file only store their emitter in the variable `handed`. The DoFn takes the emitter from the
// variable, and calls the emitter's method `send`.

// emitResult and emitFailure are the types of the functions that Beam passes to the DoFn. The types
// emitResult and emitFailure are unexported, so that no other package can register emitters for
// them.
type (
	emitResult[R any]  func(R)
	emitFailure[T any] func(Failure, T)
)

// An emitter is an output of the DoFn.
type emitter struct {
	to  exec.ElementProcessor
	ctx context.Context
	at  place // windows, timestamp and pane that Beam has passed to the DoFn's current method
}

func (e *emitter) Init(ctx context.Context, pane typex.PaneInfo, windows []typex.Window, time typex.EventTime) error {
	e.ctx, e.at = ctx, place{pane, windows, time}
	return nil
}

// The method `send` emits a value or a pair with the given windows, timestamp and pane. For a single value, parameter
// `second` is nil.
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
	handed  *emitter // emitter whose emit function was called last
)

// emitterOf returns the emitter of an emit function. Parameter `call` is a function that calls the
// emit function.
func emitterOf(call func()) *emitter {
	handing.Lock()
	defer handing.Unlock()
	handed = nil
	call()
	return handed
}
