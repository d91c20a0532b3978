package numbers

// This file is the quick part of the pass exactdiv: division and roots by products and sums that
// are rounded once.

import (
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// quick returns v's result, and a bool rare that is set if the result may be wrong. The result is
// right if no correction is needed, or if the operands are in range and the device fuses products
// and sums.
func (x *corrector) quick(v *ir.Value) (result, rare *ir.Value) {
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
	rare = x.is(ir.OpLNot, x.both(m.ReservedSpec(abi.SpecFused, "Fused", ir.TypeBool, 0), in))
	if v.Op == ir.OpFInvSqrt {
		return result, rare
	}
	exact := m.ReservedSpec(abi.SpecExactDivide, "ExactDivide", ir.TypeBool, 1)
	raw := x.device(v.Op, v.Args...)
	return x.add(ir.OpSelect, v.Type, exact, result, raw), x.is(ir.OpLAnd, exact, rare)
}

// both returns p && q, where nil means true.
func (x *corrector) both(p, q *ir.Value) *ir.Value {
	switch {
	case p == nil:
		return q
	case q == nil:
		return p
	}
	return x.is(ir.OpLAnd, p, q)
}

func (x *corrector) negated(v *ir.Value) *ir.Value { return x.device(ir.OpFNegate, v) }

func (x *corrector) product(v, w *ir.Value) *ir.Value { return x.device(ir.OpFMul, v, w) }

// fma adds v*w + z, rounded once.
func (x *corrector) fma(v, w, z *ir.Value) *ir.Value { return x.device(ir.OpFma, v, w, z) }

// These ranges of operands, as exponents of two, make sure that no intermediate result of the quick
// part becomes infinite or subnormal. The ranges of roots extend from the least exponent to all
// larger normal operands.
const (
	DividendLeast, DividendMost = -64, 63
	DivisorLeast, DivisorMost   = -62, 61
	RootLeast                   = -64
	InverseRootLeast            = -126

	// DivisorFraction bounds the fractions of divisors near 2. From it on, an inverse with an error
	// of a little more than half a unit is not accurate enough.
	DivisorFraction = Fraction - 511
)

// inverse is the inverse of a divisor, which several divisions may share.
type inverse struct {
	by    *ir.Value // the negated divisor
	value *ir.Value
	in    *ir.Value // whether the divisor is in range; nil means true
}

// within adds a check that v's exponent is from least to most, for either sign.
func (x *corrector) within(v *ir.Value, least, most int64) *ir.Value {
	bits := x.word(v)
	// Shifted left, without the sign, the exponent is the upper byte.
	above := x.i(ir.OpISub, x.i(ir.OpShl, bits, x.n(1)), x.n((127+least)<<24))
	return x.is(ir.OpULt, above, x.n((most-least+1)<<24))
}

// normal adds a check that v is positive, finite and at least 2^least.
func (x *corrector) normal(v *ir.Value, least int64) *ir.Value {
	first := (127 + least) << 23
	return x.is(ir.OpULt, x.i(ir.OpISub, x.word(v), x.n(first)), x.n(InfBits-first))
}

// inverse returns 1/b, with an error of little more than half a unit in the last place. It refines
// the device's result, which may be three units off, by one step of Newton's method.
func (x *corrector) inverse(b *ir.Value) *inverse {
	if d := x.fused[b]; d != nil {
		return d
	}
	d := &inverse{by: x.negated(b)}
	x.fused[b] = d
	if f := math.Float32frombits(uint32(b.Bits)); b.IsConst() && f != 0 && f-f == 0 {
		d.value = x.real(float64(1 / f))
		d.in = x.divisorIn(b)
		return d
	}
	y := x.device(ir.OpFDiv, x.real(1), b)
	d.value = x.fma(y, x.fma(d.by, y, x.real(1)), y)
	d.in = x.divisorIn(b)
	return d
}

// divisorIn adds a check that b is in the range of divisors.
func (x *corrector) divisorIn(b *ir.Value) *ir.Value {
	far := x.is(ir.OpULt, x.i(ir.OpAnd, x.word(b), x.n(Fraction)), x.n(DivisorFraction))
	return x.both(x.within(b, DivisorLeast, DivisorMost), far)
}

// fusedQuotient returns a/b, and whether a and b are in range.
//
//	y = 1/b             within (1/2 + 2^-18) units in the last place
//	q = a*y             within little more than 3/2
//	q = q + (a-b*q)*y   a/b, rounded
//
// The last step is Markstein's ("Computation of elementary functions on the IBM RISC System/6000
// processor", 1990). Let a and b be in [1, 2), and let u be a unit in the last place of a/b. The
// last step has a small error if q is 3/2 u off. The error matters only if a/b is close to the
// middle m between two floats. In that case a*y is within u of m, and so q is one of these two
// floats. The reason: the product is off by |b*y-1| * a/b, and |b*y-1| is below 2^-24. That is u if
// a is less than b, and otherwise half of u, as long as a/b is below 2.
//
// So the remainder r = a-b*q is half of b*u, and exact: it is a multiple of the product of the
// units of b and q, and less than 2^24 times that. Before rounding, the sum has only the error
// r*(y-1/b), which is |b*y-1| * u/2. But a-b*m is not zero and is a multiple of 2^-23 * u/2. So the
// distance of a/b and m is at least 2^-24 * u/b. The error is smaller, because |b*y-1|*b is below
// 2^-23.
//
// If y had an error of at most half a unit, both bounds would hold for all b below 2. With the
// actual error they hold if b is not close to 2; a test checks all b.
func (x *corrector) fusedQuotient(a, b *ir.Value) (q, in *ir.Value) {
	d := x.inverse(b)
	q, in = d.value, d.in
	if !a.IsConst() || a.Bits != OneBits {
		q, in = x.product(a, q), x.both(x.within(a, DividendLeast, DividendMost), in)
	}
	return x.fma(x.fma(d.by, q, a), d.value, q), in
}

// fusedRoot returns the square root of a, and whether a is in range.
//
//	y = 1/sqrt(a)         the device's, which may be three units off
//	s, h = a*y, y/2
//	e = 1/2 - s*h
//	s, h = s+s*e, h+h*e   sqrt(a) and half its inverse, within a unit
//	s = s + (a-s*s)*h     sqrt(a), rounded
//
// Roots repeat with every fourth power of two, so a test can check all operands.
func (x *corrector) fusedRoot(a *ir.Value) (root, in *ir.Value) {
	y := x.device(ir.OpFRsqrt, a)
	s, h := x.product(a, y), x.product(y, x.real(0.5))
	e := x.fma(x.negated(s), h, x.real(0.5))
	s, h = x.fma(s, e, s), x.fma(h, e, h)
	rest := x.fma(x.negated(s), s, a)
	return x.fma(rest, h, s), x.normal(a, RootLeast)
}

// fusedInverseRoot returns 1/sqrt(a), and whether a is in range.
//
//	y = 1/sqrt(a)             the device's, which may be two units off (Vulkan)
//	h + l = a*y
//	r = 1 - h*y - l*y
//	y = y + y*(r/2 + 3/8*r*r) 1/sqrt(a), rounded
//
// r is accurate enough although h is rounded, because l is the rounding error of h. The omitted
// terms are below 2^-60. The order in which the others are added matters for a few operands whose
// inverse roots are close to the middle between two floats. As in fusedRoot, a test checks all
// operands.
func (x *corrector) fusedInverseRoot(a *ir.Value) (root, in *ir.Value) {
	y := x.device(ir.OpFRsqrt, a)
	h := x.product(a, y)
	l := x.fma(a, y, x.negated(h))
	r := x.fma(x.negated(h), y, x.real(1))
	r = x.fma(x.negated(l), y, r)
	t := x.fma(x.product(r, x.real(0.375)), r, x.product(r, x.real(0.5)))
	return x.fma(y, t, y), x.normal(a, InverseRootLeast)
}
