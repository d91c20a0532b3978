package numbers

// This file contains the slow part of the pass exactdiv, which computes divisions and roots with
// integers.

import "github.com/kgen-go/kgen/codegen/ir"

// floatParts contains the parts of a float32, as 32-bit integers.
type floatParts struct {
	bits, abs *ir.Value
	// isSpecial is the condition that the float is zero, infinite or NaN. If isSpecial is true, the
	// other parts are meaningless.
	isSpecial *ir.Value
	// biasedExp is the float's exponent plus 127. For a subnormal float, biasedExp is less than 1,
	// and the fraction is normalized.
	biasedExp *ir.Value
	fraction  *ir.Value // fraction without the hidden bit
}

// slowResult returns the result of v, computed with 32-bit integers and without control flow.
// First, the device computes an approximation from the significands. Vulkan bounds the error of the
// device's approximation. Then slowResult corrects the approximation by means of the remainder,
// which is exact modulo a power of two. Finally, slowResult rounds the corrected result once. The
// result may be subnormal.
func (x *corrector) slowResult(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpFDiv:
		return x.quotient(v.Args[0], v.Args[1])
	case ir.OpFSqrt:
		return x.rootOf(v.Args[0])
	}
	return x.inverseRoot(v.Args[0])
}

// splitFloat returns the parts of the float32 v.
func (x *corrector) splitFloat(v *ir.Value) *floatParts {
	p := x.parts[v]
	if p == nil {
		p = &floatParts{bits: x.asWord(v)}
		p.abs = x.addInt(ir.OpAnd, p.bits, x.intConst(SignBit-1))
		x.normalizeParts(p)
		x.parts[v] = p
	}
	return p
}

// normalizeParts computes p.isSpecial, p.biasedExp and p.fraction from p.abs.
func (x *corrector) normalizeParts(p *floatParts) {
	p.isSpecial = x.addBool(ir.OpULe, x.intConst(InfBits-1), x.addInt(ir.OpISub, p.abs, x.intConst(1)))
	// A subnormal equals its fraction times 2^-149. The fraction, converted to float32, is a normal
	// float.
	scaled := x.addInt(ir.OpISub, x.asWord(x.addOp(ir.OpUToF, ir.TypeF32, p.abs)), x.intConst(149<<23))
	bits := x.addInt(ir.OpSelect, x.addBool(ir.OpULt, p.abs, x.intConst(HiddenBit)), scaled, p.abs)
	p.biasedExp = x.addInt(ir.OpShrA, bits, x.intConst(23))
	p.fraction = x.addInt(ir.OpAnd, bits, x.intConst(Fraction))
}

// Each of these constants is subtracted from a first approximation, so that the approximation is
// never too large. Each constant is larger than the error of the approximation, in units in the
// last place. Later steps correct the error that the subtraction causes.
const (
	QuotientSlack    = 4
	RootSlack        = 8
	InverseRootSlack = 8
)

// seedOf returns the first approximation as an integer significand. seedOf subtracts slack from the
// device's result, which is a number from about 1 to 2. seedOf first raises a result below 1 to 1,
// because units below 1 are smaller.
func (x *corrector) seedOf(device *ir.Value, slack int64) *ir.Value {
	below := x.addBool(ir.OpULt, device, x.intConst(OneBits))
	device = x.addInt(ir.OpSelect, below, x.intConst(OneBits), device)
	return x.addInt(ir.OpISub, device, x.intConst(OneBits-HiddenBit+slack))
}

// quotient returns a/b.
func (x *corrector) quotient(a, b *ir.Value) *ir.Value {
	p, q := x.splitFloat(a), x.splitFloat(b)
	special := x.addBool(ir.OpLOr, p.isSpecial, q.isSpecial)

	// The dividend's significand is doubled if it is smaller than the divisor's, so that the
	// quotient is in [1, 2). As integers, both significands have 24 bits.
	less := x.addBool(ir.OpULt, p.fraction, q.fraction)
	dividend := x.addInt(ir.OpOr, p.fraction, x.intConst(HiddenBit))
	divisor := x.addInt(ir.OpOr, q.fraction, x.intConst(HiddenBit))
	dividend = x.addInt(ir.OpShl, dividend, x.addInt(ir.OpSelect, less, x.intConst(24), x.intConst(23)))
	fa := x.addInt(ir.OpOr, p.fraction, x.addInt(ir.OpSelect, less, x.intConst(TwoBits), x.intConst(OneBits)))
	fb := x.addInt(ir.OpOr, q.fraction, x.intConst(OneBits))

	// The device divides the significands of the operands. For a special operand (zero, infinite or
	// NaN), the device uses the operand's absolute value instead of the significand. If an operand
	// is special, the device's quotient is correct except for its sign.
	fa = x.addInt(ir.OpSelect, p.isSpecial, p.abs, fa)
	fb = x.addInt(ir.OpSelect, q.isSpecial, q.abs, fb)
	device := x.asWord(x.addOp(ir.OpFDiv, ir.TypeF32, x.asFloat(fa), x.asFloat(fb)))

	quo := x.seedOf(device, QuotientSlack)
	rem := x.addInt(ir.OpISub, dividend, x.addInt(ir.OpIMul, quo, divisor))
	for j := int64(2); j >= 0; j-- {
		left := x.addInt(ir.OpISub, rem, x.addInt(ir.OpShl, divisor, x.intConst(j)))
		fits := x.addBool(ir.OpSLe, x.intConst(0), left)
		rem = x.addInt(ir.OpSelect, fits, left, rem)
		quo = x.addInt(ir.OpIAdd, quo, x.addInt(ir.OpSelect, fits, x.intConst(1<<j), x.intConst(0)))
	}
	// Two more bits are appended to the significand: one bit for half a unit, and one bit for a
	// nonzero rest. Only a subnormal quotient can be exactly in the middle between two floats.
	more := x.addBool(ir.OpULt, divisor, x.addInt(ir.OpShl, rem, x.intConst(1)))
	tail := x.addInt(ir.OpSelect, more, x.intConst(3), x.intConst(1))
	tail = x.addInt(ir.OpSelect, x.addBool(ir.OpIEq, rem, x.intConst(0)), x.intConst(0), tail)
	quo = x.addInt(ir.OpOr, x.addInt(ir.OpShl, quo, x.intConst(2)), tail)

	// The computed exponent is one less than the biased exponent, because the hidden bit of the
	// significand adds one.
	exponent := x.addInt(ir.OpIAdd, p.biasedExp, x.addInt(ir.OpSelect, less, x.intConst(125), x.intConst(126)))
	exponent = x.addInt(ir.OpISub, exponent, q.biasedExp)
	abs := x.addInt(ir.OpSelect, special, device, x.roundToFloat(quo, exponent))
	sign := x.addInt(ir.OpAnd, x.addInt(ir.OpXor, p.bits, q.bits), x.intConst(SignBit))
	return x.asFloat(x.addInt(ir.OpOr, abs, sign))
}

// roundToFloat returns the float32 nearest to significand * 2^-25 * 2^(exponent-126). roundToFloat
// rounds ties to even. The significand has 26 bits.
func (x *corrector) roundToFloat(significand, exponent *ir.Value) *ir.Value {
	subnormal := x.addBool(ir.OpSLt, exponent, x.intConst(0))
	drop := x.addInt(ir.OpISub, x.intConst(2), exponent)
	drop = x.addInt(ir.OpSelect, x.addBool(ir.OpULt, drop, x.intConst(31)), drop, x.intConst(31))
	drop = x.addInt(ir.OpSelect, subnormal, drop, x.intConst(2))
	odd := x.addInt(ir.OpAnd, x.addInt(ir.OpShrL, significand, drop), x.intConst(1))
	half := x.addInt(ir.OpShl, x.intConst(1), x.addInt(ir.OpISub, drop, x.intConst(1)))
	sum := x.addInt(ir.OpIAdd, significand, x.addInt(ir.OpIAdd, half, x.addInt(ir.OpISub, odd, x.intConst(1))))
	bits := x.addInt(ir.OpSelect, subnormal, x.intConst(0), x.addInt(ir.OpShl, exponent, x.intConst(23)))
	bits = x.addInt(ir.OpIAdd, bits, x.addInt(ir.OpShrL, sum, drop))
	return x.addInt(ir.OpSelect, x.addBool(ir.OpULt, bits, x.intConst(InfBits)), bits, x.intConst(InfBits))
}

// rootOf returns the square root of a.
func (x *corrector) rootOf(a *ir.Value) *ir.Value {
	// Negative operands are treated as special, because as unsigned integers their bits are large.
	p := &floatParts{bits: x.asWord(a)}
	p.abs = p.bits
	x.normalizeParts(p)

	// The significand in [1, 2) is doubled if the exponent is odd (and thus the biased exponent is
	// even). So the root of the significand is in [1, 2).
	even := x.addInt(ir.OpAnd, p.biasedExp, x.intConst(1))
	square := x.addInt(ir.OpOr, p.fraction, x.intConst(HiddenBit))
	square = x.addInt(ir.OpShl, square, x.addInt(ir.OpISub, x.intConst(24), even))
	fa := x.addInt(ir.OpISub, x.intConst(TwoBits), x.addInt(ir.OpShl, even, x.intConst(23)))
	fa = x.addInt(ir.OpOr, p.fraction, fa)
	// For a negative subnormal, a device that treats subnormals as zeros would return -0 instead of
	// NaN. A bit of the exponent is set to make a subnormal operand normal. In infinities and NaNs,
	// this bit of the exponent is already set.
	zero := x.addBool(ir.OpIEq, x.addInt(ir.OpShl, p.bits, x.intConst(1)), x.intConst(0))
	special := x.addInt(ir.OpSelect, zero, p.bits, x.addInt(ir.OpOr, p.bits, x.intConst(HiddenBit)))
	fa = x.addInt(ir.OpSelect, p.isSpecial, special, fa)
	device := x.asWord(x.addOp(ir.OpFSqrt, ir.TypeF32, x.asFloat(fa)))

	// The remainder rem is square - root*root. If k is added to root, rem decreases by 2*k*root +
	// k*k.
	root := x.seedOf(device, RootSlack)
	rem := x.addInt(ir.OpISub, square, x.addInt(ir.OpIMul, root, root))
	for j := int64(3); j >= 0; j-- {
		left := x.addInt(ir.OpISub, rem, x.addInt(ir.OpShl, root, x.intConst(j+1)))
		left = x.addInt(ir.OpISub, left, x.intConst(1<<(2*j)))
		fits := x.addBool(ir.OpSLe, x.intConst(0), left)
		rem = x.addInt(ir.OpSelect, fits, left, rem)
		root = x.addInt(ir.OpIAdd, root, x.addInt(ir.OpSelect, fits, x.intConst(1<<j), x.intConst(0)))
	}
	// The root is rounded up if rem is larger than root, because (root+1/2)^2 is root*root + root +
	// 1/4. A root is never subnormal or infinite, and never exactly in the middle between two
	// floats.
	up := x.addBool(ir.OpULt, root, rem)
	root = x.addInt(ir.OpIAdd, root, x.addInt(ir.OpSelect, up, x.intConst(1), x.intConst(0)))
	exponent := x.addInt(ir.OpShrL, x.addInt(ir.OpIAdd, p.biasedExp, x.intConst(125)), x.intConst(1))
	bits := x.addInt(ir.OpIAdd, x.addInt(ir.OpShl, exponent, x.intConst(23)), root)
	return x.asFloat(x.addInt(ir.OpSelect, p.isSpecial, device, bits))
}

// inverseRoot returns the inverse of the square root of a.
func (x *corrector) inverseRoot(a *ir.Value) *ir.Value {
	p := &floatParts{bits: x.asWord(a)}
	p.abs = p.bits // negative operands are treated as special, as in rootOf
	x.normalizeParts(p)

	// As in rootOf, the significand is doubled if the exponent is odd. The root of the significand
	// is then in [1, 2), and the inverse root is in (1/2, 1].
	even := x.addInt(ir.OpAnd, p.biasedExp, x.intConst(1))
	square := x.addInt(ir.OpOr, p.fraction, x.intConst(HiddenBit))
	square = x.addInt(ir.OpShl, square, x.addInt(ir.OpISub, x.intConst(1), even))
	fa := x.addInt(ir.OpISub, x.intConst(TwoBits), x.addInt(ir.OpShl, even, x.intConst(23)))
	fa = x.addInt(ir.OpOr, p.fraction, fa)
	fa = x.addInt(ir.OpSelect, p.isSpecial, x.intConst(OneBits), fa)
	device := x.asWord(x.addOp(ir.OpFRsqrt, ir.TypeF32, x.asFloat(fa)))
	device = x.addInt(ir.OpSelect, x.addBool(ir.OpULt, device, x.intConst(HalfBits)), x.intConst(HalfBits), device)
	device = x.addInt(ir.OpSelect, x.addBool(ir.OpULt, device, x.intConst(OneBits)), device, x.intConst(OneBits))

	// The integer `middle` represents, in units of 2^-25, the number in the middle between a float
	// and the next smaller float. The represented number is greater than the inverse root if
	// square*middle*middle is greater than 2^23 * 2^50. The lowest 64 bits of the difference are
	// enough to compare square*middle*middle with 2^23 * 2^50, because the two numbers are close.
	// Inverse roots are never exactly in the middle between two floats.
	middle := x.addInt(ir.OpISub, x.addInt(ir.OpShl, device, x.intConst(1)), x.intConst((HalfBits-HiddenBit)<<1+2*InverseRootSlack+1))
	for j := int64(3); j >= 0; j-- {
		next := x.addInt(ir.OpIAdd, middle, x.intConst(2<<j))
		low, high := x.addInt(ir.OpIMul, next, next), x.addInt(ir.OpUMulHi, next, next)
		high = x.addInt(ir.OpIAdd, x.addInt(ir.OpUMulHi, low, square), x.addInt(ir.OpIMul, high, square))
		middle = x.addInt(ir.OpSelect, x.addBool(ir.OpSLt, high, x.intConst(0)), next, middle)
	}
	root := x.addInt(ir.OpShrL, x.addInt(ir.OpIAdd, middle, x.intConst(1)), x.intConst(1))
	half := x.addInt(ir.OpShrA, x.addInt(ir.OpISub, x.addInt(ir.OpIAdd, p.biasedExp, even), x.intConst(128)), x.intConst(1))
	bits := x.addInt(ir.OpIAdd, x.addInt(ir.OpShl, x.addInt(ir.OpISub, x.intConst(125), half), x.intConst(23)), root)

	// The inverse root of a zero is an infinity of the same sign. The inverse root of infinity is
	// zero, and the inverse root of a negative number is NaN.
	zero := x.addBool(ir.OpIEq, x.addInt(ir.OpShl, p.bits, x.intConst(1)), x.intConst(0))
	special := x.addInt(ir.OpSelect, x.addBool(ir.OpIEq, p.bits, x.intConst(InfBits)), x.intConst(0), x.intConst(NaNBits))
	special = x.addInt(ir.OpSelect, zero, x.addInt(ir.OpOr, p.bits, x.intConst(InfBits)), special)
	return x.asFloat(x.addInt(ir.OpSelect, p.isSpecial, special, bits))
}
