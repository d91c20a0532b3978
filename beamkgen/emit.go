package beamkgen

import (
	"context"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
)

// place is what Beam keeps of an element beside its value.
type place struct {
	pane    typex.PaneInfo
	windows []typex.Window
	time    typex.EventTime
}

// sameWindows reports whether two elements are in the same windows. Windows come in the order in which
// their window function lists them.
func sameWindows(a, b []typex.Window) bool {
	return slices.EqualFunc(a, b, func(v, w typex.Window) bool { return v.Equals(w) })
}

// Beam's own emitters give an element the windows of the call in which they are called. FinishBundle is
// called with the global window, so results that it emits would leave their windows. The emitters below
// can send an element to any place. A function type of Beam's emitters cannot have such a parameter, so
// a call of the function only hands the emitter over, and the DoFn calls the emitter itself.

// emitResult and emitFailure are the types of the DoFn's emitters. They are types of this package,
// so that no other package's registration replaces the emitters.
type (
	emitResult[R any]  func(R)
	emitFailure[T any] func(Failure, T)
)

// emitter is an output of the DoFn.
type emitter struct {
	to  exec.ElementProcessor
	ctx context.Context
	at  place // of the element whose ProcessElement runs
}

func (e *emitter) Init(ctx context.Context, pane typex.PaneInfo, windows []typex.Window, time typex.EventTime) error {
	e.ctx, e.at = ctx, place{pane, windows, time}
	return nil
}

// send emits a value at a place. The second part of the value is nil if it is no pair.
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
	handed  *emitter // by a call of an emitter's function
)

// emitterOf returns the emitter of a function, which call calls once.
func emitterOf(call func()) *emitter {
	handing.Lock()
	defer handing.Unlock()
	handed = nil
	call()
	return handed
}
