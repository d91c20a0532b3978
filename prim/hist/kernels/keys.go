package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Keys counts elements of up to 32 bits. The value of an element is the number of its bin.
type Keys struct {
	X8     []uint8  // bytes of the elements; empty if elements have 32 bits
	X32    []uint32 // 32-bit words of the elements; empty if their address is not a multiple of 4
	Length []int64  // element count of the whole call, or empty for all elements of the slice
	Bins   Bins
	Counts []uint32
}

// Properties sets the work-group's size.
func (Keys) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts elements. The work-items of the launch divide the elements among themselves.
func (k Keys) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	count := func(x uint32) {
		if x < k.Bins.N {
			k.Bins.one(it, own[:], k.Counts, x)
		}
	}
	width := Width.Get(it)
	words(it, k.X8, k.X32, first(length(it, k.X8, k.X32), k.Length), count, func(w uint32) {
		switch width { // a loop over the elements of a word would take longer than counting them
		case 1:
			count(w & 0xff)
			count(w >> 8 & 0xff)
			count(w >> 16 & 0xff)
			count(w >> 24)
		case 2:
			count(w & 0xffff)
			count(w >> 16)
		default:
			count(w)
		}
	})
	k.Bins.end(it, own[:], k.Counts)
}
