package radix_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/sort/radix"
)

func TestPasses(t *testing.T) {
	for _, n := range []int{1, 16, 257, radix.Block - 1, radix.Block, radix.Block + 1, radix.Part + 77} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x, out := make([]uint32, n), make([]uint32, n)
			for i := range x {
				x[i] = uint32(i+1) * 2654435761
			}
			x[n/2] = ^uint32(0)
			want := slices.Sorted(slices.Values(x))
			parts := (n + radix.Part - 1) / radix.Part
			counts := make([]uint32, parts*radix.Digits)
			for shift := 0; shift < 32; shift += radix.Bits {
				hostrun.NDRange(t, radix.Count{Shift: shift, Keys: x, Counts: counts}.Kernel, parts*radix.Size, radix.Size)
				sum := uint32(0)
				for i, c := range counts {
					counts[i] = sum
					sum += c
				}
				if shift == radix.Bits || shift == 3*radix.Bits { // each of the two kernels in half of the passes
					hostrun.NDRange(t, radix.ScatterLanes{Shift: shift, Keys: x, Starts: counts, Out: out}.Kernel, parts*radix.Size, radix.Size)
				} else {
					hostrun.NDRange(t, radix.Scatter{Shift: shift, Keys: x, Starts: counts, Out: out}.Kernel, parts*radix.Size, radix.Size)
				}
				x, out = out, x
			}
			if !slices.Equal(x, want) {
				t.Errorf("not sorted: %v", x)
			}
		})
	}
}
