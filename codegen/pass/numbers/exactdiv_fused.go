package numbers

// This file contains the quick part of the pass exactdiv. It computes divisions and roots by fused
// products and sums, which are rounded only once.

import (
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// quickResult returns the result of v, and a bool rare that is true if the result may be
// wrong. The result is correct if the device's own result is, or if the operands are in range and
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
// no intermediate result of the quick part becomes infinite or subnormal. For roots, all normal
// operands with at least the given exponent are in range.
const (
	DividendLeast, DividendMost = -64, 63
	DivisorLeast, DivisorMost   = -62, 61
	RootLeast                   = -64
	InverseRootLeast            = -126

	// DivisorFraction is an upper bound for the fractions of divisors. DivisorFraction is close to
	// 2. For fractions from DivisorFraction on, an inverse with an error of slightly more than half
	// a unit is not accurate enough.
	DivisorFraction = Fraction - 511
)

// inverseParts contains the inverse of a divisor. Several divisions by the same divisor share
// it.
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
// It refines the device's result, whose error may be three units, by one step of Newton's method.
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
// The last step comes from Markstein ("Computation of elementary functions on the IBM RISC
// System/6000 processor", 1990). Let a and b be in [1, 2), and let u be a unit in the last place of
// a/b. The last step has a small error if the error of q is 3/2 u. The error matters only if a/b is
// close to the middle m between two floats. In that case, the distance of a*y and m is at most u,
// so q is one of these two floats. This follows from two facts: the error of the product a*y is
// |b*y-1| * a/b, and |b*y-1| is less than 2^-24. This error is at most u if a is less than b, and
// otherwise at most half of u, since a/b is less than 2.
//
// So the magnitude of the remainder r = a-b*q is half of b*u. Let p be the product of the units of
// b and q. The remainder is exact, because it is a multiple of p and less than 2^24 * p. Before
// rounding, the sum has only the error r*(y-1/b), which is |b*y-1| * u/2. But a-b*m, the exact
// remainder for the middle m, is a nonzero multiple of 2^-23 * u/2. So the distance of a/b and m is
// at least 2^-24 * u/b. The error of the sum is smaller than this distance, because |b*y-1|*b is
// less than 2^-23.
//
// If the error of y were at most half a unit, both bounds would hold for all b less than 2. With
// the actual error they hold for all b that are not close to 2. A test checks the error of the
// inverse for all fractions of b.
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
// If a is multiplied by 4, the fraction of the root does not change. So a test can check all
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
// omitted terms are less than 2^-60. The other terms must be added in this order, because of a few
// operands whose inverse roots are close to the middle between two floats. As in fusedRoot, a test
// checks all fractions of operands.
func (x *corrector) fusedInverseRoot(a *ir.Value) (root, in *ir.Value) {
	y := x.addDeviceOp(ir.OpFRsqrt, a)
	h := x.product(a, y)
	l := x.addFMA(a, y, x.negated(h))
	r := x.addFMA(x.negated(h), y, x.floatConst(1))
	r = x.addFMA(x.negated(l), y, r)
	t := x.addFMA(x.product(r, x.floatConst(0.375)), r, x.product(r, x.floatConst(0.5)))
	return x.addFMA(y, t, y), x.isNormalFloat(a, InverseRootLeast)
}
