package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// Operation combines elements of type T into a value of type A. Combine must be associative, but
// need not commute. Combining a value with Identity must not change the value.
type Operation[T, A any] interface {
	Map(x T) A
	Combine(x, y A) A
	Identity() A
}

// ByEach is the number of elements in a leaf of the kernel By, and ByTile is the number of elements in a tile.
const (
	ByEach = 8
	ByTile = Size * ByEach
)

// The kernel By sets Out[i] to the value that Op computes from the elements of X before X[i] and,
// if Inclusive is set, X[i]. Callers instantiate the kernel By with an alias:
//
//	type Streaks = kernels.By[bool, Streak, Longest]
type By[T, A any, O Operation[T, A]] struct {
	Op        O
	X         []T
	Length    []int64  // number of elements that the call uses, or an empty slice if the call uses all elements
	State     []uint32 // memory of a lookback.Board
	Values    []A
	Inclusive bool // each value in Out includes the element with the same index
	Out       []A
}

// Properties sets the work-group size and the floating-point mode FloatExact.
func (By[T, A, O]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// leaf() combines a leaf's elements from left to right.
func (k By[T, A, O]) leaf(base, n int) A {
	v := k.Op.Identity()
	for j := range ByEach {
		if base+j >= n {
			break
		}
		x := k.Op.Map(k.X[base+j])
		if j == 0 {
			v = x
		} else {
			v = k.Op.Combine(v, x)
		}
	}
	return v
}

// Kernel scans a tile.
func (k By[T, A, O]) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Size]A](it)
	l := it.LocalID()
	n := first(len(k.X), k.Length)
	t := lookback.Ticket(it, k.State)
	if int(t)*ByTile >= n {
		return
	}
	base := int(t)*ByTile + l*ByEach
	total := k.scan(it, tile, k.leaf(base, n))
	before := k.Op.Identity()
	if l > 0 {
		before = tile[l-1]
	}
	start := lookback.Before(it, tile, lookback.Plain[A]{State: k.State, Values: k.Values}, t, total, func(t uint32) A {
		return k.scan(it, tile, k.leaf(int(t)*ByTile+l*ByEach, n))
	}, func(x, y A) A { return k.Op.Combine(x, y) })
	switch {
	case t == 0:
	case l == 0:
		before = start
	default:
		before = k.Op.Combine(start, before)
	}
	for j := range ByEach {
		if base+j >= n {
			break
		}
		v := k.Op.Map(k.X[base+j])
		if t > 0 || l > 0 || j > 0 {
			v = k.Op.Combine(before, v)
		}
		if k.Inclusive {
			k.Out[base+j] = v
		} else {
			k.Out[base+j] = before
		}
		before = v
	}
}

// scan() sets tile[i] to the combination of the values v of the work-items 0 to i. scan() returns
// the combination of all work-items' values.
func (k By[T, A, O]) scan(it dsl.NDItem1, tile *[Size]A, v A) A {
	l := it.LocalID()
	it.Barrier()
	tile[l] = v
	for d := 1; d < Size; d *= 2 {
		it.Barrier()
		x := v
		if l >= d {
			x = tile[l-d]
		}
		it.Barrier()
		if l >= d {
			v = k.Op.Combine(x, v)
			tile[l] = v
		}
	}
	it.Barrier()
	return tile[Size-1]
}

// Add is the operation that adds numbers.
type Add[T float32 | float64] struct{}

// Map returns x.
func (Add[T]) Map(x T) T { return x }

// Combine returns x + y.
func (Add[T]) Combine(x, y T) T { return x + y }

// Identity returns 0.
func (Add[T]) Identity() T { return 0 }

// AddFloat32 adds up float32s in the order of By.
type AddFloat32 = By[float32, float32, Add[float32]]
