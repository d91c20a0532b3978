package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The type `number` constrains the types of elements and of sums.
type number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Sum sets each element of Out to the sum of a block of X, in the order that the documentation of
// package reduce states. S is the type of the kernel's intermediate sums, which has at least 32 bits.
type Sum[T, S number] struct {
	X      []T
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Shift  uint32  // an element of X is the result of 1<<Shift elements of the call
	Out    []T
}

// The following types instantiate the kernel for each element type. The kernels for unsigned integers also compute sums of signed integers.
type (
	SumUint8   = Sum[uint8, uint32]
	SumUint16  = Sum[uint16, uint32]
	SumUint32  = Sum[uint32, uint32]
	SumUint64  = Sum[uint64, uint64]
	SumFloat32 = Sum[float32, float32]
	SumFloat64 = Sum[float64, float64]
)

// Properties sets the work-group size and the floating-point mode FloatExact.
func (Sum[T, S]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// Kernel adds up a block.
func (k Sum[T, S]) Kernel(it dsl.NDItem1) {
	l, group := it.LocalID(), it.GroupID()
	n, base := first(len(k.X), k.Length, k.Shift), group*Block
	end := min(base+Block, n)
	var sum S
	for i := base + l; i < end; i += Size {
		sum += S(k.X[i])
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if l == 0 {
		k.Out[group] = T(sum)
	}
}

// Dot sets each element of Out to the sum of the products of a block's elements in X and Y. The
// products are added in the same order as the elements in Sum.
type Dot[T, S number] struct {
	X, Y   []T
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Out    []T
}

// These types instantiate the kernel Dot. The kernels for unsigned integers also compute products of signed integers.
type (
	DotUint8   = Dot[uint8, uint32]
	DotUint16  = Dot[uint16, uint32]
	DotUint32  = Dot[uint32, uint32]
	DotUint64  = Dot[uint64, uint64]
	DotFloat32 = Dot[float32, float32]
	DotFloat64 = Dot[float64, float64]
)

// Properties sets the work-group size and the floating-point mode FloatExact.
func (Dot[T, S]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// Kernel multiplies the elements of a block, and adds up the products.
func (k Dot[T, S]) Kernel(it dsl.NDItem1) {
	l, group := it.LocalID(), it.GroupID()
	n, base := first(min(len(k.X), len(k.Y)), k.Length, 0), group*Block
	end := min(base+Block, n)
	var sum S
	for i := base + l; i < end; i += Size {
		sum += S(S(k.X[i]) * S(k.Y[i]))
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if l == 0 {
		k.Out[group] = T(sum)
	}
}
