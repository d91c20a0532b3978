// Package prim has the options of the functions that launch kernels of a library: those whose names
// end in On in the packages below. Each of these packages is a family.
//
//	reduce    Sum, Min, Max, MinMax, ArgMin, ArgMax, Count, Any, All, Dot, Norm, By and ByKey
//	scan      Inclusive, Exclusive, By, ExclusiveBy, ByKey and ExclusiveByKey
//	sort      Keys, Pairs, TopK, IsSorted, Search and Merge
//	pick      Where, Partition, Flagged, Unique and RunLengths
//	hist      Even, Edges and ByKey
//	move      Fill, Iota, Reverse, Gather, Scatter and Transpose
//	rand      Uniform, Normal, Bits, IntN and Shuffle
//	blas      Gemm, Gemv, Ger and Axpy: products of matrices and vectors
//	fft       plans of Fourier transforms, of complex and of real numbers
//
// # Slices and views
//
// A function such as reduce.Sum takes slices of the program's memory, copies them to the device,
// waits and returns the result. Its other form, reduce.SumOn, takes a queue and views of the device's
// memory, and returns the event of its last launch. It waits for nothing, so on a queue that records
// it becomes nodes of a graph.
//
// # Types
//
// Modules are compiled ahead of time for the types that each package lists. A type without one is had by a
// kernel of the caller's, an alias of a kernel of the library, of which each package shows one:
//
//	type HalfSum = kernels.Reduce[half.Float16, float32, Widen]
//
// # Order
//
// Results have the same bits on every device. Sums of floats are made in an order that each function
// states, which constants fix: neither the device nor its sub-groups change it. Float32 subnormals are
// kept or flushed as the device does (see runtime.Subnormals).
//
// # Checks
//
// A call that makes no sense is an error before anything is launched: runtime.ErrKernelArgument for
// views of other devices and of closed buffers; runtime.ErrInvalid for a queue that takes no
// launches, outputs that are too short, lengths that differ, and an output that overlaps an input,
// another output, the scratch memory or the length.
package prim

import (
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// Number is a type of the elements that functions compute with: all integers and floats of Go.
type Number = call.Number

// Option is an option of a function whose name ends in On.
type Option = call.Option

// Length has a function process the first min(n, v.Len()) elements of each input v, where n is the
// number that is in the view when the device runs the function. So one function may take the number
// of elements that another has left, and nobody waits for it. A negative number is taken for 0. The
// view has one element; more are ErrInvalid.
func Length(n runtime.View[int64]) Option {
	return func(o *call.Options) { o.Length, o.HasLength = n, true }
}

// Scratch is the memory that a function uses between its launches, and that otherwise comes from a
// pool of the device. It begins at a multiple of 16 bytes and has as many bytes as the family's
// ScratchBytes says (ErrInvalid otherwise). Calls with the same memory run one after the other. A call that is
// recorded into a graph without Scratch has memory of its own, which lives as long as the graph.
func Scratch(memory runtime.View[byte]) Option {
	return func(o *call.Options) { o.Scratch, o.HasScratch = memory, true }
}

// Launch gives options to each launch of a function, such as runtime.DependsOn and
// runtime.WithContext.
func Launch(opts ...runtime.LaunchOption) Option {
	return func(o *call.Options) { o.Launch = append(o.Launch, opts...) }
}

// Unordered allows results that depend on the order in which work-items run, where that is faster. The
// functions that have such results say so.
func Unordered() Option { return func(o *call.Options) { o.Unordered = true } }
