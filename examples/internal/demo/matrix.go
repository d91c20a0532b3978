package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// CheckProduct compares some elements of c with float64 sums, and prints the largest error. c is
// the product of the n by n matrices a and b.
func CheckProduct(r *rand.Rand, n int, a, b, c []float32) error {
	const spots = 1000
	worst := 0.0
	for range spots {
		i, j := r.IntN(n), r.IntN(n)
		sum, size := 0.0, 0.0
		for l := range n {
			p := float64(a[i*n+l]) * float64(b[l*n+j])
			sum += p
			size += math.Abs(p)
		}
		diff := math.Abs(float64(c[i*n+j]) - sum)
		if diff > float64(n+1)*0x1p-24*size {
			return fmt.Errorf("element %d, %d is %g, want %g", i, j, c[i*n+j], sum)
		}
		worst = max(worst, diff)
	}
	Line("check", "ok: largest error %.2g in %d elements", worst, spots)
	return nil
}

// Random returns n numbers from -0.5 to 0.5.
func Random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32() - 0.5
	}
	return s
}
