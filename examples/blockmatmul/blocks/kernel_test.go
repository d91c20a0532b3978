package blocks_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/internal/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestMatMul(t *testing.T) {
	dev := devtest.Host(t)
	for _, tile := range []int{1, 2, 4, 16} {
		for _, s := range [][3]int{{1, 1, 1}, {16, 16, 16}, {17, 33, 15}, {5, 20, 40}, {3, 0, 4}} {
			t.Run(fmt.Sprint(tile, s), func(t *testing.T) {
				m, k, n := s[0], s[1], s[2]
				r := rand.New(rand.NewPCG(1, 2))
				a, b, c := random(r, m*k), random(r, k*n), random(r, m*n)
				up := func(n int) int { return (n + tile - 1) / tile * tile }
				nd := runtime.NDRange2{Global: runtime.Range2{up(m), up(n)}, Local: runtime.Range2{tile, tile}}
				local := dsl.LocalLen[float32](tile * tile)
				err := blocksgen.RunMatMul(context.Background(), dev, blocks.MatMul{M: m, K: k, N: n, A: a, B: b, C: c,
					TA: local, TB: dsl.LocalLen[float32](tile * tile)}, nd, runtime.WithSpec(blocks.Tile, tile))
				if err != nil {
					t.Fatal(err)
				}
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
}

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32() - 0.5
	}
	return s
}
