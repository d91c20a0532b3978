//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/properties"
)

// TestFusedCases checks that the probe knows the exact sums, and that most of its cases tell
// a device that rounds products from one that does not, or sums of float64 twice.
func TestFusedCases(t *testing.T) {
	unfused, twice := 0, 0
	for i := range uint32(fusedCases) {
		c := fusedCase(i)
		for _, x := range c {
			if e := math.Abs(math.Log2(math.Abs(float64(x)))); !(e < 150) {
				t.Fatalf("case %d: %g", i, c)
			}
		}
		p := new(big.Float).SetPrec(500).Mul(big.NewFloat(float64(c[0])), big.NewFloat(float64(c[1])))
		want, _ := p.Add(p, big.NewFloat(float64(c[2]))).Float32()
		got := fmaOnce(c[0], c[1], c[2])
		if got != want {
			t.Fatalf("case %d: %g*%g + %g = %g, want %g", i, c[0], c[1], c[2], got, want)
		}
		if float32(c[0]*c[1])+c[2] != want {
			unfused++
		}
		if float32(float64(c[0])*float64(c[1])+float64(c[2])) != want {
			twice++
		}
	}
	if t.Logf("%d, %d of %d", unfused, twice, fusedCases); unfused < fusedCases/3 || twice < fusedCases/20 {
		t.Errorf("%d sums show a rounded product, %d one that is rounded twice", unfused, twice)
	}
	if nearlyEqual(1, 1+2.1*0x1p-23, 2) || !nearlyEqual(1, 1-2*0x1p-24, 2) || nearlyEqual(float32(math.NaN()), 1, 2) {
		t.Error("near")
	}
}

func TestProbeFused(t *testing.T) {
	d := open(t)
	start := time.Now()
	var fused bool
	if err := d.runQuestions(askFused(&fused)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: fused: %v; %v", d.info.Name, fused, time.Since(start))
	if fused != d.info.Fused {
		t.Errorf("Open found %v", d.info.Fused)
	}
}

// TestFusedCases64 checks that most cases of the probe for float64 tell a device that rounds
// products, and that some results are subnormal.
func TestFusedCases64(t *testing.T) {
	unfused, subnormal := 0, 0
	for i := range uint32(fusedCases) {
		c := fusedCase64(i)
		p := new(big.Float).SetPrec(4000).Mul(big.NewFloat(c[0]), big.NewFloat(c[1]))
		want, _ := p.Add(p, big.NewFloat(c[2])).Float64()
		if got := math.FMA(c[0], c[1], c[2]); got != want {
			t.Fatalf("case %d: %g*%g + %g = %g, want %g", i, c[0], c[1], c[2], got, want)
		}
		if float64(c[0]*c[1])+c[2] != want {
			unfused++
		}
		if want != 0 && math.Abs(want) < 0x1p-1022 {
			subnormal++
		}
	}
	if t.Logf("%d, %d of %d", unfused, subnormal, fusedCases); unfused < fusedCases/4 || subnormal < fusedCases/8 {
		t.Errorf("%d sums show a rounded product, %d are subnormal", unfused, subnormal)
	}
}

func TestProbeFused64(t *testing.T) {
	d := open(t)
	if !slices.Contains(d.info.Aspects, properties.FP64) {
		t.Skip("no float64")
	}
	var fused bool
	if err := d.runQuestions(askFused64(&fused)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: fused: %v", d.info.Name, fused)
	if fused != d.info.Fused64 {
		t.Errorf("Open found %v", d.info.Fused64)
	}
}
