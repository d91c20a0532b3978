package gravity

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The kernels in this file divide a time step into parts, for several devices. While the bodies of other devices are
// still being copied to a device, the device already computes the pull of its own bodies.

// maxBlocks is the greatest number of blocks. At the end of a launch, a part of the device is idle until the last
// work-group has ended. With many small blocks, this time is shorter.
const maxBlocks = 128

// BlockSize returns the number of bodies in a block if there are n bodies. The result is a multiple of TileSize.
func BlockSize(n int) int {
	block := (n + maxBlocks - 1) / maxBlocks
	return max(1, (block+TileSize-1)/TileSize) * TileSize
}

// Pull computes how each block of Sources accelerates each body of Bodies. The result for block b and body
// i is Sums[b*len(Bodies)+i]. The nd-range has a row for each block, and covers Bodies in work-groups of GroupSize.
type Pull struct {
	Softening       float32 // length that prevents close bodies from flinging each other away
	Block           int     // number of bodies in a block, a multiple of TileSize
	Bodies, Sources []Body
	Sums            []Vec3
}

// Properties sets the work-group's size.
func (Pull) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1, GroupSize)}
}

// Kernel adds up the pull of a block on one body.
func (k Pull) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[TileSize]Body](it)
	block, _ := it.GroupID()
	_, i := it.GlobalID()
	_, l := it.LocalID()
	sources := k.Sources[min(block*k.Block, len(k.Sources)):min((block+1)*k.Block, len(k.Sources))]

	var self Body
	if i < len(k.Bodies) {
		self = k.Bodies[i]
	}
	var acc Vec3
	for first := 0; first < len(sources); first += TileSize {
		for t := l; t < TileSize; t += GroupSize {
			var other Body // a body without mass, because elements past the end must not attract
			if j := first + t; j < len(sources) {
				other = sources[j]
			}
			tile[t] = other
		}
		it.Barrier()
		for j := range tile {
			acc = acc.Add(pull(self.Pos, tile[j], k.Softening))
		}
		it.Barrier()
	}
	if i < len(k.Bodies) {
		k.Sums[block*len(k.Bodies)+i] = acc
	}
}

// Move moves Bodies by one time step. Sums are the results of Pull, and Move adds them block by block. So the results
// have the same bits, no matter which device computed which block.
type Move struct {
	Dt       float32
	Bodies   []Body
	Velocity []Vec3
	Sums     []Vec3
}

// Kernel moves one body.
func (k Move) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), len(k.Bodies)
	var acc Vec3
	for at := i; at < len(k.Sums); at += n {
		acc = acc.Add(k.Sums[at])
	}
	v := k.Velocity[i].Add(acc.Scale(k.Dt))
	k.Velocity[i] = v
	k.Bodies[i].Pos = k.Bodies[i].Pos.Add(v.Scale(k.Dt))
}
