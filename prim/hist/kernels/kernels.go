// Package kernels contains the kernels of package hist.
//
//kgen:variants load
package kernels

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Size is the number of work-items in a work-group. Tile is the smallest number of elements that
// justifies a work-group. No result depends on these sizes.
const (
	Size = 256
	Tile = Size * 16
)

// Width is the size of an element in bytes, for elements of at most 32 bits.
var Width = dsl.NewSpecConstant[uint32](4)

// Counters is the number of counters in a work-group's memory.
const Counters = 4096

// MaxBins is the largest number of bins of a launch.
const MaxBins = 1 << 30

// first() returns the number of elements that a launch processes. This number is n, or length[0] if length[0] is smaller.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// Bins describes the counters of a launch. A count in the result has two 32-bit words. The lower word is the first.
type Bins struct {
	N uint32 // number of bins
	// Shift is the logarithm of the number of counters per bin in work-group memory. Neighbouring
	// work-items use different counters. Shift is 32 if work-group memory is too small for the bins.
	Shift uint32
}

// add() adds n to the count of a bin in the result.
func (Bins) add(counts []uint32, bin, n uint32) {
	if i := 2 * int(bin); i+1 < len(counts) {
		if dsl.AtomicAddRelaxed(&counts[i], n) < n {
			dsl.AtomicAddRelaxed(&counts[i+1], 1)
		}
	}
}

// one() increments a counter of the given bin.
func (b Bins) one(it dsl.NDItem1, own []uint32, counts []uint32, bin uint32) {
	if b.Shift == 32 {
		b.add(counts, bin, 1)
		return
	}
	if i := int(bin<<b.Shift | uint32(it.LocalID())&(1<<b.Shift-1)); i < len(own) {
		dsl.AtomicAddRelaxed(&own[i], 1)
	}
}

// end() adds the work-group's own counters to the result.
func (b Bins) end(it dsl.NDItem1, own []uint32, counts []uint32) {
	if b.Shift == 32 {
		return
	}
	it.Barrier()
	for bin := uint32(it.LocalID()); bin < b.N; bin += Size {
		n := uint32(0)
		for j := range uint32(1) << b.Shift {
			// Work-items begin at different counters, which are in different banks.
			if i := int(bin<<b.Shift | (j+bin)&(1<<b.Shift-1)); i < len(own) {
				n += own[i]
			}
		}
		if n > 0 {
			b.add(counts, bin, n)
		}
	}
}

// elements() calls count(x) for each of the work-item's elements, converted to an unsigned number x. The slice x8 contains
// n elements. If the slice's address is a multiple of 4, x32 contains the same memory as words, else x32 is empty.
func elements(it dsl.NDItem1, x8 []uint8, x32 []uint32, n int, count func(x uint32)) {
	width := Width.Get(it)
	bits, per := 8*width, 4/width
	mask := ^uint32(0) >> (32 - bits)
	words(it, x8, x32, n, count, func(w uint32) {
		for e := range per {
			count(w >> (e * bits) & mask)
		}
	})
}

// words() calls each(w) for each word w of the work-item's elements. For an element x that is not
// in a complete word, words calls count(x) (see elements).
func words(it dsl.NDItem1, x8 []uint8, x32 []uint32, n int, count, each func(x uint32)) {
	width, r := Width.Get(it), it.GlobalRange()
	per := 4 / width
	whole := min(n/int(per), len(x32))
	for i := it.GlobalID(); i < whole; i += 4 * r {
		w0, w1, w2, w3 := x32[i], uint32(0), uint32(0), uint32(0) // four loads are in progress at the same time
		if i+r < whole {
			w1 = x32[i+r]
		}
		if i+2*r < whole {
			w2 = x32[i+2*r]
		}
		if i+3*r < whole {
			w3 = x32[i+3*r]
		}
		for j := i; j < min(i+4*r, whole); j += r {
			each(w0)
			w0, w1, w2 = w1, w2, w3
		}
	}
	for i := whole*int(per) + it.GlobalID(); i < n; i += r {
		count(element(x8, i, width))
	}
}

// element() returns an element of less than 32 bits as an unsigned number.
func element(x8 []uint8, i int, width uint32) (x uint32) {
	for b := range width {
		if at := i*int(width) + int(b); at >= 0 && at < len(x8) {
			x |= uint32(x8[at]) << (8 * b)
		}
	}
	return x
}

// length() returns the number of elements in x8 or x32, for elements of at most 32 bits.
func length(it dsl.NDItem1, x8 []uint8, x32 []uint32) int {
	if w := Width.Get(it); w < 4 {
		return len(x8) / int(w)
	}
	return len(x32)
}
