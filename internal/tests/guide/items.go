// Package guide contains the kernels of the examples in the documentation of package dsl. Each kernel is as short as
// possible.
//
//kgen:bare nospare noform
package guide

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Longest finds the longest run of equal elements.
type Longest struct {
	In  []int32
	Out []int
}

// Kernel runs once.
func (k Longest) Kernel(t dsl.Task) {
	run := 0
	for i := range k.In {
		if i == 0 || k.In[i] != k.In[i-1] {
			run = 0
		}
		run++
		k.Out[0] = max(k.Out[0], run)
	}
}

// Square squares each element.
type Square struct{ X []int32 }

// Kernel squares one element.
func (k Square) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] *= k.X[i]
}

// Flip mirrors each row of a picture.
type Flip struct{ In, Out []byte }

// Kernel copies a pixel.
func (k Flip) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, width := it.GlobalRange()
	k.Out[it.GlobalLinearID()] = k.In[y*width+width-1-x]
}

// Layers computes a sum for each point. It adds up the point's value and the values in the layers below.
type Layers struct{ In, Out []int32 }

// Kernel adds up one point and all points below it.
func (k Layers) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	_, height, width := it.GlobalRange()
	for below := range z + 1 {
		k.Out[it.GlobalLinearID()] += k.In[(below*height+y)*width+x]
	}
}

// Turn reverses the elements of each work-group.
type Turn struct{ X []int32 }

// Kernel moves one element through memory that the work-group shares.
func (k Turn) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.Barrier()
	k.X[it.GlobalID()] = tile[it.LocalRange()-1-l]
}

// Tile is the size of Transpose's work-groups in both dimensions.
var Tile = dsl.NewSpecConstant(2)

// Transpose transposes a square matrix with N columns.
type Transpose struct {
	N       int
	In, Out []int32
}

// Kernel moves one element.
func (k Transpose) Kernel(it dsl.NDItem2) {
	n := Tile.Get(it)
	tile := dsl.LocalSlice[int32](it, n*n)
	y, x := it.GlobalID()
	ly, lx := it.LocalID()
	tile[ly*n+lx] = k.In[y*k.N+x]
	it.Barrier()
	gy, gx := it.GroupID()
	k.Out[(gx*n+ly)*k.N+gy*n+lx] = tile[lx*n+ly]
}

// Corner has one result for each work-item. This is the position at which its work-group starts.
type Corner struct{ Out [][3]int }

// Kernel stores the global id of the work-group's first work-item.
func (k Corner) Kernel(it dsl.NDItem3) {
	z, y, x := it.GlobalID()
	lz, ly, lx := it.LocalID()
	k.Out[it.GlobalLinearID()] = [3]int{z - lz, y - ly, x - lx}
}

// Sums adds up the elements of each work-group.
type Sums struct {
	In, Out []int32
	Scratch dsl.LocalAccessor[int32]
}

// Kernel lets the first work-item of each work-group add up the elements.
func (k Sums) Kernel(it dsl.NDItem1) {
	s := k.Scratch.Slice(it)
	s[it.LocalID()] = k.In[it.GlobalID()]
	it.Barrier()
	if it.LocalID() == 0 {
		for _, v := range s {
			k.Out[it.GroupID()] += v
		}
	}
}
