package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// fma32 returns x*y + z rounded once: the exact product and the sum rounded to odd, which then rounds to float32 as the exact sum.
func fma32(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	t := s - p
	if rest := (p - (s - t)) + (w - t); rest != 0 && !math.IsInf(s, 0) && math.Float64bits(s)&1 == 0 {
		if rest > 0 {
			s = math.Nextafter(s, math.Inf(1))
		} else {
			s = math.Nextafter(s, math.Inf(-1))
		}
	}
	return float32(s)
}

// plainGemm is the product as package blas documents it.
func plainGemm[T Float](alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	add := func(x, y, z T) T {
		if s, ok := any(x).(float32); ok {
			return T(fma32(s, float32(y), float32(z)))
		}
		return T(x*y) + z
	}
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
					sum = add(*at(a, l, i, k), *at(b, l, k, j), sum)
				}
				to := at(c, l, i, j)
				if beta == 0 {
					*to = alpha * sum
				} else {
					*to = add(alpha, sum, T(beta**to))
				}
			}
		}
	}
}

// random returns a number that is a product of many others with no bit left, so that each step of a sum is rounded.
func random[T Float](r *rand.Rand) T { return T(math.Ldexp(r.Float64()-0.5, r.IntN(20)-10)) }

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
	m.Data = make([]T, m.all()+pad)
	for i := range m.Data {
		m.Data[i] = random[T](r)
	}
	if turned {
		m = m.T()
	}
	return m
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
			if (n+way)%sample.Of(1, 4) != 0 {
				continue
			}
			pad, batch := way%3, 1
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
				defer func(f func(m, n, b int) bool) { isTall = f }(isTall)
				for _, tall := range []bool{false, true} {
					isTall = func(int, int, int) bool { return tall }
					got := c
					got.Data = append([]T(nil), c.Data...)
					if err := Gemm(t.Context(), dev, scale[0], a, b, scale[1], got); err != nil {
						t.Fatal(err)
					}
					t.Run(fmt.Sprint(s, way, scale, tall), func(t *testing.T) { compare(t, got.Data, want.Data) })
				}
			}
		}
	}
}
