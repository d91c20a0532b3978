// Package footprint has kernels as people write them, for the report on which elements of
// each slice a work-item uses.
package footprint

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
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
