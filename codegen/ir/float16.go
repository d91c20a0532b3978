package ir

// This file converts between float16 and float64.

import "math"

// Float16bits returns the bits of the float16 nearest to f. If f is halfway between two float16s,
// Float16bits rounds to even.
func Float16bits(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	a := math.Abs(f)
	switch {
	case a != a:
		return sign | 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14:
		// If f is less than 0x1p-14, the float16 is subnormal, or is the smallest normal number,
		// whose bits are 1024.
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	e := math.Ilogb(a)
	n := math.RoundToEven(math.Ldexp(a, 10-e)) // n is in [1024, 2048]; the addition below turns n == 2048 into a higher exponent
	return sign | (uint16(e+14)<<10 + uint16(n))
}

// Float16frombits returns the value of the float16 with the given bits.
func Float16frombits(b uint16) float64 {
	exp, frac := int(b>>10&31), float64(b&1023)
	var f float64
	switch exp {
	case 0:
		f = frac * 0x1p-24
	case 31:
		f = math.Inf(1)
		if frac != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+frac, exp-25)
	}
	if b&0x8000 != 0 {
		f = math.Copysign(f, -1)
	}
	return f
}
