package gonumblas

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kgen-go/kgen/internal/memoryhook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// panics returns the error that f panics with, or nil; another value fails the test.
func panics(t *testing.T, f func()) (err error) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); v != nil {
			var ok bool
			if err, ok = v.(error); !ok {
				t.Errorf("the panic has a %T: %v", v, v)
			}
		}
	}()
	f()
	return nil
}

// closed returns a device that is closed: calls that would run on it panic, and others do not.
func closed(t *testing.T, opts ...runtime.OpenOption) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(append(opts, runtime.Select("host"))...)
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	return dev
}

// TestMisuse: calls of On that make no sense panic with typed errors, which say what to do.
func TestMisuse(t *testing.T) {
	dev := devtest.Host(t)
	for want, f := range map[string]func(){
		"invalid: gonumblas: the device is nil; open one by runtime.Open":        func() { On(nil) },
		"invalid: gonumblas: the option 1 is nil; leave it out":                  func() { On(dev, Threshold(0), nil) },
		"invalid: gonumblas: a threshold of -1 operations; give 0 for all calls": func() { On(dev, Threshold(-1)) },
		"invalid: gonumblas: a threshold of level 0; give 1, 2 or 3":             func() { On(dev, Threshold(1, 3, 0)) },
		"invalid: gonumblas: a threshold of level 4; give 1, 2 or 3":             func() { On(dev, Threshold(1, 4)) },
	} {
		err := panics(t, f)
		var e *runtime.Error
		if !errors.As(err, &e) || !errors.Is(err, runtime.ErrInvalid) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestErrors: an error of the device is the value of the panic, and the call's results stay as they were.
func TestErrors(t *testing.T) {
	x, c := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	try := func(name string, on BLAS, want error) {
		for _, f := range []func(){
			func() { on.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, c, 2) },
			func() { on.Dgemv(blas.NoTrans, 2, 2, 1, x, 2, x, 1, 1, c, 1) },
			func() { on.Dger(2, 2, 1, x, 1, x, 1, c, 2) },
			func() { on.Daxpy(4, 1, x, 1, c, 1) },
			func() { on.Ddot(4, x, 1, c, 1) },
			func() { on.Dnrm2(4, x, 1) },
		} {
			err := panics(t, f)
			var e *runtime.Error
			if !errors.As(err, &e) || !errors.Is(err, want) || !slices.Equal(c, []float64{5, 6, 7, 8}) {
				t.Errorf("%s: %v, want one of class %v; the result is %v", name, err, want, c)
			}
		}
	}
	try("closed", On(closed(t), Threshold(0)), runtime.ErrInvalid)
	refuse, inUse := false, int64(0)
	memoryhook.Watch = func(bytes int64) bool {
		if refuse && bytes > 0 {
			return false
		}
		inUse += bytes
		return true
	}
	t.Cleanup(func() { memoryhook.Watch = nil })
	dev := devtest.Host(t)
	on := On(dev, Threshold(0))
	on.Dnrm2(4, x, 1) // takes memory that prim keeps
	before := inUse
	refuse = true
	try("no memory", on, runtime.ErrMemoryAllocation)
	refuse = false
	if err := panics(t, func() { on.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, c, 2) }); err != nil || c[3] != 22 {
		t.Errorf("after the errors: %v, %v", err, c)
	}
	if on.Dnrm2(4, x, 1); inUse != before {
		t.Errorf("calls keep %d bytes of the device", inUse-before)
	}
}

// TestTaken: which calls run on the device.
func TestTaken(t *testing.T) {
	s, f := make([]float64, 200*200), make([]float32, 200*200)
	gemm := func(m, n, k int) func(BLAS) {
		return func(on BLAS) { on.Dgemm(blas.NoTrans, blas.Trans, m, n, k, 1, s, k, s, k, 0, s, n) }
	}
	gemv := func(on BLAS) { on.Dgemv(blas.Trans, 10, 20, 1, s, 20, s, 1, 0, s, 1) }
	ger := func(on BLAS) { on.Dger(10, 20, 1, s, 1, s, 1, s, 20) }
	axpy := func(n, incX, incY int) func(BLAS) { return func(on BLAS) { on.Daxpy(n, 1, s, incX, s, incY) } }
	dot := func(incX, incY int) func(BLAS) { return func(on BLAS) { on.Ddot(10, s, incX, s, incY) } }
	for i, c := range []struct {
		opts []Option
		call func(BLAS)
		want bool
	}{
		// the default of a device on the processor is gonum's own
		{nil, gemm(200, 200, 200), false}, {nil, gemv, false}, {nil, axpy(10, 1, 1), false},
		{[]Option{Threshold(0)}, gemm(1, 1, 1), true}, {[]Option{Threshold(0)}, gemv, true}, {[]Option{Threshold(0)}, ger, true},
		{[]Option{Threshold(0)}, axpy(10, 1, 1), true}, {[]Option{Threshold(0)}, axpy(1, 1, 1), true}, {[]Option{Threshold(0)}, dot(1, 2), true},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Dnrm2(10, s, 3) }, true},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Sgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 1, f, 2, f, 2, 0, f, 2) }, true},
		// of a size that is exact
		{[]Option{Threshold(64 * 65 * 66)}, gemm(64, 65, 66), true}, {[]Option{Threshold(64*65*66 + 1)}, gemm(64, 65, 66), false},
		{[]Option{Threshold(200)}, gemv, true}, {[]Option{Threshold(201)}, gemv, false}, {[]Option{Threshold(200)}, ger, true}, {[]Option{Threshold(201)}, ger, false},
		{[]Option{Threshold(10)}, axpy(10, 1, 1), true}, {[]Option{Threshold(11)}, axpy(10, 1, 1), false},
		{[]Option{Threshold(10)}, dot(1, 1), true}, {[]Option{Threshold(11)}, dot(1, 1), false},
		{[]Option{Threshold(11)}, func(on BLAS) { on.Dnrm2(10, s, 3) }, false},
		// by level; a thin Gemm is of level 2
		{[]Option{Threshold(0, 3)}, gemm(64, 64, 64), true}, {[]Option{Threshold(0, 3)}, gemm(63, 64, 64), false}, {[]Option{Threshold(0, 3)}, gemm(64, 63, 64), false},
		{[]Option{Threshold(0, 3)}, gemm(64, 64, 63), false}, {[]Option{Threshold(0, 2)}, gemm(63, 64, 64), true}, {[]Option{Threshold(0, 3)}, gemv, false},
		{[]Option{Threshold(0, 1)}, gemv, false}, {[]Option{Threshold(0, 2)}, gemv, true}, {[]Option{Threshold(0, 2)}, axpy(10, 1, 1), false}, {[]Option{Threshold(0, 1, 2)}, axpy(10, 1, 1), true},
		{[]Option{Threshold(0), Threshold(1000, 1)}, axpy(10, 1, 1), false},
		// calls that gonum's own runs at every size
		{[]Option{Threshold(0)}, axpy(10, -1, 1), false}, {[]Option{Threshold(0)}, axpy(10, 1, -1), false}, {[]Option{Threshold(0)}, axpy(0, 1, 1), false},
		{[]Option{Threshold(0)}, dot(-1, 1), false}, {[]Option{Threshold(0)}, dot(1, -1), false}, {[]Option{Threshold(0)}, gemm(0, 1, 1), false},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 0, s, 2, s, 2, 2, s, 2) }, false},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Daxpy(2, 0, s, 1, s, 1) }, false},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Dscal(2, 0, s, 1) }, false},
		{[]Option{Threshold(0)}, func(on BLAS) { on.Sdsdot(2, 0, f, 1, f, 1) }, false},
	} {
		on := On(closed(t), c.opts...)
		if got := panics(t, func() { c.call(on) }) != nil; got != c.want {
			t.Errorf("call %d runs on the device: %t, want %t", i, got, c.want)
		}
	}
	// a device without float64s has kernels of float32s alone
	on := On(closed(t, runtime.MaskAspects(properties.FP64)), Threshold(0))
	if err := panics(t, func() { gemv(on) }); err != nil {
		t.Errorf("float64s on a device that has none: %v", err)
	}
	if err := panics(t, func() { on.Saxpy(2, 1, f, 1, f, 1) }); err == nil {
		t.Error("float32s did not run on a device without float64s")
	}
}

// TestDefaults: GPUs run large products of matrices alone.
func TestDefaults(t *testing.T) {
	never := math.Inf(1)
	for i, want := range []float64{minGemmOps, minGemmOps, minGemmOps, minGemmOps, never, never} {
		if got := defaultThresholds(runtime.DeviceInfo{Type: runtime.DeviceType(i)}); got != [4]float64{never, never, never, want} {
			t.Errorf("%v: %v", runtime.DeviceType(i), got)
		}
	}
}

// TestNorm: the norm has all its digits where squares overflow or are subnormal.
func TestNorm(t *testing.T) {
	on := On(devtest.Host(t), Threshold(0))
	for _, x := range []float64{1, 1e200, 1e-200, 1e-160, 1e-154, 1e-146, 5e-324, math.Inf(1), math.NaN(), 0} {
		s := slices.Repeat([]float64{x}, 5000)
		got, want := on.Dnrm2(len(s), s, 1), gonum.Implementation{}.Dnrm2(len(s), s, 1)
		if !(math.Abs(got-want) <= 1e-11*want) && !sameBits(got, want) {
			t.Errorf("the norm of %v is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float32{1, 1e30, 1e-30, 1e-20, 1e-19, 1e-15, 1e-42, float32(math.Inf(1)), float32(math.NaN())} {
		s := slices.Repeat([]float32{x}, 5000)
		got, want := float64(on.Snrm2(len(s), s, 1)), math.Sqrt(5000)*math.Abs(float64(x))
		if !(math.Abs(got-want) <= 1e-3*want) && !sameBits(got, want) {
			t.Errorf("the norm of float32s %v is %v, want %v", x, got, want)
		}
	}
}

// TestIsNorm: squares that a device may flush to 0 are less than half an ulp of the sum of a norm that is taken.
func TestIsNorm(t *testing.T) {
	for n := 1; n < 1<<31; n *= 5 {
		leastOf(t, n, math.SmallestNonzeroFloat64, func(x float64) bool { return isNorm(x, n) }, -1022, -53)
		leastOf(t, n, 0x1p-149, func(x float64) bool { return isNorm(float32(x), n) }, -126, -24)
	}
}

// leastOf looks for the least power of 2 that is taken as the norm of n numbers.
func leastOf(t *testing.T, n int, from float64, taken func(x float64) bool, normal, ulp float64) {
	for x := from; ; x *= 2 {
		if !taken(x) {
			continue
		}
		if flushed := math.Log2(float64(n)) + normal - 2*math.Log2(x); flushed > ulp || flushed < ulp-4 {
			t.Errorf("of %d numbers the norm %g is taken, when 2^%v of it may be lost, of ulps of 2^%v", n, x, flushed, ulp)
		}
		return
	}
}

// TestAliased: operands may be the same memory, where BLAS says so and where it does not: the device computes with copies.
func TestAliased(t *testing.T) {
	on := On(devtest.Host(t), Threshold(0))
	x := []float64{1, 2, 3, 4}
	on.Daxpy(4, 2, x, 1, x, 1)
	on.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 1, x, 2)
	if want := []float64{66, 96, 144, 210}; !slices.Equal(x, want) || on.Ddot(4, x, 1, x, 1) != 66*66+96*96+144*144+210*210 {
		t.Errorf("%v, want %v", x, want)
	}
}

// testShared: calls of several goroutines on neighbouring columns of one matrix write their own alone. The race detector
// sees whether they read others.
func testShared(t *testing.T, dev *runtime.Device) {
	on := On(dev, Threshold(0))
	const n, parts, wide = 20, 8, 5
	a, c := numbers[float64](n*n), make([]float64, n*parts*wide)
	b := numbers[float64](n * parts * wide)
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for beta := range 3 {
				at := p * wide
				on.Dgemm(blas.NoTrans, blas.NoTrans, n, wide, n, 1, a, n, b[at:], parts*wide, float64(beta), c[at:], parts*wide)
			}
		})
	}
	wg.Wait()
	want := make([]float64, len(c))
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, parts*wide, n, 5, a, n, b, parts*wide, 0, want, parts*wide) // (1+1)*2 + 1
	for i := range want {
		if math.Abs(c[i]-want[i]) > 1e-12 {
			t.Fatalf("element %d is %v, want %v", i, c[i], want[i])
		}
	}
}

// testMat: matrices of package mat, whose decompositions call functions on parts of matrices, solve equations by the device.
func testMat(t *testing.T, dev *runtime.Device) {
	blas64.Use(On(dev, Threshold(5000, 3), Threshold(5000, 2)))
	defer blas64.Use(gonum.Implementation{})
	r := rand.New(rand.NewPCG(5, 6))
	const n = 150
	a, x := mat.NewDense(n, n, numbers[float64](n*n)), mat.NewDense(n, 3, numbers[float64](3*n))
	for i := range n {
		a.Set(i, i, float64(n)+r.Float64())
	}
	var b, square mat.Dense
	b.Mul(a, x)
	square.Mul(a.T(), a)
	var lu mat.LU
	var qr mat.QR
	var chol mat.Cholesky
	lu.Factorize(a)
	qr.Factorize(a)
	if !chol.Factorize(mat.NewSymDense(n, square.RawMatrix().Data)) {
		t.Fatal("the matrix is positive definite")
	}
	for name, solve := range map[string]func(to *mat.Dense) error{
		"LU":       func(to *mat.Dense) error { return lu.SolveTo(to, false, &b) },
		"QR":       func(to *mat.Dense) error { return qr.SolveTo(to, false, &b) },
		"Cholesky": func(to *mat.Dense) error { var ab mat.Dense; ab.Mul(a.T(), &b); return chol.SolveTo(to, &ab) },
	} {
		var got mat.Dense
		if err := solve(&got); err != nil || !mat.EqualApprox(&got, x, 1e-12) {
			t.Errorf("%s: %v, %s", name, err, fmt.Sprint(mat.Formatted(&got, mat.Excerpt(3))))
		}
	}
}
