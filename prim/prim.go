// Package prim declares options for functions that launch kernels of a library. These functions are
// in the packages below, which are called families, and their names end in On.
//
//	reduce    Sum, Min, Max, MinMax, ArgMin, ArgMax, Count, Any, All, Dot, Norm, By and ByKey.
//	scan      Inclusive, Exclusive, By, ExclusiveBy, ByKey and ExclusiveByKey.
//	sort      Keys, Pairs, TopK, IsSorted, Search and Merge.
//	pick      Where, Partition, Flagged, Unique and RunLengths.
//	hist      Even, Edges and ByKey.
//	move      Fill, Iota, Reverse, Gather, Scatter and Transpose.
//	rand      Uniform, Normal, Bits, IntN and Shuffle.
//	blas      Gemm, GemmHalf, GemmInt8, Gemv, Ger and Axpy, for products of matrices and vectors.
//	sparse    CSROf and Gemv, for sparse matrices in compressed sparse row form.
//	fft       plans of Fourier transforms, of complex and of real numbers.
//
// # Slices and views
//
// A function such as reduce.Sum copies slices of the program's memory to the device, waits and
// returns the result. The corresponding function reduce.SumOn takes a queue and views of device
// memory, and returns the event of its last launch. reduce.SumOn does not wait. So if the queue is
// recording, the launches become nodes of a graph.
//
// # Types
//
// Modules are compiled ahead of time for the types that each package lists. For another type, the
// caller declares a kernel, which is an alias of a kernel of the library. The documentation of each
// package shows an example:
//
//	type HalfSum = kernels.Reduce[half.Float16, float32, Widen]
//
// # Order
//
// Results have the same bits on every device, except for blas.GemmHalf. The documentation of each
// function states the order in which floats are added. The order of additions depends only on
// constants, not on the device or its sub-groups. Float32 subnormals are kept or flushed as the
// device does (see runtime.Subnormals).
//
// # Checks
//
// An invalid call returns an error before anything is launched. The error is
// runtime.ErrKernelArgument for a view of another device, or of a closed buffer. The error is
// runtime.ErrInvalid if the queue cannot launch kernels, an output is too short, or lengths differ.
// The error is also runtime.ErrInvalid if an output overlaps an input, another output, the scratch
// memory or the length.
package prim

import (
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// Number constrains type parameters to Go's integer and float types.
type Number = call.Number

// Option is an option of a function whose name ends in On.
type Option = call.Option

// Length makes a function process the first min(n, v.Len()) elements of each input v. The argument
// n is a view that contains this number, and the device reads the number when the function runs. So
// another function may store the number on the device, and the host need not wait for it. A
// negative number counts as 0. The view must have one element (ErrInvalid otherwise).
func Length(n runtime.View[int64]) Option {
	return func(o *call.Options) { o.Length, o.HasLength = n, true }
}

// Scratch sets the memory that a function uses between its launches. Without the option Scratch,
// the memory comes from a pool of the device. The memory must begin at a multiple of 16 bytes and
// have at least as many bytes as the family's ScratchBytes says (ErrInvalid otherwise). Calls with
// the same memory run one after the other. If a call without Scratch is recorded into a graph, the
// call has its own memory. This memory is kept as long as the graph.
func Scratch(memory runtime.View[byte]) Option {
	return func(o *call.Options) { o.Scratch, o.HasScratch = memory, true }
}

// Launch sets options for each launch of a function, such as runtime.DependsOn and
// runtime.WithContext.
func Launch(opts ...runtime.LaunchOption) Option {
	return func(o *call.Options) { o.Launch = append(o.Launch, opts...) }
}

// Unordered allows a function to return results that depend on the order of work-items. Functions
// use this only to be faster. Functions whose results may change say so in their documentation.
func Unordered() Option { return func(o *call.Options) { o.Unordered = true } }
