package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Keys counts elements of up to 32 bits that are the numbers of their bins.
type Keys struct {
	X8     []uint8  // the elements' bytes, if they have less than 32 bits
	X32    []uint32 // their words, if they begin at one
	Length []int64  // the number of elements of the call, or nothing
	Bins   Bins
	Counts []uint32
}

// Properties states the work-group's size.
func (Keys) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts. The launch's work-items share out the elements.
func (k Keys) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	elements(it, k.X8, k.X32, first(length(it, k.X8, k.X32), k.Length), func(x uint32) {
		if x < k.Bins.N {
			k.Bins.one(it, own[:], k.Counts, x)
		}
	})
	k.Bins.end(it, own[:], k.Counts)
}
