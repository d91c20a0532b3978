// Package kernels contains the kernels of package blas.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Float is the type of the elements and of the sums of products.
type Float interface{ float32 | float64 }

// sums adds products.
type sums[T Float] interface {
	// Add returns x*y + sum.
	Add(x, y, sum T) T
}

// Fused rounds x*y + sum once. Fused is for devices that have an instruction for fused products and sums, where math32.HasFMA is true.
type Fused struct{}

// Add returns x*y + sum.
func (Fused) Add(x, y, sum float32) float32 { return math32.FastFMA(x, y, sum) }

// Emulated computes the same as Fused on all other devices, with some 100 operations.
type Emulated struct{}

// Add returns x*y + sum.
func (Emulated) Add(x, y, sum float32) float32 { return math32.FMA(x, y, sum) }

// Rounded rounds the product, and then the sum.
type Rounded struct{}

// Add returns x*y + sum.
func (Rounded) Add(x, y, sum float64) float64 { return float64(x*y) + sum }

// scaled returns alpha*sum + beta*c[at]. If beta is 0, it does not load c[at], which may be a NaN.
func scaled[T Float, O sums[T]](alpha, sum, beta T, c []T, at int) T {
	var o O
	if beta == 0 {
		return T(alpha * sum)
	}
	return o.Add(alpha, sum, T(beta*c[at]))
}

// The function enough panics if an operand has too few elements for a launch. The last line that the launch uses begins
// at element at. Without this check, elements past the end would be loaded as zeros, and the sums would be wrong.
func enough(at, lines, stride, n, have int) {
	if lines > 0 && n > 0 && (at < 0 || at+(lines-1)*stride+n > have) {
		panic("a matrix is shorter than its numbers of rows and columns say")
	}
}

// ScaleAdd computes Y = Alpha*X + Y. ScaleAdd rounds each product and each sum.
type ScaleAdd[T Float] struct {
	X, Y  []T
	Alpha T
}

type (
	ScaleAdd32 = ScaleAdd[float32]
	ScaleAdd64 = ScaleAdd[float64]
)

// Properties states that each operation is rounded.
func (ScaleAdd[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes an element.
func (k ScaleAdd[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] += T(k.Alpha * k.X[i])
}

// Outer computes A = Alpha*X*Y' + A. Outer rounds Alpha*X, then the product, and then the sum.
// Element i, j of A is at i*StrideA + j.
type Outer[T Float] struct {
	X, Y, A []T
	StrideA int
	Alpha   T
	Swapped bool // Alpha multiplies Y instead of X
}

type (
	Outer32 = Outer[float32]
	Outer64 = Outer[float64]
)

// Properties states that each operation is rounded.
func (Outer[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes an element of A.
func (k Outer[T]) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	u, v := k.X[i], k.Y[j]
	if k.Swapped {
		u, v = v, u
	}
	k.A[i*k.StrideA+j] += T(T(k.Alpha*u) * v)
}
