package kernels

import (
	"github.com/kgen-go/kgen/dsl"
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
	t, ok := pick(it, k.State, n, k.Count, false, func(leaf int) uint32 { return k.picked(leaf, n) })
	if !ok {
		return
	}
	for i := it.LocalID(); i < t.all; i += Size {
		to, from := t.start+i, t.base+int(t.order[i%Tile])
		if to >= 0 && to < len(k.Out) && from >= 0 && from < len(k.X) {
			k.Out[to] = k.X[from]
		}
		if to >= 0 && to < len(k.At) {
			k.At[to] = int64(from)
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
