// Package division contains kernels for the tests of beamkgen.
package division

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Divide computes Out = A/X for each element. A work-item panics if its element of X is zero.
type Divide struct {
	A      int32
	X, Out []int32
}

// Kernel computes one element.
func (k Divide) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A / k.X[i]
}

// Halve divides float64 numbers by two, and requires a device with float64.
type Halve struct{ X []float64 }

// Kernel computes one element.
func (k Halve) Kernel(it dsl.Item1) { k.X[it.GlobalID()] /= 2 }
