package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Operation reduces elements of type T to one value of type A. Combine must be associative, but
// need not commute. Combining a value with Identity must not change the value.
type Operation[T, A any] interface {
	Map(x T) A
	Combine(x, y A) A
	Identity() A
}

// Reduce sets each element of Out to the value that Op computes from a block. In the first launch of a call, the
// blocks consist of elements of X, and in later launches of elements of Parts. Callers instantiate Reduce by an alias:
//
//	type SumSquares = kernels.Reduce[float32, float32, Square]
type Reduce[T, A any, O Operation[T, A]] struct {
	Op     O
	X      []T
	Parts  []A
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Shift  uint32  // an element of Parts is the result of 1<<Shift elements of the call; Shift is 0 in the first launch
	Out    []A
}

// Square is the operation that adds up squares.
type Square[T float32 | float64] struct{}

// Map returns x*x.
func (Square[T]) Map(x T) T { return x * x }

// Combine returns x + y.
func (Square[T]) Combine(x, y T) T { return x + y }

// Identity returns 0.
func (Square[T]) Identity() T { return 0 }

// SquaresFloat32 adds up squares.
type SquaresFloat32 = Reduce[float32, float32, Square[float32]]

// Properties sets the work-group size and the floating-point mode FloatExact.
func (Reduce[T, A, O]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// Kernel reduces a block. A work-item combines the elements of one leaf. After that, adjacent pairs of leaves are combined.
func (k Reduce[T, A, O]) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Size]A](it)
	l, group := it.LocalID(), it.GroupID()
	n := 0
	if k.Shift == 0 {
		n = first(len(k.X), k.Length, 0)
	} else {
		n = first(len(k.Parts), k.Length, k.Shift)
	}
	base := group * Block
	n = min(max(n-base, 0), Block)
	leaf := base + l*Each
	v := k.Op.Identity()
	for j := range Each {
		if l*Each+j >= n {
			break
		}
		var x A
		if k.Shift == 0 {
			x = k.Op.Map(k.X[leaf+j])
		} else {
			x = k.Parts[leaf+j]
		}
		if j == 0 {
			v = x
		} else {
			v = k.Op.Combine(v, x)
		}
	}
	tile[l] = v
	leaves := (n + Each - 1) / Each
	for step := 1; step < Size; step *= 2 {
		it.Barrier()
		if l%(2*step) == 0 && l+step < leaves {
			v = k.Op.Combine(v, tile[l+step])
			tile[l] = v
		}
	}
	if l == 0 {
		k.Out[group] = v
	}
}
