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

// The functions from gemm to nrm2 report whether they have run a BLAS call on the device. The result is false if the
// call is too small for the device, or if no kernel exists for it. The result is also false if an argument is wrong,
// because gonum's implementation then panics with its own text.

type float interface{ float32 | float64 }

func isDouble[T float]() bool { return unsafe.Sizeof(T(0)) == 8 }

func isTransposed(t blas.Transpose) bool { return t == blas.Trans || t == blas.ConjTrans }

func isTranspose(t blas.Transpose) bool { return t == blas.NoTrans || isTransposed(t) }

// An operand is a matrix in the caller's memory. A vector is a matrix with one column.
type operand[T float] struct {
	s          []T
	rows, cols int
	ld         int // number of elements from the start of a row to the start of the next row
	transposed bool
}

// The method fits reports whether the matrix is not empty, and whether the slice contains all elements of the matrix.
func (o operand[T]) fits() bool {
	if o.rows < 1 || o.cols < 1 || o.ld < o.cols || len(o.s) < o.cols {
		return false
	}
	return o.rows == 1 || (len(o.s)-o.cols)/(o.rows-1) >= o.ld
}

// The function matrix returns the operand for matrix A. Parameters m and n are the numbers of rows and columns of
// op(A).
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

// If no gaps are between the rows, the method whole returns the slice of all elements.
func (o operand[T]) whole() ([]T, bool) {
	if o.rows > 1 && o.ld > o.cols {
		return nil, false
	}
	return o.s[:o.rows*o.cols], true
}

// Type run is a BLAS call that runs on the device.
type run[T float] struct {
	queue   *runtime.Queue
	buffers []*runtime.Buffer[T]
}

// The context ctx is never cancelled, because a BLAS call cannot report that it was cancelled.
var ctx = context.Background()

// The function start begins a call. Each call has a separate queue, because all users of a queue receive its failures.
func start[T float](d *device) *run[T] { return &run[T]{queue: d.dev.NewQueue()} }

// The method close frees the device memory of the call.
func (r *run[T]) close() {
	for _, b := range r.buffers {
		_ = b.Close() // Close of an open buffer returns no error
	}
}

// The function check panics with the error of a device.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The method room allocates device memory, and returns it without initialization.
func (r *run[T]) room(n int) runtime.View[T] {
	b, err := runtime.NewBuffer[T](r.queue.Device(), n)
	check(err)
	r.buffers = append(r.buffers, b)
	return b.All()
}

// The method send copies an operand to the device. The method does not read elements between rows, because another
// goroutine may write them at the same time.
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

// The method sendOld is used for an operand that the call also writes. If beta is 0, the old elements are not needed,
// and the method only allocates memory.
func (r *run[T]) sendOld(o operand[T], beta T) runtime.View[T] {
	if beta == 0 {
		return r.room(o.rows * o.cols)
	}
	return r.send(o)
}

// The method receive waits for the device, and copies the result to an operand. It does not write elements between
// rows.
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

// The method view returns the operand as a matrix of package prim/blas.
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

// isNorm reports whether the norm of n numbers from package reduce has no error except rounding. The device does not
// scale the numbers, but gonum does. For this reason the sum of squares may overflow on the device, and squares below
// the smallest normal number may be flushed to 0. The total of n flushed squares must be less than half an ulp of the
// sum.
func isNorm[T float](norm T, n int) bool {
	least := math.Ldexp(math.Sqrt(float64(n)), -51) // from n flushed squares below 2^-126, and a precision of 24 bits
	if isDouble[T]() {
		least = math.Ldexp(math.Sqrt(float64(n)), -484) // from n flushed squares below 2^-1022, and a precision of 53 bits
	}
	return float64(norm) >= least && !math.IsInf(float64(norm), 1)
}
