package sparse

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/sparse/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// plainGemv is the product as the package documents it.
func plainGemv[T Float](alpha T, a CSR[T], x []T, beta T, y []T) {
	for i := range y {
		var sum T
		for e := a.Start[i]; e < a.Start[i+1]; e++ {
			sum = prims.FMA(a.Values[e], x[a.Columns[e]], sum)
		}
		if beta == 0 {
			y[i] = T(alpha * sum)
		} else {
			y[i] = prims.FMA(alpha, sum, T(beta*y[i]))
		}
	}
}

func vector[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = prims.Uneven[T](r)
	}
	return x
}

// matrix returns a matrix whose row i has each(i) elements.
func matrix[T Float](r *rand.Rand, rows, cols int, each func(i int) int) CSR[T] {
	a := CSR[T]{Rows: rows, Cols: cols, Start: []int32{0}}
	for i := range rows {
		for range each(i) {
			a.Columns = append(a.Columns, int32(r.IntN(cols)))
			a.Values = append(a.Values, prims.Uneven[T](r))
		}
		a.Start = append(a.Start, int32(len(a.Values)))
	}
	return a
}

// TestGemv compares products with plain Go. On the host device, the kernels of GPUs run, too.
func TestGemv(t *testing.T) {
	was := onHost
	defer func() { onHost = was }()
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		for _, rows := range []bool{true, false} {
			onHost = func(dev *runtime.Device) bool { return rows && was(dev) }
			testGemv[float32](t, dev)
			if dev.Has(properties.FP64) {
				testGemv[float64](t, dev)
			}
		}
	})
}

func testGemv[T Float](t *testing.T, dev *runtime.Device) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, a := range map[string]CSR[T]{
		"nothing":   matrix[T](r, 0, 3, nil),
		"empty":     matrix[T](r, 300, 3, func(int) int { return 0 }),
		"one":       matrix[T](r, 1, 1, func(int) int { return 1 }),
		"some":      matrix[T](r, 1000, 50, func(int) int { return r.IntN(9) }),
		"27":        matrix[T](r, 200, 300, func(int) int { return 27 }),
		"long rows": matrix[T](r, 4, 3000, func(i int) int { return i * kernels.Chunk32 / 2 }),
		"a hub":     matrix[T](r, 600, 200, func(i int) int { return []int{1, 3 * kernels.Chunk32}[min(i/77, 1)*(1-min(i/78, 1))] }),
	} {
		x := vector[T](r, a.Cols)
		for _, scale := range [][2]T{{1, 0}, {-1.5, 0.3}} {
			got := vector[T](r, a.Rows)
			if scale[1] == 0 {
				for i := range got {
					got[i] = T(math.NaN())
				}
			}
			want := slices.Clone(got)
			plainGemv(scale[0], a, x, scale[1], want)
			if err := Gemv(t.Context(), dev, scale[0], a, x, scale[1], got); err != nil {
				t.Fatal(name, err)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, %v: row %d is %v, want %v", name, scale, i, got[i], want[i])
				}
			}
		}
	}
}

func TestCSROf(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		testCSROf[float32](t, dev, 1000, 70, 3000)
		testCSROf[[3]byte](t, dev, 3, 5, 100)
		testCSROf[float32](t, dev, 4, 5, 0)
		testCSROf[uint64](t, dev, 1, math.MaxInt32-1, 10)
	})
}

func testCSROf[T comparable](t *testing.T, dev *runtime.Device, rows, cols, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	i, j, order := make([]int32, n), make([]int32, n), make([]int, n)
	v := make([]T, n)
	for e := range n {
		v[e] = prims.FromBits[T](uint64(e)*0x3f7 + 1<<22)
		i[e], j[e], order[e] = int32(r.IntN(rows)), int32(r.IntN(cols)), e
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(i[x], i[y]), cmp.Compare(j[x], j[y]))
	})
	a, err := CSROf(t.Context(), dev, rows, cols, i, j, v)
	if err != nil {
		t.Fatal(err)
	}
	if a.Rows != rows || a.Cols != cols || len(a.Start) != rows+1 || int(a.Start[rows]) != n || a.Start[0] != 0 {
		t.Fatalf("%d rows, %d columns, starts %v", a.Rows, a.Cols, a.Start)
	}
	for at, e := range order {
		if row := i[e]; int(a.Start[row]) > at || at >= int(a.Start[row+1]) || a.Columns[at] != j[e] || a.Values[at] != v[e] {
			t.Fatalf("element %d is in column %d and has the value %v; want row %d, column %d and value %v", at, a.Columns[at], a.Values[at], row, j[e], v[e])
		}
	}
}

// TestFaults: a matrix with wrong indices is a fault at their kernel.
func TestFaults(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		x, y := []float32{1, 2}, []float32{0, 0, 0}
		for _, c := range []struct {
			start, columns []int32
			want           string
		}{
			{[]int32{0, 1, 2, 3}, []int32{0, 2, 1}, "index out of range"},
			{[]int32{0, 1, 2, 3}, []int32{0, -1, 1}, "index out of range"},
			{[]int32{0, 2, 1, 3}, []int32{0, 1, 1}, "starts of rows"},
			{[]int32{0, 1, 2, 4}, []int32{0, 1, 1}, "starts of rows"},
			{[]int32{-1, 1, 2, 3}, []int32{0, 1, 1}, "starts of rows"},
		} {
			err := Gemv(t.Context(), dev, 1, CSR[float32]{3, 2, c.start, c.columns, []float32{1, 1, 1}}, x, 0, y)
			if f := new(runtime.Fault); !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v: %v, want a fault with %q", c.start, c.columns, err, c.want)
			}
		}
		for _, at := range [][2]int32{{2, 0}, {0, 3}, {-1, 0}, {0, -1}} {
			_, err := CSROf(t.Context(), dev, 2, 3, []int32{at[0]}, []int32{at[1]}, []float32{1})
			if f := new(runtime.Fault); !errors.As(err, &f) || !strings.Contains(err.Error(), "outside of the matrix") {
				t.Errorf("%v: %v", at, err)
			}
		}
	})
}

// TestErrors: lengths that do not fit are errors of a class, and nothing is launched.
func TestErrors(t *testing.T) {
	dev := devtest.Host(t)
	q := dev.DefaultQueue()
	ints, err1 := runtime.NewBuffer[int32](dev, 100)
	floats, err2 := runtime.NewBuffer[float32](dev, 100)
	length, err3 := runtime.NewBuffer[int64](dev, 1)
	scratch, err4 := runtime.NewBuffer[byte](dev, 1<<20)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	i, f := func(lo, hi int) runtime.View[int32] { return ints.Slice(lo, hi) }, func(lo, hi int) runtime.View[float32] { return floats.Slice(lo, hi) }
	a := View[float32]{4, 5, i(0, 5), i(10, 20), f(10, 20)}
	with := func(set func(a *View[float32])) View[float32] { b := a; set(&b); return b }
	x, y := f(50, 55), f(60, 64)
	n := ScratchBytes(10)
	for name, call := range map[string]func() (runtime.Event, error){
		"starts": func() (runtime.Event, error) {
			return GemvOn(q, 1, with(func(a *View[float32]) { a.Start = i(0, 4) }), x, 0, y)
		},
		"columns": func() (runtime.Event, error) {
			return GemvOn(q, 1, with(func(a *View[float32]) { a.Columns = i(10, 19) }), x, 0, y)
		},
		"rows": func() (runtime.Event, error) {
			return GemvOn(q, 1, with(func(a *View[float32]) { a.Rows = -1 }), x, 0, y)
		},
		"many": func() (runtime.Event, error) {
			return GemvOn(q, 1, with(func(a *View[float32]) { a.Cols = math.MaxInt32 }), x, 0, y)
		},
		"x":        func() (runtime.Event, error) { return GemvOn(q, 1, a, f(50, 54), 0, y) },
		"y":        func() (runtime.Event, error) { return GemvOn(q, 1, a, x, 0, f(60, 65)) },
		"overlap":  func() (runtime.Event, error) { return GemvOn(q, 1, a, x, 0, f(51, 55)) },
		"length":   func() (runtime.Event, error) { return GemvOn(q, 1, a, x, 0, y, prim.Length(length.All())) },
		"elements": func() (runtime.Event, error) { return CSROfOn(q, i(50, 60), i(60, 70), f(80, 89), a) },
		"i":        func() (runtime.Event, error) { return CSROfOn(q, i(50, 59), i(60, 70), f(80, 90), a) },
		"in place": func() (runtime.Event, error) { return CSROfOn(q, i(50, 60), a.Columns, f(80, 90), a) },
		"scratch": func() (runtime.Event, error) {
			return CSROfOn(q, i(50, 60), i(60, 70), f(80, 90), a, prim.Scratch(scratch.Slice(0, n-16)))
		},
		"length of CSROf": func() (runtime.Event, error) {
			return CSROfOn(q, i(50, 60), i(60, 70), f(80, 90), a, prim.Length(length.All()))
		},
	} {
		if _, err := call(); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := CSROfOn(q, i(50, 60), i(60, 70), f(80, 90), a, prim.Scratch(scratch.Slice(0, n))); err != nil {
		t.Error(err)
	}
	if _, err := CSROf(t.Context(), dev, -1, 2, nil, nil, []float32{}); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("a negative number of rows: %v", err)
	}
	if _, err := CSROf(t.Context(), nil, 1, 2, nil, nil, []float32{}); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("no device: %v", err)
	}
}
