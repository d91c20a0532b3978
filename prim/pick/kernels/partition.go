package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Partition fills Out with the elements of X that Op picks, followed by the elements that Op does not pick.
// Partition is launched twice. The first launch stores the unpicked elements in reverse order at the end of Out.
// The second launch, with Turn set, reverses the unpicked elements. Callers instantiate Partition by an alias:
//
//	type Signs = kernels.Partition[float32, Positive]
type Partition[T any, P Predicate[T]] struct {
	Op     P
	X      []T
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	State  []uint32
	Out    []T
	Count  []int64 // number of picked elements
	Turn   bool
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Partition[T, P]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// picked() returns a word with a bit for each element of a leaf. The bit is set if the element is picked.
func (k Partition[T, P]) picked(leaf, n int) (set uint32) {
	for j := range Each {
		if leaf+j < n && k.Op.Test(k.X[leaf+j]) {
			set |= 1 << j
		}
	}
	return set
}

// Kernel picks elements of a tile, or reverses some of the unpicked elements.
func (k Partition[T, P]) Kernel(it dsl.NDItem1) {
	n := first(min(len(k.X), len(k.Out)), k.Length)
	if k.Turn {
		k.turn(it, n)
		return
	}
	t, ok := pick(it, k.State, n, k.Count, true, func(leaf int) uint32 { return k.picked(leaf, n) })
	if !ok {
		return
	}
	for i := it.LocalID(); i < t.n; i += Size {
		to, from := t.start+i, t.base+int(t.order[i%Tile])
		if i >= t.all {
			to = n - 1 - (t.base - t.start + i - t.all)
		}
		if to >= 0 && to < len(k.Out) && from >= 0 && from < len(k.X) {
			k.Out[to] = k.X[from]
		}
	}
}

// turn() reverses the order of the elements that follow the picked elements.
func (k Partition[T, P]) turn(it dsl.NDItem1, n int) {
	low := n
	if len(k.Count) > 0 {
		low = int(k.Count[0])
	}
	for i := it.GlobalID(); i < (n-low)/2; i += it.GlobalRange() {
		x, y := low+i, n-1-i
		if x >= 0 && x < len(k.Out) && y >= 0 && y < len(k.Out) {
			k.Out[x], k.Out[y] = k.Out[y], k.Out[x]
		}
	}
}

// PartitionFloat32 stores the numbers above 0, followed by the other numbers.
type PartitionFloat32 = Partition[float32, Positive]
