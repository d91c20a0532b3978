package difftest

import (
	"context"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// factors returns x, y and z where x*y+z and x*y-z tell whether x*y is rounded.
func factors(n int) (x, y, z []float32) {
	r := rng()
	for i := range n {
		a, b := r.Float32()+0.5, r.Float32()-2
		c := float32(a*b) * float32(1-i%2*2)
		if i%3 == 0 {
			c = r.Float32()
		}
		x, y, z = append(x, a), append(y, b), append(z, c)
	}
	return x, y, z
}

func init() {
	add("Rounded", func(ctx context.Context, dev *runtime.Device) (any, error) {
		x, y, z := factors(999)
		k := corpus.Rounded{X: x, Y: y, Z: z, Out: make([]float32, len(x)*corpus.SumResults)}
		err := launch(ctx, dev, gen.RunRounded, k, runtime.Range1(len(x)))
		return k, err
	})
	add("Fused", func(ctx context.Context, dev *runtime.Device) (any, error) {
		x, y, z := factors(999)
		k := corpus.Fused{X: x, Y: y, Z: z, Out: make([]float32, len(x)*corpus.SumResults)}
		if err := launch(ctx, dev, gen.RunFused, k, runtime.Range1(len(x))); err != nil {
			return nil, err
		}
		return wrongSums(k), nil
	})
}

// wrongSums returns the results that are neither rounded once nor, with their
// product, twice.
func wrongSums(k corpus.Fused) []string {
	var wrong []string
	for i, x := range k.X {
		y, z, s := k.Y[i], k.Z[i], float32(-1)
		if x > y {
			s = 1
		}
		for j, f := range [corpus.SumResults][3]float32{
			{x, y, z}, {x, y, -z}, {-x, y, z}, {x, y, z}, {-x, y, -z}, {-s * x, y, z},
		} {
			got := k.Out[i*corpus.SumResults+j]
			once, twice := math32.FMA(f[0], f[1], f[2]), float32(f[0]*f[1])+f[2]
			if bits := math.Float32bits(got); bits != math.Float32bits(once) && bits != math.Float32bits(twice) {
				wrong = append(wrong, fmt.Sprintf("result %d of %g: %g, not %g or %g", j, f, got, once, twice))
			}
		}
	}
	return wrong
}
