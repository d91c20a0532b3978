package half

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl/math32"
)

const (
	nan16  = 0x7e00
	inf16  = 0x7c00
	sign16 = 0x8000
)

// Bits returns the bits of x.
func (x Float16) Bits() uint16 { return uint16(x) }

func (Float16) withBits(b uint16) Float16 { return Float16(b) }

// word() returns a 32-bit word with the bits of x at its upper end.
func (x Float16) word() uint32 { return uint32(x) << 16 }

func (x Float16) negative() bool { return x&sign16 != 0 }

func (Float16) limits() limits[Float16] {
	return limits[Float16]{nan: nan16, inf: inf16, largest: 0x7bff, normal: 0x0400, least: 1, epsilon: 0x1400}
}

// Float32 converts x to a float32 without rounding. A NaN becomes 0x7fc00000.
func (x Float16) Float32() float32 { return widen(uint32(x)) }

func (Float16) nearest(x float32) Float16 { return Float16(narrow(x)) }

// In kernels, a call of widen() or narrow() is a single instruction of the device.

// widen() converts the Float16 with the bits x to a float32.
func widen(x uint32) float32 {
	a := x &^ sign16
	b := a<<13 + 112<<23 // adds the difference of the exponent biases
	if a < 0x0400 {
		// Near 0.5, the last bits of a float32 and of a subnormal Float16 have the same weight.
		b = math32.Float32bits(math32.Float32frombits(126<<23|a) - 0.5)
	}
	if a >= inf16 {
		b = inf32
	}
	if a > inf16 {
		return math32.NaN()
	}
	return math32.Float32frombits(b | x&sign16<<16)
}

// narrow() returns the bits of the Float16 nearest to x.
func narrow(x float32) uint32 {
	b := math32.Float32bits(x)
	a := b &^ sign32
	h := (a - 112<<23 + 0xfff + a>>13&1) >> 13
	if a < 113<<23 {
		h = math32.Float32bits(math32.Float32frombits(a)+0.5) - 126<<23 // see widen
	}
	if a >= 0x477ff000 { // |x| >= 65520 becomes infinite
		h = inf16
	}
	if a > inf32 {
		return nan16
	}
	return h | b>>16&sign16
}

func (Float16) saturated(x float32) Float16 {
	r := Float16(0).nearest(x)
	if r&^sign16 == inf16 {
		return r - 1 // the largest number with the sign of r
	}
	return r
}

// Add returns x + y.
func (x Float16) Add(y Float16) Float16 { return x.nearest(x.Float32() + y.Float32()) }

// Sub returns x - y.
func (x Float16) Sub(y Float16) Float16 { return x.nearest(x.Float32() - y.Float32()) }

// Mul returns x * y.
func (x Float16) Mul(y Float16) Float16 { return x.nearest(float32(x.Float32() * y.Float32())) }

// Div returns x / y.
func (x Float16) Div(y Float16) Float16 { return quotient16(divided(x, y), x, y) }

// Sqrt returns the square root of x, which is NaN for x < 0, and -0 for -0.
func (x Float16) Sqrt() Float16 { return root16(rooted(x), x) }

// FMA returns x*y + z, rounded once.
func (x Float16) FMA(y, z Float16) Float16 {
	return fused16(x.nearest(fused(x.Float32(), y.Float32(), z.Float32())), x, y, z)
}

// The functions below return r, the result of an operation. In kernels, each call tells kgen the
// operation and its operands. If a device has an exact instruction for the operation, r is not computed.

func quotient16(r, x, y Float16) Float16 { return r }

func root16(r, x Float16) Float16 { return r }

func fused16(r, x, y, z Float16) Float16 { return r }

// Neg returns x with the opposite sign.
func (x Float16) Neg() Float16 { return x ^ sign16 }

// Abs returns x without its sign.
func (x Float16) Abs() Float16 { return x &^ sign16 }

// Min returns the smaller of x and y, as the builtin min does. If x or y is a NaN, the result is
// NaN, and -0 is smaller than 0.
func (x Float16) Min(y Float16) Float16 { return lesser(x, y) }

// Max returns the larger of x and y, as the builtin max does. If x or y is a NaN, the result is
// NaN, and 0 is larger than -0.
func (x Float16) Max(y Float16) Float16 { return greater(x, y) }

// Less reports whether x < y. Less returns false if x or y is NaN.
func (x Float16) Less(y Float16) bool { return less(x, y) }

// Equal reports whether x and y are the same number, where 0 equals -0. Equal returns false if x or
// y is NaN.
func (x Float16) Equal(y Float16) bool { return equal(x, y) }

// Compare returns -1 if x is less than y, 1 if x is greater, and otherwise 0, as cmp.Compare does.
// A NaN is equal to a NaN and less than all numbers.
func (x Float16) Compare(y Float16) int { return compare(x, y) }

// IsNaN reports whether x is a "not-a-number" value.
func (x Float16) IsNaN() bool { return x&^sign16 > inf16 }

// IsInf reports whether x is an infinity. The infinity must be positive if sign > 0, negative if
// sign < 0, and may be either if sign == 0.
func (x Float16) IsInf(sign int) bool {
	return sign >= 0 && x == inf16 || sign <= 0 && x == sign16|inf16
}

// String returns the fewest digits that distinguish x from other numbers of its type.
func (x Float16) String() string { return text(x) }

// Format implements fmt.Formatter. It formats x like a float32 of the same value. Without a
// precision, %v and %g print the text of String.
func (x Float16) Format(s fmt.State, verb rune) { write(x, s, verb) }
