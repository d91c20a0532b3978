//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// TestDivideCases checks that the probe's hard cases are: that the exact quotient
// is as near to the middle between two floats as the probe says.
func TestDivideCases(t *testing.T) {
	for i := uint32(0); i < divideCases; i += 2 {
		c := divideCase(i)
		q := c[0] / c[1]
		next := math.Nextafter32(q, math.MaxFloat32)
		if exact := new(big.Rat).Quo(rat(c[0]), rat(c[1])); exact.Cmp(rat(q)) < 0 {
			next = math.Nextafter32(q, 0)
		}
		middle := new(big.Rat).Mul(new(big.Rat).Add(rat(q), rat(next)), big.NewRat(1, 2))
		miss := new(big.Rat).Sub(middle, new(big.Rat).Quo(rat(c[0]), rat(c[1])))
		miss.Quo(miss, new(big.Rat).Sub(rat(next), rat(q)))
		if off, _ := miss.Float64(); math.Abs(off) > 0x1p-17 {
			t.Fatalf("case %d: %g / %g is %g units off the middle", i, c[0], c[1], off)
		}
		if c[2] <= 0 || c[2]-c[2] != 0 {
			t.Fatalf("case %d: root of %g", i, c[2])
		}
	}
}

func rat(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

func TestProbeDivide(t *testing.T) {
	d := open(t)
	start := time.Now()
	exact, err := d.probeDivide()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: exact: %v; %v", d.info.Name, exact, time.Since(start))
	if exact != d.info.ExactDivide {
		t.Errorf("Open found %v", d.info.ExactDivide)
	}
}
