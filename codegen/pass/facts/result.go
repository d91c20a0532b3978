package facts

// This file defines Result, which pass.Run returns in addition to the module. Result is not in
// package pass, because the analysis in small.go adds to Result.Products.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Result holds facts about a module that are not in the module itself.
type Result struct {
	// Products are the products of sizes that a module for small launches assumes to be small. Each
	// product is represented as in abi.Variant.Products.
	Products [][]int
	// Foreign is set if a variant of a kernel has a fault that the kernel's first module does not
	// have. A variant with a foreign fault must not be used.
	Foreign bool
	// Tiles lists the loads and stores of matrices in a module for devices with matrix hardware.
	Tiles []Tile
}

// Tile describes how a matrix is loaded or stored by matrix hardware.
type Tile struct {
	Op  *ir.Value // the original load or store
	Way TileWay
}

// TileWay tells how matrix hardware loads or stores a matrix.
type TileWay uint8

const (
	// TileDirect means that the memory is known to have the alignment that matrix hardware
	// requires.
	TileDirect TileWay = iota
	// TileTested means that the alignment of the memory is tested at run time. If the alignment is
	// sufficient, matrix hardware accesses the memory directly. If the alignment is not sufficient,
	// the elements are copied as for TileStaged.
	TileTested
	// TileStaged means that matrix hardware cannot access the memory directly, so the elements are
	// copied through work-group memory.
	TileStaged
)

// Tile records how the load or store `op` accesses its matrix. If r is nil, Tile does nothing.
func (r *Result) Tile(op *ir.Value, way TileWay) {
	if r != nil {
		r.Tiles = append(r.Tiles, Tile{op, way})
	}
}

// assumeSmallProduct records that the product of the given sizes is assumed to be small. If r is
// nil, assumeSmallProduct does nothing.
func (r *Result) assumeSmallProduct(factors ...int) {
	if r != nil && !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, factors) }) {
		r.Products = append(r.Products, slices.Clone(factors))
	}
}
