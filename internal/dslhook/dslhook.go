// Package dslhook lets the host backend run kernels through package dsl, although dsl exports no constructors
// for its items. During initialization, package dsl sets the variables of package dslhook.
package dslhook

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ErrFeatureNotSupported is the value of runtime.ErrFeatureNotSupported. ErrFeatureNotSupported is defined
// here because package dsl cannot import the runtime.
var ErrFeatureNotSupported = errors.New("feature not supported")

// SpecInfo describes a specialization constant. The address of the SpecInfo identifies the constant.
type SpecInfo struct {
	Type     reflect.Type
	Required bool
	Default  unsafe.Pointer // pointer to the default value, of type Type; nil if Required
	Pos      string         // position of the declaration, as file:line
}

// InfoOf returns the description of a *dsl.SpecConstant[T]. InfoOf returns nil if c has another type, or if
// package dsl did not create the constant.
var InfoOf func(c any) *SpecInfo

// Spec is the value of a specialization constant in a launch.
type Spec struct {
	Const *SpecInfo
	Value unsafe.Pointer // pointer to the value, of type Const.Type; the value is never changed
}

// turnLocks are the locks that Turn returns.
var turnLocks [64]sync.Mutex

// Turn returns the lock that protects the 8 or 16 bits at p in atomic operations. Go has no atomic
// operations for 8 and 16 bits.
func Turn(p unsafe.Pointer) *sync.Mutex { return &turnLocks[uintptr(p)/2%uintptr(len(turnLocks))] }

// Launch contains the data that all work-items of one launch share. In Global and Local, only the first Rank
// elements are used. They are in the kernel's index order, in which the last dimension is the fastest.
type Launch struct {
	Rank   int
	Global [3]int
	Local  [3]int // work-group size of an nd-range
	// Accessors holds the lengths of the kernel's local accessors, in order.
	Accessors []int
	// Specs holds the specialization constants that the kernel reads.
	Specs []Spec
	// SubGroupSize is the size of sub-groups, at least 1.
	SubGroupSize int
	// Stop, once true, ends the launch. After Stop is true, no more work-items begin, and work-items that wait for
	// others do not continue. Stopped is set if the launch ends before all work-items have ended. The pointers
	// Stop and Stopped may be nil.
	Stop, Stopped *atomic.Bool
	// Panicked is called in the work-item's goroutine, from a deferred function,
	// with the recovered value. During the call, the stack of the panic is still readable.
	Panicked func(id [3]int, v any)
}

// Stopping reports whether Stop is true. If so, Stopping also sets Stopped, so a caller must call Stopping only
// while it has more work-items to run.
func (l *Launch) Stopping() bool {
	if l.Stop == nil || !l.Stop.Load() {
		return false
	}
	l.Stopped.Store(true)
	return true
}

// RunItems runs the work-items with linear ids in [lo, hi) of a kernel, one after another. For a
// task, hi is 1. The argument `kernel` is a func(dsl.ItemN) or func(dsl.Task). If a work-item panics,
// RunItems still runs the other work-items.
var RunItems func(kernel any, l *Launch, lo, hi int)

// RunGroup runs the work-group with the given linear id of an nd-range kernel. The work-items of the group
// wait for each other at barriers. The argument `kernel` is a func(dsl.NDItemN). Groups may run concurrently. The
// argument `scratch` keeps reusable state of one goroutine between calls.
var RunGroup func(kernel any, l *Launch, group int, scratch *Scratch)

// Scratch is reusable state that only package dsl reads and writes.
type Scratch struct{ State any }
