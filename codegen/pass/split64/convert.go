package split64

// This file converts between pairs of 32-bit words and floating point, with the same rounding as
// Go.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// fromBits returns the bits of the 64-bit float x as a pair.
func (w *wordLowerer) fromBits(x *ir.Value) pair {
	if x.Type == ir.TypeI64 {
		return w.toPair(x)
	}
	x = w.valueOf(x)
	if x.Type != ir.TypeAddr {
		x = w.addOp(ir.OpBitcast, ir.TypeAddr, x)
	}
	return w.splitAddress(x)
}

// splitAddress returns the address x as a pair.
func (w *wordLowerer) splitAddress(x *ir.Value) pair {
	return pair{w.addWord(ir.OpLow, x), w.addWord(ir.OpHigh, x)}
}

// joinAddress returns the pair x as an address.
func (w *wordLowerer) joinAddress(x pair) *ir.Value {
	return w.addOp(ir.OpPair, ir.TypeAddr, x.lo, x.hi)
}

// toBits converts the bits of the pair x to a value of type t.
func (w *wordLowerer) toBits(t *ir.Type, x pair) *ir.Value {
	a := w.joinAddress(x)
	if t == ir.TypeAddr {
		return a
	}
	return w.addOp(ir.OpBitcast, t, a)
}

// toFloat converts x to the float type t with a single rounding to nearest even.
func (w *wordLowerer) toFloat(signed bool, t *ir.Type, x pair) *ir.Value {
	if signed && isExtended(x) {
		return w.addOp(ir.OpSToF, t, x.lo)
	}
	switch t.Kind {
	case ir.F64:
		high := ir.OpUToF
		if signed {
			high = ir.OpSToF
		}
		// The product of the converted high word and 2^32 is exact, so only the sum is rounded.
		hi := w.addOp(ir.OpFMul, t, w.addOp(high, t, x.hi), w.m.Const(t, ir.FloatBits(t, 1<<32)))
		return w.addOp(ir.OpFAdd, t, hi, w.addOp(ir.OpUToF, t, x.lo))
	case ir.F16:
		// A number that does not fit in 32 bits becomes an infinite float16.
		most := w.addBool(ir.OpULt, w.addWord(ir.OpXor, x.hi, w.signOf(x)), w.wordConst(1))
		fits := w.addBool(ir.OpLAnd, most, w.addBool(ir.OpIEq, w.addWord(ir.OpShrA, x.lo, w.wordConst(31)), x.hi))
		limit := w.wordConst(1<<31 - 1)
		if signed {
			limit = w.addWord(ir.OpXor, limit, w.signOf(x))
		} else {
			fits = w.addBool(ir.OpLAnd, w.addBool(ir.OpIEq, x.hi, w.wordConst(0)), w.addBool(ir.OpSLe, w.wordConst(0), x.lo))
		}
		return w.addOp(ir.OpSToF, t, w.addWord(ir.OpSelect, fits, x.lo, limit))
	}
	if !signed {
		return w.addOp(ir.OpBitcast, t, w.float32Bits(x))
	}
	sign := w.addWord(ir.OpAnd, x.hi, w.wordConst(numbers.SignBit))
	return w.addOp(ir.OpBitcast, t, w.addWord(ir.OpOr, w.float32Bits(w.abs(x)), sign))
}

// isExtended reports whether x is a sign-extended 32-bit word.
func isExtended(x pair) bool {
	if x.lo.IsConst() && x.hi.IsConst() {
		return int32(x.lo.Bits)>>31 == int32(x.hi.Bits)
	}
	return x.hi.Op == ir.OpShrA && x.hi.Args[0] == x.lo && x.hi.Args[1].IsConst() && x.hi.Args[1].Bits == 31
}

// float32Bits returns the bits of the float32 nearest to the unsigned integer x. float32Bits uses
// only integers, because some devices round twice when they convert a 32-bit integer to a float.
func (w *wordLowerer) float32Bits(x pair) *ir.Value {
	// The number is shifted left so that its highest set bit becomes bit 63.
	empty := w.addBool(ir.OpIEq, x.hi, w.wordConst(0))
	x = w.choosePair(empty, pair{w.wordConst(0), x.lo}, x)
	zero := w.addBool(ir.OpIEq, x.hi, w.wordConst(0))
	zeros := w.addWord(ir.OpSelect, zero, w.wordConst(0), w.leadingZeros(x.hi))
	carried := w.addWord(ir.OpShrL, w.addWord(ir.OpShrL, x.lo, w.wordConst(1)), w.addWord(ir.OpXor, zeros, w.wordConst(31)))
	top := w.addWord(ir.OpOr, w.addWord(ir.OpShl, x.hi, zeros), carried)
	tail := w.addWord(ir.OpShl, x.lo, zeros)

	// The significand has 24 bits. The 8 bits below the significand determine the rounding. In
	// these bits, 0x80 is half of the significand's last place.
	significand := w.addWord(ir.OpShrL, top, w.wordConst(8))
	below := w.addWord(ir.OpAnd, top, w.wordConst(0xff))
	below = w.addWord(ir.OpOr, below, w.bitOf(w.addBool(ir.OpINe, tail, w.wordConst(0))))
	below = w.addWord(ir.OpOr, below, w.addWord(ir.OpAnd, significand, w.wordConst(1)))
	up := w.bitOf(w.addBool(ir.OpULt, w.wordConst(0x80), below))

	exponent := w.addWord(ir.OpISub, w.addWord(ir.OpSelect, empty, w.wordConst(31+126), w.wordConst(63+126)), zeros)
	bits := w.addWord(ir.OpIAdd, w.addWord(ir.OpShl, exponent, w.wordConst(23)), significand)
	return w.addWord(ir.OpSelect, zero, w.wordConst(0), w.addWord(ir.OpIAdd, bits, up))
}

// fromFloat converts the float x to an integer by truncation. The float must be in the range of the
// integer type.
func (w *wordLowerer) fromFloat(signed bool, x *ir.Value) pair {
	switch x.Type.Kind {
	case ir.F16:
		return w.signExtend(w.addWord(ir.OpFToS, x))
	case ir.F64:
		return w.fromFloat64(signed, x)
	}
	bits := w.addWord(ir.OpBitcast, x)
	exponent := w.addWord(ir.OpAnd, w.addWord(ir.OpShrL, bits, w.wordConst(23)), w.wordConst(0xff))
	significand := w.addWord(ir.OpOr, w.addWord(ir.OpAnd, bits, w.wordConst(numbers.Fraction)), w.wordConst(numbers.HiddenBit))
	// The significand of a number less than 1<<24 is shifted right, and the significand of other
	// numbers is shifted left.
	right := w.addWord(ir.OpISub, w.wordConst(127+23), exponent)
	small := w.addBool(ir.OpSLt, w.wordConst(0), right)
	shifted := w.addWord(ir.OpSelect, w.addBool(ir.OpSLt, right, w.wordConst(24)), right, w.wordConst(24))
	shifted = w.addWord(ir.OpSelect, small, shifted, w.wordConst(0))
	left := w.addWord(ir.OpSelect, small, w.wordConst(0), w.addWord(ir.OpISub, w.wordConst(0), right))
	// The mask keeps the shift defined even if the float is out of range.
	large := w.shiftLeft(pair{significand, w.wordConst(0)}, w.addWord(ir.OpAnd, left, w.wordConst(63)))
	p := w.choosePair(small, pair{w.addWord(ir.OpShrL, significand, shifted), w.wordConst(0)}, large)
	if !signed {
		return p
	}
	return w.negateIf(w.addWord(ir.OpShrA, bits, w.wordConst(31)), p)
}

func (w *wordLowerer) fromFloat64(signed bool, x *ir.Value) pair {
	t := x.Type
	c := func(f float64) *ir.Value { return w.m.Const(t, ir.FloatBits(t, f)) }
	sign := w.wordConst(0)
	if signed {
		sign = w.addWord(ir.OpShrA, w.splitAddress(w.addOp(ir.OpBitcast, ir.TypeAddr, x)).hi, w.wordConst(31))
	}
	// To avoid a bug (see the quirk round-double), the code uses the floor of the magnitude instead
	// of Trunc. Even for an unsigned result, x may be between -1 and 0.
	x = w.addOp(ir.OpFFloor, t, w.addOp(ir.OpFAbs, t, x))
	// The products with powers of two are exact, and so is the difference below.
	hi := w.addOp(ir.OpFFloor, t, w.addOp(ir.OpFMul, t, x, c(0x1p-32)))
	lo := w.addOp(ir.OpFSub, t, x, w.addOp(ir.OpFMul, t, hi, c(1<<32)))
	p := pair{w.addWord(ir.OpFToU, lo), w.addWord(ir.OpFToU, hi)}
	if !signed {
		return p
	}
	return w.negateIf(sign, p)
}
