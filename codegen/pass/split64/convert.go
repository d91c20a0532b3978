package split64

// This file converts between pairs of 32-bit words and floating point, with the same rounding as
// Go.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// fromBits returns the bits of the 64-bit float x as a pair.
func (w *words) fromBits(x *ir.Value) pair {
	if x.Type == ir.TypeI64 {
		return w.pair(x)
	}
	x = w.value(x)
	if x.Type != ir.TypeAddr {
		x = w.add(ir.OpBitcast, ir.TypeAddr, x)
	}
	return w.split(x)
}

// The method split returns the address x as a pair.
func (w *words) split(x *ir.Value) pair { return pair{w.word(ir.OpLow, x), w.word(ir.OpHigh, x)} }

// The method join returns the pair x as an address.
func (w *words) join(x pair) *ir.Value { return w.add(ir.OpPair, ir.TypeAddr, x.lo, x.hi) }

// toBits converts the bits of the pair x to a value of type t.
func (w *words) toBits(t *ir.Type, x pair) *ir.Value {
	a := w.join(x)
	if t == ir.TypeAddr {
		return a
	}
	return w.add(ir.OpBitcast, t, a)
}

// toFloat converts x to the float type t with a single rounding to nearest even.
func (w *words) toFloat(signed bool, t *ir.Type, x pair) *ir.Value {
	if signed && isExtended(x) {
		return w.add(ir.OpSToF, t, x.lo)
	}
	switch t.Kind {
	case ir.F64:
		high := ir.OpUToF
		if signed {
			high = ir.OpSToF
		}
		// The converted high word times 2^32 is exact, so only the sum is rounded.
		hi := w.add(ir.OpFMul, t, w.add(high, t, x.hi), w.m.Const(t, ir.FloatBits(t, 1<<32)))
		return w.add(ir.OpFAdd, t, hi, w.add(ir.OpUToF, t, x.lo))
	case ir.F16:
		// A number that does not fit in 32 bits becomes infinite as a float16.
		most := w.is(ir.OpULt, w.word(ir.OpXor, x.hi, w.signOf(x)), w.n(1))
		fits := w.is(ir.OpLAnd, most, w.is(ir.OpIEq, w.word(ir.OpShrA, x.lo, w.n(31)), x.hi))
		limit := w.n(1<<31 - 1)
		if signed {
			limit = w.word(ir.OpXor, limit, w.signOf(x))
		} else {
			fits = w.is(ir.OpLAnd, w.is(ir.OpIEq, x.hi, w.n(0)), w.is(ir.OpSLe, w.n(0), x.lo))
		}
		return w.add(ir.OpSToF, t, w.word(ir.OpSelect, fits, x.lo, limit))
	}
	if !signed {
		return w.add(ir.OpBitcast, t, w.float32Bits(x))
	}
	sign := w.word(ir.OpAnd, x.hi, w.n(numbers.SignBit))
	return w.add(ir.OpBitcast, t, w.word(ir.OpOr, w.float32Bits(w.abs(x)), sign))
}

// isExtended reports whether x is a sign-extended 32-bit word.
func isExtended(x pair) bool {
	if x.lo.IsConst() && x.hi.IsConst() {
		return int32(x.lo.Bits)>>31 == int32(x.hi.Bits)
	}
	return x.hi.Op == ir.OpShrA && x.hi.Args[0] == x.lo && x.hi.Args[1].IsConst() && x.hi.Args[1].Bits == 31
}

// float32Bits returns the bits of the float32 nearest to the unsigned integer x. It uses only
// integers, since some devices round twice when they convert a 32-bit integer.
func (w *words) float32Bits(x pair) *ir.Value {
	// The number is shifted left so that its highest set bit becomes bit 63.
	empty := w.is(ir.OpIEq, x.hi, w.n(0))
	x = w.choose(empty, pair{w.n(0), x.lo}, x)
	zero := w.is(ir.OpIEq, x.hi, w.n(0))
	zeros := w.word(ir.OpSelect, zero, w.n(0), w.leadingZeros(x.hi))
	carried := w.word(ir.OpShrL, w.word(ir.OpShrL, x.lo, w.n(1)), w.word(ir.OpXor, zeros, w.n(31)))
	top := w.word(ir.OpOr, w.word(ir.OpShl, x.hi, zeros), carried)
	tail := w.word(ir.OpShl, x.lo, zeros)

	// The significand has 24 bits. The lower bits decide the rounding, where 0x80 is half a unit.
	significand := w.word(ir.OpShrL, top, w.n(8))
	below := w.word(ir.OpAnd, top, w.n(0xff))
	below = w.word(ir.OpOr, below, w.bit(w.is(ir.OpINe, tail, w.n(0))))
	below = w.word(ir.OpOr, below, w.word(ir.OpAnd, significand, w.n(1)))
	up := w.bit(w.is(ir.OpULt, w.n(0x80), below))

	exponent := w.word(ir.OpISub, w.word(ir.OpSelect, empty, w.n(31+126), w.n(63+126)), zeros)
	bits := w.word(ir.OpIAdd, w.word(ir.OpShl, exponent, w.n(23)), significand)
	return w.word(ir.OpSelect, zero, w.n(0), w.word(ir.OpIAdd, bits, up))
}

// fromFloat converts the float x to an integer by truncation. The float must be in the range of the
// integer type.
func (w *words) fromFloat(signed bool, x *ir.Value) pair {
	switch x.Type.Kind {
	case ir.F16:
		return w.signed(w.word(ir.OpFToS, x))
	case ir.F64:
		return w.fromFloat64(signed, x)
	}
	bits := w.word(ir.OpBitcast, x)
	exponent := w.word(ir.OpAnd, w.word(ir.OpShrL, bits, w.n(23)), w.n(0xff))
	significand := w.word(ir.OpOr, w.word(ir.OpAnd, bits, w.n(numbers.Fraction)), w.n(numbers.HiddenBit))
	// The significand of a number less than 1<<24 is shifted right, and that of other numbers left.
	right := w.word(ir.OpISub, w.n(127+23), exponent)
	small := w.is(ir.OpSLt, w.n(0), right)
	shifted := w.word(ir.OpSelect, w.is(ir.OpSLt, right, w.n(24)), right, w.n(24))
	shifted = w.word(ir.OpSelect, small, shifted, w.n(0))
	left := w.word(ir.OpSelect, small, w.n(0), w.word(ir.OpISub, w.n(0), right))
	// The mask keeps the shift defined even if the float is out of range.
	large := w.shl(pair{significand, w.n(0)}, w.word(ir.OpAnd, left, w.n(63)))
	p := w.choose(small, pair{w.word(ir.OpShrL, significand, shifted), w.n(0)}, large)
	if !signed {
		return p
	}
	return w.negateIf(w.word(ir.OpShrA, bits, w.n(31)), p)
}

func (w *words) fromFloat64(signed bool, x *ir.Value) pair {
	t := x.Type
	c := func(f float64) *ir.Value { return w.m.Const(t, ir.FloatBits(t, f)) }
	sign := w.n(0)
	if signed {
		sign = w.word(ir.OpShrA, w.split(w.add(ir.OpBitcast, ir.TypeAddr, x)).hi, w.n(31))
	}
	// The floor of the magnitude is used instead of Trunc because of a bug (see the quirk
	// round-double). An unsigned x may be between -1 and 0.
	x = w.add(ir.OpFFloor, t, w.add(ir.OpFAbs, t, x))
	// The product with a power of two is exact, and so is the difference that is computed next.
	hi := w.add(ir.OpFFloor, t, w.add(ir.OpFMul, t, x, c(0x1p-32)))
	lo := w.add(ir.OpFSub, t, x, w.add(ir.OpFMul, t, hi, c(1<<32)))
	p := pair{w.word(ir.OpFToU, lo), w.word(ir.OpFToU, hi)}
	if !signed {
		return p
	}
	return w.negateIf(sign, p)
}
