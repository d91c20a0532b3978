// Package subnormals contains kernels whose results depend on subnormal float32s. Every device must
// compute the kernels' results with the same bits as gc.
//
//kgen:bare noform
package subnormals

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Unaries is the number of results of Unary for each element of X.
const Unaries = 29

// Unary applies the functions of one argument.
type Unary struct{ X, Out []float32 }

func (Unary) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Unary) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	out := k.Out[Unaries*i : Unaries*i+Unaries]
	out[0] = math32.Abs(x)
	out[1] = math32.Floor(x)
	out[2] = math32.Ceil(x)
	out[3] = math32.Trunc(x)
	out[4] = math32.Round(x)
	out[5] = math32.RoundToEven(x)
	out[6] = math32.Sqrt(x)
	out[7] = math32.Rsqrt(x)
	out[8] = math32.Cbrt(x)
	out[9] = math32.Exp(x)
	out[10] = math32.Exp2(x)
	out[11] = math32.Log(x)
	out[12] = math32.Log2(x)
	out[13] = math32.Log10(x)
	out[14] = math32.Sin(x)
	out[15] = math32.Cos(x)
	out[16] = math32.Tan(x)
	out[17] = math32.Asin(x)
	out[18] = math32.Acos(x)
	out[19] = math32.Atan(x)
	out[20] = math32.Sinh(x)
	out[21] = math32.Cosh(x)
	out[22] = math32.Tanh(x)
	out[23] = float32(math.Sqrt(float64(x)))
	out[24] = float32(math.Abs(float64(x)))
	out[25] = float32(math.Floor(float64(x)))
	out[26] = 1 / x
	out[27] = math32.Copysign(x, -1)
	out[28] = truth(math32.IsNaN(x), math32.IsInf(x, 0), math32.Signbit(x), math.IsNaN(float64(x)))
}

// truth() returns a number whose bits say which conditions are true.
func truth(is ...bool) float32 {
	n := float32(0)
	for i, is := range is {
		if is {
			n += float32(int32(1) << i)
		}
	}
	return n
}

// Binaries is the number of results of Binary for each element of X.
const Binaries = 13

// ordinary() returns FastFMA of its arguments, or 0 if an argument or the result is subnormal.
func ordinary(x, y, z float32) float32 {
	if small(x) || small(y) || small(z) {
		return 0
	}
	r := math32.FMA(x, y, z)
	if math32.HasFMA() {
		r = math32.FastFMA(x, y, z)
	}
	if math32.Float32bits(r)&^(1<<31) <= 1<<23 {
		return 0
	}
	return r
}

// small() reports whether x is subnormal.
func small(x float32) bool { return math32.Float32bits(x)&^(1<<31)-1 < 1<<23-1 }

// Binary applies the functions of two and three arguments.
type Binary struct{ X, Y, Z, Out []float32 }

func (Binary) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Binary) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[Binaries*i : Binaries*i+Binaries]
	out[0] = math.Nextafter32(x, y)
	out[1] = math32.Min(x, y)
	out[2] = math32.Max(x, y)
	out[3] = math32.Mod(x, y)
	out[4] = math32.Pow(x, y)
	out[5] = math32.Atan2(x, y)
	out[6] = math32.Hypot(x, y)
	out[7] = math32.FMA(x, y, k.Z[i])
	out[8] = x / y
	out[9] = math32.Copysign(x, y)
	out[10] = truth(float64(x) == float64(y), float64(x) != float64(y), float64(x) < float64(y), float64(x) <= float64(y))
	out[12] = ordinary(x, y, k.Z[i])
	out[11] = truth(float64(x) == 0, float64(x) != 0, float64(x) < 0, float64(x) <= 0, 0 < float64(x), float64(x) > 2e-38)
}

// Wides is the number of results of Wide for each element of X.
const Wides = 8

// Wide converts numbers to float64 and back again.
type Wide struct {
	X, Y []float32
	Out  []float64
	Back []float32
}

func (k Wide) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	w := float64(x)
	out := k.Out[Wides*i : Wides*i+Wides]
	out[0] = w
	out[1] = w * 0.5
	out[2] = w + 1e-50
	out[3] = math.Sqrt(w) * 3
	out[4] = -w
	out[5] = float64(truth(w < 1e-40, 1e-38 < w, w == 0x1p-140, w != 0))
	out[6] = math.Max(w, float64(k.Y[i]))
	out[7] = math.Min(w, float64(k.Y[i]))
	k.Back[i] = float32(w * w * 0x1p140)
}

// Narrow rounds float64s to float32.
type Narrow struct {
	X   []float64
	Out []float32
}

func (k Narrow) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = float32(k.X[i])
}

// Sum64 computes x*y + z of float64s with one rounding, by math.FMA and by the device's instruction.
type Sum64 struct{ X, Y, Z, Out, Fast []float64 }

func (k Sum64) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = math.FMA(k.X[i], k.Y[i], k.Z[i])
	if math32.HasFMA64() {
		k.Fast[i] = math32.FastFMA64(k.X[i], k.Y[i], k.Z[i])
	} else {
		k.Fast[i] = k.Out[i]
	}
}
