package split64

// This file has arithmetic on 64-bit integers that are represented as pairs of 32-bit words.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// pairOf computes the result of v, a 64-bit integer, as a pair.
func (w *words) pairOf(v *ir.Value) pair {
	switch v.Op {
	case ir.OpSelect:
		return w.choose(w.value(v.Args[0]), w.pair(v.Args[1]), w.pair(v.Args[2]))
	case ir.OpSConvert, ir.OpUConvert:
		return w.extend(v)
	case ir.OpBitcast:
		return w.fromBits(v.Args[0])
	case ir.OpFToS, ir.OpFToU:
		return w.fromFloat(v.Op == ir.OpFToS, w.value(v.Args[0]))
	}
	x := w.pair(v.Args[0])
	if v.Op == ir.OpNot {
		return pair{w.word(ir.OpNot, x.lo), w.word(ir.OpNot, x.hi)}
	}
	y := w.pair(v.Args[1])
	switch v.Op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return pair{w.word(v.Op, x.lo, y.lo), w.word(v.Op, x.hi, y.hi)}
	case ir.OpIAdd:
		return w.sum(x, y)
	case ir.OpISub:
		return w.difference(x, y)
	case ir.OpIMul:
		return w.product(x, y)
	case ir.OpShl:
		return w.shl(x, y.lo)
	case ir.OpShrL, ir.OpShrA:
		return w.shr(v.Op, x, y.lo)
	case ir.OpUDiv:
		return w.divide(x, y)
	case ir.OpUMod:
		return w.difference(x, w.product(w.divide(x, y), y))
	case ir.OpSDiv:
		if n := y.lo; isExtended(x) && n.IsConst() && isExtended(y) && (n.Int() > 0 || n.Int() < -1) {
			return w.signed(w.word(ir.OpSDiv, x.lo, n))
		}
		negative := w.word(ir.OpXor, w.signOf(x), w.signOf(y))
		return w.negateIf(negative, w.divide(w.abs(x), w.abs(y)))
	}
	panic("BUG: " + v.Op.String() + " of 64 bits")
}

// scalarOf computes the result of v, which has 64-bit operands but not a 64-bit result.
func (w *words) scalarOf(v *ir.Value) *ir.Value {
	x := w.pair(v.Args[0])
	switch v.Op {
	case ir.OpSConvert, ir.OpUConvert:
		return w.add(v.Op, v.Type, x.lo)
	case ir.OpBitcast:
		return w.toBits(v.Type, x)
	case ir.OpSToF, ir.OpUToF:
		return w.toFloat(v.Op == ir.OpSToF, v.Type, x)
	}
	y := w.pair(v.Args[1])
	switch v.Op {
	case ir.OpIEq:
		return w.is(ir.OpLAnd, w.is(ir.OpIEq, x.lo, y.lo), w.is(ir.OpIEq, x.hi, y.hi))
	case ir.OpINe:
		return w.is(ir.OpLOr, w.is(ir.OpINe, x.lo, y.lo), w.is(ir.OpINe, x.hi, y.hi))
	case ir.OpULt:
		return w.order(ir.OpULt, ir.OpULt, x, y)
	case ir.OpULe:
		return w.order(ir.OpULe, ir.OpULt, x, y)
	case ir.OpSLt:
		return w.order(ir.OpULt, ir.OpSLt, x, y)
	case ir.OpSLe:
		return w.order(ir.OpULe, ir.OpSLt, x, y)
	}
	panic("BUG: " + v.Op.String() + " of 64 bits")
}

// The method order compares the high words of x and y by the op high. If they are equal, it
// compares the low words by the op low.
func (w *words) order(low, high ir.Op, x, y pair) *ir.Value {
	same := w.is(ir.OpIEq, x.hi, y.hi)
	switch {
	case high == ir.OpULt && facts.IsZero(x.hi):
		return w.is(ir.OpLOr, w.is(ir.OpLNot, same), w.is(low, x.lo, y.lo))
	case high == ir.OpULt && facts.IsZero(y.hi):
		return w.is(ir.OpLAnd, same, w.is(low, x.lo, y.lo))
	}
	return w.is(ir.OpSelect, same, w.is(low, x.lo, y.lo), w.is(high, x.hi, y.hi))
}

// The method less returns the unsigned comparison x < y.
func (w *words) less(x, y pair) *ir.Value { return w.order(ir.OpULt, ir.OpULt, x, y) }

func (w *words) extend(v *ir.Value) pair {
	x := v.Args[0]
	if x.Type == ir.TypeI64 {
		return w.pair(x)
	}
	lo := w.value(x)
	if x.Type != ir.TypeI32 {
		lo = w.word(v.Op, lo)
	}
	if v.Op == ir.OpUConvert {
		return pair{lo, w.n(0)}
	}
	return w.signed(lo)
}

// The method signed sign-extends the 32-bit word lo to a pair.
func (w *words) signed(lo *ir.Value) pair { return pair{lo, w.word(ir.OpShrA, lo, w.n(31))} }

// signOf returns -1 if x is negative, and otherwise 0.
func (w *words) signOf(x pair) *ir.Value { return w.word(ir.OpShrA, x.hi, w.n(31)) }

// negateIf returns -x if the argument negative is -1, and x if it is 0.
func (w *words) negateIf(negative *ir.Value, x pair) pair {
	flipped := pair{w.word(ir.OpXor, x.lo, negative), w.word(ir.OpXor, x.hi, negative)}
	return w.difference(flipped, pair{negative, negative})
}

func (w *words) abs(x pair) pair { return w.negateIf(w.signOf(x), x) }

func (w *words) sum(x, y pair) pair {
	if y.lo.IsConst() && y.lo.Bits == 0 {
		return pair{x.lo, w.word(ir.OpIAdd, x.hi, y.hi)}
	}
	lo := w.word(ir.OpIAdd, x.lo, y.lo)
	// If one operand is constant, the sum is compared with that operand to find the carry.
	other := x.lo
	if y.lo.IsConst() {
		other = y.lo
	}
	carry := w.bit(w.is(ir.OpULt, lo, other))
	return pair{lo, w.word(ir.OpIAdd, w.word(ir.OpIAdd, x.hi, y.hi), carry)}
}

func (w *words) difference(x, y pair) pair {
	borrow := w.bit(w.is(ir.OpULt, x.lo, y.lo))
	hi := w.word(ir.OpISub, w.word(ir.OpISub, x.hi, y.hi), borrow)
	return pair{w.word(ir.OpISub, x.lo, y.lo), hi}
}

func (w *words) product(x, y pair) pair {
	if isPower(x) {
		x, y = y, x
	}
	if isPower(y) {
		n, ok := facts.Log2(y.lo)
		if !ok {
			n, _ = facts.Log2(y.hi)
			n += 32
		}
		return w.shl(x, w.n(n))
	}
	hi := w.word(ir.OpIAdd, w.word(ir.OpIMul, x.lo, y.hi), w.word(ir.OpIMul, x.hi, y.lo))
	if !facts.IsZero(x.lo) && !facts.IsZero(y.lo) {
		hi = w.word(ir.OpIAdd, hi, w.mulHigh(x.lo, y.lo))
	}
	return pair{w.word(ir.OpIMul, x.lo, y.lo), hi}
}

// isPower reports whether x is a constant power of two.
func isPower(x pair) bool {
	_, lo := facts.Log2(x.lo)
	_, hi := facts.Log2(x.hi)
	return lo && facts.IsZero(x.hi) || hi && facts.IsZero(x.lo)
}

// The method shl shifts x left by n, which must be less than 64.
func (w *words) shl(x pair, n *ir.Value) pair {
	if n.IsConst() {
		k := int64(n.Bits)
		switch {
		case k == 0:
			return x
		case k >= 32:
			return pair{w.n(0), w.word(ir.OpShl, x.lo, w.n(k-32))}
		}
		carried := w.word(ir.OpShrL, x.lo, w.n(32-k))
		return pair{w.word(ir.OpShl, x.lo, n), w.word(ir.OpOr, w.word(ir.OpShl, x.hi, n), carried)}
	}
	far := w.far(n)
	n = w.word(ir.OpAnd, n, w.n(31))
	carried := w.word(ir.OpShrL, w.word(ir.OpShrL, x.lo, w.n(1)), w.word(ir.OpXor, n, w.n(31)))
	lo := w.word(ir.OpShl, x.lo, n)
	hi := w.word(ir.OpOr, w.word(ir.OpShl, x.hi, n), carried)
	return w.choose(far, pair{w.n(0), lo}, pair{lo, hi})
}

// The method far returns the condition that the shift count n, which is less than 64, is at least
// 32. It compares n instead of testing bit 5 because of a bug (see the quirk far-shift of NVIDIA).
func (w *words) far(n *ir.Value) *ir.Value { return w.is(ir.OpULt, w.n(31), n) }

// The method shr shifts x right by n, which must be less than 64. The op determines whether zeros
// or sign bits are shifted in.
func (w *words) shr(op ir.Op, x pair, n *ir.Value) pair {
	in := w.n(0)
	if op == ir.OpShrA {
		in = w.signOf(x)
	}
	if n.IsConst() {
		k := int64(n.Bits)
		switch {
		case k == 0:
			return x
		case k >= 32:
			return pair{w.word(op, x.hi, w.n(k-32)), in}
		}
		carried := w.word(ir.OpShl, x.hi, w.n(32-k))
		return pair{w.word(ir.OpOr, w.word(ir.OpShrL, x.lo, n), carried), w.word(op, x.hi, n)}
	}
	far := w.far(n)
	n = w.word(ir.OpAnd, n, w.n(31))
	carried := w.word(ir.OpShl, w.word(ir.OpShl, x.hi, w.n(1)), w.word(ir.OpXor, n, w.n(31)))
	lo := w.word(ir.OpOr, w.word(ir.OpShrL, x.lo, n), carried)
	hi := w.word(op, x.hi, n)
	return w.choose(far, pair{hi, in}, pair{lo, hi})
}

// The method divide returns the unsigned quotient x / y, where y must not be zero. It is used only
// in constant expressions, since numbers.LongDivide has expanded the divisions in blocks.
func (w *words) divide(x, y pair) pair {
	if facts.IsZero(x.hi) && facts.IsZero(y.hi) {
		return pair{w.word(ir.OpUDiv, x.lo, y.lo), w.n(0)}
	}
	w.failed = true // operands that may need 64 bits are not supported
	return x
}

// mulHigh returns the high 32-bit word of the product x*y. In constant expressions, for which
// SPIR-V has no such op, it multiplies 16-bit halves.
func (w *words) mulHigh(x, y *ir.Value) *ir.Value {
	if !w.outer {
		return w.word(ir.OpUMulHi, x, y)
	}
	low := func(v *ir.Value) *ir.Value { return w.word(ir.OpAnd, v, w.n(0xffff)) }
	high := func(v *ir.Value) *ir.Value { return w.word(ir.OpShrL, v, w.n(16)) }
	mid := w.word(ir.OpIAdd, w.word(ir.OpIMul, high(x), low(y)), high(w.word(ir.OpIMul, low(x), low(y))))
	cross := w.word(ir.OpIAdd, w.word(ir.OpIMul, low(x), high(y)), low(mid))
	sum := w.word(ir.OpIAdd, w.word(ir.OpIMul, high(x), high(y)), high(mid))
	return w.word(ir.OpIAdd, sum, high(cross))
}

// leadingZeros returns the number of zero bits above the highest set bit of the 32-bit word x,
// which must not be zero.
func (w *words) leadingZeros(x *ir.Value) *ir.Value {
	return w.word(ir.OpISub, w.n(31), w.word(ir.OpFindUMsb, x))
}
