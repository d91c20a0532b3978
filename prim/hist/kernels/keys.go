package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Keys counts elements of up to 32 bits that are the numbers of their bins.
type Keys struct {
	X8     []uint8
	X16    []uint16
	X32    []uint32
	Width  uint32  // the bytes of an element
	Length []int64 // the number of elements of the call, or nothing
	Bins   Bins
	Counts []uint32
}

// Properties states the work-group's size.
func (Keys) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts the elements of some tiles.
func (k Keys) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	n := first(length(k.X8, k.X16, k.X32, k.Width), k.Length)
	for base := it.GroupID() * Tile; base < n; base += it.GroupRange() * Tile {
		var x [Each]uint32
		set := load(it, k.X8, k.X16, k.X32, k.Width, base, n, &x)
		for j := range Each {
			if x[j] < k.Bins.N && set>>j&1 != 0 {
				k.Bins.one(it, own[:], k.Counts, x[j])
			}
		}
	}
	k.Bins.end(it, own[:], k.Counts)
}
