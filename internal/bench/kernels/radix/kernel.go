// Package radix sorts keys by eight bits at a time.
//
//kgen:bare nospare views
package radix

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// A pass sorts by one digit. A work-group of Size work-items sorts one part of the keys, block by
// block.
const (
	Size   = 256
	Each   = 17 // keys per work-item; odd, so that neighbours use different banks of local memory
	Block  = Size * Each
	Part   = 4 * Block
	Bits   = 8
	Digits = 1 << Bits
)

// Count counts the digits of each part. Counts[d*parts + p] is the number of keys in part p with digit d.
type Count struct {
	Shift  int // position of the digit's lowest bit
	Keys   []uint32
	Counts []uint32
}

// Constant `ahead` is the number of loads of keys that are in flight at once.
const ahead = 4

// Properties sets the work-group's size.
func (Count) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts the digits in work-group memory first.
func (k Count) Kernel(it dsl.NDItem1) {
	counts := dsl.Local[[Digits]atomic.Uint32](it)
	l, base := it.LocalID(), it.GroupID()*Part
	for block := base; block < min(base+Part, len(k.Keys)); block += ahead * Size {
		var key [ahead]uint32
		for j := range key {
			if i := block + j*Size + l; i < len(k.Keys) {
				key[j] = k.Keys[i]
			}
		}
		for j := range key {
			if block+j*Size+l < len(k.Keys) {
				counts[key[j]>>uint(k.Shift)%Digits].Add(1)
			}
		}
	}
	it.Barrier()
	for d := l; d < Digits; d += Size {
		k.Counts[d*it.GroupRange()+it.GroupID()] = counts[d].Load()
	}
}

// Scatter sorts the keys by one digit. Keys with equal digits keep their
// order. Starts contains the exclusive prefix sums of the numbers that kernel
// Count stores.
type Scatter struct {
	Shift  int
	Keys   []uint32
	Starts []uint32
	Out    []uint32
}

// Properties sets the work-group's size.
func (Scatter) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel sorts each block in local memory, and then writes runs of keys with equal digits. kgen unrolls the loops
// over arrays of Each keys, so that the keys are in registers.
func (k Scatter) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Block]uint32](it)
	run := dsl.Local[[Digits]uint32](it)       // for each digit, a key's index in Out minus its index in the block
	begin := dsl.Local[[Digits + 1]uint32](it) // index of the first key with each digit in the block
	l, shift := uint32(it.LocalID()), uint(k.Shift)
	first := uint32(it.GroupID()) * Part

	var next uint32 // index in Out of the next key with digit l
	if i := int(l)*it.GroupRange() + it.GroupID(); i < len(k.Starts) {
		next = k.Starts[i]
	}
	for base := first; base < min(first+Part, uint32(len(k.Keys))); base += Block {
		var key [Each]uint32
		for j := range uint32(Each) {
			key[j] = ^uint32(0) // keys past the end stay at the end
			if i := base + j*Size + l; int(i) < len(k.Keys) {
				key[j] = k.Keys[i]
			}
		}
		for j := range uint32(Each) {
			tile[j*Size+l] = key[j]
		}
		for half := range uint(2) {
			sortBlock(it, tile, shift+half*halfBits)
		}
		at := uint32(0) // number of keys with smaller digits than l
		for step := uint32(1 << 12); step > 0; step /= 2 {
			if at+step <= Block && tile[at+step-1]>>shift%Digits < l {
				at += step
			}
		}
		begin[l], run[l] = at, next-at
		if l == 0 {
			begin[Digits] = Block
		}
		it.Barrier()
		next += begin[l+1] - at
		for p := l; p < Block; p += Size {
			if to := run[tile[p]>>shift%Digits] + p; int(base+p) < len(k.Keys) && int(to) < len(k.Out) {
				k.Out[to] = tile[p]
			}
		}
		it.Barrier()
	}
}

// sortBlock sorts by four bits, half of a digit. Each row of counters belongs to one value of the four
// bits, and has one column per work-item. Every 33rd column is unused, so that neighbours use different banks.
const (
	halfBits = 4
	halves   = 1 << halfBits
	row      = Size + Size/32
)

// sortBlock sorts the keys in `tile` by four bits, half of a digit. During the count, registers hold
// the keys, and `tile` holds the counters. Each work-item counts its own keys. One scan of all
// counters, ordered by digit and then by work-item, gives the new index of each key.
func sortBlock(it dsl.NDItem1, tile *[Block]uint32, shift uint) {
	l := it.LocalID()
	column := l + l/32
	var key, place [Each]uint32
	it.Barrier()
	for j := range Each {
		key[j] = tile[l*Each+j]
	}
	it.Barrier()
	for d := range halves {
		tile[d*row+column] = 0
	}
	for j := range Each {
		c := int(key[j]>>shift%halves)*row + column
		place[j] = tile[c]
		tile[c] = place[j] + 1
	}
	it.Barrier()
	var count [halves]uint32
	sum := uint32(0)
	for d := range halves {
		i := l*halves + d
		count[d] = tile[i+i/32]
		sum += count[d]
	}
	before := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	for d := range halves {
		i := l*halves + d
		tile[i+i/32] = before
		before += count[d]
	}
	it.Barrier()
	for j := range Each {
		place[j] += tile[int(key[j]>>shift%halves)*row+column]
	}
	it.Barrier()
	for j := range Each {
		tile[place[j]%Block] = key[j]
	}
	it.Barrier()
}
