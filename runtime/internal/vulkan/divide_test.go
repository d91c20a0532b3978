//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/properties"
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
	var exact bool
	if err := d.runQuestions(askDivide(&exact, &d.info.Subnormals)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: exact: %v; %v", d.info.Name, exact, time.Since(start))
	if exact != d.info.ExactDivide {
		t.Errorf("Open found %v", d.info.ExactDivide)
	}
}

func TestDivideCases64(t *testing.T) {
	for i := uint32(0); i < divideCases; i++ {
		c := divideCase64(i)
		for _, x := range []float64{c[0], c[1], c[2], c[0] / c[1]} {
			if e := math.Abs(math.Log2(x)); !(e < 1000) {
				t.Fatalf("case %d: %g", i, c)
			}
		}
		if i%2 == 1 {
			continue
		}
		// The unit below a power of two is half of that above.
		exact := new(big.Rat).Quo(new(big.Rat).SetFloat64(c[0]), new(big.Rat).SetFloat64(c[1]))
		q := c[0] / c[1]
		ulp := math.Nextafter(q, math.Inf(1)) - q
		off, _ := new(big.Rat).Quo(exact.Sub(exact, new(big.Rat).SetFloat64(q)), new(big.Rat).SetFloat64(ulp)).Float64()
		if math.Abs(math.Abs(off)-0.5) > 0x1p-44 && math.Abs(math.Abs(off)-0.25) > 0x1p-44 {
			t.Fatalf("case %d: %g / %g is %g units off", i, c[0], c[1], off)
		}
	}
}

func TestProbeDivide64(t *testing.T) {
	d := open(t)
	if !slices.Contains(d.info.Aspects, properties.FP64) {
		if d.info.ExactDivide64 {
			t.Error("Open found exact float64, and none")
		}
		return
	}
	start := time.Now()
	var exact bool
	if err := d.runQuestions(askDivide64(&exact)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: exact: %v; %v", d.info.Name, exact, time.Since(start))
	if exact != d.info.ExactDivide64 {
		t.Errorf("Open found %v", d.info.ExactDivide64)
	}
	// It divides by the processor's instructions.
	if strings.Contains(d.info.Name, "llvmpipe") && !exact {
		t.Error("inexact on a processor")
	}
}
