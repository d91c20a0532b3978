// Package blas multiplies matrices and vectors of float32s and float64s.
//
//	err := blas.Gemm(ctx, dev, 1, a, b, 0, c)        // c = a*b, of slices
//	ev, err := blas.GemmOn(q, 1, a.T(), b, 0.5, c)   // c = aᵀ*b + c/2, of views
//
// Package prim has the rules of all such functions. The slices' forms have Matrix, which is a slice with the numbers of
// rows and columns, and the others View. Both may be a batch of matrices, and both may be transposed, which moves nothing.
// The dot product and the norm of vectors are Dot and Norm of package reduce.
//
// # Results
//
// An element of Gemm and Gemv is alpha*sum + beta*c. The sum begins at 0, and takes the products in the order of the inner
// index, from 0 on. Of float32s each product is added to the sum with one rounding, as by math32.FMA, and so is beta*c, once rounded, to
// alpha*sum. Of float64s products and sums are rounded one by one. If beta is 0, c is not read, and may be NaN.
//
// Axpy and Ger round products and sums one by one.
//
// Results have the same bits on every device. Float32 subnormals are kept or flushed as the device does.
//
// # Cost
//
// GPUs have an instruction for fused products and sums, and the host emulates it by float64s. On other devices, such as
// lavapipe, an emulation takes some 100 operations, where float64 is as fast as everywhere.
//
// Gemm reads each element of A and of B once for each 128 columns, or 128 or 64 rows, of the product, and Gemv each once. A Gemv of few
// rows, and a Gemm of few tiles of 64 by 128 elements, leave most of a GPU idle, as sums are not divided.
// On GPUs a Gemm of float32s takes twice as long if rows of A or B have a number of elements, a distance or a place in the
// buffer that is no multiple of 4 elements, or if both are transposed.
//
// No function takes scratch memory.
package blas
