// Package prefix adds up the elements before each element of a slice.
package prefix

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Sizes of a work-group, and of the block of elements that it scans.
const (
	Size  = 256
	Each  = 9 // elements of a work-item; odd, so that neighbours use different banks of local memory
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
	for j := range Each {
		if i := base + j*Size + l; i < len(k.X) {
			sum += k.X[i]
		}
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
	for j := range Each {
		if i := base + j*Size + l; i < len(k.X) {
			tile[j*Size+l] = k.X[i]
		}
	}
	it.Barrier()
	sum := uint32(0)
	for j := range Each {
		sum += tile[l*Each+j]
	}
	before := k.Before[it.GroupID()] + dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	for j := range Each {
		v := tile[l*Each+j]
		tile[l*Each+j] = before
		before += v
	}
	it.Barrier()
	for j := range Each {
		if i := base + j*Size + l; i < len(k.X) {
			k.X[i] = tile[j*Size+l]
		}
	}
}
