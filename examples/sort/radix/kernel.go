// Package radix sorts keys by four bits at a time.
package radix

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A pass sorts by one digit. A work-group of Size work-items sorts a block of keys.
const (
	Size   = 256
	Each   = 9 // keys of a work-item; odd, so that neighbours use different banks of local memory
	Block  = Size * Each
	Bits   = 4
	Digits = 1 << Bits
)

// Count counts the digits of each block: those with digit d in block b are Counts[d*blocks + b].
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
	l, base := it.LocalID(), it.GroupID()*Block
	for j := range Each {
		if i := base + j*Size + l; i < len(k.Keys) {
			counts[k.Keys[i]>>uint(k.Shift)%Digits].Add(1)
		}
	}
	it.Barrier()
	if l < Digits {
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

// Kernel sorts a block in local memory, bit by bit, between the halves of tile, and then
// writes runs of keys with one digit.
func (k Scatter) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[2 * Block]uint32](it)
	first := dsl.Local[[Digits]int32](it) // where each digit begins in the block
	l, g, base := it.LocalID(), it.Group(), it.GroupID()*Block
	for p := l; p < Block; p += Size {
		key := ^uint32(0) // what is past the end stays there
		if base+p < len(k.Keys) {
			key = k.Keys[base+p]
		}
		tile[p] = key
	}
	it.Barrier()
	for bit := range Bits {
		from, to, shift := bit%2*Block+l*Each, (bit+1)%2*Block, uint(k.Shift+bit)
		zeros := int32(0)
		for j := range Each {
			zeros += int32(^tile[from+j] >> shift & 1)
		}
		zero := dsl.ExclusiveScanOverGroup(g, zeros, dsl.Plus) // where the next key with a zero goes
		one := dsl.GroupBroadcast(g, zero+zeros, Size-1) + int32(l*Each) - zero
		for j := range Each {
			key := tile[from+j]
			is := int32(key >> shift & 1) // which is as good as random: no branch can be predicted
			tile[to+int(zero+is*(one-zero))] = key
			zero += 1 - is
			one += is
		}
		it.Barrier()
	}
	for p := l; p < Block; p += Size {
		digit := tile[p] >> uint(k.Shift) % Digits
		if p == 0 || tile[p-1]>>uint(k.Shift)%Digits != digit {
			first[digit] = int32(p)
		}
	}
	it.Barrier()
	for p := l; p < Block && base+p < len(k.Keys); p += Size {
		digit := tile[p] >> uint(k.Shift) % Digits
		start := k.Starts[int(digit)*it.GroupRange()+it.GroupID()]
		k.Out[int32(start)+int32(p)-first[digit]] = tile[p]
	}
}
