// Package kernels contains the kernels of package scan, and the interface of operations for By.
// Users' kernel packages import this package, which does not import the runtime.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Size, Each and Rounds determine the order of operations. A tile has Rounds parts, a part has Size leaves,
// and a leaf has Each elements. These constants must not be tuned, because results of floats depend on them.
const (
	Size   = lookback.Size
	Each   = 13 // odd, so that neighbouring work-items use different banks of work-group memory
	Part   = Size * Each
	Rounds = 2
	Tile   = Rounds * Part
)

// first() returns the number of elements that a launch processes, which is the lesser of n and length[0].
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// The type `number` constrains the types of elements and of sums.
type number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Sum sets Out[i] to the sum of the elements before X[i], in the order that the documentation of
// package scan states. S is the type of the kernel's intermediate sums.
type Sum[T, S number, C lookback.Code[S]] struct {
	X         []T
	Length    []int64  // number of elements that the call uses, or an empty slice if the call uses all elements
	State     []uint32 // memory of a lookback.Board
	Inclusive bool     // each sum in Out includes the element with the same index
	Out       []T
}

// These types instantiate the kernel Sum. The kernels for unsigned integers also add up signed integers.
type (
	SumUint32  = Sum[uint32, uint32, lookback.Uint32]
	SumUint64  = Sum[uint64, uint64, lookback.Uint64]
	SumFloat32 = Sum[float32, float32, lookback.Float32]
	SumFloat64 = Sum[float64, float64, lookback.Float64]
)

// Properties sets the work-group size and the floating-point mode FloatExact.
func (Sum[T, S, C]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// load() loads the part of X that begins at index `base`. Neighbouring work-items load neighbouring elements.
func (k Sum[T, S, C]) load(it dsl.NDItem1, base, n int, x *[Each]S) {
	l := it.LocalID()
	for j := range Each {
		x[j] = 0
		if p := base + j*Size + l; p < n {
			x[j] = S(k.X[p])
		}
	}
}

// leaf() exchanges a part's elements through work-group memory, so that x contains the work-item's
// leaf. The result of leaf() is the sum of the work-item's leaf.
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

// scan() returns the sum of all leaves of the part before the work-item's leaf, and the sum of the whole part.
func (k Sum[T, S, C]) scan(it dsl.NDItem1, leaf S) (before, all S) {
	before = dsl.ExclusiveScanOverGroup(it.Group(), leaf, dsl.Plus)
	return before, dsl.GroupBroadcast(it.Group(), before+leaf, Size-1)
}

// store() stores the scanned sums of a work-item's leaf in Out, through work-group memory. The
// argument x contains the elements of the leaf, and `sum` is the sum of all elements before the leaf.
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

// Kernel scans a tile. The arrays x and y, which contain the tile's two parts, are in registers,
// because they are indexed only by constants.
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
	k.load(it, base+Part, n, &y) // all loads are in progress at the same time
	beforeX, ofX := k.scan(it, k.leaf(it, tile, &x))
	beforeY, ofY := k.scan(it, k.leaf(it, tile, &y))
	board := lookback.Packed[S, C]{State: k.State}
	again := func(t uint32) S { return k.again(it, t, n) }
	var start S
	if S(1)/2 == 0 { // S is an integer type
		start = lookback.BeforeSum(it, board, t, ofX+ofY, again)
	} else {
		start = lookback.Before(it, (*[Size]S)(tile[:Size]), board, t, ofX+ofY, again, func(x, y S) S { return x + y })
	}
	k.store(it, tile, base, n, start+beforeX, &x)
	start += ofX
	k.store(it, tile, base+Part, n, start+beforeY, &y)
}

// again() computes the sum of tile t, because the tile's own work-group has not posted the sum yet.
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
