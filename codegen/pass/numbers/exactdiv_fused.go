package numbers

// This file contains the quick part of the pass exactdiv. The quick part computes divisions and
// roots by fused products and sums, which are rounded only once.

import (
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// quickResult returns the result of v, and a bool "rare" that is true if the result may be wrong.
// The result is correct if the device's own result is correct, or if the operands are in range and
// the device fuses products and sums.
func (x *corrector) quickResult(v *ir.Value) (result, rare *ir.Value) {
	var in *ir.Value
	switch v.Op {
	case ir.OpFDiv:
		result, in = x.fusedQuotient(v.Args[0], v.Args[1])
	case ir.OpFSqrt:
		result, in = x.fusedRoot(v.Args[0])
	default:
		result, in = x.fusedInverseRoot(v.Args[0])
	}
	m := x.f.Module
	rare = x.addBool(ir.OpLNot, x.bothTrue(m.ReservedSpec(abi.SpecFused, "Fused", ir.TypeBool, 0), in))
	if v.Op == ir.OpFInvSqrt {
		return result, rare
	}
	exact := m.ReservedSpec(abi.SpecExactDivide, "ExactDivide", ir.TypeBool, 1)
	raw := x.addDeviceOp(v.Op, v.Args...)
	return x.addOp(ir.OpSelect, v.Type, exact, result, raw), x.addBool(ir.OpLAnd, exact, rare)
}

// bothTrue returns the bool p && q. A nil bool represents true.
func (x *corrector) bothTrue(p, q *ir.Value) *ir.Value {
	switch {
	case p == nil:
		return q
	case q == nil:
		return p
	}
	return x.addBool(ir.OpLAnd, p, q)
}

func (x *corrector) negated(v *ir.Value) *ir.Value { return x.addDeviceOp(ir.OpFNegate, v) }

func (x *corrector) product(v, w *ir.Value) *ir.Value { return x.addDeviceOp(ir.OpFMul, v, w) }

// addFMA appends an operation that computes v*w + z with a single rounding.
func (x *corrector) addFMA(v, w, z *ir.Value) *ir.Value { return x.addDeviceOp(ir.OpFma, v, w, z) }

// These constants are ranges of operands, given as exponents of two. If the operands are in range,
// no intermediate result of the quick part becomes infinite or subnormal. For roots, the range
// contains all normal operands whose exponent is at least RootLeast or InverseRootLeast.
const (
	DividendLeast, DividendMost = -64, 63
	DivisorLeast, DivisorMost   = -62, 61
	RootLeast                   = -64
	InverseRootLeast            = -126

	// DivisorFraction is the upper bound of the fraction bits of divisors in range. A significand
	// with the fraction bits DivisorFraction is close to 2. For divisors with larger fraction bits,
	// an inverse with an error of slightly more than half a unit is not accurate enough.
	DivisorFraction = Fraction - 511
)

// inverseParts contains the inverse of a divisor, which several divisions by the same divisor
// share.
type inverseParts struct {
	by    *ir.Value // the negated divisor
	value *ir.Value
	in    *ir.Value // condition that the divisor is in range; nil if always true
}

// exponentWithin returns the condition that the exponent of v is in [least, most]. The sign of v is
// ignored.
func (x *corrector) exponentWithin(v *ir.Value, least, most int64) *ir.Value {
	bits := x.asWord(v)
	// The shift by 1 removes the sign, so that the exponent is in the upper 8 bits.
	above := x.addInt(ir.OpISub, x.addInt(ir.OpShl, bits, x.intConst(1)), x.intConst((127+least)<<24))
	return x.addBool(ir.OpULt, above, x.intConst((most-least+1)<<24))
}

// isNormalFloat returns the condition that v is positive, finite and at least 2^least.
func (x *corrector) isNormalFloat(v *ir.Value, least int64) *ir.Value {
	first := (127 + least) << 23
	return x.addBool(ir.OpULt, x.addInt(ir.OpISub, x.asWord(v), x.intConst(first)), x.intConst(InfBits-first))
}

// inverseOf returns 1/b with an error of slightly more than half a unit in the last place.
// inverseOf refines the device's result by one step of Newton's method. The error of the device's
// result may be three units.
func (x *corrector) inverseOf(b *ir.Value) *inverseParts {
	if d := x.fused[b]; d != nil {
		return d
	}
	d := &inverseParts{by: x.negated(b)}
	x.fused[b] = d
	if f := math.Float32frombits(uint32(b.Bits)); b.IsConst() && f != 0 && f-f == 0 {
		d.value = x.floatConst(float64(1 / f))
		d.in = x.divisorIn(b)
		return d
	}
	y := x.addDeviceOp(ir.OpFDiv, x.floatConst(1), b)
	d.value = x.addFMA(y, x.addFMA(d.by, y, x.floatConst(1)), y)
	d.in = x.divisorIn(b)
	return d
}

// divisorIn returns the condition that b is in the range of divisors.
func (x *corrector) divisorIn(b *ir.Value) *ir.Value {
	far := x.addBool(ir.OpULt, x.addInt(ir.OpAnd, x.asWord(b), x.intConst(Fraction)), x.intConst(DivisorFraction))
	return x.bothTrue(x.exponentWithin(b, DivisorLeast, DivisorMost), far)
}

// fusedQuotient returns a/b, and the condition that a and b are in range.
//
//	y = 1/b             with an error of at most 1/2 + 2^-18 units in the last place
//	q = a*y             with an error of slightly more than 3/2 units
//	q = q + (a-b*q)*y   a/b, correctly rounded.
//
// The last step of the computation comes from Markstein ("Computation of elementary functions on
// the IBM RISC System/6000 processor", 1990). The sum q + (a-b*q)*y is rounded incorrectly only if
// the sum and a/b are on different sides of the middle m between two floats. Let a and b be in [1,
// 2), and let u be a unit in the last place of a/b. Then the following bounds prove that the result
// is correct:
//
//	|a*y - a/b| <= u                since |b*y-1| < 2^-24; if a/b is close to m, q is a float next to m
//	r = a - b*q, |r| = b*u/2        exact, since r is a multiple of p and less than 2^24 * p,
//	                                where p is the product of the units of b and q
//	|r*(y-1/b)| = |b*y-1| * u/2     error of the sum before rounding
//	|a/b - m| >= 2^-24 * u/b        since a-b*m is a nonzero multiple of 2^-23 * u/2
//	|b*y-1| * u/2 < 2^-24 * u/b     since |b*y-1|*b < 2^-23
//
// If the error of y were at most half a unit, the bounds of |b*y-1| would hold for all b less than
// 2. With the actual error of y, the bounds hold for all b that are not close to 2. A test checks
// the error of the inverse for all fractions of b.
func (x *corrector) fusedQuotient(a, b *ir.Value) (q, in *ir.Value) {
	d := x.inverseOf(b)
	q, in = d.value, d.in
	if !a.IsConst() || a.Bits != OneBits {
		q, in = x.product(a, q), x.bothTrue(x.exponentWithin(a, DividendLeast, DividendMost), in)
	}
	return x.addFMA(x.addFMA(d.by, q, a), d.value, q), in
}

// fusedRoot returns the square root of a, and the condition that a is in range.
//
//	y = 1/sqrt(a)         the device's result, with an error of at most three units
//	s, h = a*y, y/2
//	e = 1/2 - s*h
//	s, h = s+s*e, h+h*e   sqrt(a) and half its inverse, with an error of at most one unit
//	s = s + (a-s*s)*h     sqrt(a), correctly rounded.
//
// If a is multiplied by 4, the fraction of the root does not change. A test can therefore check all
// fractions of operands.
func (x *corrector) fusedRoot(a *ir.Value) (root, in *ir.Value) {
	y := x.addDeviceOp(ir.OpFRsqrt, a)
	s, h := x.product(a, y), x.product(y, x.floatConst(0.5))
	e := x.addFMA(x.negated(s), h, x.floatConst(0.5))
	s, h = x.addFMA(s, e, s), x.addFMA(h, e, h)
	rest := x.addFMA(x.negated(s), s, a)
	return x.addFMA(rest, h, s), x.isNormalFloat(a, RootLeast)
}

// fusedInverseRoot returns 1/sqrt(a), and the condition that a is in range.
//
//	y = 1/sqrt(a)             the device's result, with an error of at most two units (Vulkan)
//	h + l = a*y
//	r = 1 - h*y - l*y
//	y = y + y*(r/2 + 3/8*r*r) 1/sqrt(a), correctly rounded.
//
// The value r is accurate enough although h is rounded, because l is the rounding error of h. The
// terms that the formula omits are less than 2^-60. The terms of the formula must be added in the
// given order. The order matters because the inverse roots of a few operands are close to the
// middle between two floats. As in fusedRoot, a test checks all fractions of operands.
func (x *corrector) fusedInverseRoot(a *ir.Value) (root, in *ir.Value) {
	y := x.addDeviceOp(ir.OpFRsqrt, a)
	h := x.product(a, y)
	l := x.addFMA(a, y, x.negated(h))
	r := x.addFMA(x.negated(h), y, x.floatConst(1))
	r = x.addFMA(x.negated(l), y, r)
	t := x.addFMA(x.product(r, x.floatConst(0.375)), r, x.product(r, x.floatConst(0.5)))
	return x.addFMA(y, t, y), x.isNormalFloat(a, InverseRootLeast)
}
