// Package kernels has the kernels of package hist.
//
//kgen:variants load
package kernels

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// The sizes of a work-group and a tile, and the elements of a tile that a work-item has. No result
// depends on them.
const (
	Size = 256
	Each = 16
	Tile = Size * Each
)

// Counters is the number of counters that a work-group has of its own.
const Counters = 4096

// MaxBins is the most bins of a launch.
const MaxBins = 1 << 30

// first returns how many of n elements a launch processes: all, or less if length has a number.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// Bins says where a launch counts. A count is two words: the low ones, and the high ones.
type Bins struct {
	N uint32 // the number of bins
	// Shift is the logarithm of the number of counters that each bin has in a work-group's memory:
	// neighbours use different ones. It is 32 if the bins are too many for that memory.
	Shift uint32
}

// add counts n elements in a bin of the result.
func (Bins) add(counts []uint32, bin, n uint32) {
	if i := 2 * int(bin); i+1 < len(counts) {
		if dsl.AtomicAddRelaxed(&counts[i], n) < n {
			dsl.AtomicAddRelaxed(&counts[i+1], 1)
		}
	}
}

// one counts an element.
func (b Bins) one(it dsl.NDItem1, own []uint32, counts []uint32, bin uint32) {
	if b.Shift == 32 {
		b.add(counts, bin, 1)
		return
	}
	if i := int(bin<<b.Shift | uint32(it.LocalID())&(1<<b.Shift-1)); i < len(own) {
		dsl.AtomicAddRelaxed(&own[i], 1)
	}
}

// end adds the work-group's own counters to the result.
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

// load loads the work-item's elements of the tile that begins at base, as unsigned numbers. It
// returns a set of those that are among the n elements of the call. The elements have size bytes,
// and are in one of x8, x16 and x32. That of narrow ones is empty, or the same memory as x8 or x16.
func load(it dsl.NDItem1, x8 []uint8, x16 []uint16, x32 []uint32, size uint32, base, n int, x *[Each]uint32) (set uint32) {
	l := it.LocalID()
	switch {
	case size == 4:
		for j := range Each {
			if p := base + j*Size + l; p < n && p < len(x32) {
				x[j] = x32[p]
				set |= 1 << j
			}
		}
	case base+Tile <= n && base+Tile <= 4/int(size)*len(x32): // whole words
		set = 1<<Each - 1
		if size == 1 {
			for j := range Each / 4 {
				w := x32[base/4+j*Size+l]
				x[4*j], x[4*j+1], x[4*j+2], x[4*j+3] = w&0xff, w>>8&0xff, w>>16&0xff, w>>24
			}
		} else {
			for j := range Each / 2 {
				w := x32[base/2+j*Size+l]
				x[2*j], x[2*j+1] = w&0xffff, w>>16
			}
		}
	case size == 1:
		for j := range Each {
			if p := base + j*Size + l; p < n && p < len(x8) {
				x[j] = uint32(x8[p])
				set |= 1 << j
			}
		}
	default:
		for j := range Each {
			if p := base + j*Size + l; p < n && p < len(x16) {
				x[j] = uint32(x16[p])
				set |= 1 << j
			}
		}
	}
	return set
}

// length returns the number of elements of narrow views.
func length(x8 []uint8, x16 []uint16, x32 []uint32, size uint32) int {
	switch size {
	case 1:
		return len(x8)
	case 2:
		return len(x16)
	}
	return len(x32)
}
