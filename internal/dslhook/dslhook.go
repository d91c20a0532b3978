// Package dslhook lets the host backend run kernels through package dsl without
// dsl exporting constructors for its items. Package dsl sets the variables when
// it is initialised.
package dslhook

// Launch is what all work-items of one launch share. Sizes and ids are in the
// kernel's index order (last dimension fastest), with Rank entries used.
type Launch struct {
	Rank   int
	Global [3]int
	Local  [3]int // nd-range only
	// Accessors holds the lengths of the kernel's local accessors, in order.
	Accessors []int
	// SubGroupSize is the size of sub-groups, at least 1.
	SubGroupSize int
	// Panicked is called in the work-item's goroutine, from a deferred function,
	// with the recovered value. The stack of the panic is still readable.
	Panicked func(id [3]int, v any)
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
