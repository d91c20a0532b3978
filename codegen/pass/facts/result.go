package facts

// Result is returned by pass.Run in addition to the module. It is in this package, and not beside
// the list of passes, because the bounds of small launches add to it.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Result holds facts about a module that are not in the module itself.
type Result struct {
	// Products are the products of sizes that a module for small launches assumes to be small, in
	// the form of abi.Variant.Products.
	Products [][]int
	// Foreign is set if a variant has a fault that the first module lacks. Such a variant must not
	// be used.
	Foreign bool
	// Tiles are the loads and stores of matrices in a module for devices with their own matrices.
	Tiles []Tile
}

// Tile says how a device's own matrix is loaded or stored.
type Tile struct {
	Op  *ir.Value // the original load or store
	Way TileWay
}

// TileWay is a way to load or store a matrix.
type TileWay uint8

const (
	// TileDirect is for memory that is known to have the alignment that devices require.
	TileDirect TileWay = iota
	// TileTested is for memory whose alignment is tested at run time: the access is direct or
	// staged.
	TileTested
	// TileStaged is for memory from which no device loads matrices: elements go through work-group
	// memory.
	TileStaged
)

// Tile records how a matrix is loaded or stored. A nil receiver ignores the call.
func (r *Result) Tile(op *ir.Value, way TileWay) {
	if r != nil {
		r.Tiles = append(r.Tiles, Tile{op, way})
	}
}

// assume records that a product of sizes is assumed to be small. A nil receiver ignores the call.
func (r *Result) assume(factors ...int) {
	if r != nil && !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, factors) }) {
		r.Products = append(r.Products, slices.Clone(factors))
	}
}
