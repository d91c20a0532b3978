package blocks_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestMatMul(t *testing.T) { devtest.Each(t, testMatMul) }

// testMatMul compares products with float64 sums.
func testMatMul(t *testing.T, dev *runtime.Device) {
	for _, depth := range []int{1, 2, 5, 8, 16} {
		for _, s := range [][3]int{{1, 1, 1}, {128, 16, 128}, {17, 33, 15}, {5, 20, 140}, {130, 17, 257}, {3, 0, 4}, {0, 3, 4}, {4, 3, 0}} {
			t.Run(fmt.Sprint(depth, s), func(t *testing.T) {
				m, k, n := s[0], s[1], s[2]
				r := rand.New(rand.NewPCG(1, 2))
				a, b, c := random(r, m*k), random(r, k*n), random(r, m*n)
				err := blocksgen.RunMatMul(context.Background(), dev, blocks.MatMul{M: m, K: k, N: n, A: a, B: b, C: c},
					over(m, n), runtime.WithSpec(blocks.Depth, depth))
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

// over returns the nd-range for an m by n product.
func over(m, n int) runtime.NDRange2 {
	const across = blocks.Across
	return runtime.NDRange2{Global: runtime.Range2{blocks.Groups(m) * across, blocks.Groups(n) * across}, Local: runtime.Range2{across, across}}
}

// TestShort has matrices that are shorter than M, K and N say. That is a fault, not a product
// with zeros.
func TestShort(t *testing.T) { devtest.Each(t, testShort) }

func testShort(t *testing.T, dev *runtime.Device) {
	const m, k, n = 20, 30, 140
	for i, name := range []string{"A", "B", "C"} {
		s := [][]float32{make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)}
		s[i] = slices.Clip(s[i][:len(s[i])-1])
		err := blocksgen.RunMatMul(context.Background(), dev, blocks.MatMul{M: m, K: k, N: n, A: s[0], B: s[1], C: s[2]}, over(m, n))
		var fault *runtime.Fault
		if !errors.As(err, &fault) || fault.Kind != abi.FaultSliceCap {
			t.Errorf("a %s that is too short: %v, want a fault of its bounds", name, err)
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
