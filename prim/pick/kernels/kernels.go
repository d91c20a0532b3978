// Package kernels has the kernels of package pick, and the interface of the predicates that users give to
// Where. Kernel packages import it, and nothing of the runtime comes with it.
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

// The sizes of a work-group, a leaf and a tile. No result depends on them.
const (
	Size = lookback.Size
	Each = 16
	Tile = Size * Each
)

// first returns how many of n elements a launch processes: all, or less if length has a number.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// place returns the number of elements picked before a work-item's leaf, given how many it picks itself. The
// work-group of the last tile of n elements writes the number of all to count. Again counts in the
// leaf of another tile.
func place(it dsl.NDItem1, state []uint32, t uint32, n int, picked int, count []int64, again func(tile uint32) int) int {
	memory := dsl.Local[[Size]int64](it)
	g := it.Group()
	before := dsl.ExclusiveScanOverGroup(g, uint32(picked), dsl.Plus)
	all := int64(dsl.GroupBroadcast(g, before+uint32(picked), Size-1))
	start := lookback.Before(it, memory, lookback.Packed[int64, lookback.Count]{State: state}, t, all, func(tile uint32) int64 {
		return int64(dsl.ReduceOverGroup(g, uint32(again(tile)), dsl.Plus))
	}, func(x, y int64) int64 { return x + y })
	if it.LocalID() == 0 && (int(t)+1)*Tile >= n && len(count) > 0 {
		count[0] = start + all
	}
	return int(start) + int(before)
}

// Predicate says which elements are picked.
type Predicate[T any] interface {
	Test(x T) bool
}

// Where sets the first elements of Out to those of X that Op picks. It is instantiated by an alias:
//
//	type Positives = kernels.Where[float32, Positive]
type Where[T any, P Predicate[T]] struct {
	Op     P
	X      []T
	Length []int64 // the number of elements of the call, or nothing
	State  []uint32
	Out    []T
	Count  []int64 // the number of elements picked
}

// Properties states the work-group's size, and that each operation is rounded.
func (Where[T, P]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// picked returns the bits of the elements that a leaf has for picking.
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
		if set>>j&1 != 0 && leaf+j < n && to >= 0 && to < len(k.Out) {
			k.Out[to] = k.X[leaf+j]
			to++
		}
	}
}

// Positive picks numbers above 0.
type Positive struct{}

// Test reports whether x > 0.
func (Positive) Test(x float32) bool { return x > 0 }

// PositiveFloat32 picks numbers above 0.
type PositiveFloat32 = Where[float32, Positive]
