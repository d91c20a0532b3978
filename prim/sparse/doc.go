// Package sparse multiplies sparse matrices of float32s and float64s by vectors.
//
//	a, err := sparse.CSROf(ctx, dev, rows, cols, i, j, values)  // from coordinates
//	err = sparse.Gemv(ctx, dev, 1, a, x, 0, y)                  // y = a*x, of slices
//	ev, err := sparse.GemvOn(q, 1, view, vx, 0, vy)             // of views
//
// The documentation of package prim has the rules of all these functions. A matrix is in compressed
// sparse row form (see CSR).
//
// # Results
//
// An element of a result is alpha*sum + beta*y. The sum begins at 0, and the products are added in
// the order of the row's elements in memory. Each product is added to the sum with one rounding, as
// by math32.FMA or math.FMA. After the sum, beta*y is rounded, and alpha*sum is added to it with one
// rounding. If beta is 0, y is not read. Results have the same bits on every device. The device
// decides whether float32 subnormals are kept or flushed.
//
// # Cost
//
// Gemv reads each element and its column once. A row is added up by a single work-item, so rows with
// many thousands of elements take long on a GPU. GPUs have an instruction for fused products and
// sums. For float32s, the host emulates this instruction by float64s. On other devices, the
// emulation takes some 100 operations for float32s, and some 200 for float64s.
//
// CSROf uses package prim/sort to sort the elements. CSROfOn needs scratch memory (see
// ScratchBytes). GemvOn needs none.
package sparse
