package corpus

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// FloatResults is the number of results per pair of operands of a FloatOps.
const FloatResults = 16

// FloatOps computes the float operators, and rounds each result.
type FloatOps[T ~float32 | ~float64] struct {
	A, B, Out []T
	Orders    []bool
}

// Properties requires the same bits on every device.
func (FloatOps[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k FloatOps[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := k.Out[i*FloatResults:][:FloatResults]
	out[0] = a + b
	out[1] = a - b
	out[2] = a * b
	out[3] = -a
	out[4] = min(a, b)
	out[5] = max(a, b)
	out[6] = a*b + a
	out[7] = T(a*b) - b
	out[8] = a + b - a
	out[9] = a * 0
	out[10] = a + 0
	out[11] = 1 - a
	out[12] = a * a * b
	if a < b {
		out[13] = a
	}
	if !(a < b) {
		out[14] = b
	}
	out[15] = a / b
	o := k.Orders[i*6 : i*6+6]
	o[0] = a == b
	o[1] = a != b
	o[2] = a < b
	o[3] = a <= b
	o[4] = a > b
	o[5] = a >= b
}

// Instances of FloatOps for float32 and float64.
type (
	FloatOpsFloat32 = FloatOps[float32]
	FloatOpsFloat64 = FloatOps[float64]
)

// MathFuncs uses functions of package math that compile from source.
type MathFuncs struct {
	X, Y []float64
	Out  []float64
}

// Properties requires the same bits on every device.
func (MathFuncs) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k MathFuncs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*10:][:10]
	out[0] = math.Sqrt(math.Abs(x))
	out[1] = math.Floor(x)
	out[2] = math.Ceil(x)
	out[3] = math.Trunc(x)
	out[4] = math.Copysign(x, y)
	out[5] = math.Dim(x, y)
	out[6] = math.RoundToEven(x)
	out[7] = math.Max(x, y)
	out[8] = math.Float64frombits(math.Float64bits(x) ^ 1)
	out[9] = math.Min(x, y)
}

// ZeroDivisors divides by a value that becomes zero in the first iteration of a loop.
type ZeroDivisors struct {
	X   []float32
	Out []uint32
}

// Kernel divides float32s and float64s, and stores whether a result was a NaN.
func (k ZeroDivisors) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	var o uint32
	for j := range 3 {
		q := x / float32(j)
		if q != q {
			q = 77
		}
		o = o*31 + math.Float32bits(q)
	}
	for j := range 3 {
		q := float64(x) / float64(1-j)
		if q != q {
			q = 77
		}
		o = o*31 + uint32(math.Float64bits(q)>>32)
	}
	// The function `hash` replaces NaNs, because the bits of a NaN are not defined.
	hash := func(x float32) {
		if x != x {
			x = 78
		}
		o = o*31 + math.Float32bits(x)
	}
	hash(float32(math.Ceil(float64(k.X[5]-4))) / x)
	hash(float32(i-i) / x)
	negative := float32(0)
	for j := range 3 {
		hash(x * float32(j))
		hash(-x * float32(j-j))
		hash(negative + float32(2-j)*x)
		hash(float32(j-1)*x - x)
		negative = -negative
	}
	for f := float32(2); f > -1; f-- {
		hash(x * f)
		hash(f / x)
	}
	k.Out[i] = o
}
