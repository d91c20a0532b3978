package golang

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
)

// InFloat64 computes with float32s through float64, as package math requires. All results are the same in float32,
// so no device needs float64.
type InFloat64 struct {
	X, Y, Out []float32
	Is, Bits  []uint32
}

// InFloat64Results is the number of results per work-item of InFloat64.
const InFloat64Results = 16

func (k InFloat64) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*InFloat64Results:][:InFloat64Results]
	out[0] = float32(math.Sqrt(float64(x)))
	out[1] = float32(math.Floor(float64(x))) + float32(math.Ceil(float64(y)))
	out[2] = float32(math.Trunc(float64(x))) - float32(math.RoundToEven(float64(y)))
	out[3] = float32(math.Abs(float64(x))) * float32(-float64(y))
	out[4] = float32(float64(x) + float64(y))
	out[5] = float32(float64(x) - float64(y))
	out[6] = float32(float64(x) * float64(y))
	out[7] = float32(float64(x) / float64(y))
	out[8] = float32(float64(x)*float64(y)) + out[4] // the product is not fused with the sum
	out[9] = float32(float64(x*y) - float64(y))      // the product is not fused with the difference
	out[10] = float32(math.Abs(math.Floor(float64(x))) * 0.25)
	out[11] = float32(float64(int32(i)*16777259)) + float32(float64(uint32(i)*3221225473))
	out[12] = float32(float64(x) * 0.125)
	out[13] = float32(1 / float64(y))
	out[14] = float32(math.Sqrt(math.Abs(float64(x * y))))
	out[15] = float32(math.Max(1, 2)) + float32(float64(float32(math.Sqrt(float64(x)))))

	is := uint32(0)
	for b, ok := range [...]bool{
		math.IsNaN(float64(x)), math.IsInf(float64(x), 0), math.IsInf(float64(y), -1), math.IsInf(float64(x), 1),
		float64(x) < 0.1, float64(x) <= 0.1, float64(x) > 0.1, float64(x) >= 0.1, float64(x) == 0.1, float64(x) != 0.1,
		float64(y) < 2.5, 2.5 <= float64(y), float64(x) == float64(y), float64(x) != -float64(y), float64(x) < float64(y),
		math.Abs(float64(x)) > 1e-6, math.Floor(float64(y)) == 3, -1e10-0.5 >= float64(x), float64(x) < math.MaxFloat64,
		-math.MaxFloat64 <= float64(y), float64(y) > 1.0/3, float64(y) < 1.0/3, -0.7 < float64(x),
	} {
		if ok {
			is |= 1 << b
		}
	}
	k.Is[i] = is

	bits := k.Bits[i*4:][:4]
	bits[0] = quietNaN(float32(math.Abs(float64(x))))
	bits[1] = quietNaN(float32(-float64(y)))
	bits[2] = quietNaN(float32(float64(x)))
	bits[3] = quietNaN(float32(-math.Abs(float64(y))))
}

// quietNaN returns x's bits, or the bits of a quiet NaN if x is a NaN. quietNaN clears the bits of
// a NaN that depend on the device.
func quietNaN(x float32) uint32 {
	b := math.Float32bits(x)
	if x != x {
		b &= 0x7fc00000
	}
	return b
}
