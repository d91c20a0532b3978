// Package blas multiplies matrices and vectors of float32s and float64s, and matrices of 16-bit
// floats and of int8s.
//
//	err := blas.Gemm(ctx, dev, 1, a, b, 0, c)        // c = a*b, of slices
//	ev, err := blas.GemmOn(q, 1, a.T(), b, 0.5, c)   // c = aᵀ*b + c/2, of views
//
// The documentation of package prim has the rules of all these functions. Functions on slices have
// arguments of type Matrix, which consists of a slice and of the numbers of rows and columns.
// Functions on views have arguments of type View. A Matrix or View may be a batch of matrices. A
// Matrix or View may also be transposed, which copies no elements. For the dot product and the norm
// of vectors, use Dot and Norm of package reduce.
//
// # Results
//
// An element of a result of Gemm and Gemv is alpha*sum + beta*c. The sum begins at 0, and the
// products are added in the order of the inner index, from 0 on. Each product is added to the sum
// with one rounding, as by math32.FMA or math.FMA. Then beta*c is rounded, and alpha*sum is added
// to it with one rounding. If beta is 0, c is not read, and may be NaN.
//
// If c is small, GemmOn with prim.Unordered may divide the inner index into ranges. It computes a
// sum for each range, and adds up these sums. The ranges depend only on the shapes of the matrices.
//
// GemmHalf multiplies half.Float16s or half.BFloat16s, and adds up the products as float32s.
// GemmInt8 multiplies int8s, and adds up the products as int32s, which wrap around. On devices that
// support matrices of sub-groups, GemmHalf and GemmInt8 use them. Such a device may add float
// products in any order, so the last bits of GemmHalf's results depend on the device. The page
// docs/matrices.md has the bound of a sum's error. With matrices of sub-groups, GemmHalf rounds
// alpha*sum, beta*c and their sum to float32. Without these matrices, GemmHalf converts the
// elements to float32 and returns the same results as Gemm.
//
// Axpy and Ger round each product and each sum.
//
// The results of all functions except GemmHalf have the same bits on every device. But float32
// subnormals are kept or flushed as the device does.
//
// # Cost
//
// GPUs have an instruction for fused products and sums. The host has fused instructions only for
// float64s, and emulates them for float32s by computing with float64s. Devices without fused
// instructions, such as lavapipe, emulate them with some 100 operations for float32s, and some 200
// operations for float64s.
//
// For every 128 columns of the product, Gemm reads each element of A once. For every 128 or 64 rows
// of the product, it reads each element of B once. Gemv reads each element once. Most of a GPU is
// idle during a Gemv of few rows, and during a Gemm of few tiles of 64 by 128 elements. Only Gemm
// with prim.Unordered divides a sum among work-items. On GPUs a Gemm of float32s takes twice as
// long if both matrices are transposed. A Gemm of float32s also takes twice as long if the row
// lengths, strides or offsets of A and B are not multiples of 4 elements.
//
// Scratch memory is needed by GemmHalfOn, by GemmInt8On, and by GemmOn with prim.Unordered (see
// ScratchBytes). The other functions of the package need no scratch memory.
package blas
