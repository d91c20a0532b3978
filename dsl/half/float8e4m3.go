package half

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl/math32"
)

const (
	nan43  = 0x7f
	sign43 = 0x80
)

// Bits returns the bits of x in the lower 8 bits.
func (x Float8E4M3) Bits() uint16 { return uint16(x) }

func (Float8E4M3) withBits(b uint16) Float8E4M3 { return Float8E4M3(b) }

// word() returns a 32-bit word with the bits of x at its upper end.
func (x Float8E4M3) word() uint32 { return uint32(x) << 24 }

func (x Float8E4M3) negative() bool { return x&sign43 != 0 }

func (Float8E4M3) limits() limits[Float8E4M3] {
	return limits[Float8E4M3]{nan: nan43, inf: nan43, largest: 0x7e, normal: 0x08, least: 1, epsilon: 0x20}
}

// Float32 converts x to a float32 without rounding. A NaN becomes 0x7fc00000.
func (x Float8E4M3) Float32() float32 {
	a := uint32(x &^ sign43)
	b := a<<20 + 120<<23 // adds the difference of the exponent biases
	if a < 0x08 {
		// Near 1<<14, the last bits of a float32 and of a subnormal Float8E4M3 have the same weight.
		b = math32.Float32bits(math32.Float32frombits(141<<23|a) - 1<<14)
	}
	if a == nan43 {
		return math32.NaN()
	}
	return math32.Float32frombits(b | uint32(x&sign43)<<24)
}

func (Float8E4M3) nearest(x float32) Float8E4M3 {
	b := math32.Float32bits(x)
	a := b &^ sign32
	h := (a - 120<<23 + 0x7ffff + a>>20&1) >> 20
	if a < 121<<23 {
		h = math32.Float32bits(math32.Float32frombits(a)+1<<14) - 141<<23 // see Float32
	}
	if a > 0x43e80000 { // |x| > 464
		return nan43
	}
	return Float8E4M3(h | b>>24&sign43)
}

func (Float8E4M3) saturated(x float32) Float8E4M3 {
	b := math32.Float32bits(x)
	if a := b &^ sign32; a > 0x43e80000 && a <= inf32 {
		return Float8E4M3(0x7e | b>>24&sign43)
	}
	return Float8E4M3(0).nearest(x)
}

// Add returns x + y.
func (x Float8E4M3) Add(y Float8E4M3) Float8E4M3 { return x.nearest(x.Float32() + y.Float32()) }

// Sub returns x - y.
func (x Float8E4M3) Sub(y Float8E4M3) Float8E4M3 { return x.nearest(x.Float32() - y.Float32()) }

// Mul returns x * y.
func (x Float8E4M3) Mul(y Float8E4M3) Float8E4M3 {
	return x.nearest(float32(x.Float32() * y.Float32()))
}

// Div returns x / y.
func (x Float8E4M3) Div(y Float8E4M3) Float8E4M3 { return divided(x, y) }

// Sqrt returns the square root of x, which is NaN for x < 0, and -0 for -0.
func (x Float8E4M3) Sqrt() Float8E4M3 { return rooted(x) }

// FMA returns x*y + z, rounded once.
func (x Float8E4M3) FMA(y, z Float8E4M3) Float8E4M3 {
	return x.nearest(fused(x.Float32(), y.Float32(), z.Float32()))
}

// Neg returns x with the opposite sign.
func (x Float8E4M3) Neg() Float8E4M3 { return x ^ sign43 }

// Abs returns x without its sign.
func (x Float8E4M3) Abs() Float8E4M3 { return x &^ sign43 }

// Min returns the smaller of x and y, as the builtin min does. If x or y is a NaN, the result is
// NaN, and -0 is smaller than 0.
func (x Float8E4M3) Min(y Float8E4M3) Float8E4M3 { return lesser(x, y) }

// Max returns the larger of x and y, as the builtin max does. If x or y is a NaN, the result is
// NaN, and 0 is larger than -0.
func (x Float8E4M3) Max(y Float8E4M3) Float8E4M3 { return greater(x, y) }

// Less reports whether x < y. Less returns false if x or y is NaN.
func (x Float8E4M3) Less(y Float8E4M3) bool { return less(x, y) }

// Equal reports whether x and y are the same number, where 0 equals -0. Equal returns false if x or
// y is NaN.
func (x Float8E4M3) Equal(y Float8E4M3) bool { return equal(x, y) }

// Compare returns -1 if x is less than y, 1 if x is greater, and otherwise 0, as cmp.Compare does.
// A NaN is equal to a NaN and less than all numbers.
func (x Float8E4M3) Compare(y Float8E4M3) int { return compare(x, y) }

// IsNaN reports whether x is a "not-a-number" value.
func (x Float8E4M3) IsNaN() bool { return x&^sign43 == nan43 }

// IsInf returns false: Float8E4M3 has no infinities.
func (x Float8E4M3) IsInf(sign int) bool { return false }

// String returns the fewest digits that distinguish x from other numbers of its type.
func (x Float8E4M3) String() string { return text(x) }

// Format implements fmt.Formatter. It formats x like a float32 of the same value. Without a
// precision, %v and %g print the text of String.
func (x Float8E4M3) Format(s fmt.State, verb rune) { write(x, s, verb) }
