// Package stencil has the kernels that are compared with shaders and are not
// those of an example.
//
//kgen:bare views
package stencil

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Blur gives each pixel the mean of the nine around it; the edge is repeated.
type Blur struct {
	H, W    int
	In, Out []float32
}

func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	var sum float32
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			sum += k.In[min(max(y+dy, 0), k.H-1)*k.W+min(max(x+dx, 0), k.W-1)]
		}
	}
	k.Out[y*k.W+x] = sum * (1.0 / 9)
}

// Properties asks for work-groups of 8 by 32.
func (Blur) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8, 32)}
}

// Dot computes, for each row of A, its product with X.
type Dot struct {
	A, X, Out []float32
}

func (k Dot) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := len(k.X)
	row := k.A[i*n : i*n+n]
	var sum float32
	for j, x := range k.X {
		sum += row[j] * x
	}
	k.Out[i] = sum
}
