// Package saxpy adds a multiple of one vector to another.
package saxpy

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// SAXPY computes Y += A*X, element by element.
type SAXPY struct {
	A    float32
	X, Y []float32
}

// Properties requires work-groups of 256.
func (SAXPY) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(256)}
}

// Kernel runs once for each element.
func (k SAXPY) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] += k.A * k.X[i]
}
