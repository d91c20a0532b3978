package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

// These are the kernels of BabelStream, for float32 and float64.

const scalar = 0.4

type (
	Copy32  struct{ A, C []float32 }
	Mul32   struct{ B, C []float32 }
	Add32   struct{ A, B, C []float32 }
	Triad32 struct{ A, B, C []float32 }
	Copy64  struct{ A, C []float64 }
	Mul64   struct{ B, C []float64 }
	Add64   struct{ A, B, C []float64 }
	Triad64 struct{ A, B, C []float64 }
)

func (k Copy32) Kernel(it dsl.Item1)  { i := it.GlobalID(); k.C[i] = k.A[i] }
func (k Mul32) Kernel(it dsl.Item1)   { i := it.GlobalID(); k.B[i] = scalar * k.C[i] }
func (k Add32) Kernel(it dsl.Item1)   { i := it.GlobalID(); k.C[i] = k.A[i] + k.B[i] }
func (k Triad32) Kernel(it dsl.Item1) { i := it.GlobalID(); k.A[i] = k.B[i] + scalar*k.C[i] }
func (k Copy64) Kernel(it dsl.Item1)  { i := it.GlobalID(); k.C[i] = k.A[i] }
func (k Mul64) Kernel(it dsl.Item1)   { i := it.GlobalID(); k.B[i] = scalar * k.C[i] }
func (k Add64) Kernel(it dsl.Item1)   { i := it.GlobalID(); k.C[i] = k.A[i] + k.B[i] }
func (k Triad64) Kernel(it dsl.Item1) { i := it.GlobalID(); k.A[i] = k.B[i] + scalar*k.C[i] }

// These are two kernels of BabelStream in half precision.
type (
	Copy16  struct{ A, C []half.Float16 }
	Triad16 struct {
		Scalar  half.Float16
		A, B, C []half.Float16
	}
)

func (k Copy16) Kernel(it dsl.Item1) { i := it.GlobalID(); k.C[i] = k.A[i] }

func (k Triad16) Kernel(it dsl.Item1) { i := it.GlobalID(); k.A[i] = k.B[i].Add(k.Scalar.Mul(k.C[i])) }

// Dot32 adds up the products of the elements of A and B. Each work-group stores its sum in one element of Out.
type Dot32 struct{ A, B, Out []float32 }

func (Dot32) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Dot32) Kernel(it dsl.NDItem1) {
	var sum float32
	for i := it.GlobalID(); i < len(k.A) && i < len(k.B); i += it.GlobalRange() {
		sum += k.A[i] * k.B[i]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = sum
	}
}

// Dot64 computes the same as Dot32 with float64s.
type Dot64 struct{ A, B, Out []float64 }

func (Dot64) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Dot64) Kernel(it dsl.NDItem1) {
	var sum float64
	for i := it.GlobalID(); i < len(k.A) && i < len(k.B); i += it.GlobalRange() {
		sum += k.A[i] * k.B[i]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = sum
	}
}
