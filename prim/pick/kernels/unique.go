package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Unique picks the elements of X that differ from the previous element. Unique stores these elements in Out, and
// their indices in At. If Out or At is empty, Unique does not store into it. X contains the bits of the elements.
type Unique[T uint8 | uint16 | uint32 | uint64] struct {
	X      []T
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	State  []uint32
	// Half is a mask of all bits of a float except its sign, or 0 for integers.
	Half T
	// Inf has the bits of the greatest float that is not a NaN.
	Inf   T
	Out   []T
	At    []int64
	Count []int64 // number of picked elements
}

// These types instantiate the kernel Unique for elements of each size.
type (
	Unique8  = Unique[uint8]
	Unique16 = Unique[uint16]
	Unique32 = Unique[uint32]
	Unique64 = Unique[uint64]
)

// Properties sets the work-group's size.
func (Unique[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// same() reports whether cmp.Compare(x, y) would be 0 for the elements x and y. So same returns true for two NaNs.
func (k Unique[T]) same(x, y T) bool {
	if k.Half == 0 {
		return x == y
	}
	return x == y || (x|y)&k.Half == 0 || x&k.Half > k.Inf && y&k.Half > k.Inf
}

// picked() returns a word with a bit for each element of a leaf. The bit is set if the element is picked.
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

// Lengths computes the lengths of the runs that begin at the indices in At.
type Lengths struct {
	At     []int64
	Count  []int64 // number of runs
	N      int     // number of elements of the call if Length is empty
	Length []int64 // element count of the whole call, or empty if N is the count
	Out    []int64
}

// Kernel computes the length of a run.
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
