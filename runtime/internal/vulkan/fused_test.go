//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"math"
	"math/big"
	"testing"
	"time"
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
