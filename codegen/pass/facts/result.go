package facts

// Result is returned by pass.Run beside the module. It stands here, and not with the list of
// passes, because bounds of small launches add to it.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Result is what the passes find out about a module that is not in the module itself.
type Result struct {
	// Products are the products of sizes that a module for small launches takes to be small,
	// as abi.Variant has them.
	Products [][]int
	// Foreign is set where a variant has a fault that is none of the first module's: it must
	// not be used.
	Foreign bool
	// Tiles are the loads and stores of matrices of a module for a device's own ones.
	Tiles []Tile
}

// Tile says how a matrix of a device's own is loaded or stored.
type Tile struct {
	Op  *ir.Value // the load or store, as it was
	Way TileWay
}

// TileWay is a way in which matrices are loaded and stored.
type TileWay uint8

const (
	// TileDirect is for memory that is sure to be aligned as devices want it.
	TileDirect TileWay = iota
	// TileTested is for memory whose alignment a test decides on: it is direct or staged.
	TileTested
	// TileStaged is for memory that no device loads from: elements go through work-group memory.
	TileStaged
)

// Tile notes how a matrix is loaded or stored. A nil receiver discards that.
func (r *Result) Tile(op *ir.Value, way TileWay) {
	if r != nil {
		r.Tiles = append(r.Tiles, Tile{op, way})
	}
}

// assume notes that a product of sizes is taken to be small. A nil receiver discards the
// assumption, for callers that only ask.
func (r *Result) assume(factors ...int) {
	if r != nil && !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, factors) }) {
		r.Products = append(r.Products, slices.Clone(factors))
	}
}
