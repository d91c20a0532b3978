package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// For each part of X, Count counts the elements x for which x&Mask is not 0. Each work-group writes one count to Out.
type Count[T bits] struct {
	X      []T
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Part   int     // number of elements of a work-group's part, a multiple of Size
	Mask   T
	Out    []int64
}

// These types instantiate the kernel Count for elements of each size.
type (
	Count8  = Count[uint8]
	Count16 = Count[uint16]
	Count32 = Count[uint32]
	Count64 = Count[uint64]
)

// Properties sets the work-group size.
func (Count[T]) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts elements in the work-group's part.
func (k Count[T]) Kernel(it dsl.NDItem1) {
	base := it.GroupID() * k.Part
	end := min(base+k.Part, first(len(k.X), k.Length, 0))
	n := uint32(0)
	for i := base + it.LocalID(); i < end; i += Size {
		if k.X[i]&k.Mask != 0 {
			n++
		}
	}
	all := dsl.ReduceOverGroup(it.Group(), int64(n), dsl.Plus)
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = all
	}
}

// CountEnd adds up the counts of parts. One of the outputs Count, Any and All has one element, and the other two outputs are empty.
type CountEnd struct {
	Parts    []int64
	N        int     // number of elements of the call if Length is empty
	Length   []int64 // number of elements that the call uses, or an empty slice if that number is N
	Count    []int64
	Any, All []bool
}

// Properties sets the work-group size.
func (CountEnd) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel is launched with one work-group.
func (k CountEnd) Kernel(it dsl.NDItem1) {
	n := int64(0)
	for i := it.LocalID(); i < len(k.Parts); i += Size {
		n += k.Parts[i]
	}
	n = dsl.ReduceOverGroup(it.Group(), n, dsl.Plus)
	if it.LocalID() > 0 {
		return
	}
	if len(k.Count) > 0 {
		k.Count[0] = n
	}
	if len(k.Any) > 0 {
		k.Any[0] = n > 0
	}
	if len(k.All) > 0 {
		k.All[0] = n == int64(first(k.N, k.Length, 0))
	}
}
