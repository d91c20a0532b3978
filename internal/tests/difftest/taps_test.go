package difftest

import (
	"context"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	const n, items = 60, 40
	for how := range corpus.TapsWays {
		run := func(x, count int) {
			add("Taps", func(ctx context.Context, dev *runtime.Device) (any, error) {
				k := corpus.Taps{How: how, Out: out32(items), X: ints32(x, func(i int) int32 { return int32(i*i*7%101) - 20 }), FOut: make([]float32, items)}
				for i := range 29 {
					k.F = append(k.F, float32(i%7)-2.75+float32(i%5)/4) // whose products and sums are exact, fused or not
				}
				return k, launch(ctx, dev, gen.RunTaps, k, runtime.Range1(count))
			})
		}
		run(n, items)
		run(3, 1) // in most ways it is past the end in the fourth round
	}
}
