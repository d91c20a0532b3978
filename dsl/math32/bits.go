package math32

import (
	"math"
	"math/bits"
)

// Float32bits returns the IEEE 754 binary representation of x.
func Float32bits(x float32) uint32 { return math.Float32bits(x) }

// Float32frombits returns the number with the IEEE 754 binary representation b.
func Float32frombits(b uint32) float32 { return math.Float32frombits(b) }

const (
	signBit  = 0x80000000
	expMask  = 0x7f800000
	fracMask = 0x007fffff
)

// NaN returns a "not-a-number" value.
func NaN() float32 { return Float32frombits(0x7fc00000) }

// Inf returns positive infinity if sign >= 0, negative infinity if sign < 0.
func Inf(sign int) float32 {
	if sign < 0 {
		return Float32frombits(signBit | expMask)
	}
	return Float32frombits(expMask)
}

// IsNaN reports whether x is a "not-a-number" value.
func IsNaN(x float32) bool { return x != x }

// IsInf reports whether x is an infinity. The infinity must be positive if sign > 0, negative if
// sign < 0, and may be either if sign == 0.
func IsInf(x float32, sign int) bool {
	b := Float32bits(x)
	return sign >= 0 && b == expMask || sign <= 0 && b == signBit|expMask
}

// Signbit reports whether x is negative or negative zero.
func Signbit(x float32) bool { return Float32bits(x)&signBit != 0 }

// Copysign returns a value with the magnitude of x and the sign of sign.
func Copysign(x, sign float32) float32 {
	return Float32frombits(Float32bits(x)&^signBit | Float32bits(sign)&signBit)
}

// Abs returns the absolute value of x.
func Abs(x float32) float32 { return Float32frombits(Float32bits(x) &^ signBit) }

// Min returns the smaller of x and y, as the builtin min does. If x or y is a NaN, the result is
// NaN, and -0 is smaller than 0.
func Min(x, y float32) float32 {
	if flushed() != 0 {
		return minBits(x, y)
	}
	return min(x, y)
}

// Max returns the larger of x and y, as the builtin max does. If x or y is a NaN, the result is
// NaN, and 0 is larger than -0.
func Max(x, y float32) float32 {
	if flushed() != 0 {
		return maxBits(x, y)
	}
	return max(x, y)
}

// pow2 returns 2**n for n in [-126, 127].
func pow2(n int32) float32 { return Float32frombits(uint32(n+127) << 23) }

// scale() returns x * 2**n for n in [-252, 254], for x around 1. Normal results are rounded once,
// and the function kept() corrects subnormal results.
func scale(x float32, n int32) float32 {
	h := n >> 1
	return float32(float32(x*pow2(h)) * pow2(n-h))
}

// shift() returns x * 2**n for x around 1 if the result is neither tiny nor huge.
func shift(x float32, n int32) float32 { return Float32frombits(Float32bits(x) + uint32(n)<<23) }

// nearest() returns the integer nearest to x, ties to even, as a float32 and as an int32, for |x| <
// 2**22. Adding a large constant is faster than rounding and converting, because the sum has no
// fraction bits, and its lower bits are the integer.
func nearest(x float32) (k float32, n int32) {
	const ones = 0x1.8p23
	sum := x + ones
	return sum - ones, int32(Float32bits(sum)) - 0x4b400000 // Float32bits(ones)
}

// split() splits the positive finite number with the bits b into m *
// 2**(e-23), with m in [2**23, 2**24). split() also works for subnormals, on
// every device.
func split(b uint32) (m uint32, e int32) {
	m, e = b&fracMask, int32(b>>23)-127
	if e == -127 {
		s := int32(bits.LeadingZeros32(m)) - 8
		return m << uint32(s), -126 - s
	}
	return m | 1<<23, e
}
