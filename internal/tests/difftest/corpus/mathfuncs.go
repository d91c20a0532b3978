package corpus

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

// MathResults is the number of results per work-item of Math1.
const MathResults = 24

// Math1 uses functions of package math that gc compiles from Go source on amd64.
type Math1 struct {
	X, Y []float64
	Out  []float64
	N    []int
}

// Properties requires the same bits on every device.
func (Math1) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Math1) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*MathResults:][:MathResults]
	out[0] = math.Sin(x)
	out[1] = math.Cos(x)
	out[2] = math.Tan(x)
	out[3] = math.Asin(x)
	out[4] = math.Acos(x)
	out[5] = math.Atan(x)
	out[6] = math.Atan2(x, y)
	out[7] = math.Logb(x)
	out[8] = math.Min(x, y)
	out[9] = math.Cbrt(x)
	out[10] = math.Mod(x, y)
	out[11] = math.Expm1(x)
	out[12] = math.Log1p(x)
	out[13] = math.Exp2(x)
	out[14] = math.Pow10(i%60 - 30)
	out[15] = math.Round(x)
	f, e := math.Frexp(x)
	out[16] = f
	k.N[i] = e
	out[17] = math.Ldexp(x, i%100-50)
	a, b := math.Modf(x)
	out[18], out[19] = a, b
	s, c := math.Sincos(x)
	out[20] = s + c
	out[21] = math.Inf(i%3-1) + x
	out[22] = math.Nextafter(x, y)
	out[23] = math.Remainder(x, y)
	if math.IsNaN(x) || math.IsInf(y, 1) || math.Signbit(x) {
		k.N[i] += 10000
	}
}

// NearResults is the number of results per work-item of Near.
const NearResults = 11

// Near calls functions that gc implements in assembly on amd64, directly or through other functions. The last bits
// of results on a device and on the host may differ.
type Near struct {
	X, Y []float64
	Out  []float64
}

// Properties requires the same bits on every device.
func (Near) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Near) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*NearResults:][:NearResults]
	out[0] = math.Exp(x)
	out[1] = math.Log(x)
	out[2] = math.Hypot(x, y)
	out[3] = math.Log2(x)
	out[4] = math.Log10(x)
	out[5] = math.FMA(x, y, x)
	out[6] = math.Pow(x, y)
	out[7] = math.Sinh(x)
	out[8] = math.Tanh(x)
	out[9] = math.Erf(x)
	out[10] = math.Gamma(x)
}

// Math32Results is the number of results per work-item of Math32.
const Math32Results = 24

// Math32 uses package math32.
type Math32 struct {
	X, Y []float32
	Out  []float32
}

func (k Math32) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*Math32Results:][:Math32Results]
	out[0] = math32.Sin(x)
	out[1] = math32.Cos(x)
	out[2] = math32.Tan(x)
	out[3] = math32.Exp(x)
	out[4] = math32.Exp2(x)
	out[5] = math32.Log(x)
	out[6] = math32.Log2(x)
	out[7] = math32.Log10(x)
	out[8] = math32.Pow(x, y)
	out[9] = math32.Hypot(x, y)
	out[10] = math32.Sqrt(x)
	out[11] = math32.Abs(x)
	out[12] = math32.Floor(x)
	out[13] = math32.Ceil(x)
	out[14] = math32.Trunc(x)
	out[15] = math32.Atan(x)
	out[16] = math32.Atan2(x, y)
	out[17] = math32.Asin(x)
	out[18] = math32.Acos(x)
	out[19] = math32.Tanh(x)
	out[20] = math32.Mod(x, y)
	out[21] = math32.Max(x, y)
	out[22] = math32.Copysign(x, y)
	out[23] = math32.Cbrt(x)
}

// MoreBits uses the rest of math/bits.
type MoreBits struct {
	In  []uint64
	Out []uint64
}

func (k MoreBits) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	y := k.In[(i+7)%len(k.In)]
	o := k.Out[i*20:][:20]
	o[0], o[1] = bits.Sub64(x, y, 1)
	hi, lo := bits.Mul32(uint32(x), uint32(y))
	o[2], o[3] = uint64(hi), uint64(lo)
	o[4] = uint64(bits.ReverseBytes32(uint32(x)))
	o[5] = uint64(bits.ReverseBytes16(uint16(x)))
	o[6] = uint64(bits.Reverse8(uint8(x)))
	o[7] = uint64(bits.Reverse16(uint16(x)))
	o[8] = uint64(bits.RotateLeft8(uint8(x), int(y%20)-10))
	o[9] = uint64(bits.RotateLeft16(uint16(x), int(y%40)-20))
	o[10] = uint64(bits.RotateLeft(uint(x), -int(y%70)))
	o[11] = uint64(bits.Len16(uint16(x)))
	o[12] = uint64(bits.LeadingZeros8(uint8(x)))
	o[13] = uint64(bits.TrailingZeros16(uint16(x)))
	o[14] = uint64(bits.OnesCount16(uint16(x)))
	o[15], o[16] = bits.Div64(x%(y|1), y, y|1)
	s, c := bits.Add32(uint32(x), uint32(y), 1)
	o[17] = uint64(s)<<1 | uint64(c)
	o[18] = uint64(bits.Rem32(uint32(x), uint32(y), uint32(y)|1))
	o[19] = uint64(bits.TrailingZeros(uint(x)) + bits.Len(uint(y)) + bits.LeadingZeros(uint(x)))
}
