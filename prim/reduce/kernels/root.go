package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The kernel Root sets the only element of Out to the square root of the only element of X.
type Root[T float32 | float64] struct {
	X   []T
	Out []T
}

// These types instantiate the kernel Root for both types.
type (
	RootFloat32 = Root[float32]
	RootFloat64 = Root[float64]
)

// Properties sets the floating-point mode FloatExact.
func (Root[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes a square root.
func (k Root[T]) Kernel(it dsl.Item1) {
	k.Out[it.GlobalID()] = T(math.Sqrt(float64(k.X[it.GlobalID()])))
}
