// Package tally counts the colours of pictures.
//
//kgen:bare nospare views
package tally

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// These constants are the sizes of a work-group, of its counters and of its loads.
const (
	Size     = 256
	Each     = 4 // number of pixels that a work-item loads at a time
	Channels = 3
	Levels   = 256
)

// Tally counts the levels of red, green and blue, which are the lowest bytes of each pixel.
// Bins[c*Levels + v] is the number of pixels with level v of channel c.
type Tally struct {
	Pixels []uint32
	Bins   []uint32
}

// Properties sets the work-group's size.
func (Tally) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel counts the levels in work-group memory first, where atomics do not compete with other
// groups.
func (k Tally) Kernel(it dsl.NDItem1) {
	bins := dsl.Local[[Channels * Levels]atomic.Uint32](it)
	r := it.GlobalRange()
	for i := it.GlobalID(); i < len(k.Pixels); i += Each * r {
		var p [Each]uint32
		for j := range Each {
			if at := i + j*r; at < len(k.Pixels) {
				p[j] = k.Pixels[at]
			}
		}
		for j := range Each {
			if i+j*r < len(k.Pixels) {
				bins[p[j]%Levels].Add(1)
				bins[Levels+p[j]>>8%Levels].Add(1)
				bins[2*Levels+p[j]>>16%Levels].Add(1)
			}
		}
	}
	it.Barrier()
	for b := it.LocalID(); b < Channels*Levels; b += Size {
		if n := bins[b].Load(); n > 0 {
			atomic.AddUint32(&k.Bins[b], n)
		}
	}
}
