// Package dslhook lets the host backend run kernels through package dsl without
// dsl exporting constructors for its items. Package dsl sets the variables when
// it is initialised.
package dslhook

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ErrFeatureNotSupported is runtime.ErrFeatureNotSupported, which package dsl
// cannot import.
var ErrFeatureNotSupported = errors.New("feature not supported")

// SpecInfo is what a specialization constant knows of itself. Its address is the
// constant's identity.
type SpecInfo struct {
	Type     reflect.Type
	Required bool
	Default  unsafe.Pointer // to a Type; nil if Required
	Pos      string         // file:line of the declaration
}

// InfoOf returns what a *dsl.SpecConstant[T] knows of itself, or nil for anything
// else and for one that dsl did not make.
var InfoOf func(c any) *SpecInfo

// Spec is the value that a constant has in a launch.
type Spec struct {
	Const *SpecInfo
	Value unsafe.Pointer // to a Const.Type, which nobody writes
}

// turns are the locks that Turn gives out.
var turns [64]sync.Mutex

// Turn returns the lock under which atomic operations replace the 8 or 16 bits at p, for which
// Go has no atomic operations.
func Turn(p unsafe.Pointer) *sync.Mutex { return &turns[uintptr(p)/2%uintptr(len(turns))] }

// Launch is what all work-items of one launch share. Sizes and ids are in the
// kernel's index order (last dimension fastest), with Rank entries used.
type Launch struct {
	Rank   int
	Global [3]int
	Local  [3]int // nd-range only
	// Accessors holds the lengths of the kernel's local accessors, in order.
	Accessors []int
	// Specs holds the specialization constants that the kernel reads.
	Specs []Spec
	// SubGroupSize is the size of sub-groups, at least 1.
	SubGroupSize int
	// Stop, once true, has no more work-items begin, nor go on where they wait for
	// others; Stopped is set where some have not run to their end then. Both may be nil.
	Stop, Stopped *atomic.Bool
	// Panicked is called in the work-item's goroutine, from a deferred function,
	// with the recovered value. The stack of the panic is still readable.
	Panicked func(id [3]int, v any)
}

// Stopping reports whether the launch is to end, by who has more of it to do.
func (l *Launch) Stopping() bool {
	if l.Stop == nil || !l.Stop.Load() {
		return false
	}
	l.Stopped.Store(true)
	return true
}

// RunItems runs the work-items with linear ids in [lo, hi) of a range kernel (or
// a task: hi == 1), one after the other. kernel is a func(dsl.ItemN) or
// func(dsl.Task). A panicking work-item does not stop the others.
var RunItems func(kernel any, l *Launch, lo, hi int)

// RunGroup runs the work-group with the given linear id of an nd-range kernel;
// barriers hold among its work-items. kernel is a func(dsl.NDItemN). Groups may
// run concurrently; scratch keeps reusable state of one goroutine between calls.
var RunGroup func(kernel any, l *Launch, group int, scratch *Scratch)

// Scratch is owned by package dsl.
type Scratch struct{ State any }
