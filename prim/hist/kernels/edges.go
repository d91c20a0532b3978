package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// These constants are the numbers of edges and counters in work-group memory, for Edges32 and Edges64.
const (
	OwnEdges    = 1024
	OwnCounters = 2048
)

// The type `word` constrains the types in which elements are compared.
type word interface{ uint32 | uint64 }

// Order converts elements' bits to keys. Keys have the same order as the elements. The two zeros have the same key.
type Order[K word] struct {
	Flip K // sign bit of signed integers, or 0 for other types
	Half K // mask of all bits of a float except its sign, or 0 for integers
	Inf  K // bits of infinity, the greatest float that is not a NaN
}

// IsNaN reports whether an element is a NaN.
func (o Order[K]) IsNaN(x K) bool { return o.Half != 0 && x&o.Half > o.Inf }

// Key returns an element's key.
func (o Order[K]) Key(x K) K {
	if o.Half == 0 {
		return x ^ o.Flip
	}
	if m := x & o.Half; m != x {
		return o.Half - m
	}
	return o.Half + x
}

// search() returns the index of the last edge that is not above the key. The argument `high` is the
// number of edges.
func search[K word](key K, high uint32, edge func(i uint32) K) uint32 {
	low := uint32(0)
	for high-low > 1 {
		mid := low + (high-low)/2
		if edge(mid) <= key {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Edges32 counts elements of up to 32 bits in the bins between edges. Edges and elements have the same type.
type Edges32 struct {
	X8     []uint8  // bytes of the elements; empty if elements have 32 bits
	X32    []uint32 // 32-bit words of the elements; empty if their address is not a multiple of 4
	E8     []uint8
	E32    []uint32
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Order  Order[uint32]
	Bins   Bins
	Counts []uint32
}

// Properties sets the work-group's size.
func (Edges32) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// edge() returns the key of an edge, loaded from global memory.
func (k Edges32) edge(i, width uint32) (x uint32) {
	if width < 4 {
		x = element(k.E8, int(i), width)
	} else if int(i) < len(k.E32) {
		x = k.E32[i]
	}
	return k.Order.Key(x)
}

// Kernel counts elements. The work-items of the launch divide the elements among themselves.
func (k Edges32) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[OwnCounters]uint32](it)
	edges := dsl.Local[[OwnEdges]uint32](it)
	width := Width.Get(it)
	for i := uint32(it.LocalID()); i < min(k.Bins.N+1, OwnEdges); i += Size {
		edges[i] = k.edge(i, width)
	}
	it.Barrier()
	low, high := k.edge(0, width), k.edge(k.Bins.N, width)
	elements(it, k.X8, k.X32, first(length(it, k.X8, k.X32), k.Length), func(x uint32) {
		key := k.Order.Key(x)
		if k.Order.IsNaN(x) || key < low || key >= high {
			return
		}
		k.Bins.one(it, own[:], k.Counts, search(key, k.Bins.N, func(i uint32) uint32 {
			if k.Bins.N < OwnEdges {
				return edges[i%OwnEdges]
			}
			return k.edge(i, width)
		}))
	})
	k.Bins.end(it, own[:], k.Counts)
}

// Edges64 counts elements of 64 bits in the bins between edges. Edges64 has the fields of Edges32.
type Edges64 struct {
	X      []uint64
	Edges  []uint64
	Length []int64
	Order  Order[uint64]
	Bins   Bins
	Counts []uint32
}

// Properties sets the work-group's size.
func (Edges64) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// edge() returns the key of an edge, loaded from global memory.
func (k Edges64) edge(i uint32) (x uint64) {
	if int(i) < len(k.Edges) {
		x = k.Edges[i]
	}
	return k.Order.Key(x)
}

// Kernel counts the elements of some tiles.
func (k Edges64) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[OwnCounters]uint32](it)
	edges := dsl.Local[[OwnEdges]uint64](it)
	for i := uint32(it.LocalID()); i < min(k.Bins.N+1, OwnEdges); i += Size {
		edges[i] = k.edge(i)
	}
	it.Barrier()
	low, high := k.edge(0), k.edge(k.Bins.N)
	n := first(len(k.X), k.Length)
	for base := it.GroupID()*Tile + it.LocalID(); base < n; base += it.GroupRange() * Tile {
		for p := base; p < min(base+Tile, n); p += Size {
			key := k.Order.Key(k.X[p])
			if k.Order.IsNaN(k.X[p]) || key < low || key >= high {
				continue
			}
			k.Bins.one(it, own[:], k.Counts, search(key, k.Bins.N, func(i uint32) uint64 {
				if k.Bins.N < OwnEdges {
					return edges[i%OwnEdges]
				}
				return k.edge(i)
			}))
		}
	}
	k.Bins.end(it, own[:], k.Counts)
}
