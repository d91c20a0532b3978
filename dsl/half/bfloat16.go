package half

import (
	"fmt"
	"math/bits"

	"github.com/kgen-go/kgen/dsl/math32"
)

const (
	nanB  = 0x7fc0
	infB  = 0x7f80
	signB = 0x8000
)

// Bits returns the bits of x.
func (x BFloat16) Bits() uint16 { return uint16(x) }

func (BFloat16) withBits(b uint16) BFloat16 { return BFloat16(b) }

// word() returns a 32-bit word with the bits of x at its upper end.
func (x BFloat16) word() uint32 { return uint32(x) << 16 }

func (x BFloat16) negative() bool { return x&signB != 0 }

func (BFloat16) limits() limits[BFloat16] {
	return limits[BFloat16]{nan: nanB, inf: infB, largest: 0x7f7f, normal: 0x0080, least: 1, epsilon: 0x3c00}
}

// Float32 converts x to a float32 without rounding. A NaN becomes 0x7fc00000.
func (x BFloat16) Float32() float32 {
	if x.IsNaN() {
		return math32.NaN()
	}
	return math32.Float32frombits(uint32(x) << 16)
}

func (BFloat16) nearest(x float32) BFloat16 {
	b := math32.Float32bits(x)
	if b&^sign32 > inf32 {
		return nanB
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

func (BFloat16) saturated(x float32) BFloat16 {
	r := BFloat16(0).nearest(x)
	if r&^signB == infB {
		return r - 1 // the largest number with the sign of r
	}
	return r
}

// Some devices treat float32s below 2**-126 as zeros. So they treat subnormal BFloat16s as zeros, too. If
// operands or results may be below 2**-126, operations compute with integers.

// Add returns x + y.
func (x BFloat16) Add(y BFloat16) BFloat16 {
	a, b := uint32(x&^signB), uint32(y&^signB)
	if max(a, b) >= smallB {
		// Adding a subnormal number does not change a number of at least smallB.
		return x.nearest(x.Float32() + y.Float32())
	}
	// In units of the smallest positive number, both operands and their sum are integers below 1<<24.
	n := x.units() + y.units()
	if n < 0 {
		return roundB(uint32(-n), -133, signB)
	}
	if n == 0 {
		return x & y & signB
	}
	return roundB(uint32(n), -133, 0)
}

// smallB is 2**-111.
const smallB = 16 << 7

// units() returns x, which is below smallB, in units of the smallest positive number.
func (x BFloat16) units() int32 {
	m, e := splitB(uint32(x &^ signB))
	n := int32(m << uint32(e+133))
	if x&signB != 0 {
		return -n
	}
	return n
}

// splitB splits the number with the bits a, which is finite and not negative, into m * 2**e. The
// factor m has 8 bits, except for subnormal numbers.
func splitB(a uint32) (m uint32, e int32) {
	if a < 1<<7 {
		return a, -133
	}
	return a&(1<<7-1) | 1<<7, int32(a>>7) - 134
}

// normalB works like splitB, for numbers that are not 0. The factor m has 8 bits.
func normalB(a uint32) (m uint32, e int32) {
	m, e = splitB(a)
	s := int32(bits.LeadingZeros32(m)) - 24
	return m << uint32(s), e - s
}

// roundB returns the number nearest to n * 2**e, ties to even, with the given sign. The argument n
// is above 0 and below 1<<31.
func roundB(n uint32, e int32, sign BFloat16) BFloat16 {
	// The shift leaves 8 bits of n, or fewer for subnormal numbers.
	s := max(24-int32(bits.LeadingZeros32(n)), -133-e)
	if s <= 0 {
		n <<= uint32(-s)
	} else if s > 31 {
		return sign
	} else {
		n = (n + 1<<(s-1) - 1 + n>>s&1) >> s
	}
	// The leading bit of a normal number adds one to the exponent.
	return BFloat16(min(uint32(e+s+133)<<7+n, infB)) | sign
}

// Sub returns x - y.
func (x BFloat16) Sub(y BFloat16) BFloat16 { return x.Add(y.Neg()) }

// Mul returns x * y.
func (x BFloat16) Mul(y BFloat16) BFloat16 {
	p := float32(x.Float32() * y.Float32())
	if b := math32.Float32bits(p) &^ sign32; b >= 1<<23 && b < inf32 {
		return x.nearest(p) // the product p is exact; nearest rounds it
	}
	sign := (x ^ y) & signB
	x, y = x.Abs(), y.Abs()
	switch {
	case x.IsNaN() || y.IsNaN() || x == infB && y == 0 || x == 0 && y == infB:
		return nanB
	case x == infB || y == infB:
		return infB | sign
	case x == 0 || y == 0:
		return sign
	}
	mx, ex := splitB(uint32(x))
	my, ey := splitB(uint32(y))
	return roundB(mx*my, ex+ey, sign)
}

// Div returns x / y.
func (x BFloat16) Div(y BFloat16) BFloat16 {
	sign := (x ^ y) & signB
	x, y = x.Abs(), y.Abs()
	switch {
	case x.IsNaN() || y.IsNaN() || x == infB && y == infB || x == 0 && y == 0:
		return nanB
	case x == infB || y == 0:
		return infB | sign
	case x == 0 || y == infB:
		return sign
	}
	mx, ex := normalB(uint32(x))
	my, ey := normalB(uint32(y))
	// The quotient has at least 14 bits. The last bit of q is set if there is a remainder.
	q := mx << 15 / my
	if q*my != mx<<15 {
		q |= 1
	}
	return roundB(q, ex-ey-15, sign)
}

// Sqrt returns the square root of x, which is NaN for x < 0, and -0 for -0.
func (x BFloat16) Sqrt() BFloat16 {
	switch {
	case x == 0 || x == signB || x == infB:
		return x
	case x >= infB: // a NaN, or negative
		return nanB
	}
	m, e := normalB(uint32(x))
	if e&1 != 0 {
		m, e = m<<1, e-1
	}
	r := math32.Float32bits(root(float32(int32(m)))) + uint32(e/2)<<23
	return x.nearest(math32.Float32frombits(r))
}

// FMA returns x*y + z, rounded once.
func (x BFloat16) FMA(y, z BFloat16) BFloat16 {
	ex, ey, ez := uint32(x&^signB)>>7, uint32(y&^signB)>>7, uint32(z&^signB)>>7
	// Within these limits on the exponents (biased by 127), product, sum and error are normal float32s.
	if ex+ey-160 < 216 && (ez-32 < 216 || z&^signB == 0) && ex-1 < 254 && ey-1 < 254 {
		return x.nearest(fused(x.Float32(), y.Float32(), z.Float32()))
	}
	return fmaB(x, y, z)
}

// fmaB computes FMA by integer operations.
func fmaB(x, y, z BFloat16) BFloat16 {
	sp, sz := (x^y)&signB, z&signB
	x, y, z = x.Abs(), y.Abs(), z.Abs()
	switch {
	case x.IsNaN() || y.IsNaN() || z.IsNaN() || x == infB && y == 0 || x == 0 && y == infB:
		return nanB
	case x == infB || y == infB:
		if z == infB && sp != sz {
			return nanB
		}
		return infB | sp
	case z == infB:
		return infB | sz
	case x == 0 || y == 0:
		if z == 0 {
			return sp & sz
		}
		return z | sz
	}
	mx, ex := splitB(uint32(x))
	my, ey := splitB(uint32(y))
	m, e := mx*my, ex+ey
	s := int32(bits.LeadingZeros32(m)) - 2
	m, e = m<<uint32(s), e-s // m has 30 bits, and the lower bits are 0
	if z == 0 {
		return roundB(m, e, sp)
	}
	n, f := splitB(uint32(z))
	s = int32(bits.LeadingZeros32(n)) - 2
	n, f = n<<uint32(s), f-s
	if f > e || f == e && n > m {
		m, e, sp, n, f, sz = n, f, sz, m, e, sp
	}
	// The last bit of the smaller term is set if bits were cut off. If bits were cut off, the
	// larger term is at least twice as large as the smaller term.
	if d := uint32(e - f); d > 31 {
		n = 1
	} else {
		cut := n & (1<<d - 1)
		n >>= d
		if cut != 0 {
			n |= 1
		}
	}
	if sp == sz {
		return roundB(m+n, e, sp)
	}
	if m == n {
		return 0
	}
	return roundB(m-n, e, sp)
}

// Neg returns x with the opposite sign.
func (x BFloat16) Neg() BFloat16 { return x ^ signB }

// Abs returns x without its sign.
func (x BFloat16) Abs() BFloat16 { return x &^ signB }

// Min returns the smaller of x and y, as the builtin min does. If x or y is a NaN, the result is
// NaN, and -0 is smaller than 0.
func (x BFloat16) Min(y BFloat16) BFloat16 { return lesser(x, y) }

// Max returns the larger of x and y, as the builtin max does. If x or y is a NaN, the result is
// NaN, and 0 is larger than -0.
func (x BFloat16) Max(y BFloat16) BFloat16 { return greater(x, y) }

// Less reports whether x < y. Less returns false if x or y is NaN.
func (x BFloat16) Less(y BFloat16) bool { return less(x, y) }

// Equal reports whether x and y are the same number, where 0 equals -0. Equal returns false if x or
// y is NaN.
func (x BFloat16) Equal(y BFloat16) bool { return equal(x, y) }

// Compare returns -1 if x is less than y, 1 if x is greater, and otherwise 0, as cmp.Compare does.
// A NaN is equal to a NaN and less than all numbers.
func (x BFloat16) Compare(y BFloat16) int { return compare(x, y) }

// IsNaN reports whether x is a "not-a-number" value.
func (x BFloat16) IsNaN() bool { return x&^signB > infB }

// IsInf reports whether x is an infinity. The infinity must be positive if sign > 0, negative if
// sign < 0, and may be either if sign == 0.
func (x BFloat16) IsInf(sign int) bool {
	return sign >= 0 && x == infB || sign <= 0 && x == signB|infB
}

// String returns the fewest digits that distinguish x from other numbers of its type.
func (x BFloat16) String() string { return text(x) }

// Format implements fmt.Formatter. It formats x like a float32 of the same value. Without a precision,
// %v and %g print the text of String.
func (x BFloat16) Format(s fmt.State, verb rune) { write(x, s, verb) }
