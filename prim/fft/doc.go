// Package fft has discrete Fourier transforms of arrays of complex and of real numbers.
//
//	p, err := fft.NewPlan[complex64](dev, 480, 640)   // for arrays of 480 rows of 640 elements
//	ys, err := p.Forward(ctx, xs)                     // of slices
//	ev, err := p.ForwardOn(q, v, out)                 // of views
//
// Package prim has the rules of all such functions. A plan is made once for a device and a shape: arrays of one to
// three axes, of which the last one varies fastest. All lengths are allowed. A call transforms as many arrays as its
// elements make, which lie one after the other.
//
// # Results
//
// Element k of the transform of n elements is the sum of x[j]*exp(-2πi*j*k/n) over j, for each axis in turn, in the
// order of k from 0 to n-1. Inverse has +2πi in place of -2πi, and divides by the number of elements of an array, so that
// it undoes Forward, which does not scale.
//
// A RealPlan transforms real numbers. As element n-k is the conjugate of element k, only elements 0 to n/2 of the last
// axis are stored: rows of n numbers become rows of n/2+1. Inverse takes such rows. The imaginary parts of element 0 of a row,
// and of element n/2 if n is even, are 0 in transforms of real numbers, and Inverse takes them for 0 once it has
// transformed the other axes.
//
// Results have the same bits on every device, and at every place in memory. Products and sums are rounded one by one,
// and roots of unity are computed on the host, in float64. The root of the mean of squared errors is at most
// eps*log2(2n) times that of the elements, where n is the number of elements of an array, and eps 1<<-24 for complex64
// and 1<<-53 for complex128. It is at most twice that if a length has a prime factor above 7. Tests hold both.
//
// # Types
//
// Elements are complex64 and complex128. The latter need a device with properties.FP64: NewPlan and NewRealPlan are
// ErrKernelNotSupported elsewhere. Arrays have at most 1<<28 elements (ErrInvalid).
//
// # In place
//
// ForwardOn and InverseOn of Plan may work in place: out may be v. Those of RealPlan may not. Inverse leaves its input
// as it is.
//
// # Cost
//
// An axis whose length has no prime factor above 7 is transformed in one launch, which reads and writes each element once, if
// its length is at most 2048 (1024 of complex128), or a power of two up to 4096 of complex64. Of axes other than the
// last one, that is so up to 1024 (512). Longer ones take two launches up to some 1<<20 elements (1<<18), and three
// above, and scratch memory for all elements of the arrays.
//
// Other lengths n take a convolution (Bluestein's algorithm): two transforms of some 2n elements, and three launches more,
// with scratch memory for as many. A plan for one computes a transform on the host: of a million elements that takes one to three seconds.
//
// A RealPlan has half the work of a Plan if rows have an even length, and one launch more. If real numbers begin at no
// multiple of two numbers in their buffer, they are copied first, or last. Rows of an odd length are transformed as
// complex ones, in scratch memory.
//
// Arrays with more than 1<<26 elements together are transformed in parts, one after the other, so that scratch memory is
// not larger than one part needs, or one array.
//
// # Plans
//
// A plan has roots of unity in memory of the device: 128 KiB, and more for long transforms. Several goroutines may use it.
// After Close, functions of the plan are ErrKernelArgument, and so are graphs that have recorded some: close the graph first.
package fft
