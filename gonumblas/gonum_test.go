package gonumblas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// functions are the functions with kernels, for one type of elements.
type functions[T float] struct {
	gemm func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	gemv func(tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger  func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	axpy func(n int, alpha T, x []T, incX int, y []T, incY int)
	dot  func(n int, x []T, incX int, y []T, incY int) T
	nrm2 func(n int, x []T, incX int) T
}

func singles(b BLAS) functions[float32] {
	return functions[float32]{b.Sgemm, b.Sgemv, b.Sger, b.Saxpy, b.Sdot, b.Snrm2}
}

func doubles(b BLAS) functions[float64] {
	return functions[float64]{b.Dgemm, b.Dgemv, b.Dger, b.Daxpy, b.Ddot, b.Dnrm2}
}

// call is a call of one of the functions. Its slices are the call's own.
type call[T float] struct {
	name             string
	tA, tB           blas.Transpose
	m, n, k          int
	alpha, beta      T
	a, b, c          []T
	lda, ldb, ldc    int
	x, y             []T
	incX, incY       int
	result, panicked any
}

var names = []string{"gemm", "gemv", "ger", "axpy", "dot", "nrm2"}

// copied returns the call with slices of its own.
func (c call[T]) copied() *call[T] {
	for _, s := range []*[]T{&c.a, &c.b, &c.c, &c.x, &c.y} {
		*s = append([]T(nil), *s...)
	}
	return &c
}

func (c *call[T]) String() string {
	return fmt.Sprintf("%s(%c, %c, m %d, n %d, k %d, alpha %v, %d of a by %d, %d of b by %d, beta %v, %d of c by %d, %d of x by %d, %d of y by %d)",
		c.name, c.tA, c.tB, c.m, c.n, c.k, c.alpha, len(c.a), c.lda, len(c.b), c.ldb, c.beta, len(c.c), c.ldc, len(c.x), c.incX, len(c.y), c.incY)
}

// avoid changes the call where gonum v0.17.0 is wrong: its assembly of Ger with negative increments reads other memory, and
// Gemv of a transpose clears all of the slice y if beta is 0.
func (c *call[T]) avoid() {
	switch {
	case c.name == "ger":
		c.incX, c.incY = max(c.incX, -c.incX), max(c.incY, -c.incY)
	case c.name == "gemv" && c.tA != blas.NoTrans && c.incY == 1 && c.n >= 0:
		c.y = c.y[:min(c.n, len(c.y))]
	}
}

// run makes the call, and keeps its result and the value that it panics with.
func (c *call[T]) run(f functions[T]) {
	defer func() { c.panicked = recover() }()
	switch c.name {
	case "gemm":
		f.gemm(c.tA, c.tB, c.m, c.n, c.k, c.alpha, c.a, c.lda, c.b, c.ldb, c.beta, c.c, c.ldc)
	case "gemv":
		f.gemv(c.tA, c.m, c.n, c.alpha, c.a, c.lda, c.x, c.incX, c.beta, c.y, c.incY)
	case "ger":
		f.ger(c.m, c.n, c.alpha, c.x, c.incX, c.y, c.incY, c.a, c.lda)
	case "axpy":
		f.axpy(c.n, c.alpha, c.x, c.incX, c.y, c.incY)
	case "dot":
		c.result = f.dot(c.n, c.x, c.incX, c.y, c.incY)
	case "nrm2":
		c.result = f.nrm2(c.n, c.x, c.incX)
	}
}

// absolute returns the same call of float64s with the absolute values of all numbers, after it has run, and the number of
// products in an element of its results.
func (c *call[T]) absolute() (of *call[float64], terms int) {
	wide := func(s []T) []float64 {
		to := make([]float64, len(s))
		for i, x := range s {
			to[i] = math.Abs(float64(x))
		}
		return to
	}
	of = &call[float64]{name: c.name, tA: c.tA, tB: c.tB, m: c.m, n: c.n, k: c.k, alpha: math.Abs(float64(c.alpha)), beta: math.Abs(float64(c.beta)),
		a: wide(c.a), b: wide(c.b), c: wide(c.c), lda: c.lda, ldb: c.ldb, ldc: c.ldc, x: wide(c.x), y: wide(c.y), incX: c.incX, incY: c.incY}
	of.run(doubles(gonum.Implementation{}))
	switch c.name {
	case "gemm":
		return of, c.k
	case "gemv":
		return of, max(c.m, c.n)
	case "dot", "nrm2":
		return of, c.n
	}
	return of, 1
}

// near compares a call on a device with the same call by gonum's own implementation. A sum of n products, in any order, differs
// from the exact one by at most (n+3)*u times the sum of absolute values, where u is half an ulp of 1. For a product is
// rounded, is part of at most n sums, and is multiplied by alpha and added to beta*c, which are rounded. The factor of 1.01 is for
// powers of 1+u. Numbers that the call does not change are the same, also between rows.
func near[T float](t *testing.T, before, got, want *call[T]) {
	t.Helper()
	if fmt.Sprint(got.panicked) != fmt.Sprint(want.panicked) {
		t.Errorf("%v panics with %v, and gonum with %v", before, got.panicked, want.panicked)
		return
	}
	if want.panicked != nil {
		return
	}
	sums, terms := before.absolute()
	u := math.Ldexp(1, -24)
	if isDouble[T]() {
		u = math.Ldexp(1, -53)
	}
	bound := 2 * 1.01 * float64(terms+3) * u
	check := func(name string, was, got, want []T, sums []float64) {
		for i := range want {
			g, w := float64(got[i]), float64(want[i])
			if g == w || g != g && w != w {
				continue
			}
			if sameBits(was[i], want[i]) || !(math.Abs(g-w) <= bound*sums[i]) {
				t.Errorf("%v: %s[%d] is %v, and %v by gonum, from %v", before, name, i, g, w, was[i])
				return
			}
		}
	}
	check("a", before.a, got.a, want.a, sums.a)
	check("b", before.b, got.b, want.b, sums.b)
	check("c", before.c, got.c, want.c, sums.c)
	check("x", before.x, got.x, want.x, sums.x)
	check("y", before.y, got.y, want.y, sums.y)
	if want.result != nil {
		check("the result", []T{0}, []T{got.result.(T)}, []T{want.result.(T)}, []float64{sums.result.(float64)})
	}
}

func sameBits[T float](x, y T) bool { return x == y || x != x && y != y }

var transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// random returns a call with correct arguments. Elements between rows are NaN. Elements that the call writes but does not
// read are NaN as well.
func random[T float](r *rand.Rand, name string, most int) *call[T] {
	size := func() int { return 1 + r.IntN(pick(r, 4, most)) }
	c := &call[T]{name: name, tA: pick(r, transposes...), tB: pick(r, transposes...), m: size(), n: size(), k: size(),
		alpha: pick[T](r, 1, -1, 0.75), beta: pick[T](r, 0, 1, -0.5), incX: pick(r, 1, 1, 2, 3, -1, -2), incY: pick(r, 1, 1, 2, -3)}
	at := func(rows, cols, gap int, read bool) ([]T, int) {
		s := make([]T, (rows-1)*(cols+gap)+cols+r.IntN(3))
		for i := range s {
			if s[i] = T(math.NaN()); read && i%(cols+gap) < cols && i < rows*(cols+gap) {
				s[i] = T(r.Float64() - 0.5)
			}
		}
		return s, cols + gap
	}
	op := func(t blas.Transpose, rows, cols int) ([]T, int) {
		if isTransposed(t) {
			rows, cols = cols, rows
		}
		return at(rows, cols, pick(r, 0, 0, 1, 4), true)
	}
	lenX, lenY := c.n, c.m
	switch {
	case name == "gemv" && isTransposed(c.tA), name == "ger":
		lenX, lenY = c.m, c.n
	case name != "gemv":
		lenX, lenY = c.n, c.n
	}
	if name == "gemm" {
		c.a, c.lda = op(c.tA, c.m, c.k)
		c.b, c.ldb = op(c.tB, c.k, c.n)
		c.c, c.ldc = at(c.m, c.n, pick(r, 0, 0, 1, 4), c.beta != 0)
		return c
	}
	c.a, c.lda = at(c.m, c.n, pick(r, 0, 0, 1, 4), true)
	c.x, _ = at(lenX, 1, max(c.incX, -c.incX)-1, true)
	c.y, _ = at(lenY, 1, max(c.incY, -c.incY)-1, name != "gemv" || c.beta != 0)
	c.avoid()
	return c
}

// testGonum: calls of all functions with kernels do on the device as by gonum's own implementation.
func testGonum[T float](t *testing.T, dev *runtime.Device, on, own functions[T]) {
	r := rand.New(rand.NewPCG(46, 17))
	rounds, most := sample.Of(100, 15), 140
	if dev.Info().Type == runtime.VulkanCPU {
		rounds, most = rounds/2, 80
	}
	for range rounds {
		for _, name := range names {
			before := random[T](r, name, most)
			got, want := before.copied(), before.copied()
			got.run(on)
			want.run(own)
			near(t, before, got, want)
		}
	}
}

// TestArguments: calls with arguments at and beyond the bounds panic with the text of gonum's own, or have the same results.
func TestArguments(t *testing.T) {
	on := On(devtest.Host(t), Threshold(0))
	testArguments(t, singles(on), singles(gonum.Implementation{}))
	testArguments(t, doubles(on), doubles(gonum.Implementation{}))
}

func testArguments[T float](t *testing.T, on, own functions[T]) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := map[string]bool{}
	// most is correct, so that arguments that are checked late are often the first wrong ones
	size := func() int { return pick(r, 2, 3, 1, 2, 3, 1, 2, 3, 1, 0, -1) }
	inc := func() int { return pick(r, 1, 1, 1, 2, -1, 1, 0) }
	elements := func() []T {
		s := make([]T, pick(r, 3, 9, 12, 9, 12, 7, 12, 6, 5, 1, 0))
		for i := range s {
			s[i] = T(r.IntN(7) - 3)
		}
		return s
	}
	transposes := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans, blas.NoTrans, blas.Trans, 'x'}
	for range 40000 {
		before := &call[T]{name: pick(r, names...), tA: pick(r, transposes...), tB: pick(r, transposes...), m: size(), n: size(), k: size(),
			alpha: pick[T](r, 0, 1, 2), beta: pick[T](r, 0, 1, 2), a: elements(), b: elements(), c: elements(), x: elements(), y: elements(),
			lda: pick(r, 3, 3, 3, 4, 2, 1, 0, -1), ldb: pick(r, 3, 3, 3, 4, 2, 1, 0), ldc: pick(r, 3, 3, 3, 4, 2, 1, 0), incX: inc(), incY: inc()}
		before.avoid()
		got, want := before.copied(), before.copied()
		got.run(on)
		want.run(own)
		near(t, before, got, want)
		if t.Failed() {
			return
		}
		texts[fmt.Sprint(want.panicked)] = true
	}
	for _, text := range []string{"<nil>", "blas: zero x index increment", "blas: zero y index increment", "blas: m < 0", "blas: n < 0", "blas: k < 0",
		"blas: illegal transpose", "blas: bad leading dimension of A", "blas: bad leading dimension of B", "blas: bad leading dimension of C",
		"blas: insufficient length of x", "blas: insufficient length of y", "blas: insufficient length of a", "blas: insufficient length of b", "blas: insufficient length of c"} {
		if !texts[text] {
			t.Errorf("no call panicked with %s", text)
		}
	}
}
