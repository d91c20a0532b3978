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

// The functions of this file report whether they have run a call on the device. They have not if that does not pay, if there
// is no kernel, or if an argument is wrong, for which gonum's own implementation panics.

type float interface{ float32 | float64 }

func isDouble[T float]() bool { return unsafe.Sizeof(T(0)) == 8 }

func isTransposed(t blas.Transpose) bool { return t == blas.Trans || t == blas.ConjTrans }

func isTranspose(t blas.Transpose) bool { return t == blas.NoTrans || isTransposed(t) }

// operand is a matrix, or a vector as one of a column, in the caller's memory.
type operand[T float] struct {
	s          []T
	rows, cols int
	ld         int // distance of rows
	transposed bool
}

// fits reports whether the matrix has elements, and the slice all of them.
func (o operand[T]) fits() bool {
	if o.rows < 1 || o.cols < 1 || o.ld < o.cols || len(o.s) < o.cols {
		return false
	}
	return o.rows == 1 || (len(o.s)-o.cols)/(o.rows-1) >= o.ld
}

// matrix returns the operand that op(A) of m rows and n columns is.
func matrix[T float](s []T, op blas.Transpose, m, n, ld int) operand[T] {
	o := operand[T]{s, m, n, ld, isTransposed(op)}
	if o.transposed {
		o.rows, o.cols = n, m
	}
	return o
}

func vector[T float](s []T, n, inc int) operand[T] {
	return operand[T]{s: s, rows: n, cols: 1, ld: inc}
}

// whole returns the elements if they have no gaps.
func (o operand[T]) whole() ([]T, bool) {
	if o.rows > 1 && o.ld > o.cols {
		return nil, false
	}
	return o.s[:o.rows*o.cols], true
}

// run is a call that runs on the device.
type run[T float] struct {
	queue   *runtime.Queue
	buffers []*runtime.Buffer[T]
}

// ctx has no end: BLAS has no way to say that a call was cancelled.
var ctx = context.Background()

// start begins a call. Each one has a queue of its own, since a queue's failures are those of all calls that use it.
func start[T float](d *device) *run[T] { return &run[T]{queue: d.dev.NewQueue()} }

// close gives the memory back.
func (r *run[T]) close() {
	for _, b := range r.buffers {
		_ = b.Close() // which returns no error
	}
}

// check panics with the error of a device.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// room returns memory of the device, which holds anything.
func (r *run[T]) room(n int) runtime.View[T] {
	b, err := runtime.NewBuffer[T](r.queue.Device(), n)
	check(err)
	r.buffers = append(r.buffers, b)
	return b.All()
}

// send copies an operand to the device. It reads no element between rows, which another goroutine may be writing.
func (r *run[T]) send(o operand[T]) runtime.View[T] {
	v := r.room(o.rows * o.cols)
	s, ok := o.whole()
	if !ok {
		s = make([]T, o.rows*o.cols)
		for i := range o.rows {
			copy(s[i*o.cols:(i+1)*o.cols], o.s[i*o.ld:])
		}
	}
	check(v.CopyFrom(ctx, r.queue, s))
	return v
}

// sendOld is send for an operand that the call writes: its elements are needed unless beta is 0.
func (r *run[T]) sendOld(o operand[T], beta T) runtime.View[T] {
	if beta == 0 {
		return r.room(o.rows * o.cols)
	}
	return r.send(o)
}

// receive waits for the device, and copies its result to an operand. It writes no element between rows.
func (r *run[T]) receive(o operand[T], v runtime.View[T]) {
	if s, ok := o.whole(); ok {
		check(v.CopyTo(ctx, r.queue, s))
		return
	}
	s := make([]T, o.rows*o.cols)
	check(v.CopyTo(ctx, r.queue, s))
	for i := range o.rows {
		copy(o.s[i*o.ld:], s[i*o.cols:(i+1)*o.cols])
	}
}

// view returns a matrix of package prim/blas.
func (o operand[T]) view(v runtime.View[T]) primblas.View[T] {
	m := primblas.View[T]{Shape: primblas.Shape{Rows: o.rows, Cols: o.cols}, Data: v}
	if o.transposed {
		return m.T()
	}
	return m
}

func gemm[T float](d *device, tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if !isTranspose(tA) || !isTranspose(tB) || alpha == 0 {
		return false
	}
	oa, ob, oc := matrix(a, tA, m, k, lda), matrix(b, tB, k, n, ldb), matrix(c, blas.NoTrans, m, n, ldc)
	if !oa.fits() || !ob.fits() || !oc.fits() || !takes[T](d, 3, m, n, k) {
		return false
	}
	r := start[T](d)
	defer r.close()
	va, vb, vc := r.send(oa), r.send(ob), r.sendOld(oc, beta)
	_, err := primblas.GemmOn(r.queue, alpha, oa.view(va), ob.view(vb), beta, oc.view(vc))
	check(err)
	r.receive(oc, vc)
	return true
}

func gemv[T float](d *device, tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) bool {
	if !isTranspose(tA) || alpha == 0 {
		return false
	}
	oa := operand[T]{a, m, n, lda, isTransposed(tA)}
	ox, oy := vector(x, n, incX), vector(y, m, incY)
	if oa.transposed {
		ox.rows, oy.rows = m, n
	}
	if !oa.fits() || !ox.fits() || !oy.fits() || !takes[T](d, 2, m, n) {
		return false
	}
	r := start[T](d)
	defer r.close()
	va, vx, vy := r.send(oa), r.send(ox), r.sendOld(oy, beta)
	_, err := primblas.GemvOn(r.queue, alpha, oa.view(va), vx, beta, vy)
	check(err)
	r.receive(oy, vy)
	return true
}

func ger[T float](d *device, m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) bool {
	ox, oy, oa := vector(x, m, incX), vector(y, n, incY), matrix(a, blas.NoTrans, m, n, lda)
	if alpha == 0 || !ox.fits() || !oy.fits() || !oa.fits() || !takes[T](d, 2, m, n) {
		return false
	}
	r := start[T](d)
	defer r.close()
	vx, vy, va := r.send(ox), r.send(oy), r.send(oa)
	_, err := primblas.GerOn(r.queue, alpha, vx, vy, oa.view(va))
	check(err)
	r.receive(oa, va)
	return true
}

func axpy[T float](d *device, n int, alpha T, x []T, incX int, y []T, incY int) bool {
	ox, oy := vector(x, n, incX), vector(y, n, incY)
	if alpha == 0 || !ox.fits() || !oy.fits() || !takes[T](d, 1, n) {
		return false
	}
	r := start[T](d)
	defer r.close()
	vx, vy := r.send(ox), r.send(oy)
	_, err := primblas.AxpyOn(r.queue, alpha, vx, vy)
	check(err)
	r.receive(oy, vy)
	return true
}

func dot[T float](d *device, n int, x []T, incX int, y []T, incY int) (T, bool) {
	ox, oy := vector(x, n, incX), vector(y, n, incY)
	if !ox.fits() || !oy.fits() || !takes[T](d, 1, n) {
		return 0, false
	}
	r := start[T](d)
	defer r.close()
	vx, vy, sum := r.send(ox), r.send(oy), r.room(1)
	_, err := reduce.DotOn(r.queue, vx, vy, sum)
	check(err)
	var to [1]T
	r.receive(vector(to[:], 1, 1), sum)
	return to[0], true
}

func nrm2[T float](d *device, n int, x []T, incX int) (T, bool) {
	ox := vector(x, n, incX)
	if !ox.fits() || !takes[T](d, 1, n) {
		return 0, false
	}
	r := start[T](d)
	defer r.close()
	vx, norm := r.send(ox), r.room(1)
	_, err := reduce.NormOn(r.queue, vx, norm)
	check(err)
	var to [1]T
	r.receive(vector(to[:], 1, 1), norm)
	return to[0], isNorm(to[0], n)
}

// isNorm reports whether the norm of n numbers by package reduce is exact but for rounding. The device does not scale the
// numbers, as gonum does. So the sum of squares may overflow, and squares below the least normal number may be flushed to 0.
// All these together must be less than half an ulp of the sum.
func isNorm[T float](norm T, n int) bool {
	least := math.Ldexp(math.Sqrt(float64(n)), -51) // n squares of 2^-126, and 24 digits
	if isDouble[T]() {
		least = math.Ldexp(math.Sqrt(float64(n)), -484) // n squares of 2^-1022, and 53 digits
	}
	return float64(norm) >= least && !math.IsInf(float64(norm), 1)
}
