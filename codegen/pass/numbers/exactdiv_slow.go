package numbers

// This file contains the slow part of the pass exactdiv, which computes divisions and roots with
// integers.

import "github.com/kgen-go/kgen/codegen/ir"

// floatParts contains the parts of a float32, as 32-bit integers.
type floatParts struct {
	bits, abs *ir.Value
	// The field special is the condition that the float is zero, infinite or NaN. If it is true,
	// the other parts are meaningless.
	special *ir.Value
	// The field exponent is the biased exponent. For a subnormal it is less than 1, and the
	// fraction is normalized.
	exponent *ir.Value
	fraction *ir.Value // fraction without the hidden bit
}

// The method slow returns the result of v, computed with 32-bit integers and without control flow.
// It first lets the device compute an approximation for the significands, whose error Vulkan
// bounds. Then it corrects the approximation by means of the remainder, which integers represent
// exactly modulo a power of two. Finally it rounds the result once. The result may be subnormal.
func (x *corrector) slow(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpFDiv:
		return x.quotient(v.Args[0], v.Args[1])
	case ir.OpFSqrt:
		return x.root(v.Args[0])
	}
	return x.inverseRoot(v.Args[0])
}

// The method split returns the parts of the float32 v.
func (x *corrector) split(v *ir.Value) *floatParts {
	p := x.parts[v]
	if p == nil {
		p = &floatParts{bits: x.word(v)}
		p.abs = x.i(ir.OpAnd, p.bits, x.n(SignBit-1))
		x.normalize(p)
		x.parts[v] = p
	}
	return p
}

// The method normalize computes the parts of p that follow from p.abs.
func (x *corrector) normalize(p *floatParts) {
	p.special = x.is(ir.OpULe, x.n(InfBits-1), x.i(ir.OpISub, p.abs, x.n(1)))
	// A subnormal equals its fraction times 2^-149. The fraction, converted to float32, is a normal
	// float.
	scaled := x.i(ir.OpISub, x.word(x.add(ir.OpUToF, ir.TypeF32, p.abs)), x.n(149<<23))
	bits := x.i(ir.OpSelect, x.is(ir.OpULt, p.abs, x.n(HiddenBit)), scaled, p.abs)
	p.exponent = x.i(ir.OpShrA, bits, x.n(23))
	p.fraction = x.i(ir.OpAnd, bits, x.n(Fraction))
}

// Each of these constants is subtracted from a first approximation, so that the approximation is
// never too large. The constant is larger than the error of the approximation, in units in the last
// place. Later steps correct the resulting error.
const (
	QuotientSlack    = 4
	RootSlack        = 8
	InverseRootSlack = 8
)

// The method seed returns the first approximation as an integer significand. It subtracts slack
// from the device's result, which is a number from about 1 to 2. A result below 1 is first raised
// to 1, because its units are smaller.
func (x *corrector) seed(device *ir.Value, slack int64) *ir.Value {
	below := x.is(ir.OpULt, device, x.n(OneBits))
	device = x.i(ir.OpSelect, below, x.n(OneBits), device)
	return x.i(ir.OpISub, device, x.n(OneBits-HiddenBit+slack))
}

// quotient returns a/b.
func (x *corrector) quotient(a, b *ir.Value) *ir.Value {
	p, q := x.split(a), x.split(b)
	special := x.is(ir.OpLOr, p.special, q.special)

	// The dividend's significand is doubled if it is smaller than the divisor's, so that the
	// quotient is in [1, 2). As integers, both significands have 24 bits.
	less := x.is(ir.OpULt, p.fraction, q.fraction)
	dividend := x.i(ir.OpOr, p.fraction, x.n(HiddenBit))
	divisor := x.i(ir.OpOr, q.fraction, x.n(HiddenBit))
	dividend = x.i(ir.OpShl, dividend, x.i(ir.OpSelect, less, x.n(24), x.n(23)))
	fa := x.i(ir.OpOr, p.fraction, x.i(ir.OpSelect, less, x.n(TwoBits), x.n(OneBits)))
	fb := x.i(ir.OpOr, q.fraction, x.n(OneBits))

	// If one operand is special (zero, infinite or NaN), the other is replaced. The quotient with
	// the replacement is the correct special result.
	fa = x.i(ir.OpSelect, p.special, p.abs, fa)
	fb = x.i(ir.OpSelect, q.special, q.abs, fb)
	device := x.word(x.add(ir.OpFDiv, ir.TypeF32, x.float(fa), x.float(fb)))

	quo := x.seed(device, QuotientSlack)
	rem := x.i(ir.OpISub, dividend, x.i(ir.OpIMul, quo, divisor))
	for j := int64(2); j >= 0; j-- {
		left := x.i(ir.OpISub, rem, x.i(ir.OpShl, divisor, x.n(j)))
		fits := x.is(ir.OpSLe, x.n(0), left)
		rem = x.i(ir.OpSelect, fits, left, rem)
		quo = x.i(ir.OpIAdd, quo, x.i(ir.OpSelect, fits, x.n(1<<j), x.n(0)))
	}
	// Two more bits are appended to the significand, for half a unit and for a larger remainder.
	// Only a subnormal quotient can be exactly in the middle between two floats.
	more := x.is(ir.OpULt, divisor, x.i(ir.OpShl, rem, x.n(1)))
	tail := x.i(ir.OpSelect, more, x.n(3), x.n(1))
	tail = x.i(ir.OpSelect, x.is(ir.OpIEq, rem, x.n(0)), x.n(0), tail)
	quo = x.i(ir.OpOr, x.i(ir.OpShl, quo, x.n(2)), tail)

	// The computed exponent is one less than the biased exponent, because the hidden bit of the
	// significand adds one.
	exponent := x.i(ir.OpIAdd, p.exponent, x.i(ir.OpSelect, less, x.n(125), x.n(126)))
	exponent = x.i(ir.OpISub, exponent, q.exponent)
	abs := x.i(ir.OpSelect, special, device, x.round(quo, exponent))
	sign := x.i(ir.OpAnd, x.i(ir.OpXor, p.bits, q.bits), x.n(SignBit))
	return x.float(x.i(ir.OpOr, abs, sign))
}

// The method round returns the float32 nearest to significand * 2^-25 * 2^(exponent-126). It rounds
// ties to even. The significand has 26 bits.
func (x *corrector) round(significand, exponent *ir.Value) *ir.Value {
	subnormal := x.is(ir.OpSLt, exponent, x.n(0))
	drop := x.i(ir.OpISub, x.n(2), exponent)
	drop = x.i(ir.OpSelect, x.is(ir.OpULt, drop, x.n(31)), drop, x.n(31))
	drop = x.i(ir.OpSelect, subnormal, drop, x.n(2))
	odd := x.i(ir.OpAnd, x.i(ir.OpShrL, significand, drop), x.n(1))
	half := x.i(ir.OpShl, x.n(1), x.i(ir.OpISub, drop, x.n(1)))
	sum := x.i(ir.OpIAdd, significand, x.i(ir.OpIAdd, half, x.i(ir.OpISub, odd, x.n(1))))
	bits := x.i(ir.OpSelect, subnormal, x.n(0), x.i(ir.OpShl, exponent, x.n(23)))
	bits = x.i(ir.OpIAdd, bits, x.i(ir.OpShrL, sum, drop))
	return x.i(ir.OpSelect, x.is(ir.OpULt, bits, x.n(InfBits)), bits, x.n(InfBits))
}

// The method root returns the square root of a.
func (x *corrector) root(a *ir.Value) *ir.Value {
	// Negative operands are treated as special, because as unsigned integers their bits are large.
	p := &floatParts{bits: x.word(a)}
	p.abs = p.bits
	x.normalize(p)

	// The significand is in [1, 2). It is doubled if the exponent is odd, which is the case if the
	// biased exponent is even. So the root is in [1, 2).
	even := x.i(ir.OpAnd, p.exponent, x.n(1))
	square := x.i(ir.OpOr, p.fraction, x.n(HiddenBit))
	square = x.i(ir.OpShl, square, x.i(ir.OpISub, x.n(24), even))
	fa := x.i(ir.OpISub, x.n(TwoBits), x.i(ir.OpShl, even, x.n(23)))
	fa = x.i(ir.OpOr, p.fraction, fa)
	// For a negative subnormal, a device that treats subnormals as zeros would return -0 instead of
	// NaN. So a bit of the exponent is set, which makes the operand normal. Infinities and NaNs
	// already have this bit.
	zero := x.is(ir.OpIEq, x.i(ir.OpShl, p.bits, x.n(1)), x.n(0))
	special := x.i(ir.OpSelect, zero, p.bits, x.i(ir.OpOr, p.bits, x.n(HiddenBit)))
	fa = x.i(ir.OpSelect, p.special, special, fa)
	device := x.word(x.add(ir.OpFSqrt, ir.TypeF32, x.float(fa)))

	// The remainder rem is square - root*root. If k is added to root, rem decreases by 2*k*root +
	// k*k.
	root := x.seed(device, RootSlack)
	rem := x.i(ir.OpISub, square, x.i(ir.OpIMul, root, root))
	for j := int64(3); j >= 0; j-- {
		left := x.i(ir.OpISub, rem, x.i(ir.OpShl, root, x.n(j+1)))
		left = x.i(ir.OpISub, left, x.n(1<<(2*j)))
		fits := x.is(ir.OpSLe, x.n(0), left)
		rem = x.i(ir.OpSelect, fits, left, rem)
		root = x.i(ir.OpIAdd, root, x.i(ir.OpSelect, fits, x.n(1<<j), x.n(0)))
	}
	// The root is rounded up if rem is larger than root, because (root+1/2)^2 is root*root + root +
	// 1/4. A root is never exactly in the middle between two floats, subnormal or infinite.
	up := x.is(ir.OpULt, root, rem)
	root = x.i(ir.OpIAdd, root, x.i(ir.OpSelect, up, x.n(1), x.n(0)))
	exponent := x.i(ir.OpShrL, x.i(ir.OpIAdd, p.exponent, x.n(125)), x.n(1))
	bits := x.i(ir.OpIAdd, x.i(ir.OpShl, exponent, x.n(23)), root)
	return x.float(x.i(ir.OpSelect, p.special, device, bits))
}

// inverseRoot returns the inverse of the square root of a.
func (x *corrector) inverseRoot(a *ir.Value) *ir.Value {
	p := &floatParts{bits: x.word(a)}
	p.abs = p.bits // negative operands are treated as special, as in the method root
	x.normalize(p)

	// As in the method root, the significand is doubled if the exponent is odd. So its square root
	// is in [1, 2), and the inverse root is in (1/2, 1].
	even := x.i(ir.OpAnd, p.exponent, x.n(1))
	square := x.i(ir.OpOr, p.fraction, x.n(HiddenBit))
	square = x.i(ir.OpShl, square, x.i(ir.OpISub, x.n(1), even))
	fa := x.i(ir.OpISub, x.n(TwoBits), x.i(ir.OpShl, even, x.n(23)))
	fa = x.i(ir.OpOr, p.fraction, fa)
	fa = x.i(ir.OpSelect, p.special, x.n(OneBits), fa)
	device := x.word(x.add(ir.OpFRsqrt, ir.TypeF32, x.float(fa)))
	device = x.i(ir.OpSelect, x.is(ir.OpULt, device, x.n(HalfBits)), x.n(HalfBits), device)
	device = x.i(ir.OpSelect, x.is(ir.OpULt, device, x.n(OneBits)), device, x.n(OneBits))

	// The integer middle represents, in units of 2^-25, the number in the middle between a float
	// and the next smaller float. The number middle is greater than the inverse root if
	// square*middle*middle is greater than 2^23 * 2^50. These two numbers are so close that the
	// lowest 64 bits of their difference are enough. Inverse roots are never exactly in the middle
	// between two floats.
	middle := x.i(ir.OpISub, x.i(ir.OpShl, device, x.n(1)), x.n((HalfBits-HiddenBit)<<1+2*InverseRootSlack+1))
	for j := int64(3); j >= 0; j-- {
		next := x.i(ir.OpIAdd, middle, x.n(2<<j))
		low, high := x.i(ir.OpIMul, next, next), x.i(ir.OpUMulHi, next, next)
		high = x.i(ir.OpIAdd, x.i(ir.OpUMulHi, low, square), x.i(ir.OpIMul, high, square))
		middle = x.i(ir.OpSelect, x.is(ir.OpSLt, high, x.n(0)), next, middle)
	}
	root := x.i(ir.OpShrL, x.i(ir.OpIAdd, middle, x.n(1)), x.n(1))
	half := x.i(ir.OpShrA, x.i(ir.OpISub, x.i(ir.OpIAdd, p.exponent, even), x.n(128)), x.n(1))
	bits := x.i(ir.OpIAdd, x.i(ir.OpShl, x.i(ir.OpISub, x.n(125), half), x.n(23)), root)

	// The inverse root of a zero is an infinity of the same sign, that of infinity is zero, and
	// that of a negative number is NaN.
	zero := x.is(ir.OpIEq, x.i(ir.OpShl, p.bits, x.n(1)), x.n(0))
	special := x.i(ir.OpSelect, x.is(ir.OpIEq, p.bits, x.n(InfBits)), x.n(0), x.n(NaNBits))
	special = x.i(ir.OpSelect, zero, x.i(ir.OpOr, p.bits, x.n(InfBits)), special)
	return x.float(x.i(ir.OpSelect, p.special, special, bits))
}
