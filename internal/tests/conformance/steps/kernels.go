// Package steps contains kernels that tests use as nodes of graphs.
//
//kgen:bare views noform
package steps

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Sum adds two slices.
type Sum struct{ X, Y, Out []int32 }

// Kernel adds the elements at the work-item's index.
func (k Sum) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] + k.Y[i]
}

// Product multiplies two slices.
type Product struct{ X, Y, Out []int32 }

// Kernel multiplies the elements at the work-item's index.
func (k Product) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] * k.Y[i]
}

// Affine computes A*x + B.
type Affine struct {
	A, B    int32
	In, Out []int32
}

// Kernel computes one element.
func (k Affine) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A*k.In[i] + k.B
}

// Mirror reverses a slice.
type Mirror struct{ In, Out []int32 }

// Kernel copies one element to its mirrored index.
func (k Mirror) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[len(k.In)-1-i]
}

// Grow adds By to each element.
type Grow struct {
	By  int32
	Out []int32
}

// Kernel adds By to one element.
func (k Grow) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] += k.By }

// Blur averages the neighbours of each element in two dimensions.
type Blur struct {
	W       int
	In, Out []int32
}

// Kernel computes one element.
func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h := len(k.In) / k.W
	if x == 0 || y == 0 || x == k.W-1 || y == h-1 {
		k.Out[y*k.W+x] = k.In[y*k.W+x]
		return
	}
	at := y*k.W + x
	k.Out[at] = (k.In[at-1] + k.In[at+1] + k.In[at-k.W] + k.In[at+k.W]) / 4
}
