// Package kernels contains the kernels of package blas.
//
//kgen:variants load
package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Float is the type of the elements and of the sums of products.
type Float interface{ float32 | float64 }

// The type `sums` is the interface of types that add products to sums.
type sums[T Float] interface {
	// Add returns x*y + sum.
	Add(x, y, sum T) T
	// Needs returns the properties of kernels that use Add.
	Needs() properties.List
}

// needs64 lists float64s and 64-bit integers. So kernels of float64s need no variant without 64-bit integers.
var needs64 = properties.List{properties.DeviceHas(properties.FP64, properties.Int64)}

// Fused rounds x*y + sum once. Fused is for devices that have an instruction for this, where math32.HasFMA is true.
type Fused struct{}

// Add returns x*y + sum.
func (Fused) Add(x, y, sum float32) float32 { return math32.FastFMA(x, y, sum) }

// Needs returns the properties of kernels that use Add.
func (Fused) Needs() properties.List { return nil }

// Emulated computes the same as Fused with some 100 operations, for devices without a fused instruction.
type Emulated struct{}

// Add returns x*y + sum.
func (Emulated) Add(x, y, sum float32) float32 { return math32.FMA(x, y, sum) }

// Needs returns the properties of kernels that use Add.
func (Emulated) Needs() properties.List { return nil }

// Fused64 rounds x*y + sum once. Fused64 is for devices that have a fused instruction (see math32.HasFMA64).
type Fused64 struct{}

// Add returns x*y + sum.
func (Fused64) Add(x, y, sum float64) float64 { return math32.FastFMA64(x, y, sum) }

// Needs returns the properties of kernels that use Add.
func (Fused64) Needs() properties.List { return needs64 }

// Emulated64 computes the same as Fused64 with some 200 operations, for devices without a fused instruction.
type Emulated64 struct{}

// Add returns x*y + sum.
func (Emulated64) Add(x, y, sum float64) float64 { return math.FMA(x, y, sum) }

// Needs returns the properties of kernels that use Add.
func (Emulated64) Needs() properties.List { return needs64 }

// scaled() returns alpha*sum + beta*c[at]. If beta is 0, scaled does not load c[at], which may be a NaN.
func scaled[T Float, O sums[T]](alpha, sum, beta T, c []T, at int) T {
	var o O
	if beta == 0 {
		return T(alpha * sum)
	}
	return o.Add(alpha, sum, T(beta*c[at]))
}

// enough() panics if an operand has too few elements for a launch. The operand consists of lines of n elements. The first
// line begins at index `at`. Without enough(), elements past the end would be loaded as zeros, and sums would be wrong.
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

// Properties requires that each operation is rounded.
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
	Swapped bool // whether Alpha multiplies Y instead of X
}

type (
	Outer32 = Outer[float32]
	Outer64 = Outer[float64]
)

// Properties requires that each operation is rounded.
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

// AddPartial computes C = Alpha*sum + Beta*C, where sum is the sum of the matrices in Partial. The
// matrices in Partial have the size of C and no gaps.
type AddPartial[T Float] struct {
	Partial, C  []T
	StrideC     int
	Alpha, Beta T
}

type (
	AddPartial32 = AddPartial[float32]
	AddPartial64 = AddPartial[float64]
)

// Properties requires that each operation is rounded.
func (AddPartial[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes an element of C.
func (k AddPartial[T]) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	rows, cols := it.GlobalRange()
	var sum T
	for at := i*cols + j; at < len(k.Partial); at += rows * cols {
		sum += k.Partial[at]
	}
	at := i*k.StrideC + j
	if k.Beta == 0 {
		k.C[at] = k.Alpha * sum
	} else {
		k.C[at] = T(k.Alpha*sum) + T(k.Beta*k.C[at])
	}
}
