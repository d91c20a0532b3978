package lower

// This file lowers operators on complex numbers.

import (
	"go/token"
	"go/types"
	"math"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// complexOp lowers + - * / on complex numbers, with the same results as code that gc compiles.
func (l *lowerer) complexOp(op token.Token, x, y val, t types.Type) val {
	a, ok1 := x.(tuple)
	b, ok2 := y.(tuple)
	if !ok1 || !ok2 {
		return l.reportLost(t)
	}
	part := gotypes.Fields(t)[0]
	if op == token.MUL || op == token.QUO {
		// gc computes products of complex64 in float64.
		wide := types.Typ[types.Complex128]
		a, b = l.lowerConvert(a, t, wide).(tuple), l.lowerConvert(b, t, wide).(tuple)
		part = gotypes.Fields(wide)[0]
	}
	ar, ai := a.elems[0].(*ir.Value), a.elems[1].(*ir.Value)
	br, bi := b.elems[0].(*ir.Value), b.elems[1].(*ir.Value)
	bin := func(o ir.Op, p, q *ir.Value) *ir.Value { return l.op(o, regType(part), p, q) }
	mul := func(p, q *ir.Value) *ir.Value { return l.markRounded(bin(ir.OpFMul, p, q)) }
	switch op {
	case token.ADD:
		return tuple{[]val{bin(ir.OpFAdd, ar, br), bin(ir.OpFAdd, ai, bi)}}
	case token.SUB:
		return tuple{[]val{bin(ir.OpFSub, ar, br), bin(ir.OpFSub, ai, bi)}}
	case token.MUL:
		re := bin(ir.OpFSub, mul(ar, br), mul(ai, bi))
		im := bin(ir.OpFAdd, mul(ar, bi), mul(ai, br))
		return l.lowerConvert(tuple{[]val{re, im}}, types.Typ[types.Complex128], t)
	}
	re, im := l.complexQuo(ar, ai, br, bi)
	return l.lowerConvert(tuple{[]val{re, im}}, types.Typ[types.Complex128], t)
}

// complexQuo divides a+bi by c+di with the same operations as gc's run-time function complex128div.
// gc uses Smith's algorithm, followed by corrections for infinities and zeros.
func (l *lowerer) complexQuo(a, b, c, d *ir.Value) (re, im *ir.Value) {
	f64 := ir.TypeF64
	bin := func(o ir.Op, p, q *ir.Value) *ir.Value { return l.op(o, f64, p, q) }
	add := func(p, q *ir.Value) *ir.Value { return bin(ir.OpFAdd, p, q) }
	sub := func(p, q *ir.Value) *ir.Value { return bin(ir.OpFSub, p, q) }
	mul := func(p, q *ir.Value) *ir.Value { return l.markRounded(bin(ir.OpFMul, p, q)) }
	quo := func(p, q *ir.Value) *ir.Value { return bin(ir.OpFDiv, p, q) }
	sel := func(c, p, q *ir.Value) *ir.Value { return l.op(ir.OpSelect, f64, c, p, q) }
	abs := func(x *ir.Value) *ir.Value { return l.op(ir.OpFAbs, f64, x) }
	test := func(o ir.Op, p, q *ir.Value) *ir.Value { return l.op(o, ir.TypeBool, p, q) }
	and := func(p, q *ir.Value) *ir.Value { return test(ir.OpLAnd, p, q) }
	or := func(p, q *ir.Value) *ir.Value { return test(ir.OpLOr, p, q) }
	inf, zero, one := l.float(f64, math.Inf(1)), l.float(f64, 0), l.float(f64, 1)
	isInf := func(x *ir.Value) *ir.Value { return test(ir.OpFEq, abs(x), inf) }
	isFinite := func(x *ir.Value) *ir.Value { return test(ir.OpFLt, abs(x), inf) }
	isNaN := func(x *ir.Value) *ir.Value { return test(ir.OpFNe, x, x) }
	copysign := func(x, sign *ir.Value) *ir.Value { // x must not be negative
		s := l.op(ir.OpAnd, ir.TypeI64, l.op(ir.OpBitcast, ir.TypeI64, sign), l.m.Const(ir.TypeI64, 1<<63))
		return l.op(ir.OpBitcast, f64, l.op(ir.OpOr, ir.TypeI64, l.op(ir.OpBitcast, ir.TypeI64, x), s))
	}

	first := test(ir.OpFLe, abs(d), abs(c))
	less, more := sel(first, d, c), sel(first, c, d)
	ratio := quo(less, more)
	denom := add(more, mul(ratio, less))
	ra, rb := mul(a, ratio), mul(b, ratio)
	re = quo(sel(first, add(a, rb), add(ra, b)), denom)
	im = quo(sel(first, sub(b, ra), sub(rb, a)), denom)

	// The corrections for infinities and zeros are used if both parts of the quotient are NaN.
	unit := func(x *ir.Value) *ir.Value { return copysign(sel(isInf(x), one, zero), x) }
	prods := func(k, a, b, c, d *ir.Value) (p, q *ir.Value) {
		return mul(k, add(mul(a, c), mul(b, d))), mul(k, sub(mul(b, c), mul(a, d)))
	}
	number := or(l.op(ir.OpLNot, ir.TypeBool, isNaN(a)), l.op(ir.OpLNot, ir.TypeBool, isNaN(b)))
	byZero := and(and(test(ir.OpFEq, c, zero), test(ir.OpFEq, d, zero)), number)
	ofInf := and(or(isInf(a), isInf(b)), and(isFinite(c), isFinite(d)))
	byInf := and(or(isInf(c), isInf(d)), and(isFinite(a), isFinite(b)))
	p, q := prods(zero, a, b, unit(c), unit(d))
	fixRe, fixIm := sel(byInf, p, re), sel(byInf, q, im)
	p, q = prods(inf, unit(a), unit(b), c, d)
	fixRe, fixIm = sel(ofInf, p, fixRe), sel(ofInf, q, fixIm)
	k := copysign(inf, c)
	fixRe, fixIm = sel(byZero, mul(k, a), fixRe), sel(byZero, mul(k, b), fixIm)
	bad := and(isNaN(re), isNaN(im))
	return sel(bad, fixRe, re), sel(bad, fixIm, im)
}
