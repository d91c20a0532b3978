package fold_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/reduce/fold"
)

func TestFold(t *testing.T) {
	for _, n := range []int{1, 255, 256, 1000, 10001} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x, y := make([]float32, n), make([]float32, n)
			var want fold.Stats
			for i := range x { // whole numbers: the sums are exact
				x[i], y[i] = float32(i*7919%201-100), float32(i%3)
				want.Sum += x[i]
				want.Dot += x[i] * y[i]
				want.Min, want.Max = min(want.Min, x[i]), max(want.Max, x[i])
				if i == 0 {
					want.Min, want.Max = x[0], x[0]
				}
			}
			parts, out := make([]fold.Stats, 5), make([]fold.Stats, 1)
			hostrun.NDRange(t, fold.Fold{X: x, Y: y, Out: parts}.Kernel, 5*fold.Size, fold.Size)
			hostrun.NDRange(t, fold.Finish{Parts: parts, Out: out}.Kernel, fold.Size, fold.Size)
			if out[0] != want {
				t.Errorf("got %v, want %v", out[0], want)
			}
		})
	}
}
