// Package prefix adds up the elements before each element of a slice.
//
//kgen:bare nospare views
package prefix

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Sizes of a work-group, and of the block of elements that it scans.
const (
	Size  = 256
	Each  = 17 // elements of a work-item; odd, so that neighbours use different banks of local memory
	Block = Size * Each
)

// Sums sets Totals to the sums of X's blocks.
type Sums struct {
	X      []uint32
	Totals []uint32
}

// Properties states the work-group's size.
func (Sums) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel adds up a block.
func (k Sums) Kernel(it dsl.NDItem1) {
	l, base := it.LocalID(), it.GroupID()*Block
	sum := uint32(0)
	for i := base + l; i < min(base+Block, len(k.X)); i += Size {
		sum += k.X[i]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if l == 0 {
		k.Totals[it.GroupID()] = sum
	}
}

// Blocks replaces each element of X by the sum of those before it in its block, and of what
// Before has for the block.
type Blocks struct {
	X      []uint32
	Before []uint32
}

// Properties states the work-group's size.
func (Blocks) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel scans a block by way of local memory, so that neighbouring work-items read
// and write neighbouring elements, though each adds up Each in a row.
func (k Blocks) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Block]uint32](it)
	l, base := it.LocalID(), it.GroupID()*Block
	part := k.X[base:min(base+Block, len(k.X))]
	var x [Each]uint32 // kgen writes out loops over small arrays: all loads are under way at once
	for j := range Each {
		if p := j*Size + l; p < len(part) {
			x[j] = part[p]
		}
	}
	for j := range Each {
		tile[j*Size+l] = x[j]
	}
	it.Barrier()
	sum := uint32(0)
	for j := range Each {
		x[j] = tile[l*Each+j]
		sum += x[j]
	}
	before := k.Before[it.GroupID()] + dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	for j := range Each {
		tile[l*Each+j] = before
		before += x[j]
	}
	it.Barrier()
	for j := range Each {
		if p := j*Size + l; p < len(part) {
			part[p] = tile[p]
		}
	}
}
