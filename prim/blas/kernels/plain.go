package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Plain computes the same as Gemm with one work-item for each element of C. Plain is for devices that
// have no instruction to fuse products and sums. Element d of row i of A is at i*StrideA + d. If LeftDeep
// is false, it is at i + d*StrideA. Columns of B are stored in the same way, depending on RightDeep.
type Plain[T Float, O sums[T]] struct {
	A, B, C                   []T
	K                         uint32
	StrideA, StrideB, StrideC uint32
	StepA, StepB, StepC       int
	Alpha, Beta               T
}

// Plain32 and Plain64 emulate fused products and sums.
type (
	Plain32 = Plain[float32, Emulated]
	Plain64 = Plain[float64, Emulated64]
)

// Properties requires that each operation is rounded.
func (Plain[T, O]) Properties() properties.List {
	var o O
	return append(properties.List{properties.Float(properties.FloatExact)}, o.Needs()...)
}

// Kernel computes an element of C, in one matrix of the batch.
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
