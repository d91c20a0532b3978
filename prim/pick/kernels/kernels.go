// Package kernels contains the kernels of package pick, and the interface of predicates for Where.
// Users' kernel packages import this package, which does not import the runtime.
//
//kgen:variants load
package kernels

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A work-item processes a leaf of Each neighbours. A work-group processes a tile. No result depends on these sizes.
const (
	Size = lookback.Size
	Each = 16
	Tile = Size * Each
)

// first() returns the number of elements that a launch processes. This number is n, or length[0] if length[0] is smaller.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// The type `tile` describes a work-group's tile after the work-items have picked elements.
type tile struct {
	base, n int           // index of the first element, and number of elements
	start   int           // number of elements picked in earlier tiles
	all     int           // number of elements picked in this tile
	order   *[Tile]uint32 // indices of the picked elements in the tile; if requested, the indices of the other elements follow
}

// pick() lets a work-group pick elements of its tile. picked() returns a bit for each element of a leaf. The bool result
// says whether the work-group has a tile. The last tile's work-group writes the number of all picked elements to `count`.
//
// Callers move elements in the order of the field `order`, so neighbouring work-items write neighbours.
func pick(it dsl.NDItem1, state []uint32, n int, count []int64, others bool, picked func(leaf int) uint32) (tile, bool) {
	order := dsl.Local[[Tile]uint32](it)
	g, l := it.Group(), it.LocalID()
	t := lookback.Ticket(it, state)
	if int(t)*Tile >= n && t > 0 {
		return tile{}, false
	}
	base := int(t) * Tile
	set := picked(base + l*Each)
	own := uint32(bits.OnesCount32(set))
	before := dsl.ExclusiveScanOverGroup(g, own, dsl.Plus)
	all := dsl.GroupBroadcast(g, before+own, Size-1)
	start := lookback.BeforeSum(it, lookback.Packed[int64, lookback.Count]{State: state}, t, int64(all), func(tile uint32) int64 {
		return int64(dsl.ReduceOverGroup(g, uint32(bits.OnesCount32(picked(int(tile)*Tile+l*Each))), dsl.Plus))
	})
	if l == 0 && base+Tile >= n && len(count) > 0 {
		count[0] = start + int64(all)
	}
	for j := range uint32(Each) {
		e := uint32(l)*Each + j
		if set>>j&1 != 0 {
			order[before%Tile] = e
			before++
		} else if others {
			order[(all+e-before)%Tile] = e
		}
	}
	it.Barrier()
	return tile{base, min(n-base, Tile), int(start), int(all), order}, true
}

// Predicate decides which elements are picked.
type Predicate[T any] interface {
	Test(x T) bool
}

// Where picks elements of X by Op, and stores them at the beginning of Out. Callers instantiate Where by an alias:
//
//	type Positives = kernels.Where[float32, Positive]
type Where[T any, P Predicate[T]] struct {
	Op     P
	X      []T
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	State  []uint32
	Out    []T
	Count  []int64 // number of picked elements
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Where[T, P]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// picked() returns a word with a bit for each element of a leaf. The bit is set if the element is picked.
func (k Where[T, P]) picked(leaf, n int) (set uint32) {
	for j := range Each {
		if leaf+j < n && k.Op.Test(k.X[leaf+j]) {
			set |= 1 << j
		}
	}
	return set
}

// Kernel picks elements of a tile.
func (k Where[T, P]) Kernel(it dsl.NDItem1) {
	n := first(min(len(k.X), len(k.Out)), k.Length)
	t, ok := pick(it, k.State, n, k.Count, false, func(leaf int) uint32 { return k.picked(leaf, n) })
	if !ok {
		return
	}
	for i := it.LocalID(); i < t.all; i += Size {
		if to, from := t.start+i, t.base+int(t.order[i%Tile]); to >= 0 && to < len(k.Out) && from >= 0 && from < len(k.X) {
			k.Out[to] = k.X[from]
		}
	}
}

// Positive picks numbers above 0.
type Positive struct{}

// Test reports whether x > 0.
func (Positive) Test(x float32) bool { return x > 0 }

// PositiveFloat32 picks numbers above 0.
type PositiveFloat32 = Where[float32, Positive]
