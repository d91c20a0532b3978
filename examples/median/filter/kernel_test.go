package filter_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/median/filter"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestMedian(t *testing.T) {
	dev := devtest.Host(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {3, 5}, {17, 9}} {
		for _, w := range []int{1, 3, 5, 9} {
			t.Run(fmt.Sprint(size, w), func(t *testing.T) {
				rows, cols := size[0], size[1]
				in, out := make([]float32, rows*cols), make([]float32, rows*cols)
				for i := range in {
					in[i] = r.Float32()
				}
				err := filtergen.RunMedian(context.Background(), dev, filter.Median{In: in, Out: out},
					runtime.Range2{rows, cols}, runtime.WithSpec(filter.Window, w))
				if err != nil {
					t.Fatal(err)
				}
				for y := range rows {
					for x := range cols {
						var all []float32
						for dy := -w / 2; dy <= w/2; dy++ {
							for dx := -w / 2; dx <= w/2; dx++ {
								all = append(all, in[clamp(y+dy, rows)*cols+clamp(x+dx, cols)])
							}
						}
						slices.Sort(all)
						if got, want := out[y*cols+x], all[len(all)/2]; got != want {
							t.Fatalf("pixel %d, %d is %g, want %g", y, x, got, want)
						}
					}
				}
			})
		}
	}
}

func clamp(i, n int) int {
	switch {
	case i < 0:
		return 0
	case i >= n:
		return n - 1
	}
	return i
}
