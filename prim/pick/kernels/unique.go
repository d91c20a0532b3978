package kernels

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// Unique sets the first elements of Out to those of X that differ from the one before, and At to
// their indices. Each of the two may be empty. Elements are their bits.
type Unique[T uint8 | uint16 | uint32 | uint64] struct {
	X      []T
	Length []int64 // the number of elements of the call, or nothing
	State  []uint32
	// Half has all bits of a float but its sign; 0 for integers.
	Half T
	// Inf is the greatest float that is no NaN.
	Inf   T
	Out   []T
	At    []int64
	Count []int64 // the number of elements picked
}

// Unique of elements of each size.
type (
	Unique8  = Unique[uint8]
	Unique16 = Unique[uint16]
	Unique32 = Unique[uint32]
	Unique64 = Unique[uint64]
)

// Properties states the work-group's size.
func (Unique[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// same reports whether two elements are equal, as for cmp.Compare: all NaNs are.
func (k Unique[T]) same(x, y T) bool {
	if k.Half == 0 {
		return x == y
	}
	return x == y || (x|y)&k.Half == 0 || x&k.Half > k.Inf && y&k.Half > k.Inf
}

// picked returns the bits of the elements that a leaf has for picking.
func (k Unique[T]) picked(leaf, n int) (set uint32) {
	for j := range Each {
		if i := leaf + j; i < n && (i == 0 || !k.same(k.X[i], k.X[i-1])) {
			set |= 1 << j
		}
	}
	return set
}

// Kernel picks elements of a tile.
func (k Unique[T]) Kernel(it dsl.NDItem1) {
	n := first(len(k.X), k.Length)
	t := lookback.Ticket(it, k.State)
	if int(t)*Tile >= n && t > 0 {
		return
	}
	leaf := int(t)*Tile + it.LocalID()*Each
	set := k.picked(leaf, n)
	to := place(it, k.State, t, n, bits.OnesCount32(set), k.Count, func(t uint32) int {
		return bits.OnesCount32(k.picked(int(t)*Tile+it.LocalID()*Each, n))
	})
	for j := range Each {
		if set>>j&1 != 0 && leaf+j < n && to >= 0 {
			if to < len(k.Out) {
				k.Out[to] = k.X[leaf+j]
			}
			if to < len(k.At) {
				k.At[to] = int64(leaf + j)
			}
			to++
		}
	}
}

// Lengths sets Out to the lengths of the runs that begin at At.
type Lengths struct {
	At     []int64
	Count  []int64 // the number of runs
	N      int     // the elements of the call, if Length is empty
	Length []int64 // the number of elements of the call, or nothing
	Out    []int64
}

// Kernel sets a run's length.
func (k Lengths) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	runs := int64(0)
	if len(k.Count) > 0 {
		runs = k.Count[0]
	}
	if int64(i) >= runs {
		return
	}
	end := int64(first(k.N, k.Length))
	if int64(i+1) < runs && i+1 < len(k.At) {
		end = k.At[i+1]
	}
	k.Out[i] = end - k.At[i]
}
