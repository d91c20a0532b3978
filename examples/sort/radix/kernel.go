// Package radix sorts keys by four bits at a time.
package radix

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A pass sorts by one digit. Size is the number of work-items in a work-group, and
// of keys that it sorts.
const (
	Size   = 256
	Bits   = 4
	Digits = 1 << Bits
)

// Count counts the digits of each block of Size keys: those with digit d in block
// b are Counts[d*blocks + b].
type Count struct {
	Shift  int // of the digit
	Keys   []uint32
	Counts []uint32
}

// Properties states the work-group's size.
func (Count) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts in local memory.
func (k Count) Kernel(it dsl.NDItem1) {
	counts := dsl.Local[[Digits]atomic.Uint32](it)
	if i := it.GlobalID(); i < len(k.Keys) {
		counts[k.Keys[i]>>uint(k.Shift)%Digits].Add(1)
	}
	it.Barrier()
	if l := it.LocalID(); l < Digits {
		k.Counts[l*it.GroupRange()+it.GroupID()] = counts[l].Load()
	}
}

// Scatter puts each key where it belongs by its digit, and keys with one digit in
// the order in which they were. Starts has the sums of what Count has counted
// before each place.
type Scatter struct {
	Shift  int
	Keys   []uint32
	Starts []uint32
	Out    []uint32
}

// Properties states the work-group's size.
func (Scatter) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel sorts a block in local memory, bit by bit, and then writes runs of keys
// with one digit.
func (k Scatter) Kernel(it dsl.NDItem1) {
	keys := dsl.Local[[Size]uint32](it)
	first := dsl.Local[[Digits]int32](it) // where each digit begins in the block
	l, g := it.LocalID(), it.Group()
	key := ^uint32(0) // what is past the end stays there
	if i := it.GlobalID(); i < len(k.Keys) {
		key = k.Keys[i]
	}
	for bit := range Bits {
		one := int32(key >> uint(k.Shift+bit) & 1)
		before := dsl.ExclusiveScanOverGroup(g, 1-one, dsl.Plus)
		zeros := dsl.GroupBroadcast(g, before+1-one, Size-1)
		at := before
		if one == 1 {
			at = zeros + int32(l) - before
		}
		keys[at] = key
		it.Barrier()
		key = keys[l]
		it.Barrier()
	}
	digit := key >> uint(k.Shift) % Digits
	if l == 0 || keys[l-1]>>uint(k.Shift)%Digits != digit {
		first[digit] = int32(l)
	}
	it.Barrier()
	if it.GroupID()*Size+l < len(k.Keys) {
		start := k.Starts[int(digit)*it.GroupRange()+it.GroupID()]
		k.Out[int32(start)+int32(l)-first[digit]] = key
	}
}
