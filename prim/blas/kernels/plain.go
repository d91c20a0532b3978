package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Plain is Gemm with one work-item for each element of C, for devices without an instruction that fuses products and
// sums. A has the element of row i and place d of the sum at i*StrideA + d, or at i + d*StrideA if it is not LeftDeep. So
// has B for its columns.
type Plain[T Float, O sums[T]] struct {
	A, B, C                   []T
	K                         uint32
	StrideA, StrideB, StrideC uint32
	StepA, StepB, StepC       int
	Alpha, Beta               T
}

// Plain32 emulates fused products and sums.
type Plain32 = Plain[float32, Emulated]

// Properties states that operations are rounded one by one.
func (Plain[T, O]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes an element of C of a matrix of the batch.
func (k Plain[T, O]) Kernel(it dsl.Item3) {
	batch, i, j := it.GlobalID()
	nearA, farA, nearB, farB := int(k.StrideA), 1, int(k.StrideB), 1
	if !LeftDeep.Get(it) {
		nearA, farA = farA, nearA
	}
	if !RightDeep.Get(it) {
		nearB, farB = farB, nearB
	}
	a, b := batch*k.StepA+i*nearA, batch*k.StepB+j*nearB
	var sum T
	var o O
	for range k.K {
		sum = o.Add(k.A[a], k.B[b], sum)
		a += farA
		b += farB
	}
	at := batch*k.StepC + i*int(k.StrideC) + j
	k.C[at] = scaled[T, O](k.Alpha, sum, k.Beta, k.C, at)
}
