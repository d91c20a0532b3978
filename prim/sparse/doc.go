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
// An element of a result is alpha*sum + beta*y, where sum is the sum of products of one row. The
// sum begins at 0, and the products are added in the order of the row's elements in memory. A
// product and its addition are rounded only once, as in math32.FMA or math.FMA. After the sum,
// beta*y is computed and rounded, and a fused multiply-add adds alpha*sum. If beta is 0, y is not
// read. Results have the same bits on every device. The device decides whether float32 subnormals
// are kept or flushed.
//
// # Cost
//
// Gemv reads each element and its column once. A single work-item adds up a row, so rows with many
// thousands of elements take a long time on a GPU. GPUs have an instruction for fused
// multiply-adds. For float32s, the host emulates fused multiply-adds with float64s. On other
// devices without the instruction, the emulation takes about 100 operations for float32s, and about
// 200 for float64s.
//
// CSROf uses package prim/sort to sort the elements. CSROfOn needs scratch memory (see
// ScratchBytes). GemvOn needs none.
package sparse
