package gonumblas

import (
	"context"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	primblas "github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

// The functions gemm, gemv, ger, axpy, dot and nrm2 report whether they have run a BLAS call on the
// device. The functions return false if the call is too small for the device, or if no kernel
// exists for the call. The functions also return false if an argument is wrong, so that gonum's
// implementation panics with its own text.

type float interface{ float32 | float64 }

func isDouble[T float]() bool { return unsafe.Sizeof(T(0)) == 8 }

func isTransposed(t blas.Transpose) bool { return t == blas.Trans || t == blas.ConjTrans }

func isTranspose(t blas.Transpose) bool { return t == blas.NoTrans || isTransposed(t) }

// An operand is a matrix in the caller's memory. A vector is a matrix with one column.
type blasOperand[T float] struct {
	s          []T
	rows, cols int
	ld         int // number of elements from the start of a row to the start of the next row
	transposed bool
}

// isComplete reports whether the matrix is not empty, and whether the slice contains all elements of the matrix.
func (o blasOperand[T]) isComplete() bool {
	if o.rows < 1 || o.cols < 1 || o.ld < o.cols || len(o.s) < o.cols {
		return false
	}
	return o.rows == 1 || (len(o.s)-o.cols)/(o.rows-1) >= o.ld
}

// operandOf returns the operand for matrix A. Parameters m and n are the numbers of rows and columns of
// op(A).
func operandOf[T float](s []T, op blas.Transpose, m, n, ld int) blasOperand[T] {
	o := blasOperand[T]{s, m, n, ld, isTransposed(op)}
	if o.transposed {
		o.rows, o.cols = n, m
	}
	return o
}

func vector[T float](s []T, n, inc int) blasOperand[T] {
	return blasOperand[T]{s: s, rows: n, cols: 1, ld: inc}
}

// wholeSlice returns the slice of all elements, if there are no gaps between the rows.
func (o blasOperand[T]) wholeSlice() ([]T, bool) {
	if o.rows > 1 && o.ld > o.cols {
		return nil, false
	}
	return o.s[:o.rows*o.cols], true
}

// A blasRun is a BLAS call that runs on the device.
type blasRun[T float] struct {
	queue   *runtime.Queue
	buffers []*runtime.Buffer[T]
}

// The context ctx is never cancelled, because a BLAS call cannot report that it was cancelled.
var ctx = context.Background()

// startRun begins a call. Each call has a separate queue, because all users of a queue receive the
// queue's failures.
func startRun[T float](d *blasDevice) *blasRun[T] { return &blasRun[T]{queue: d.dev.NewQueue()} }

// freeAll frees the device memory of the call.
func (r *blasRun[T]) freeAll() {
	for _, b := range r.buffers {
		_ = b.Close() // Close of an open buffer returns no error
	}
}

// checkError panics if a device has returned an error.
func checkError(err error) {
	if err != nil {
		panic(err)
	}
}

// allocBuffer allocates device memory, and returns it without initialization.
func (r *blasRun[T]) allocBuffer(n int) runtime.View[T] {
	b, err := runtime.NewBuffer[T](r.queue.Device(), n)
	checkError(err)
	r.buffers = append(r.buffers, b)
	return b.All()
}

// copyIn copies an operand to the device. copyIn does not read elements between rows, because
// another goroutine may write them at the same time.
func (r *blasRun[T]) copyIn(o blasOperand[T]) runtime.View[T] {
	v := r.allocBuffer(o.rows * o.cols)
	s, ok := o.wholeSlice()
	if !ok {
		s = make([]T, o.rows*o.cols)
		for i := range o.rows {
			copy(s[i*o.cols:(i+1)*o.cols], o.s[i*o.ld:])
		}
	}
	checkError(v.CopyFrom(ctx, r.queue, s))
	return v
}

// copyInOld copies the old elements of a result to the device. If beta is 0, the call does not need the old
// elements, and copyInOld only allocates memory.
func (r *blasRun[T]) copyInOld(o blasOperand[T], beta T) runtime.View[T] {
	if beta == 0 {
		return r.allocBuffer(o.rows * o.cols)
	}
	return r.copyIn(o)
}

// copyOut waits for the device, and copies the result to an operand. copyOut does not write
// elements between rows.
func (r *blasRun[T]) copyOut(o blasOperand[T], v runtime.View[T]) {
	if s, ok := o.wholeSlice(); ok {
		checkError(v.CopyTo(ctx, r.queue, s))
		return
	}
	s := make([]T, o.rows*o.cols)
	checkError(v.CopyTo(ctx, r.queue, s))
	for i := range o.rows {
		copy(o.s[i*o.ld:], s[i*o.cols:(i+1)*o.cols])
	}
}

// matrixView returns the operand as a matrix of package prim/blas.
func (o blasOperand[T]) matrixView(v runtime.View[T]) primblas.View[T] {
	m := primblas.View[T]{Shape: primblas.Shape{Rows: o.rows, Cols: o.cols}, Data: v}
	if o.transposed {
		return m.T()
	}
	return m
}

func gemm[T float](d *blasDevice, tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if !isTranspose(tA) || !isTranspose(tB) || alpha == 0 {
		return false
	}
	oa, ob, oc := operandOf(a, tA, m, k, lda), operandOf(b, tB, k, n, ldb), operandOf(c, blas.NoTrans, m, n, ldc)
	if !oa.isComplete() || !ob.isComplete() || !oc.isComplete() || !runsOnDevice[T](d, 3, m, n, k) {
		return false
	}
	r := startRun[T](d)
	defer r.freeAll()
	va, vb, vc := r.copyIn(oa), r.copyIn(ob), r.copyInOld(oc, beta)
	_, err := primblas.GemmOn(r.queue, alpha, oa.matrixView(va), ob.matrixView(vb), beta, oc.matrixView(vc))
	checkError(err)
	r.copyOut(oc, vc)
	return true
}

func gemv[T float](d *blasDevice, tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) bool {
	if !isTranspose(tA) || alpha == 0 {
		return false
	}
	oa := blasOperand[T]{a, m, n, lda, isTransposed(tA)}
	ox, oy := vector(x, n, incX), vector(y, m, incY)
	if oa.transposed {
		ox.rows, oy.rows = m, n
	}
	if !oa.isComplete() || !ox.isComplete() || !oy.isComplete() || !runsOnDevice[T](d, 2, m, n) {
		return false
	}
	r := startRun[T](d)
	defer r.freeAll()
	va, vx, vy := r.copyIn(oa), r.copyIn(ox), r.copyInOld(oy, beta)
	_, err := primblas.GemvOn(r.queue, alpha, oa.matrixView(va), vx, beta, vy)
	checkError(err)
	r.copyOut(oy, vy)
	return true
}

func ger[T float](d *blasDevice, m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) bool {
	ox, oy, oa := vector(x, m, incX), vector(y, n, incY), operandOf(a, blas.NoTrans, m, n, lda)
	if alpha == 0 || !ox.isComplete() || !oy.isComplete() || !oa.isComplete() || !runsOnDevice[T](d, 2, m, n) {
		return false
	}
	r := startRun[T](d)
	defer r.freeAll()
	vx, vy, va := r.copyIn(ox), r.copyIn(oy), r.copyIn(oa)
	_, err := primblas.GerOn(r.queue, alpha, vx, vy, oa.matrixView(va))
	checkError(err)
	r.copyOut(oa, va)
	return true
}

func axpy[T float](d *blasDevice, n int, alpha T, x []T, incX int, y []T, incY int) bool {
	ox, oy := vector(x, n, incX), vector(y, n, incY)
	if alpha == 0 || !ox.isComplete() || !oy.isComplete() || !runsOnDevice[T](d, 1, n) {
		return false
	}
	r := startRun[T](d)
	defer r.freeAll()
	vx, vy := r.copyIn(ox), r.copyIn(oy)
	_, err := primblas.AxpyOn(r.queue, alpha, vx, vy)
	checkError(err)
	r.copyOut(oy, vy)
	return true
}

func dot[T float](d *blasDevice, n int, x []T, incX int, y []T, incY int) (T, bool) {
	ox, oy := vector(x, n, incX), vector(y, n, incY)
	if !ox.isComplete() || !oy.isComplete() || !runsOnDevice[T](d, 1, n) {
		return 0, false
	}
	r := startRun[T](d)
	defer r.freeAll()
	vx, vy, sum := r.copyIn(ox), r.copyIn(oy), r.allocBuffer(1)
	_, err := reduce.DotOn(r.queue, vx, vy, sum)
	checkError(err)
	var to [1]T
	r.copyOut(vector(to[:], 1, 1), sum)
	return to[0], true
}

func nrm2[T float](d *blasDevice, n int, x []T, incX int) (T, bool) {
	ox := vector(x, n, incX)
	if !ox.isComplete() || !runsOnDevice[T](d, 1, n) {
		return 0, false
	}
	r := startRun[T](d)
	defer r.freeAll()
	vx, norm := r.copyIn(ox), r.allocBuffer(1)
	_, err := reduce.NormOn(r.queue, vx, norm)
	checkError(err)
	var to [1]T
	r.copyOut(vector(to[:], 1, 1), norm)
	return to[0], isNorm(to[0], n)
}

// isNorm reports whether a norm of n numbers, computed by package reduce, has no error except rounding. The device does
// not scale the numbers, but gonum does. Without scaling, the sum of squares may overflow on the
// device, and squares below the smallest normal number may be flushed to 0. The total of n flushed
// squares must be less than half an ulp of the sum.
func isNorm[T float](norm T, n int) bool {
	least := math.Ldexp(math.Sqrt(float64(n)), -51) // least norm if squares below 2^-126 are flushed, and sums have 24 bits
	if isDouble[T]() {
		least = math.Ldexp(math.Sqrt(float64(n)), -484) // least norm if squares below 2^-1022 are flushed, and sums have 53 bits
	}
	return float64(norm) >= least && !math.IsInf(float64(norm), 1)
}
