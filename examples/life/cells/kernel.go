// Package cells plays Conway's game of life.
package cells

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Tile is the width of the square that a work-group computes.
const Tile = 16

// Life computes the generation of cells that comes after the generation In. The world has H rows
// and W columns, and opposite edges are joined. A living cell is 1, and a dead cell is 0.
type Life struct {
	H, W    int
	In, Out []uint32
}

// Properties sets the work-group's size.
func (Life) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Tile, Tile)}
}

// Kernel copies the group's square and the cells around it to local memory. Each cell is then read
// from device memory about once, not nine times.
func (k Life) Kernel(it dsl.NDItem2) {
	const side = Tile + 2
	tile := dsl.Local[[side][side]uint32](it)
	gy, gx := it.GroupID()
	for i := it.LocalLinearID(); i < side*side; i += Tile * Tile {
		y, x := i/side, i%side
		tile[y][x] = k.In[(gy*Tile+y-1+k.H)%k.H*k.W+(gx*Tile+x-1+k.W)%k.W]
	}
	it.Barrier()
	y, x := it.GlobalID()
	if y >= k.H || x >= k.W {
		return
	}
	ly, lx := it.LocalID()
	n := uint32(0)
	for dy := range 3 {
		for dx := range 3 {
			n += tile[ly+dy][lx+dx]
		}
	}
	self := tile[ly+1][lx+1]
	alive := uint32(0)
	if n == 3 || n == 4 && self == 1 { // n includes the cell itself
		alive = 1
	}
	k.Out[y*k.W+x] = alive
}
