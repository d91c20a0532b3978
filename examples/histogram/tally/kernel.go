// Package tally counts the colours of pictures.
package tally

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Sizes of a work-group and of what it counts.
const (
	Size     = 256
	Channels = 3
	Levels   = 256
)

// Tally counts the levels of red, green and blue, which are the lowest bytes of
// each pixel: Bins[c*Levels + v] is the number of pixels with level v of channel c.
type Tally struct {
	Pixels []uint32
	Bins   []uint32
}

// Properties states the work-group's size.
func (Tally) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts in local memory first: there the work-items of other groups are
// not in the way.
func (k Tally) Kernel(it dsl.NDItem1) {
	bins := dsl.Local[[Channels * Levels]atomic.Uint32](it)
	for i := it.GlobalID(); i < len(k.Pixels); i += it.GlobalRange() {
		p := k.Pixels[i]
		for c := range uint32(Channels) {
			bins[c*Levels+p>>(8*c)%Levels].Add(1)
		}
	}
	it.Barrier()
	for b := it.LocalID(); b < Channels*Levels; b += Size {
		if n := bins[b].Load(); n > 0 {
			atomic.AddUint32(&k.Bins[b], n)
		}
	}
}
