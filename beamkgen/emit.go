package beamkgen

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// place has the properties that Beam keeps of an element beside its value.
type place struct {
	pane    typex.PaneInfo
	windows []typex.Window
	time    typex.EventTime
}

// sameWindows reports whether two lists of windows are equal. An element's windows are in the order of their
// window function.
func sameWindows(a, b []typex.Window) bool {
	return slices.EqualFunc(a, b, func(v, w typex.Window) bool { return v.Equals(w) })
}

// Beam's own emitters give an element the windows of the method's call. FinishBundle is called with the
// global window, so its results would leave their windows. The emitters below can send an element to any
// place. The functions that Beam passes to a DoFn cannot have a parameter for that. So a call of the
// function only hands over its emitter, which the DoFn then uses.

// emitResult and emitFailure are the types of the functions. No other package can register emitters for
// types of this package.
type (
	emitResult[R any]  func(R)
	emitFailure[T any] func(Failure, T)
)

// emitter is an output of the DoFn.
type emitter struct {
	to  exec.ElementProcessor
	ctx context.Context
	at  place // place of the element whose ProcessElement runs
}

func (e *emitter) Init(ctx context.Context, pane typex.PaneInfo, windows []typex.Window, time typex.EventTime) error {
	e.ctx, e.at = ctx, place{pane, windows, time}
	return nil
}

// send emits a value, or a pair, at a place. Without a second part, second is nil.
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
	handed  *emitter // emitter whose function was called
)

// emitterOf returns the emitter whose function is called by call.
func emitterOf(call func()) *emitter {
	handing.Lock()
	defer handing.Unlock()
	handed = nil
	call()
	return handed
}
