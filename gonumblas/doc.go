// Package gonumblas runs the larger calls of gonum's BLAS on a device. It is a module of its own, so that kgen requires
// nothing of gonum.
//
//	dev, err := runtime.Open()
//	on := gonumblas.On(dev)
//	blas32.Use(on)
//	blas64.Use(on) // from now on matrices of package mat are multiplied on the device
//
// # Functions
//
// Gemm, Gemv, Ger, Axpy, Dot and Nrm2 of float32 and float64 have kernels, of packages prim/blas and prim/reduce.
// Gonum's own implementation runs all other functions. It also runs calls of these six that
//
//   - have fewer operations than the threshold,
//   - have wrong arguments: it panics with its own texts,
//   - have an alpha or a size of 0, or a size above 2^31-1,
//   - have a vector with a negative increment,
//   - use float64s on a device without properties.FP64,
//   - are a Nrm2 whose squares overflow or are subnormal, which shows after the device has computed it.
//
// # Results
//
// Results differ from those of gonum's own implementation in rounding, and the device may flush float32 subnormals.
// Packages prim/blas and prim/reduce have the order of sums. Gonum's Gemm skips elements of a that are 0, and the
// device does not: 0 times Inf or NaN is NaN. If beta is 0, the elements that a call writes are not read.
//
// Elements between the rows of a matrix, or between those of a vector, are neither read nor written. So goroutines may
// compute parts of one matrix at the same time. A result may overlap operands, which are read first.
//
// # Errors
//
// BLAS returns no errors, so an error of the device is the value of a panic. It is a *runtime.Error, for example of
// class runtime.ErrMemoryAllocation, or of runtime.ErrInvalid after the device was closed. The call's result is then as
// before, unless copying it back failed.
//
// # Cost
//
// Each call allocates memory on the device, copies its operands there, waits, and copies the result back. A matrix whose
// rows have gaps is first copied within the host. Level 3 computes much with each element that is copied. Levels 1 and 2
// do one or two operations with each, which the host does faster than the copy.
//
// So by default the device runs Gemm alone, and only if it is a GPU: from 1<<27 operations on, as of two matrices of 512
// by 512, if m, n and k are at least 64. This number is an estimate. On the host device and on lavapipe gonum's own
// implementation was faster at all sizes, but for Nrm2 of float32s. Measure on your device, and give a Threshold:
//
//	KGEN_DEVICE=vulkan go test -run '^$' -bench Calls .
//
// To compute more with less copying, call package prim/blas.
package gonumblas
