// Package sparse multiplies sparse matrices of float32s and float64s by vectors.
//
//	a, err := sparse.CSROf(ctx, dev, rows, cols, i, j, values)  // from coordinates
//	err = sparse.Gemv(ctx, dev, 1, a, x, 0, y)                  // y = a*x, of slices
//	ev, err := sparse.GemvOn(q, 1, view, vx, 0, vy)             // of views
//
// Package prim has the rules of all such functions. A matrix is in CSR form: see CSR.
//
// # Results
//
// An element of a product is alpha*sum + beta*y. The sum begins at 0 and takes the products in the order of the row's
// elements in memory. Each float32 product is added to the sum with one rounding, as by math32.FMA, and so is beta*y, once
// rounded, to alpha*sum. Products and sums of float64s are rounded one by one. If beta is 0, y is not read. Results
// have the same bits on every device. Float32 subnormals are kept or flushed as the device does.
//
// # Cost
//
// Gemv reads each element and its column once. One work-item adds up a row, so a GPU takes long where a row has many
// thousands of elements. GPUs have an instruction for fused products and sums, and the host emulates it by float64s. Other devices
// emulate it by some 100 operations.
//
// CSROf sorts the elements by prim/sort. ScratchBytes has its scratch memory. Gemv takes none.
package sparse
