package difftest

import (
	"context"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	const n, items = 60, 10
	run := func(how, count int, change func(k *corpus.Rounds)) {
		add("Rounds", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := corpus.Rounds{How: how, Out: out32(items), X: ints32(n, func(i int) int32 { return int32(i * 5 % 17) })}
			k.Same = append([]int32(nil), k.X...)
			for i := range n + 3 {
				k.At = append(k.At, uint32(i*7%n)) // of another length than X, so that a fault says which of them it is about
			}
			for i := range uint32(items + 1) { // rows of 0 to 9 elements
				k.Starts = append(k.Starts, i*(i-1)/2)
			}
			if change != nil {
				change(&k)
			}
			return k, launch(ctx, dev, gen.RunRounds, k, runtime.Range1(count))
		})
	}
	for how := range corpus.RoundsWays {
		run(how, items, nil)
		run(how, 1, func(k *corpus.Rounds) { k.Starts[1] = 9; k.Same = k.X[:n-1] })
		run(how, 1, func(k *corpus.Rounds) { k.Starts[1] = 9; k.Same = k.X[2:] })
		for round := range uint32(9) { // in which one work-item faults
			run(how, 1, func(k *corpus.Rounds) { k.Starts[1] = 9; k.At[round] = n })
			run(how, 1, func(k *corpus.Rounds) { k.Starts[1] = 9; k.X = k.X[:round] })
			run(how, 1, func(k *corpus.Rounds) { k.Starts[1] = 9; k.At = k.At[:round] })
		}
		run(how, 1, func(k *corpus.Rounds) { k.Starts[0], k.Starts[1] = 1<<32-2, 1<<32-1 })
	}
}
