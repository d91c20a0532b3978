package held

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
)

// TestLoad16 compares all Float16s with package half's.
func TestLoad16(t *testing.T) {
	src := make([]uint16, 1<<16)
	for i := range src {
		src[i] = uint16(i)
	}
	got := make([]float32, 1<<16)
	Load16(got, 256, src, 1, 256) // by columns
	for i := range src {
		x := src[i/256+i%256*256]
		if want := half.Float16(x).Float32(); math.Float32bits(got[i]) != math.Float32bits(want) && want == want {
			t.Fatalf("%#04x: %v, want %v", x, got[i], want)
		}
		if got[i] != got[i] != half.Float16(x).IsNaN() {
			t.Fatalf("%#04x: %v", x, got[i])
		}
	}
}

// TestProducts compares products of all small shapes with one product after the other.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		rows, inner, cols := 1+n%3, 1+n/3%13, 1+n/39
		a, b, c := floats(r, rows*inner), floats(r, inner*cols), floats(r, rows*cols)
		sum, sum16 := append([]float32(nil), c...), make([]float32, len(c))
		ints := make([]uint32, len(c))
		for i := range c {
			sum16[i] = half.FromFloat32[half.Float16](c[i]).Float32()
			ints[i] = math.Float32bits(c[i])
		}
		words := func(x []float32) []uint32 {
			w := make([]uint32, len(x))
			for i := range x {
				w[i] = math.Float32bits(x[i])
			}
			return w
		}
		start := append([]float32(nil), sum16...)
		AddProduct(sum, a, b, inner, cols)
		AddProduct16(sum16, a, b, inner, cols)
		AddProductInts(ints, words(a), words(b), inner, cols)
		for i := range c {
			x, y, z := c[i], start[i], math.Float32bits(c[i])
			for k := range inner {
				p, q := a[i/cols*inner+k], b[k*cols+i%cols]
				x += float32(p * q)
				y = half.FromFloat32[half.Float16](y + float32(p*q)).Float32()
				z += math.Float32bits(p) * math.Float32bits(q)
			}
			if sum[i] != x || sum16[i] != y || ints[i] != z {
				t.Fatalf("%d by %d by %d, element %d: %v, %v and %d, want %v, %v and %d", rows, inner, cols, i, sum[i], sum16[i], ints[i], x, y, z)
			}
		}
	}
}

func floats(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}
