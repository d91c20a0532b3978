package blas

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// plainGemm is the product as package blas documents it.
func plainGemm[T Float](alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	at := func(m Matrix[T], batch, i, j int) *T {
		if m.transposed {
			i, j = j, i
		}
		step := m.Step
		if m.batch() == 1 {
			step = 0
		}
		return &m.Data[batch*step+i*m.stride()+j]
	}
	for l := range c.batch() {
		for i := range c.Rows {
			for j := range c.Cols {
				var sum T
				for k := range a.Cols {
					sum = prims.FMA(*at(a, l, i, k), *at(b, l, k, j), sum)
				}
				to := at(c, l, i, j)
				if beta == 0 {
					*to = alpha * sum
				} else {
					*to = prims.FMA(alpha, sum, T(beta**to))
				}
			}
		}
	}
}

// matrix returns a matrix of random numbers, whose memory has more than it needs.
func matrix[T Float](r *rand.Rand, rows, cols, pad, batch int, turned bool) Matrix[T] {
	if turned {
		rows, cols = cols, rows
	}
	m := Matrix[T]{Shape: Shape{Rows: rows, Cols: cols, Batch: batch}}
	if pad > 0 {
		m.Stride = cols + pad
	}
	if batch > 1 {
		m.Step = rows*m.stride() + pad
	}
	m.Data = make([]T, m.batchSpan()+pad)
	for i := range m.Data {
		m.Data[i] = prims.Uneven[T](r)
	}
	if turned {
		m = m.T()
	}
	return m
}

// limit has a batch take a launch for each matrix, or one launch.
func limit(t *testing.T, each bool) {
	was := mostItems
	t.Cleanup(func() { mostItems = was })
	if mostItems = 1 << 30; each {
		mostItems = 1
	}
}

// choose has Gemm take the kernel of all ways on the host, or one of quads with tall tiles or flat ones.
func choose(t *testing.T, allWays, tall bool) {
	host, isTallWas := onHost, isTall
	t.Cleanup(func() { onHost, isTall = host, isTallWas })
	onHost = func(*runtime.Device) bool { return allWays }
	isTall = func(int, int, int) bool { return tall }
}

func sameBits[T Float](x, y T) bool { return x == y || x != x && y != y }

func compare[T Float](t *testing.T, got, want []T) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("element %d of %d is %v, want %v", i, len(want), got[i], want[i])
		}
	}
}

var sizes = [][3]int{{1, 1, 1}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {64, 128, 16}, {65, 129, 17}, {63, 127, 15}, {5, 200, 33}, {130, 4, 20}, {128, 132, 36}}

func TestGemm(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		t.Run("float32", func(t *testing.T) { testGemm[float32](t, dev) })
		if dev.Has(properties.FP64) {
			t.Run("float64", func(t *testing.T) { testGemm[float64](t, dev) })
		}
	})
}

func testGemm[T Float](t *testing.T, dev *runtime.Device) {
	r := rand.New(rand.NewPCG(1, 2))
	for n, s := range sizes {
		for way := range 8 {
			if (n+way)%sample.Of(1, 4) != 0 || testing.Short() && unsafe.Sizeof(T(0)) == 8 && way%7 != 0 {
				continue // with -short each variant of a kernel is compiled for one type
			}
			pad, batch := []int{0, 1, 4}[(n+way/4)%3], 1
			if n%3 == 1 {
				batch = 3
			}
			a := matrix[T](r, s[0], s[2], pad, batch, way&1 != 0)
			b := matrix[T](r, s[2], s[1], pad, batch, way&2 != 0)
			if batch > 1 && way&4 != 0 {
				b.Batch, b.Step = 1, 0
			}
			c := matrix[T](r, s[0], s[1], pad, batch, way&4 != 0)
			for _, scale := range [][2]T{{1, 0}, {-1.5, 0.3}} {
				want := c
				want.Data = append([]T(nil), c.Data...)
				plainGemm(scale[0], a, b, scale[1], want)
				for _, kernel := range []string{"all ways", "flat", "tall"}[:sample.Of(3, 2+way%2)] {
					choose(t, kernel == "all ways", kernel == "tall")
					limit(t, way%2 == 1)
					got := c
					got.Data = append([]T(nil), c.Data...)
					if err := Gemm(t.Context(), dev, scale[0], a, b, scale[1], got); err != nil {
						t.Fatal(err)
					}
					t.Run(fmt.Sprint(s, way, scale, kernel), func(t *testing.T) { compare(t, got.Data, want.Data) })
				}
			}
		}
	}
}

// TestTiles has kernels for devices that fuse products and sums run on one that may not. Sums are integers, so that no
// step is rounded.
func TestTiles(t *testing.T) {
	defer func(f func(*runtime.Device, bool) bool) { isFused = f }(isFused)
	isFused = func(*runtime.Device, bool) bool { return true }
	dev := devtest.Vulkan(t)
	r := rand.New(rand.NewPCG(3, 4))
	for way := range 8 {
		tall := way&4 != 0
		if testing.Short() && way%5 != 0 {
			continue
		}
		choose(t, false, tall)
		a, b := matrix[float32](r, 132, 36, way%2*4, 2, way&1 != 0), matrix[float32](r, 36, 140, 0, 2, way&2 != 0)
		c := matrix[float32](r, 132, 140, 1, 2, false)
		for _, m := range []Matrix[float32]{a, b, c} {
			for i := range m.Data {
				m.Data[i] = float32(r.IntN(41) - 20)
			}
		}
		want := c
		want.Data = append([]float32(nil), c.Data...)
		plainGemm(2, a, b, 3, want)
		if err := Gemm(t.Context(), dev, 2, a, b, 3, c); err != nil {
			t.Fatal(err)
		}
		compare(t, c.Data, want.Data)
		testGemvOf(t, dev, a, r)
	}
}

func TestGemv(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, s := range [][2]int{{1, 1}, {0, 3}, {3, 0}, {64, 64}, {63, 65}, {130, 200}} {
			for way := range 2 {
				testGemvOf(t, dev, matrix[float32](r, s[0], s[1], way, 1, way&1 != 0), r)
				choose(t, false, false) // also the kernels of GPUs on the host
				testGemvOf(t, dev, matrix[float32](r, s[0], s[1], way, 1, false), r)
				testGemvOf(t, dev, matrix[float32](r, s[0], s[1], 4*way, 1, false), r)
				if dev.Has(properties.FP64) {
					testGemvOf(t, dev, matrix[float64](r, s[0], s[1], way, 1, false), r)
				}
				choose(t, true, false)
				if dev.Has(properties.FP64) {
					testGemvOf(t, dev, matrix[float64](r, s[0], s[1], way, 1, way&1 != 0), r)
				}
			}
		}
		testGemvOf(t, dev, Matrix[float32]{Shape: Shape{Rows: 3, Stride: 2}}, r) // no columns, and no elements
	})
}

// testGemvOf multiplies the first of some matrices by a vector.
func testGemvOf[T Float](t *testing.T, dev *runtime.Device, a Matrix[T], r *rand.Rand) {
	t.Helper()
	a.Batch, a.Step = 0, 0
	x, y := matrix[T](r, a.Cols, 1, 0, 1, false), matrix[T](r, a.Rows, 1, 0, 1, false)
	if single := unsafe.Sizeof(x.Data[0]) == 4; isFused(dev, single) && (single && !primimpl.Fuses(dev) || !single && !primimpl.Fuses64(dev)) {
		for _, d := range [][]T{x.Data, y.Data} {
			for i := range d {
				d[i] = T(r.IntN(21) - 10)
			}
		}
	}
	for _, scale := range [][2]T{{1, 0}, {2, 3}} {
		want := y
		want.Data = append([]T(nil), y.Data...)
		plainGemm(scale[0], a, x, scale[1], want)
		got := append([]T(nil), y.Data...)
		if err := Gemv(t.Context(), dev, scale[0], a, x.Data, scale[1], got); err != nil {
			t.Fatal(err)
		}
		compare(t, got, want.Data)
	}
}

func TestVectors(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		testVectors[float32](t, dev)
		if dev.Has(properties.FP64) {
			testVectors[float64](t, dev)
		}
	})
}

// testVectors tests Axpy and Ger.
func testVectors[T Float](t *testing.T, dev *runtime.Device) {
	r := rand.New(rand.NewPCG(7, 8))
	for way := range 2 {
		x, y := matrix[T](r, 33, 1, 0, 1, false).Data, matrix[T](r, 70, 1, 0, 1, false).Data
		a := matrix[T](r, 33, 70, way, 1, way&1 != 0)
		want := append([]T(nil), a.Data...)
		for i := range a.Rows {
			for j := range a.Cols {
				at := i*a.stride() + j
				if a.transposed {
					at = j*a.stride() + i
				}
				want[at] += T(T(1.7*x[i]) * y[j])
			}
		}
		if err := Ger(t.Context(), dev, 1.7, x, y, a); err != nil {
			t.Fatal(err)
		}
		compare(t, a.Data, want)
		z := matrix[T](r, 70, 1, 0, 1, false).Data
		want = append([]T(nil), z...)
		for i := range want {
			want[i] += T(-0.3 * y[i])
		}
		if err := Axpy(t.Context(), dev, -0.3, y, z); err != nil {
			t.Fatal(err)
		}
		compare(t, z, want)
	}
}

// TestErrors: a call that makes no sense is an error of a class, and writes nothing.
func TestErrors(t *testing.T) {
	dev := devtest.Host(t)
	buf, err := runtime.NewBuffer[float32](dev, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Close()
	q := dev.DefaultQueue()
	m := func(lo, rows, cols int) View[float32] {
		return View[float32]{Shape{Rows: rows, Cols: cols}, buf.All().Slice(lo, lo+rows*cols)}
	}
	with := func(v View[float32], f func(s *Shape)) View[float32] { f(&v.Shape); return v }
	a, b, c := m(0, 4, 5), m(20, 5, 6), m(50, 4, 6)
	for name, args := range map[string][3]View[float32]{
		"inner":     {m(0, 4, 4), b, c},
		"rows":      {m(0, 3, 5), b, c},
		"columns":   {a, m(20, 5, 5), c},
		"overlap":   {a, b, m(0, 4, 6)},
		"short":     {with(a, func(s *Shape) { s.Stride = 6 }), b, c},
		"stride":    {with(a, func(s *Shape) { s.Stride = 4 }), b, c},
		"negative":  {with(a, func(s *Shape) { s.Step = -1 }), b, c},
		"batches":   {with(a, func(s *Shape) { s.Batch = 2 }), b, c},
		"same c":    {a, b, with(c, func(s *Shape) { s.Batch = 2 })},
		"too large": {with(a, func(s *Shape) { s.Stride = math.MaxInt }), b, c},
	} {
		_, err := GemmOn(q, 1, args[0], args[1], 0, args[2])
		if !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := GemmOn(q, 1, a, b, 0, c); err != nil {
		t.Error(err)
	}
	for _, none := range []View[float32]{m(0, 0, 5), m(0, 5, 0)} { // no elements to write
		ev, err := GemmOn(q, 1, none, none.T(), 0, m(50, none.Rows, none.Rows))
		if err != nil {
			t.Error(err)
		} else if err := ev.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	length, err := runtime.NewBuffer[int64](dev, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer length.Close()
	x, y := buf.All().Slice(20, 25), buf.All().Slice(50, 54)
	for i, f := range []func() (runtime.Event, error){
		func() (runtime.Event, error) { return GemmOn(q, 1, a, b, 0, c, prim.Length(length.All())) },
		func() (runtime.Event, error) { return GemvOn(q, 1, a, y, 0, x) },
		func() (runtime.Event, error) { return GemvOn(q, 1, with(a, func(s *Shape) { s.Batch = 2 }), x, 0, y) },
		func() (runtime.Event, error) { return GerOn(q, 1, x, y, a) },
		func() (runtime.Event, error) { return AxpyOn(q, 1, x, y) },
		func() (runtime.Event, error) { return AxpyOn(q, 1, x, x) },
	} {
		if _, err := f(); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestMisaligned: an operand that begins at an odd element has the same product as an aligned one.
func TestMisaligned(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		choose(t, false, false)
		const n = 12
		r := rand.New(rand.NewPCG(3, 4))
		a, b, c := matrix[float32](r, n, n, 0, 1, false), matrix[float32](r, n, n, 0, 1, false), matrix[float32](r, n, n, 0, 1, false)
		want := c
		want.Data = slices.Clone(c.Data)
		plainGemm(1.5, a, b, -0.5, want)
		q := dev.DefaultQueue()
		for odd := range 4 {
			var views [3]View[float32]
			for i, m := range []Matrix[float32]{a, b, c} {
				buf, err := runtime.NewBuffer[float32](dev, n*n+1)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { buf.Close() })
				at := 0
				if odd == i {
					at = 1
				}
				v := buf.Slice(at, at+n*n)
				if err := v.CopyFrom(t.Context(), q, m.Data); err != nil {
					t.Fatal(err)
				}
				views[i] = View[float32]{Shape: m.Shape, Data: v}
			}
			if _, err := GemmOn(q, 1.5, views[0], views[1], -0.5, views[2]); err != nil {
				t.Fatal(err)
			}
			got := make([]float32, n*n)
			if err := views[2].Data.CopyTo(t.Context(), q, got); err != nil {
				t.Fatal(err)
			}
			compare(t, got, want.Data)
		}
	})
}
