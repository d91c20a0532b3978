package abi

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Reach describes the elements of a slice that a work-item uses. The constants of type Reach are in
// ascending order. If a Reach is correct for a slice, every larger Reach is correct, too.
type Reach uint8

const (
	// ReachNone means that the kernel does not use the slice.
	ReachNone Reach = iota
	// ReachOwn means that a work-item uses only elements that belong to the work-item, as
	// Footprint.PerItem describes.
	ReachOwn
	// ReachGroup means that a work-item uses only elements that belong to work-items of its work-group.
	ReachGroup
	// ReachAny means that a work-item may use any element. ReachAny is correct for all kernels.
	ReachAny
)

// String returns the reach's name.
func (r Reach) String() string { return [...]string{"None", "Own", "Group", "Any"}[r] }

// Footprint is a fact that kgen has proved about a parameter that is a slice. A Footprint describes
// the elements that a kernel uses through the parameter. A launch may pass the same memory to two
// parameters of a kernel. The Footprint of one parameter says nothing about uses of the same memory
// through another parameter.
type Footprint struct {
	Reach  Reach
	Atomic bool // whether an access to the slice is atomic, in which case Reach is ReachAny

	// With ReachOwn, the work-item with the linear id lin uses only the elements from PerItem*lin
	// to PerItem*lin + PerItem-1, where
	//
	//	lin = x + nx*(y + ny*z)
	//
	// x, y and z are the work-item's global id, and nx, ny, nz are the sizes of the launch's range.
	// With ReachOwn, two work-items never use the same element. The formula for ReachOwn also
	// defines the elements of a work-group. With ReachGroup, a work-item uses only the elements of
	// its work-group. In a launch of one dimension, work-group number g of size n has the ids from
	// n*g to n*g + n-1. The size n of a work-group comes from the nd-range or from the property
	// WorkGroupSize. The last work-group of the launch may also contain ids beyond the launch's
	// range.
	//
	// The Footprint holds for launches that meet the conditions Strides and Most (see Holds). With
	// ReachGroup, the size of work-groups along x must also be divisible by Multiple. For the index
	// x^1, for example, Multiple is 2.
	PerItem  int64
	Multiple int64    // number that must divide the work-group size along x; 0 means 1
	Most     int64    // largest number of work-items for which no index wraps around; 0 means that indices only need to fit in an int64
	Strides  []Stride // conditions for launches, in the order of their Dim
}

// Stride is a condition for ReachOwn and ReachGroup that depends on the launch. If the kernel multiplies a coordinate
// of the work-item by a factor, the factor must equal a size of the range. For example, the index y*k.W + x is x + nx*y
// if k.W is nx.
type Stride struct {
	Dim int // dimension of the range: 0 is x, which varies fastest
	// Offset and Size identify an integer in the launch block. The integer in the launch block must
	// be equal to the range's size in the dimension Dim. If Offset is 0, Const must be equal to the
	// range's size in the dimension Dim. Offset is the integer's offset in a launch block that
	// contains all arguments (see Kernel.Spilled).
	Offset, Size int
	Const        int64
}

// String returns the text of the condition, such as "range.y = 64".
func (s Stride) String() string {
	if s.Offset == 0 {
		return fmt.Sprintf("range.%c = %d", "xyz"[s.Dim], s.Const)
	}
	return fmt.Sprintf("range.%c = arg%d@%d", "xyz"[s.Dim], 8*s.Size, s.Offset)
}

// Bound returns Most. If Most is 0, Bound returns the largest number of work-items for which all
// element indices fit in an int64.
func (f *Footprint) Bound() int64 {
	if f.Most == 0 {
		return math.MaxInt64 / max(f.PerItem, 1)
	}
	return f.Most
}

// HoldsInGroups reports whether the footprint holds in a launch with the given launch block.
// localSize is the size of work-groups along x.
func (f *Footprint) HoldsInGroups(launchBlock []byte, localSize int) bool {
	switch f.Reach {
	case ReachOwn:
		return f.Holds(launchBlock)
	case ReachGroup:
		return int64(localSize)%max(f.Multiple, 1) == 0 && f.Holds(launchBlock)
	}
	return false
}

// Holds reports whether a launch with the given launch block meets the conditions Strides and Most.
// launchBlock must contain the arguments, even if launches of the kernel spill the arguments.
func (f *Footprint) Holds(launchBlock []byte) bool {
	le, items, most := binary.LittleEndian, uint64(1), uint64(f.Bound())
	extent := func(d int) uint64 { return uint64(le.Uint32(launchBlock[OffsetRange+4*d:])) }
	for d := range 3 {
		n := extent(d)
		if n != 0 && items > most/n {
			return false
		}
		items *= n
	}
	return !slices.ContainsFunc(f.Strides, func(s Stride) bool {
		n := uint64(s.Const)
		switch {
		case s.Offset == 0:
		case s.Size == 4:
			n = uint64(le.Uint32(launchBlock[s.Offset:]))
		default:
			n = le.Uint64(launchBlock[s.Offset:])
		}
		return n != extent(s.Dim)
	})
}
