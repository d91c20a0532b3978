// Package kernels has the kernels of package scan, and the interface of the operations that users
// give to By. Kernel packages import it, and nothing of the runtime comes with it.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// The constants that fix the order of operations: a tile has Rounds parts, a part Size leaves, and
// a leaf Each elements. Nothing tunes them, since results of floats depend on them.
const (
	Size   = lookback.Size
	Each   = 13 // odd, so that neighbours use different banks of work-group memory
	Part   = Size * Each
	Rounds = 2
	Tile   = Rounds * Part
)

// first returns how many of n elements a launch processes: all, or less if length has a number.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// number is a type that sums are made in.
type number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Sum sets each element of Out to the sum of the elements of X before it, in the order that package scan
// states. S is the type in which small integers are added.
type Sum[T, S number, C lookback.Code[S]] struct {
	X         []T
	Length    []int64  // the number of elements of the call, or nothing
	State     []uint32 // the board of package lookback
	Inclusive bool     // the sums include the element
	Out       []T
}

// The sums of integers serve those with signs, too.
type (
	SumUint32  = Sum[uint32, uint32, lookback.Uint32]
	SumUint64  = Sum[uint64, uint64, lookback.Uint64]
	SumFloat32 = Sum[float32, float32, lookback.Float32]
	SumFloat64 = Sum[float64, float64, lookback.Float64]
)

// Properties states the work-group's size, and that each operation is rounded.
func (Sum[T, S, C]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// load loads the elements of a part of X that begins at base. Neighbouring work-items load neighbours.
func (k Sum[T, S, C]) load(it dsl.NDItem1, base, n int, x *[Each]S) {
	l := it.LocalID()
	for j := range Each {
		x[j] = 0
		if p := base + j*Size + l; p < n {
			x[j] = S(k.X[p])
		}
	}
}

// leaf gives a work-item its leaf of the part whose elements are in x, by way of work-group memory, and
// returns its sum.
func (Sum[T, S, C]) leaf(it dsl.NDItem1, tile *[Part]S, x *[Each]S) (sum S) {
	l := it.LocalID()
	it.Barrier()
	for j := range Each {
		tile[j*Size+l] = x[j]
	}
	it.Barrier()
	for j := range Each {
		x[j] = tile[l*Each+j]
		sum += x[j]
	}
	return sum
}

// scan returns the sum of the leaves before the work-item's in a part, and that of the part.
func (k Sum[T, S, C]) scan(it dsl.NDItem1, leaf S) (before, all S) {
	before = dsl.ExclusiveScanOverGroup(it.Group(), leaf, dsl.Plus)
	return before, dsl.GroupBroadcast(it.Group(), before+leaf, Size-1)
}

// store stores the sums of a work-item's leaf, of which the elements are in x, by way of work-group
// memory. The sum of all before the leaf is given.
func (k Sum[T, S, C]) store(it dsl.NDItem1, tile *[Part]S, base, n int, sum S, x *[Each]S) {
	l := it.LocalID()
	it.Barrier()
	for j := range Each {
		to := sum
		sum += x[j]
		if k.Inclusive {
			to = sum
		}
		tile[l*Each+j] = to
	}
	it.Barrier()
	for j := range Each {
		if p := base + j*Size + l; p < n {
			k.Out[p] = T(tile[j*Size+l])
		}
	}
}

// Kernel scans a tile. The two parts have arrays of their own, which are in registers: no index of
// them varies.
func (k Sum[T, S, C]) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Part]S](it)
	n := first(min(len(k.X), len(k.Out)), k.Length)
	t := lookback.Ticket(it, k.State)
	base := int(t) * Tile
	if base >= n {
		return
	}
	var x, y [Each]S
	k.load(it, base, n, &x)
	k.load(it, base+Part, n, &y) // all loads are under way at once
	beforeX, ofX := k.scan(it, k.leaf(it, tile, &x))
	beforeY, ofY := k.scan(it, k.leaf(it, tile, &y))
	board := lookback.Packed[S, C]{State: k.State}
	again := func(t uint32) S { return k.again(it, t, n) }
	var start S
	if S(1)/2 == 0 { // integers
		start = lookback.BeforeSum(it, board, t, ofX+ofY, again)
	} else {
		start = lookback.Before(it, (*[Size]S)(tile[:Size]), board, t, ofX+ofY, again, func(x, y S) S { return x + y })
	}
	k.store(it, tile, base, n, start+beforeX, &x)
	start += ofX
	k.store(it, tile, base+Part, n, start+beforeY, &y)
}

// again returns the sum of tile t.
func (k Sum[T, S, C]) again(it dsl.NDItem1, t uint32, n int) (all S) {
	for r := range Rounds {
		base := int(t)*Tile + r*Part + it.LocalID()*Each
		var sum S
		for p := base; p < min(base+Each, n); p++ {
			sum += S(k.X[p])
		}
		_, of := k.scan(it, sum)
		all += of
	}
	return all
}
