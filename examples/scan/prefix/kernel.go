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
	Each  = 4 // elements of a work-item
	Block = Size * Each
)

// Blocks replaces each element of X by the sum of those before it in its block,
// and sets Totals to the blocks' sums.
type Blocks struct {
	X      []uint32
	Totals []uint32
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
	before := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	if l == Size-1 {
		k.Totals[it.GroupID()] = before + sum
	}
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

// Add adds to each element of X what comes before its block.
type Add struct {
	X      []uint32
	Totals []uint32
}

// Kernel adds one of Totals.
func (k Add) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] += k.Totals[i/Block]
}
