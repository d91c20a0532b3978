package interp

// This file computes operations without side effects.

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
)

// maskBits clears the bits beyond the type's width.
func maskBits(t *ir.Type, x uint64) uint64 {
	if n := t.Bits(); n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// sext sign-extends a value of type t.
func sext(t *ir.Type, x uint64) int64 {
	n := 64 - t.Bits()
	return int64(x<<n) >> n
}

func boolBits(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// computePure computes an op without side effects. The arguments and the result are the bits of values,
// zero-extended to 64 bits.
func (x *launchState) computePure(v *ir.Value, a []uint64) (uint64, error) {
	if len(v.Args) == 0 {
		return 0, fmt.Errorf("%v is unknown", v.Op)
	}
	t := v.Args[0].Type
	if r, ok := compareOp(v.Op, t, a); ok {
		return boolBits(r), nil
	}
	switch v.Op {
	case ir.OpSelect:
		if a[0] != 0 {
			return a[1], nil
		}
		return a[2], nil
	case ir.OpSConvert:
		return maskBits(v.Type, uint64(sext(t, a[0]))), nil
	case ir.OpUConvert:
		return maskBits(v.Type, a[0]), nil
	case ir.OpBitcast:
		return a[0], nil
	case ir.OpPair:
		return a[0] | a[1]<<32, nil
	case ir.OpLow:
		return a[0] & math.MaxUint32, nil
	case ir.OpHigh:
		return a[0] >> 32, nil
	case ir.OpFConvert:
		return ir.FloatBits(v.Type, ir.FloatValue(t, a[0])), nil
	case ir.OpFFromHalf:
		if a[0]&0x7fff > 0x7c00 {
			return 0x7fc00000, nil
		}
		return ir.FloatBits(ir.TypeF32, ir.Float16frombits(uint16(a[0]))), nil
	case ir.OpFToHalf:
		return uint64(halfBits(a[0])), nil
	case ir.OpHalfDiv, ir.OpHalfSqrt, ir.OpHalfFma:
		if want := computedHalf(v.Op, a[1:]); a[0] != want {
			return 0, fmt.Errorf("the float16 is %#x, but the operands' is %#x", a[0], want)
		}
		return a[0], nil
	case ir.OpSDot, ir.OpUDot, ir.OpSUDot, ir.OpSDotAccSat, ir.OpUDotAccSat, ir.OpSUDotAccSat:
		if want := dotProduct(v.Op, a[1:]); uint32(a[0]) != want {
			return 0, fmt.Errorf("the sum of products is %#x, but the operands' is %#x", a[0], want)
		}
		return a[0], nil
	case ir.OpSToF:
		n := sext(t, a[0])
		if v.Type == ir.TypeF32 {
			return uint64(math.Float32bits(float32(n))), nil
		}
		// An integer is converted first to float64 and then to float16. If the first conversion
		// rounds the integer, the float16 is infinite anyway.
		return ir.FloatBits(v.Type, float64(n)), nil
	case ir.OpUToF, ir.OpUToNear:
		if v.Type == ir.TypeF32 {
			return uint64(math.Float32bits(float32(a[0]))), nil
		}
		return ir.FloatBits(v.Type, float64(a[0])), nil
	case ir.OpFToS, ir.OpFToU:
		return toInt(v.Op, v.Type, ir.FloatValue(t, a[0]))
	}
	if t.IsFloat() {
		return x.floatOp(v.Op, t, a)
	}
	return integerOp(v.Op, t, a)
}

// halfBits returns the bits of the float16 nearest to the float32 with the given bits.
func halfBits(f32 uint64) uint16 {
	b := ir.Float16bits(ir.FloatValue(ir.TypeF32, f32))
	if b&0x7fff > 0x7c00 {
		return 0x7e00
	}
	return b
}

// computedHalf returns the bits of the float16 result of a division, a square root or an Fma. The
// result is computed in float64 and then rounded. The rounded result is correct, because float64
// has enough precision.
func computedHalf(op ir.Op, a []uint64) uint64 {
	var x [3]float64
	for i, b := range a {
		x[i] = ir.Float16frombits(uint16(b))
	}
	r := float64(x[0]*x[1]) + x[2]
	switch op {
	case ir.OpHalfDiv:
		r = x[0] / x[1]
	case ir.OpHalfSqrt:
		r = math.Sqrt(x[0])
	}
	if r != r {
		return 0x7e00
	}
	return uint64(ir.Float16bits(r))
}

// compareOp computes the ops whose result is a bool.
func compareOp(op ir.Op, t *ir.Type, a []uint64) (result, ok bool) {
	switch op {
	case ir.OpIEq, ir.OpLEq:
		return a[0] == a[1], true
	case ir.OpINe, ir.OpLNe:
		return a[0] != a[1], true
	case ir.OpSLt:
		return sext(t, a[0]) < sext(t, a[1]), true
	case ir.OpSLe:
		return sext(t, a[0]) <= sext(t, a[1]), true
	case ir.OpULt:
		return a[0] < a[1], true
	case ir.OpULe:
		return a[0] <= a[1], true
	case ir.OpFEq:
		return ir.FloatValue(t, a[0]) == ir.FloatValue(t, a[1]), true
	case ir.OpFNe:
		return ir.FloatValue(t, a[0]) != ir.FloatValue(t, a[1]), true
	case ir.OpFLt:
		return ir.FloatValue(t, a[0]) < ir.FloatValue(t, a[1]), true
	case ir.OpFLe:
		return ir.FloatValue(t, a[0]) <= ir.FloatValue(t, a[1]), true
	case ir.OpAddrIsNull:
		return a[0] == 0, true
	case ir.OpLAnd:
		return a[0]&a[1] != 0, true
	case ir.OpLOr:
		return a[0]|a[1] != 0, true
	case ir.OpLNot:
		return a[0] == 0, true
	}
	return false, false
}

// integerOp computes ops on integers of type t.
func integerOp(op ir.Op, t *ir.Type, a []uint64) (uint64, error) {
	x, y := a[0], uint64(0)
	if len(a) > 1 {
		y = a[1]
	}
	w := uint32(x)
	r := uint64(0)
	switch op {
	case ir.OpIAdd:
		r = x + y
	case ir.OpISub:
		r = x - y
	case ir.OpIMul:
		r = x * y
	case ir.OpSDiv:
		n, d := sext(t, x), sext(t, y)
		switch {
		case d == 0:
			return 0, errors.New("division by zero")
		case d == -1 && maskBits(t, uint64(-n)) == x && n != 0:
			return 0, fmt.Errorf("%d / -1 overflows", n)
		}
		r = uint64(n / d)
	case ir.OpUDiv, ir.OpUMod:
		switch {
		case y == 0:
			return 0, errors.New("division by zero")
		case op == ir.OpUDiv:
			r = x / y
		default:
			r = x % y
		}
	case ir.OpUMulHi:
		r = x * y >> 32
	case ir.OpAnd:
		r = x & y
	case ir.OpOr:
		r = x | y
	case ir.OpXor:
		r = x ^ y
	case ir.OpNot:
		r = ^x
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		if y >= uint64(t.Bits()) {
			return 0, fmt.Errorf("a shift of %v by %d", t, y)
		}
		switch op {
		case ir.OpShl:
			r = x << y
		case ir.OpShrL:
			r = x >> y
		default:
			r = uint64(sext(t, x) >> y)
		}
	case ir.OpBitCount:
		r = uint64(bits.OnesCount32(w))
	case ir.OpBitReverse:
		r = uint64(bits.Reverse32(w))
	case ir.OpFindLsb:
		r = uint64(bits.TrailingZeros32(w))
		if w == 0 {
			r = math.MaxUint32
		}
	case ir.OpFindUMsb:
		r = uint64(int64(bits.Len32(w)) - 1)
	default:
		return 0, fmt.Errorf("%v is unknown", op)
	}
	return maskBits(t, r), nil
}

// toInt converts a float to a value of an integer type. The float must be in the range of the integer type.
func toInt(op ir.Op, t *ir.Type, f float64) (uint64, error) {
	n := t.Bits()
	lo, hi := 0.0, math.Ldexp(1, n)
	if op == ir.OpFToS {
		lo, hi = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
	}
	f = math.Trunc(f)
	if !(f >= lo && f < hi) {
		return 0, fmt.Errorf("%g is out of the range of %v", f, t)
	}
	if op == ir.OpFToS {
		return maskBits(t, uint64(int64(f))), nil
	}
	return uint64(f), nil
}

// floatOp computes ops on floats of type t.
func (m *launchState) floatOp(op ir.Op, t *ir.Type, a []uint64) (uint64, error) {
	sign := uint64(1) << (t.Bits() - 1)
	switch op {
	case ir.OpFNegate:
		return a[0] ^ sign, nil
	case ir.OpFAbs:
		return a[0] &^ sign, nil
	case ir.OpFRounded:
		return a[0], nil
	}
	var f [3]float64
	for i := range a {
		f[i] = ir.FloatValue(t, a[i])
	}
	x, y := f[0], f[1]
	// The result of an op is rounded first to float64 and then to t. For basic operations on
	// float32 and float16, rounding twice gives the same result as rounding once, because float64
	// has more than twice the precision.
	var r float64
	switch op {
	case ir.OpFAdd:
		r = x + y
	case ir.OpFSub:
		r = x - y
	case ir.OpFMul:
		r = x * y
	case ir.OpFDiv:
		r = x / y
	case ir.OpFSqrt:
		r = math.Sqrt(x)
	case ir.OpFma:
		if m.l.Unfused {
			x = ir.FloatValue(t, ir.FloatBits(t, x*y))
			r = x + f[2]
		} else {
			r = fma(t, x, y, f[2])
		}
	case ir.OpFmaOnce:
		r = fma(t, x, y, f[2])
	case ir.OpFFloor:
		r = math.Floor(x)
	case ir.OpFCeil:
		r = math.Ceil(x)
	case ir.OpFTrunc:
		r = math.Trunc(x)
	case ir.OpFRoundEven:
		r = math.RoundToEven(x)
	case ir.OpFSin:
		r = math.Sin(x)
	case ir.OpFCos:
		r = math.Cos(x)
	case ir.OpFTan:
		r = math.Tan(x)
	case ir.OpFExp:
		r = math.Exp(x)
	case ir.OpFExp2:
		r = math.Exp2(x)
	case ir.OpFLog:
		r = math.Log(x)
	case ir.OpFLog2:
		r = math.Log2(x)
	case ir.OpFPow:
		r = math.Pow(x, y)
	case ir.OpFInvSqrt, ir.OpFRsqrt:
		// The inverse square root is rounded to float64 first and then to float32. Rounding twice gives
		// the same result as rounding once, because no inverse square root of a float32 is close enough
		// to the midpoint of two float32s. TestRsqrtIsExact of math32 checks all values.
		r = 1 / math.Sqrt(x)
	default:
		return 0, fmt.Errorf("%v is unknown", op)
	}
	return ir.FloatBits(t, r), nil
}

// fma returns x*y + z. If t is float64, the result is rounded once. If t is narrower, the caller
// rounds the result of fma to type t, which gives the same value as a single rounding.
func fma(t *ir.Type, x, y, z float64) float64 {
	if t == ir.TypeF64 {
		return math.FMA(x, y, z)
	}
	return addOdd(x*y, z)
}

// addOdd adds x and y, and rounds the sum to odd. If the exact sum is not a float64, addOdd returns
// the neighboring float64 with an odd mantissa. Rounding this float64 to a narrower type gives the
// same value as rounding the exact sum once. (The product of two float32 values is exact in
// float64.)
func addOdd(x, y float64) float64 {
	s := x + y
	if math.IsInf(s, 0) || s != s {
		return s
	}
	// Knuth's TwoSum computes e such that s + e is exactly x + y.
	b := s - x
	e := (x - (s - b)) + (y - b)
	n := math.Float64bits(s)
	if e == 0 || n&1 == 1 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(n + 1)
	}
	return math.Float64frombits(n - 1)
}

// dotProduct computes a dot-product op for the operands x.
func dotProduct(op ir.Op, x []uint64) uint32 {
	signedA := op != ir.OpUDot && op != ir.OpUDotAccSat
	signedB := op == ir.OpSDot || op == ir.OpSDotAccSat
	number := func(bits uint64, signed bool) int64 {
		if signed {
			return int64(int8(bits))
		}
		return int64(uint8(bits))
	}
	sum := int64(0)
	for i := range 4 {
		sum += number(x[i], signedA) * number(x[4+i], signedB)
	}
	switch {
	case len(x) == 8:
	case signedA:
		sum = min(max(sum+int64(int32(x[8])), math.MinInt32), math.MaxInt32)
	default:
		sum = min(sum+int64(uint32(x[8])), math.MaxUint32)
	}
	return uint32(sum)
}
