// Package gonumblas runs the larger calls of gonum's BLAS on a device. The package is in a separate Go module, so that
// kgen itself does not require gonum.
//
//	dev, err := runtime.Open()
//	on := gonumblas.On(dev)
//	blas32.Use(on)
//	blas64.Use(on) // from now on matrices of package mat are multiplied on the device
//
// # Functions
//
// The device can run Gemm, Gemv, Ger, Axpy, Dot and Nrm2 for float32 and float64. The kernels are in packages prim/blas
// and prim/reduce. Gonum's own implementation runs all other functions. Gonum also runs a call of one of the six
// functions in the following cases:
//
//   - The call has fewer operations than the threshold.
//   - The call has wrong arguments, for which gonum's implementation panics with its own texts.
//   - An alpha or a size of the call is 0, or a size is above 2^31-1.
//   - A vector of the call has a negative increment.
//   - The call uses float64s, and the device does not have properties.FP64.
//   - The call is a Nrm2, and the norm from the device shows that squares overflow or are subnormal.
//
// # Results
//
// Results differ from the results of gonum's own implementation in rounding, and the device may
// flush float32 subnormals. The documentation of packages prim/blas and prim/reduce describes the
// order in which sums are computed. Gonum's Gemm skips elements of a that are 0. The device does
// not skip elements that are 0, so the product of 0 and Inf or NaN is NaN. If beta is 0, a call
// does not read the old elements of its result.
//
// A call neither reads nor writes memory between the rows of a matrix or between the elements of a
// vector. Several goroutines may therefore compute different parts of one matrix at the same time.
// A result may overlap operands, because a call reads all operands before it writes the result.
//
// # Errors
//
// BLAS functions return no errors, so a call panics with the error of the device. The value of the panic
// is a *runtime.Error. The error's class is, for example, runtime.ErrMemoryAllocation, or
// runtime.ErrInvalid after the device was closed. After a panic the memory for the result is unchanged,
// unless the copy from the device failed.
//
// # Cost
//
// Each call allocates device memory, copies its operands to the device, waits, and copies the result back. If the rows
// of a matrix have gaps, a call first copies the matrix within host memory. Functions of level 3 execute many
// operations for each copied element. Functions of levels 1 and 2 execute only one or two operations for each copied
// element. For functions of levels 1 and 2, the copy takes longer than the operations would take on
// the host.
//
// By default the device runs only calls of Gemm, and only if the device is a GPU. A call of Gemm
// must also have at least 1<<27 operations, and m, n and k must be at least 64. For example, the
// product of two matrices of 512 by 512 has 1<<27 operations. On an H200 with a host of 16 cores,
// the product of two matrices of 512 by 512 float64s takes 2.2 ms on the device, and 5.4 ms with
// gonum on the host. For matrices of 256 by 256 float64s, the times are 1.0 ms on the device, and
// 1.2 ms on the host. On the host device and on lavapipe, gonum's own implementation was faster at
// all sizes, except for Nrm2 of float32s. To choose a Threshold for your device, run the benchmark:
//
//	KGEN_DEVICE=vulkan go test -run '^$' -bench Calls .
//
// To avoid the copies, call package prim/blas directly.
package gonumblas
