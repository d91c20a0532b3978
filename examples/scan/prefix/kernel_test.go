package prefix_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/scan/prefix"
)

func TestBlocks(t *testing.T) {
	for _, n := range []int{1, 5, prefix.Block - 1, prefix.Block, prefix.Block + 1, 3*prefix.Block + 77} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x := make([]uint32, n)
			for i := range x {
				x[i] = uint32(i)*2654435761>>20 + 1
			}
			want := make([]uint32, n)
			sum := uint32(0)
			for i, v := range x {
				want[i] = sum
				sum += v
			}
			blocks := (n + prefix.Block - 1) / prefix.Block
			totals := make([]uint32, blocks)
			hostrun.NDRange(t, prefix.Sums{X: x, Totals: totals}.Kernel, blocks*prefix.Size, prefix.Size)
			sum = 0
			for i, v := range totals {
				totals[i] = sum
				sum += v
			}
			hostrun.NDRange(t, prefix.Blocks{X: x, Before: totals}.Kernel, blocks*prefix.Size, prefix.Size)
			for i, v := range x {
				if v != want[i] {
					t.Fatalf("x[%d] = %d, want %d", i, v, want[i])
				}
			}
		})
	}
}
