package fft_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/prim/fft"
)

// transformed returns the transform of xs in plain Go: sums, of parts as long as the length has factors.
func transformed(xs []complex128) []complex128 {
	n := len(xs)
	factor := n
	for f := 2; f*f <= n; f++ {
		if n%f == 0 {
			factor = f
			break
		}
	}
	root := make([]complex128, n)
	for k := range root { // the rest of the angle, beyond a quarter of the turn, is small and so more exact
		quarter := (4*k + n/2) / n
		root[k] = cmplx.Rect(1, -math.Pi/2*float64(4*k-quarter*n)/float64(n)) * []complex128{1, -1i, -1, 1i}[quarter%4]
	}
	ys := make([]complex128, n)
	if factor == n {
		for k := range ys {
			var lost complex128 // by rounding, as Kahan sums
			for j, x := range xs {
				y := x*root[k*j%n] - lost
				sum := ys[k] + y
				lost = (sum - ys[k]) - y
				ys[k] = sum
			}
		}
		return ys
	}
	rest := n / factor
	part := make([]complex128, rest)
	for i := range factor {
		for j := range part {
			part[j] = xs[j*factor+i]
		}
		for k, y := range transformed(part) {
			for l := range factor {
				ys[k+l*rest] += y * root[i*(k+l*rest)%n]
			}
		}
	}
	return ys
}

// arrays returns the transforms of arrays of a shape that lie one after the other.
func arrays(xs []complex128, shape []int) []complex128 {
	ys := append([]complex128(nil), xs...)
	width := 1
	for i := len(shape) - 1; i >= 0; i-- {
		n := shape[i]
		line := make([]complex128, n)
		for at := range len(ys) / n {
			begin := at/width*width*n + at%width
			for j := range line {
				line[j] = ys[begin+j*width]
			}
			for j, y := range transformed(line) {
				ys[begin+j*width] = y
			}
		}
		width *= n
	}
	return ys
}

// random returns complex numbers at random.
func random[T fft.Complex](n int) []T {
	xs := make([]T, n)
	for i := range xs {
		xs[i] = T(complex64(complex(rand.NormFloat64(), rand.NormFloat64())))
	}
	return xs
}

func wide[T fft.Complex](xs []T) []complex128 {
	ys := make([]complex128, len(xs))
	for i, x := range xs {
		ys[i] = complex128(x)
	}
	return ys
}

// size returns the number of elements of a shape.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// bound returns the bound of relative errors of transforms that the package states.
func bound[T any](shape []int) float64 {
	var zero T
	eps := 0x1p-24
	if unsafe.Sizeof(zero) == 16 {
		eps = 0x1p-53
	}
	factor := 1.0
	for _, n := range shape {
		for _, r := range []int{2, 3, 5, 7} {
			for n%r == 0 {
				n /= r
			}
		}
		if n > 1 {
			factor = 2
		}
	}
	return factor * eps * math.Log2(float64(2*size(shape)))
}

// near compares numbers with those in float64: by the root of the mean of squares.
func near[T fft.Complex](t *testing.T, what string, shape []int, got []T, want []complex128) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	n := max(len(got), 1)
	var wrong, all float64
	for i, x := range got {
		d := complex128(x) - want[i]
		wrong += real(d)*real(d) + imag(d)*imag(d)
		all += real(want[i])*real(want[i]) + imag(want[i])*imag(want[i])
	}
	if limit := bound[T](shape); !(math.Sqrt(wrong) <= limit*math.Sqrt(all)) {
		t.Errorf("%s: the error is %.3g of the elements, at most %.3g: %.6v, want %.6v", what, math.Sqrt(wrong/all), limit, got[:min(n, 4)], want[:min(n, 4)])
	} else if testing.Verbose() {
		t.Logf("%s: the error is %.2f of its bound", what, math.Sqrt(wrong/all)/limit)
	}
}
