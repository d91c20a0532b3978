package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/matmul/gemm"
)

func TestMatMul(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {16, 16, 16}, {17, 33, 15}, {5, 100, 64}, {64, 1, 65}, {3, 0, 4}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			m, k, n := s[0], s[1], s[2]
			r := rand.New(rand.NewPCG(1, 2))
			a, b := random(r, m*k), random(r, k*n)
			c := random(r, m*n)
			hostrun.NDRange(t, gemm.MatMul{M: m, K: k, N: n, A: a, B: b, C: c}.Kernel, m, n, gemm.Tile, gemm.Tile)
			for i := range m {
				for j := range n {
					sum, size := 0.0, 0.0
					for l := range k {
						p := float64(a[i*k+l]) * float64(b[l*n+j])
						sum += p
						size += math.Abs(p)
					}
					if got := float64(c[i*n+j]); math.Abs(got-sum) > float64(k+1)*0x1p-24*size {
						t.Fatalf("c[%d][%d] = %g, want %g", i, j, got, sum)
					}
				}
			}
		})
	}
}

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32() - 0.5
	}
	return s
}
