// Package fft computes discrete Fourier transforms of arrays of complex and of real numbers.
//
//	p, err := fft.NewPlan[complex64](dev, 480, 640)   // for arrays of 480 rows of 640 elements
//	ys, err := p.Forward(ctx, xs)                     // of slices
//	ev, err := p.ForwardOn(q, v, out)                 // of views
//
// The documentation of package prim has the rules of all these functions. A program makes a plan
// once for a device and a shape. A shape has one to three axes. The index along the last axis
// varies fastest. All lengths of axes are allowed. A call transforms any number of arrays, which
// follow each other in the argument.
//
// # Results
//
// Element k of the transform of n elements, for k from 0 to n-1, is the sum of x[j]*exp(-2πi*j*k/n)
// over all j. The axes are transformed one after the other. For Inverse, replace -2πi by +2πi, and
// divide by the number of elements of an array. Forward does not scale, so Inverse undoes Forward.
//
// A RealPlan transforms real numbers. Since element n-k of a row is the conjugate of element k,
// only the elements 0 to n/2 of the last axis are stored. So rows of n numbers become rows of n/2+1
// elements. The argument of Inverse also has rows of n/2+1 elements. In transforms of real numbers,
// the imaginary part of element 0 of a row is 0. If n is even, the imaginary part of element n/2 is
// also 0. After Inverse has transformed the other axes, it treats these imaginary parts as 0.
//
// Results have the same bits on every device, and at every address. Each product and each sum is
// rounded, and the host computes roots of unity in float64. The root mean square of the errors is
// at most eps*log2(2n) times the root mean square of the elements. In this bound, n is the number
// of elements of an array, and eps is 2**-24 for complex64 and 2**-53 for complex128. If a length
// has a prime factor above 7, the error is at most twice this bound. Tests check both limits of the
// error.
//
// # Types
//
// Elements are complex64 and complex128. For complex128, the device must have properties.FP64. On
// other devices, NewPlan and NewRealPlan return ErrKernelNotSupported. Arrays have at most 1<<28
// elements (ErrInvalid).
//
// # In place
//
// ForwardOn and InverseOn of Plan can work in place, so out may be v. The methods of RealPlan
// cannot work in place. RealPlan.InverseOn does not change its input.
//
// # Cost
//
// The following numbers are for axes whose length has no prime factor above 7. One launch
// transforms an axis whose length is at most 2048 (1024 for complex128). It reads and writes each
// element once. For complex64, one launch also transforms an axis of length 4096. For axes other
// than the last one, the limit is 1024 elements (512 for complex128). Longer axes take two launches
// if they have at most some 1<<20 elements (1<<18 for complex128), and three launches otherwise.
// Longer axes also need scratch memory for all elements of the arrays.
//
// Lengths with a prime factor above 7 need a convolution (Bluestein's algorithm). For n elements,
// the convolution consists of two transforms of about 2n elements and of three more launches. It
// needs scratch memory for about 2n elements. When a plan for a convolution is made, the host
// computes a transform. This takes one to three seconds for a million elements.
//
// If rows have an even length, a RealPlan needs half as many operations as a Plan, but one more
// launch. If the real numbers begin at an odd index of their buffer, the numbers are copied before
// or after the transform. Rows of an odd length are transformed as complex numbers, in scratch
// memory.
//
// If the arrays of a call have more than 1<<26 elements together, the call transforms them in
// parts, one after the other. So a call needs only the scratch memory for one part. A part has at
// least one array.
//
// # Plans
//
// A plan stores roots of unity in device memory. For long transforms, they have 128 KiB or more.
// Several goroutines may use a plan. After Close, the plan's functions return ErrKernelArgument.
// Runs of graphs that have recorded such functions also return this error.
package fft
