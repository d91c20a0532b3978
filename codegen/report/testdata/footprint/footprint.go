// Package footprint has kernels as people write them, for the report on which elements of
// each slice a work-item uses.
package footprint

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Scale uses an element of each slice per work-item, and does not use Spare.
type Scale struct{ In, Out, Spare []float32 }

func (k Scale) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i < len(k.Out) {
		k.Out[i] += 2 * k.In[i]
	}
}

// Mirror reads what is another work-item's.
type Mirror struct{ In, Out []int32 }

func (k Mirror) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[len(k.In)-1-i]
}

// Pairs uses two elements per work-item.
type Pairs struct{ In, Out []int32 }

func (k Pairs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[2*i], k.Out[2*i+1] = k.In[2*i+1], k.In[2*i+2]
}

// Quads uses four in a loop, in three ways.
type Quads struct{ A, B, C []int32 }

func (k Quads) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	b := k.B[4*i : 4*i+4]
	c := (*[4]int32)(k.C[4*i:])
	for j := range 4 {
		k.A[4*i+j] = b[j]
		c[j] = b[3-j]
	}
}

// Columns sums a column, and each work-item a part of all.
type Columns struct {
	W       int
	In, Out []int32
}

func (k Columns) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	for y := range len(k.In) / max(k.W, 1) {
		k.Out[x] += k.In[y*k.W+x]
	}
}

// Plane has rows of W.
type Plane struct {
	W       int
	In, Out []int32
}

func (k Plane) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	k.Out[y*k.W+x] = k.In[y*k.W+x] + k.In[y*(k.W+1)+x]
}

// Plane32 computes its index in 32 bits.
type Plane32 struct {
	W       int32
	In, Out []int32
}

func (k Plane32) Kernel(it dsl.Item2) {
	gy, gx := it.GlobalID()
	y, x := int32(gy), int32(gx)
	k.Out[y*k.W+x] = k.In[uint32(y*k.W+x)]
}

// Volume has planes of H rows of W.
type Volume struct {
	W, H    int
	In, Out []int32
}

func (k Volume) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	k.Out[(z*k.H+y)*k.W+x] = k.In[z*k.W*k.H+y*k.W+x]
}

// Tile has rows of 8, in work-groups.
type Tile struct{ In, Out []int32 }

func (k Tile) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	k.Out[y*8+x] = k.In[x*8+y]
}

// Grid has rows as long as the range, and takes its indices apart.
type Grid struct{ In, Out []int32 }

func (k Grid) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	i := y*w + x
	k.Out[i] = k.In[i/16*16+i%16]
}

// Apart makes rows of a range of one dimension.
type Apart struct {
	W       int
	In, Out []int32
}

func (k Apart) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	y, x := i/k.W, i%k.W
	k.Out[y*k.W+x] = k.In[x*k.W+y]
}

// Count counts in atomics.
type Count struct {
	In    []int32
	Bins  []int32
	Every []int32
}

func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	atomic.AddInt32(&k.Bins[k.In[i]&7], 1)
	atomic.AddInt32(&k.Every[i], 1)
}

// Choose writes to one of two slices.
type Choose struct{ In, A, B []int32 }

func (k Choose) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := k.A
	if k.In[i] > 0 {
		s = k.B
	}
	s[i] = 1
}

// Either divides its slice in two ways.
type Either struct{ Out []int32 }

func (k Either) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i%3 == 0 {
		k.Out[i] = 1
	} else {
		k.Out[i*2+1] = 2
	}
}

// Points has elements that are structs and arrays.
type Points struct {
	P   []struct{ X, Y float32 }
	Out [][3]float32
}

func (k Points) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	p := &k.P[i]
	p.X, p.Y = p.Y, p.X
	for j := range k.Out[i] {
		k.Out[i][j] = p.X
	}
}

// Swap uses the element of a neighbour, and of one in eight.
type Swap struct{ A, B, C, Out []int32 }

func (k Swap) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A[i^1] + k.B[i|7] + k.C[i/12*12+(i+5)%12] + k.C[i/12*12+11-i%12]
}

// Rotate uses elements of its work-group, of any size.
type Rotate struct{ A, B, C, Out []int32 }

func (k Rotate) Kernel(it dsl.NDItem1) {
	l, size := it.LocalID(), it.LocalRange()
	first := it.GroupID() * size
	sum := k.A[first+size-1-l] + k.B[first+(l+1)%size]
	for j := range size {
		sum += k.C[first+j]
	}
	k.Out[first+l] = sum
}

// Outside goes just beyond it.
type Outside struct{ A, B, C, D, Out []int32 }

func (k Outside) Kernel(it dsl.NDItem1) {
	l, size := it.LocalID(), it.LocalRange()
	first := it.GroupID() * size
	k.Out[it.GlobalID()] = k.A[first+size-l] + k.B[first+(l+1)%(size+1)] + k.C[first+l+1] + k.D[it.GroupID()]
}

// Strided uses four elements for each work-item of its group, next to those of its neighbours.
type Strided struct{ In, Out []int32 }

func (k Strided) Kernel(it dsl.NDItem1) {
	l, size := it.LocalID(), it.LocalRange()
	part := k.In[4*it.GroupID()*size:]
	for j := range 4 {
		k.Out[4*it.GroupID()*size+j*size+l] = part[j*size+l]
	}
}

// Turn mirrors tiles of a matrix with rows of W, by groups of any size.
type Turn struct {
	W       int
	In, Out []int32
}

func (k Turn) Kernel(it dsl.NDItem2) {
	y, x := it.LocalID()
	h, w := it.LocalRange()
	gy, gx := it.GroupID()
	k.Out[(gy*h+y)*k.W+gx*w+w-1-x] = k.In[(gy*h+h-1-y)*k.W+gx*w+x]
}

// Tiles transposes tiles of a matrix with rows of W.
type Tiles struct {
	W       int
	In, Out []int32
}

func (Tiles) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8, 8)}
}

func (k Tiles) Kernel(it dsl.NDItem2) {
	y, x := it.LocalID()
	gy, gx := it.GroupID()
	k.Out[(gy*8+y)*k.W+gx*8+x] = k.In[(gy*8+x)*k.W+gx*8+y]
}
