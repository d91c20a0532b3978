package runtime

import (
	"fmt"
	"math/bits"
)

// chooseLocal chooses the work-group size of a launch over a range, in the order of the range's dimensions. The
// work-group has the device's preferred number of work-items. The last dimension of the work-group is the longest, and
// the work-group is no larger than the range needs. Sizes are powers of two, so that ranges of all sizes need few
// pipelines.
func (d *Device) chooseLocal(rank int, global [3]int) [3]int {
	l := &d.info.Limits
	items := l.PreferredItems
	if items == 0 {
		items = 256
	}
	left := floorPow2(min(items, l.MaxWorkItems))
	local := [3]int{1, 1, 1}
	// The outer loop runs twice. In the first run, no size exceeds the variable `compact`, so that
	// the sizes differ little. In the second run, the sizes are doubled further, until the
	// work-group has the wanted number of work-items. Each run begins with the last dimension,
	// because work-items that differ only in the last dimension use adjacent memory. On an H100, a
	// stencil of 7 points in three dimensions is 1.5 times faster if the last size is 64 instead of
	// 8.
	compact := [4]int{0, left, 16, 64}[rank]
	for _, most := range [2]int{compact, left} {
		for i := rank - 1; i >= 0; i-- {
			limit := min(most, floorPow2(l.MaxWorkGroupSize[rank-1-i]))
			need := ceilPow2(global[i])
			if rank == 1 {
				need = max(need, 32)
			}
			for local[i] < min(limit, need) && left > 1 {
				local[i] *= 2
				left /= 2
			}
		}
	}
	return local
}

func floorPow2(n int) int {
	if n < 1 {
		return 1
	}
	return 1 << (bits.Len(uint(n)) - 1)
}

func ceilPow2(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}

func sprint(args ...any) string { return fmt.Sprint(args...) }
