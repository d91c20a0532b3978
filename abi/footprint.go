package abi

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Reach says which elements of a slice a work-item uses. Reach is ordered: each larger value
// includes the smaller ones.
type Reach uint8

const (
	// ReachNone: the kernel does not use the slice.
	ReachNone Reach = iota
	// ReachOwn: a work-item uses elements that are its own; see Footprint.PerItem.
	ReachOwn
	// ReachGroup: a work-item uses its own elements and those of others of its work-group.
	ReachGroup
	// ReachAny: nothing is known. That is always a right answer.
	ReachAny
)

// String returns the reach's name.
func (r Reach) String() string { return [...]string{"None", "Own", "Group", "Any"}[r] }

// Footprint is what kgen has proved of the elements that a kernel uses through a parameter that is
// a slice. Two parameters of a launch may be given the same memory: the footprint is of what is
// used through this one.
type Footprint struct {
	Reach  Reach
	Atomic bool // some access is atomic; then Reach is ReachAny

	// With ReachOwn, the work-item with the linear id lin uses no elements but those from
	// PerItem*lin to PerItem*lin + PerItem-1, where
	//
	//	lin = x + nx*(y + ny*z)
	//
	// x, y and z are its global id, and nx, ny, nz the launch's range. So no two work-items
	// use the same element. With ReachGroup, it uses no elements but those that belong so to the
	// work-items of its work-group. In a launch of one dimension, a work-group of n is the ids from
	// n*g to n*g + n-1, whether the nd-range or the property WorkGroupSize says n; ids beyond the
	// range count.
	//
	// All that holds for launches that meet Strides and Most, see Holds, and with ReachGroup for
	// work-groups with a size along x that is a multiple of Multiple, such as 2 of the index x^1.
	PerItem  int64
	Multiple int64    // 0 is 1
	Most     int64    // the launch has at most that many work-items: with more an index may wrap; 0 is all whose indices are int64s
	Strides  []Stride // in order of their Dim
}

// Stride is a condition of ReachOwn and ReachGroup, which is up to the launch: what a kernel
// multiplies a coordinate by has to be the size of the range. The index y*k.W + x is x + nx*y if k.W
// is nx.
type Stride struct {
	Dim int // of the range: 0 is x, the fastest
	// Offset and Size say which integer of the launch block has to be the range's extent of
	// Dim. An Offset of 0 stands for Const. Arguments are where they are without spilling.
	Offset, Size int
	Const        int64
}

// String prints the condition.
func (s Stride) String() string {
	if s.Offset == 0 {
		return fmt.Sprintf("range.%c = %d", "xyz"[s.Dim], s.Const)
	}
	return fmt.Sprintf("range.%c = arg%d@%d", "xyz"[s.Dim], 8*s.Size, s.Offset)
}

// Bound returns Most, or what 0 stands for.
func (f *Footprint) Bound() int64 {
	if f.Most == 0 {
		return math.MaxInt64 / max(f.PerItem, 1)
	}
	return f.Most
}

// HoldsInGroups reports whether ReachOwn or ReachGroup holds in a launch with this launch block, in
// work-groups of a size along x.
func (f *Footprint) HoldsInGroups(block []byte, size int) bool {
	switch f.Reach {
	case ReachOwn:
		return f.Holds(block)
	case ReachGroup:
		return int64(size)%max(f.Multiple, 1) == 0 && f.Holds(block)
	}
	return false
}

// Holds reports whether Strides and Most are met in a launch with this launch block,
// which has the arguments even if the kernel's are spilled.
func (f *Footprint) Holds(block []byte) bool {
	le, items, most := binary.LittleEndian, uint64(1), uint64(f.Bound())
	extent := func(d int) uint64 { return uint64(le.Uint32(block[OffsetRange+4*d:])) }
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
			n = uint64(le.Uint32(block[s.Offset:]))
		default:
			n = le.Uint64(block[s.Offset:])
		}
		return n != extent(s.Dim)
	})
}
