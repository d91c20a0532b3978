package split64

// This file has arithmetic on 64-bit integers that are represented as pairs of 32-bit words.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// pairOf computes the result of v, a 64-bit integer, as a pair.
func (w *wordLowerer) pairOf(v *ir.Value) pair {
	switch v.Op {
	case ir.OpSelect:
		return w.choosePair(w.valueOf(v.Args[0]), w.toPair(v.Args[1]), w.toPair(v.Args[2]))
	case ir.OpSConvert, ir.OpUConvert:
		return w.extend(v)
	case ir.OpBitcast:
		return w.fromBits(v.Args[0])
	case ir.OpFToS, ir.OpFToU:
		return w.fromFloat(v.Op == ir.OpFToS, w.valueOf(v.Args[0]))
	}
	x := w.toPair(v.Args[0])
	if v.Op == ir.OpNot {
		return pair{w.addWord(ir.OpNot, x.lo), w.addWord(ir.OpNot, x.hi)}
	}
	y := w.toPair(v.Args[1])
	switch v.Op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return pair{w.addWord(v.Op, x.lo, y.lo), w.addWord(v.Op, x.hi, y.hi)}
	case ir.OpIAdd:
		return w.sum(x, y)
	case ir.OpISub:
		return w.difference(x, y)
	case ir.OpIMul:
		return w.product(x, y)
	case ir.OpShl:
		return w.shiftLeft(x, y.lo)
	case ir.OpShrL, ir.OpShrA:
		return w.shiftRight(v.Op, x, y.lo)
	case ir.OpUDiv:
		return w.divideUnsigned(x, y)
	case ir.OpUMod:
		return w.difference(x, w.product(w.divideUnsigned(x, y), y))
	case ir.OpSDiv:
		if n := y.lo; isExtended(x) && n.IsConst() && isExtended(y) && (n.Int() > 0 || n.Int() < -1) {
			return w.signExtend(w.addWord(ir.OpSDiv, x.lo, n))
		}
		negative := w.addWord(ir.OpXor, w.signOf(x), w.signOf(y))
		return w.negateIf(negative, w.divideUnsigned(w.abs(x), w.abs(y)))
	}
	panic("BUG: " + v.Op.String() + " of 64 bits")
}

// scalarOf computes the result of v, which has 64-bit operands but not a 64-bit result.
func (w *wordLowerer) scalarOf(v *ir.Value) *ir.Value {
	x := w.toPair(v.Args[0])
	switch v.Op {
	case ir.OpSConvert, ir.OpUConvert:
		return w.addOp(v.Op, v.Type, x.lo)
	case ir.OpBitcast:
		return w.toBits(v.Type, x)
	case ir.OpSToF, ir.OpUToF:
		return w.toFloat(v.Op == ir.OpSToF, v.Type, x)
	}
	y := w.toPair(v.Args[1])
	switch v.Op {
	case ir.OpIEq:
		return w.addBool(ir.OpLAnd, w.addBool(ir.OpIEq, x.lo, y.lo), w.addBool(ir.OpIEq, x.hi, y.hi))
	case ir.OpINe:
		return w.addBool(ir.OpLOr, w.addBool(ir.OpINe, x.lo, y.lo), w.addBool(ir.OpINe, x.hi, y.hi))
	case ir.OpULt:
		return w.orderPairs(ir.OpULt, ir.OpULt, x, y)
	case ir.OpULe:
		return w.orderPairs(ir.OpULe, ir.OpULt, x, y)
	case ir.OpSLt:
		return w.orderPairs(ir.OpULt, ir.OpSLt, x, y)
	case ir.OpSLe:
		return w.orderPairs(ir.OpULe, ir.OpSLt, x, y)
	}
	panic("BUG: " + v.Op.String() + " of 64 bits")
}

// orderPairs compares the high words of x and y with the op `high`. If the high words are equal,
// orderPairs compares the low words with the op `low`.
func (w *wordLowerer) orderPairs(low, high ir.Op, x, y pair) *ir.Value {
	same := w.addBool(ir.OpIEq, x.hi, y.hi)
	switch {
	case high == ir.OpULt && facts.IsZero(x.hi):
		return w.addBool(ir.OpLOr, w.addBool(ir.OpLNot, same), w.addBool(low, x.lo, y.lo))
	case high == ir.OpULt && facts.IsZero(y.hi):
		return w.addBool(ir.OpLAnd, same, w.addBool(low, x.lo, y.lo))
	}
	return w.addBool(ir.OpSelect, same, w.addBool(low, x.lo, y.lo), w.addBool(high, x.hi, y.hi))
}

// lessPair returns the unsigned comparison x < y.
func (w *wordLowerer) lessPair(x, y pair) *ir.Value { return w.orderPairs(ir.OpULt, ir.OpULt, x, y) }

func (w *wordLowerer) extend(v *ir.Value) pair {
	x := v.Args[0]
	if x.Type == ir.TypeI64 {
		return w.toPair(x)
	}
	lo := w.valueOf(x)
	if x.Type != ir.TypeI32 {
		lo = w.addWord(v.Op, lo)
	}
	if v.Op == ir.OpUConvert {
		return pair{lo, w.wordConst(0)}
	}
	return w.signExtend(lo)
}

// signExtend sign-extends the 32-bit word lo to a pair.
func (w *wordLowerer) signExtend(lo *ir.Value) pair {
	return pair{lo, w.addWord(ir.OpShrA, lo, w.wordConst(31))}
}

// signOf returns -1 if x is negative, and otherwise 0.
func (w *wordLowerer) signOf(x pair) *ir.Value { return w.addWord(ir.OpShrA, x.hi, w.wordConst(31)) }

// negateIf returns -x if the argument "negative" is -1, and x if this argument is 0.
func (w *wordLowerer) negateIf(negative *ir.Value, x pair) pair {
	flipped := pair{w.addWord(ir.OpXor, x.lo, negative), w.addWord(ir.OpXor, x.hi, negative)}
	return w.difference(flipped, pair{negative, negative})
}

func (w *wordLowerer) abs(x pair) pair { return w.negateIf(w.signOf(x), x) }

func (w *wordLowerer) sum(x, y pair) pair {
	if y.lo.IsConst() && y.lo.Bits == 0 {
		return pair{x.lo, w.addWord(ir.OpIAdd, x.hi, y.hi)}
	}
	lo := w.addWord(ir.OpIAdd, x.lo, y.lo)
	// If one operand is constant, comparing the sum with that operand gives the carry.
	other := x.lo
	if y.lo.IsConst() {
		other = y.lo
	}
	carry := w.bitOf(w.addBool(ir.OpULt, lo, other))
	return pair{lo, w.addWord(ir.OpIAdd, w.addWord(ir.OpIAdd, x.hi, y.hi), carry)}
}

func (w *wordLowerer) difference(x, y pair) pair {
	borrow := w.bitOf(w.addBool(ir.OpULt, x.lo, y.lo))
	hi := w.addWord(ir.OpISub, w.addWord(ir.OpISub, x.hi, y.hi), borrow)
	return pair{w.addWord(ir.OpISub, x.lo, y.lo), hi}
}

func (w *wordLowerer) product(x, y pair) pair {
	if isPower(x) {
		x, y = y, x
	}
	if isPower(y) {
		n, ok := facts.Log2(y.lo)
		if !ok {
			n, _ = facts.Log2(y.hi)
			n += 32
		}
		return w.shiftLeft(x, w.wordConst(n))
	}
	hi := w.addWord(ir.OpIAdd, w.addWord(ir.OpIMul, x.lo, y.hi), w.addWord(ir.OpIMul, x.hi, y.lo))
	if !facts.IsZero(x.lo) && !facts.IsZero(y.lo) {
		hi = w.addWord(ir.OpIAdd, hi, w.mulHigh(x.lo, y.lo))
	}
	return pair{w.addWord(ir.OpIMul, x.lo, y.lo), hi}
}

// isPower reports whether x is a constant power of two.
func isPower(x pair) bool {
	_, lo := facts.Log2(x.lo)
	_, hi := facts.Log2(x.hi)
	return lo && facts.IsZero(x.hi) || hi && facts.IsZero(x.lo)
}

// shiftLeft shifts x left by n, which must be less than 64.
func (w *wordLowerer) shiftLeft(x pair, n *ir.Value) pair {
	if n.IsConst() {
		k := int64(n.Bits)
		switch {
		case k == 0:
			return x
		case k >= 32:
			return pair{w.wordConst(0), w.addWord(ir.OpShl, x.lo, w.wordConst(k-32))}
		}
		carried := w.addWord(ir.OpShrL, x.lo, w.wordConst(32-k))
		return pair{w.addWord(ir.OpShl, x.lo, n), w.addWord(ir.OpOr, w.addWord(ir.OpShl, x.hi, n), carried)}
	}
	far := w.isFarShift(n)
	n = w.addWord(ir.OpAnd, n, w.wordConst(31))
	carried := w.addWord(ir.OpShrL, w.addWord(ir.OpShrL, x.lo, w.wordConst(1)), w.addWord(ir.OpXor, n, w.wordConst(31)))
	lo := w.addWord(ir.OpShl, x.lo, n)
	hi := w.addWord(ir.OpOr, w.addWord(ir.OpShl, x.hi, n), carried)
	return w.choosePair(far, pair{w.wordConst(0), lo}, pair{lo, hi})
}

// isFarShift returns the bool n >= 32 for a shift count n that is less than 64. isFarShift does not
// test bit 5 of n, because of a driver bug (see the quirk far-shift of NVIDIA).
func (w *wordLowerer) isFarShift(n *ir.Value) *ir.Value {
	return w.addBool(ir.OpULt, w.wordConst(31), n)
}

// shiftRight shifts x right by n, which must be less than 64. The op determines whether zeros
// or sign bits are shifted in.
func (w *wordLowerer) shiftRight(op ir.Op, x pair, n *ir.Value) pair {
	in := w.wordConst(0)
	if op == ir.OpShrA {
		in = w.signOf(x)
	}
	if n.IsConst() {
		k := int64(n.Bits)
		switch {
		case k == 0:
			return x
		case k >= 32:
			return pair{w.addWord(op, x.hi, w.wordConst(k-32)), in}
		}
		carried := w.addWord(ir.OpShl, x.hi, w.wordConst(32-k))
		return pair{w.addWord(ir.OpOr, w.addWord(ir.OpShrL, x.lo, n), carried), w.addWord(op, x.hi, n)}
	}
	far := w.isFarShift(n)
	n = w.addWord(ir.OpAnd, n, w.wordConst(31))
	carried := w.addWord(ir.OpShl, w.addWord(ir.OpShl, x.hi, w.wordConst(1)), w.addWord(ir.OpXor, n, w.wordConst(31)))
	lo := w.addWord(ir.OpOr, w.addWord(ir.OpShrL, x.lo, n), carried)
	hi := w.addWord(op, x.hi, n)
	return w.choosePair(far, pair{hi, in}, pair{lo, hi})
}

// divideUnsigned returns the unsigned quotient x / y, where y must not be zero. Only constant
// expressions need divideUnsigned, because numbers.LongDivide has expanded the divisions in blocks.
func (w *wordLowerer) divideUnsigned(x, y pair) pair {
	if facts.IsZero(x.hi) && facts.IsZero(y.hi) {
		return pair{w.addWord(ir.OpUDiv, x.lo, y.lo), w.wordConst(0)}
	}
	w.failed = true // operands that may need 64 bits are not supported
	return x
}

// mulHigh returns the high 32-bit word of the product x*y. In a constant expression, mulHigh
// multiplies 16-bit halves, because SPIR-V has no constant expression for the high word.
func (w *wordLowerer) mulHigh(x, y *ir.Value) *ir.Value {
	if !w.outer {
		return w.addWord(ir.OpUMulHi, x, y)
	}
	low := func(v *ir.Value) *ir.Value { return w.addWord(ir.OpAnd, v, w.wordConst(0xffff)) }
	high := func(v *ir.Value) *ir.Value { return w.addWord(ir.OpShrL, v, w.wordConst(16)) }
	mid := w.addWord(ir.OpIAdd, w.addWord(ir.OpIMul, high(x), low(y)), high(w.addWord(ir.OpIMul, low(x), low(y))))
	cross := w.addWord(ir.OpIAdd, w.addWord(ir.OpIMul, low(x), high(y)), low(mid))
	sum := w.addWord(ir.OpIAdd, w.addWord(ir.OpIMul, high(x), high(y)), high(mid))
	return w.addWord(ir.OpIAdd, sum, high(cross))
}

// leadingZeros returns the number of zero bits above the highest set bit of the 32-bit word x,
// which must not be zero.
func (w *wordLowerer) leadingZeros(x *ir.Value) *ir.Value {
	return w.addWord(ir.OpISub, w.wordConst(31), w.addWord(ir.OpFindUMsb, x))
}
