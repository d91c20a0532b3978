package half

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl/math32"
)

const (
	nan52  = 0x7e
	inf52  = 0x7c
	sign52 = 0x80
)

// Bits returns the bits of x in the lower 8 bits.
func (x Float8E5M2) Bits() uint16 { return uint16(x) }

func (Float8E5M2) withBits(b uint16) Float8E5M2 { return Float8E5M2(b) }

// word() returns a 32-bit word with the bits of x at its upper end.
func (x Float8E5M2) word() uint32 { return uint32(x) << 24 }

func (x Float8E5M2) negative() bool { return x&sign52 != 0 }

func (Float8E5M2) limits() limits[Float8E5M2] {
	return limits[Float8E5M2]{nan: nan52, inf: inf52, largest: 0x7b, normal: 0x04, least: 1, epsilon: 0x34}
}

// Float32 converts x to a float32 without rounding. A NaN becomes 0x7fc00000.
func (x Float8E5M2) Float32() float32 { return (Float16(x) << 8).Float32() }

func (Float8E5M2) nearest(x float32) Float8E5M2 {
	b := math32.Float32bits(x)
	a := b &^ sign32
	h := (a - 112<<23 + 0xfffff + a>>21&1) >> 21
	if a < 113<<23 {
		// Near 128, the last bits of a float32 and of a subnormal Float8E5M2 have the same weight.
		h = math32.Float32bits(math32.Float32frombits(a)+128) - 134<<23
	}
	if a >= 0x47700000 { // |x| >= 61440
		h = inf52
	}
	if a > inf32 {
		return nan52
	}
	return Float8E5M2(h | b>>24&sign52)
}

func (Float8E5M2) saturated(x float32) Float8E5M2 {
	r := Float8E5M2(0).nearest(x)
	if r&^sign52 == inf52 {
		return r - 1 // the largest number with the sign of r
	}
	return r
}

// Add returns x + y.
func (x Float8E5M2) Add(y Float8E5M2) Float8E5M2 { return x.nearest(x.Float32() + y.Float32()) }

// Sub returns x - y.
func (x Float8E5M2) Sub(y Float8E5M2) Float8E5M2 { return x.nearest(x.Float32() - y.Float32()) }

// Mul returns x * y.
func (x Float8E5M2) Mul(y Float8E5M2) Float8E5M2 {
	return x.nearest(float32(x.Float32() * y.Float32()))
}

// Div returns x / y.
func (x Float8E5M2) Div(y Float8E5M2) Float8E5M2 { return divided(x, y) }

// Sqrt returns the square root of x, which is NaN for x < 0, and -0 for -0.
func (x Float8E5M2) Sqrt() Float8E5M2 { return rooted(x) }

// FMA returns x*y + z, rounded once.
func (x Float8E5M2) FMA(y, z Float8E5M2) Float8E5M2 {
	return x.nearest(fused(x.Float32(), y.Float32(), z.Float32()))
}

// Neg returns x with the opposite sign.
func (x Float8E5M2) Neg() Float8E5M2 { return x ^ sign52 }

// Abs returns x without its sign.
func (x Float8E5M2) Abs() Float8E5M2 { return x &^ sign52 }

// Min returns the smaller of x and y, as the builtin min does. If x or y is a NaN, the result is
// NaN, and -0 is smaller than 0.
func (x Float8E5M2) Min(y Float8E5M2) Float8E5M2 { return lesser(x, y) }

// Max returns the larger of x and y, as the builtin max does. If x or y is a NaN, the result is
// NaN, and 0 is larger than -0.
func (x Float8E5M2) Max(y Float8E5M2) Float8E5M2 { return greater(x, y) }

// Less reports whether x < y. Less returns false if x or y is NaN.
func (x Float8E5M2) Less(y Float8E5M2) bool { return less(x, y) }

// Equal reports whether x and y are the same number, where 0 equals -0. Equal returns false if x or
// y is NaN.
func (x Float8E5M2) Equal(y Float8E5M2) bool { return equal(x, y) }

// Compare returns -1 if x is less than y, 1 if x is greater, and otherwise 0, as cmp.Compare does.
// A NaN is equal to a NaN and less than all numbers.
func (x Float8E5M2) Compare(y Float8E5M2) int { return compare(x, y) }

// IsNaN reports whether x is a "not-a-number" value.
func (x Float8E5M2) IsNaN() bool { return x&^sign52 > inf52 }

// IsInf reports whether x is an infinity. The infinity must be positive if sign > 0, negative if
// sign < 0, and may be either if sign == 0.
func (x Float8E5M2) IsInf(sign int) bool {
	return sign >= 0 && x == inf52 || sign <= 0 && x == sign52|inf52
}

// String returns the fewest digits that distinguish x from other numbers of its type.
func (x Float8E5M2) String() string { return text(x) }

// Format implements fmt.Formatter. It formats x like a float32 of the same value. Without a precision,
// %v and %g print the text of String.
func (x Float8E5M2) Format(s fmt.State, verb rune) { write(x, s, verb) }
