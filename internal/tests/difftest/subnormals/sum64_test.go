package subnormals_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/subnormals"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/subnormals/subnormalsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// operand64 returns a float64 that is special, subnormal, or near 1, or any other.
func operand64(r *rand.Rand) float64 {
	b := r.Uint64()
	switch r.IntN(8) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat64}[b%8]
	case 1:
		return math.Float64frombits(b&(1<<63) | b&(1<<52-1)>>r.IntN(52))
	case 2, 3:
		return math.Float64frombits(b&(1<<63) | (511+b>>60)<<52 | b&(1<<52-1)) // products of these are near 2^-1022
	case 4, 5:
		return r.NormFloat64()
	}
	return math.Float64frombits(b)
}

// TestSum64 checks that math.FMA rounds once, by a fused instruction or without one. gc's math.FMA is the oracle.
func TestSum64(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		if !dev.Has(properties.FP64) {
			t.Skip("no float64")
		}
		r := rand.New(rand.NewPCG(64, 1))
		n := sample.Of(*samples, *samples/8)
		k := subnormals.Sum64{Out: make([]float64, n), Fast: make([]float64, n)}
		for range n {
			x, y, z := operand64(r), operand64(r), operand64(r)
			switch r.IntN(3) {
			case 0:
				z = -x * y
			case 1:
				z = math.Ldexp(x*y, -53) // beside a middle
			}
			k.X, k.Y, k.Z = append(k.X, x), append(k.Y, y), append(k.Z, z)
		}
		if err := gen.RunSum64(context.Background(), dev, k, runtime.Range1(n)); err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i := range n {
			want := math.FMA(k.X[i], k.Y[i], k.Z[i])
			for _, got := range []float64{k.Out[i], k.Fast[i]} {
				if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					if wrong++; wrong < 5 {
						t.Errorf("%g*%g + %g = %g, want %g", k.X[i], k.Y[i], k.Z[i], got, want)
					}
				}
			}
		}
	})
}
