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

// The constants determine the order of operations. A tile has Rounds parts, a part has Size leaves, and
// Each is the number of elements in a leaf. These constants must not be tuned, because results of floats depend on them.
const (
	Size   = lookback.Size
	Each   = 13 // odd, so that neighbours use different banks of work-group memory
	Part   = Size * Each
	Rounds = 2
	Tile   = Rounds * Part
)

// first() returns the number of elements that a launch processes, which is n, or length[0] if that is smaller.
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

// Sum sets Out[i] to the sum of the elements before X[i], in the order that package scan states. S
// is the type in which the kernel adds small integers.
type Sum[T, S number, C lookback.Code[S]] struct {
	X         []T
	Length    []int64  // element count of the whole call, or empty for all elements of the slice
	State     []uint32 // memory of a board of package lookback
	Inclusive bool     // the sums include the element itself
	Out       []T
}

// The kernels for unsigned integers also compute sums of signed integers.
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
// leaf. It returns the sum of the leaf.
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

// scan() returns the sum of those leaves of a part that precede the work-item's leaf, and the sum of the part.
func (k Sum[T, S, C]) scan(it dsl.NDItem1, leaf S) (before, all S) {
	before = dsl.ExclusiveScanOverGroup(it.Group(), leaf, dsl.Plus)
	return before, dsl.GroupBroadcast(it.Group(), before+leaf, Size-1)
}

// store() stores the sums for the elements of a work-item's leaf in Out, through work-group memory.
// The elements of the leaf are in x. The argument `sum` is the sum of all elements before the leaf.
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

// Kernel scans a tile. Each of the two parts has its own array, which is in registers, because all
// its indices are constant.
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
	if S(1)/2 == 0 { // integers, not floats
		start = lookback.BeforeSum(it, board, t, ofX+ofY, again)
	} else {
		start = lookback.Before(it, (*[Size]S)(tile[:Size]), board, t, ofX+ofY, again, func(x, y S) S { return x + y })
	}
	k.store(it, tile, base, n, start+beforeX, &x)
	start += ofX
	k.store(it, tile, base+Part, n, start+beforeY, &y)
}

// again() computes the sum of tile t once more.
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
