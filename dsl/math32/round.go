package math32

import (
	"math"
	"math/bits"
)

// Floor returns the greatest integer value less than or equal to x.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil returns the least integer value greater than or equal to x.
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Trunc returns the integer value of x, rounded toward zero.
func Trunc(x float32) float32 { return float32(math.Trunc(float64(x))) }

// RoundToEven returns the nearest integer, rounding ties to even.
func RoundToEven(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Round returns the nearest integer, rounding half away from zero.
func Round(x float32) float32 {
	t := Trunc(x)
	if Abs(x-t) >= 0.5 {
		return t + Copysign(1, x)
	}
	return t
}

// Mod returns the remainder of x/y, which has the sign of x and a magnitude less than that of y.
// The result is exact.
//
// Special cases are:
//
//	Mod(±Inf, y) = NaN
//	Mod(NaN, y) = NaN
//	Mod(x, 0) = NaN
//	Mod(x, ±Inf) = x
//	Mod(x, NaN) = NaN
func Mod(x, y float32) float32 {
	ax, ay := Float32bits(x)&^signBit, Float32bits(y)&^signBit
	if ax >= expMask || ay > expMask || ay == 0 {
		return NaN()
	}
	if ax < ay {
		return x
	}
	mx, ex := split(ax)
	my, ey := split(ay)
	r := mx % my
	// Each iteration processes eight bits of the quotient, because r < 2**24.
	n := ex - ey
	for ; n >= 8; n -= 8 {
		r = (r << 8) % my
	}
	r = (r << uint32(n)) % my
	if r == 0 {
		return Copysign(0, x)
	}
	return Copysign(compose(r, ey-23), x)
}

// compose() returns m * 2**e for m in (0, 2**24). The result must be exact.
func compose(m uint32, e int32) float32 {
	s := int32(bits.LeadingZeros32(m)) - 8
	m, e = m<<uint32(s), e-s+23
	if e < -126 {
		return Float32frombits(m >> uint32(-126-e))
	}
	return Float32frombits(uint32(e+127)<<23 | m&fracMask)
}
