package facts

// This file folds ops with constant operands, if all devices compute the same bits. Package simplify uses the
// code in this file to fold constants. The code is also used by analyses that compute a value in each iteration
// of a loop.

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
)

// FoldConst folds v, and returns the resulting constant. If v cannot be folded, FoldConst returns
// nil. A floating-point result is folded only if every device computes the same bits. FoldConst
// does not fold results that are NaNs or float32 subnormals.
func FoldConst(m *ir.Module, v *ir.Value) *ir.Value {
	if len(v.Args) == 0 || v.Op == ir.OpPhi {
		return nil
	}
	for _, a := range v.Args {
		if !a.IsConst() {
			return nil
		}
	}
	a := v.Args[0]
	var n uint64
	var ok bool
	switch {
	case v.Op == ir.OpSelect:
		if a.Bits != 0 {
			return v.Args[1]
		}
		return v.Args[2]
	case v.Op == ir.OpBitcast:
		n, ok = a.Bits, true
	case v.Op == ir.OpPair:
		n, ok = a.Bits|v.Args[1].Bits<<32, true
	case v.Op == ir.OpLow:
		n, ok = a.Bits, true
	case v.Op == ir.OpHigh:
		n, ok = a.Bits>>32, true
	case v.Op == ir.OpAddrIsNull:
		n, ok = BoolBits(a.Bits == 0), true
	case a.Type.Kind == ir.Bool:
		n, ok = foldBool(v)
	case a.Type.IsInt() && v.Type.IsFloat():
		n, ok = foldIntToFloat(v)
	case a.Type.IsInt():
		n, ok = foldInt(v)
	case a.Type.IsFloat():
		n, ok = foldFloat(v)
	}
	if !ok {
		return nil
	}
	return m.Const(v.Type, n)
}

// BoolBits returns the bits of the bool constant b.
func BoolBits(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func foldBool(v *ir.Value) (uint64, bool) {
	a, b := v.Args[0].Bits, uint64(0)
	if len(v.Args) > 1 {
		b = v.Args[1].Bits
	}
	switch v.Op {
	case ir.OpLAnd:
		return a & b, true
	case ir.OpLOr:
		return a | b, true
	case ir.OpLNot:
		return a ^ 1, true
	case ir.OpLEq:
		return BoolBits(a == b), true
	case ir.OpLNe:
		return a ^ b, true
	}
	return 0, false
}

// foldInt computes the integer operation v with constant operands. If the result of foldInt has
// more bits than v's type, ir.Module.Const truncates it later.
func foldInt(v *ir.Value) (uint64, bool) {
	x := v.Args[0]
	w := uint64(x.Type.Bits())
	a, sa := x.Bits, x.Int()
	if len(v.Args) == 1 {
		return foldInt1(v)
	}
	b, sb := v.Args[1].Bits, v.Args[1].Int()
	switch v.Op {
	case ir.OpIAdd:
		return a + b, true
	case ir.OpISub:
		return a - b, true
	case ir.OpIMul:
		return a * b, true
	case ir.OpSDiv:
		if sb == 0 || sb == -1 {
			return -a, sb != 0
		}
		return uint64(sa / sb), true
	case ir.OpUDiv:
		if b == 0 {
			return 0, false
		}
		return a / b, true
	case ir.OpUMod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case ir.OpUMulHi:
		return a * b >> 32, true
	case ir.OpAnd:
		return a & b, true
	case ir.OpOr:
		return a | b, true
	case ir.OpXor:
		return a ^ b, true
	case ir.OpShl:
		return a << (b & 63), b < w
	case ir.OpShrL:
		return a >> (b & 63), b < w
	case ir.OpShrA:
		return uint64(sa >> (b & 63)), b < w
	case ir.OpIEq:
		return BoolBits(a == b), true
	case ir.OpINe:
		return BoolBits(a != b), true
	case ir.OpSLt:
		return BoolBits(sa < sb), true
	case ir.OpSLe:
		return BoolBits(sa <= sb), true
	case ir.OpULt:
		return BoolBits(a < b), true
	case ir.OpULe:
		return BoolBits(a <= b), true
	}
	return 0, false
}

func foldInt1(v *ir.Value) (uint64, bool) {
	a, sa := v.Args[0].Bits, v.Args[0].Int()
	switch v.Op {
	case ir.OpNot:
		return ^a, true
	case ir.OpSConvert:
		return uint64(sa), true
	case ir.OpUConvert:
		return a, true
	case ir.OpBitCount:
		return uint64(bits.OnesCount32(uint32(a))), true
	case ir.OpBitReverse:
		return uint64(bits.Reverse32(uint32(a))), true
	case ir.OpFindLsb:
		if a == 0 {
			return ^uint64(0), true
		}
		return uint64(bits.TrailingZeros64(a)), true
	case ir.OpFindUMsb:
		return uint64(bits.Len64(a) - 1), true
	}
	return 0, false
}

// FloatOf returns the value of the floating-point constant v. FloatOf returns false for constants
// that devices may treat differently (NaNs and float32 subnormals).
func FloatOf(v *ir.Value) (float64, bool) {
	switch v.Type.Kind {
	case ir.F32:
		f := math.Float32frombits(uint32(v.Bits))
		return float64(f), Exact32(f)
	case ir.F64:
		f := math.Float64frombits(v.Bits)
		return f, f == f
	}
	return 0, false
}

// Exact32 reports whether f is neither NaN nor subnormal.
func Exact32(f float32) bool {
	return f == f && (f == 0 || math.Abs(float64(f)) >= 0x1p-126)
}

func float32Bits(f float32) (uint64, bool) { return uint64(math.Float32bits(f)), Exact32(f) }

func float64Bits(f float64) (uint64, bool) { return math.Float64bits(f), f == f }

// floatBits rounds f to type t and returns the bits of the result.
func floatBits(t *ir.Type, f float64) (uint64, bool) {
	switch t.Kind {
	case ir.F32:
		return float32Bits(float32(f))
	case ir.F64:
		return float64Bits(f)
	}
	return 0, false
}

func foldIntToFloat(v *ir.Value) (uint64, bool) {
	a := v.Args[0]
	switch {
	case v.Op == ir.OpFFromHalf:
		if a.Bits&0x7fff > 0x7c00 {
			return 0x7fc00000, true
		}
		return uint64(math.Float32bits(float32(ir.Float16frombits(uint16(a.Bits))))), true
	case v.Op == ir.OpSToF && v.Type.Kind == ir.F32:
		return float32Bits(float32(a.Int()))
	case v.Op == ir.OpSToF && v.Type.Kind == ir.F64:
		return float64Bits(float64(a.Int()))
	case v.Op == ir.OpUToF && v.Type.Kind == ir.F32:
		return float32Bits(float32(a.Bits))
	case v.Op == ir.OpUToF && v.Type.Kind == ir.F64:
		return float64Bits(float64(a.Bits))
	}
	return 0, false
}

// convertNaN converts x to type t if x is a constant NaN. The converted NaN is quiet and keeps the
// upper bits of the payload (IEEE 754, 6.2.3).
func convertNaN(x *ir.Value, t *ir.Type) (uint64, bool) {
	switch {
	case !x.IsConst():
	case x.Type == ir.TypeF64 && t == ir.TypeF32 && x.Bits<<1 > 0x7ff<<53:
		return x.Bits>>63<<31 | 0x7fc00000 | x.Bits<<12>>41, true
	case x.Type == ir.TypeF32 && t == ir.TypeF64 && uint32(x.Bits)<<1 > 0xff<<24:
		return x.Bits>>31<<63 | 0x7ff8<<48 | uint64(uint32(x.Bits)<<9)<<20, true
	}
	return 0, false
}

func foldFloat(v *ir.Value) (uint64, bool) {
	// FNegate and FAbs change only the sign bit, even if the operand is a NaN.
	if x := v.Args[0]; x.IsConst() && (v.Op == ir.OpFNegate || v.Op == ir.OpFAbs) {
		sign := uint64(1) << (v.Type.Bits() - 1)
		if v.Op == ir.OpFAbs {
			return x.Bits &^ sign, true
		}
		return x.Bits ^ sign, true
	}
	if v.Op == ir.OpFConvert {
		if bits, ok := convertNaN(v.Args[0], v.Type); ok {
			return bits, true
		}
	}
	a, ok := FloatOf(v.Args[0])
	if !ok {
		return 0, false
	}
	var b float64
	if len(v.Args) > 1 {
		if b, ok = FloatOf(v.Args[1]); !ok {
			return 0, false
		}
	}
	t := v.Type
	f32 := t.Kind == ir.F32
	switch v.Op {
	case ir.OpFAdd:
		if f32 {
			return float32Bits(float32(a) + float32(b))
		}
		return floatBits(t, a+b)
	case ir.OpFSub:
		if f32 {
			return float32Bits(float32(a) - float32(b))
		}
		return floatBits(t, a-b)
	case ir.OpFMul:
		if f32 {
			return float32Bits(float32(a) * float32(b))
		}
		return floatBits(t, a*b)
	case ir.OpFDiv:
		if f32 {
			return float32Bits(float32(a) / float32(b))
		}
		return floatBits(t, a/b)
	case ir.OpFSqrt:
		// The float64 square root, rounded to float32, is the correctly rounded float32 square
		// root.
		return floatBits(t, math.Sqrt(a))
	case ir.OpFInvSqrt:
		return floatBits(t, 1/math.Sqrt(a)) // also correctly rounded to float32, see math32.Rsqrt
	case ir.OpFConvert:
		return floatBits(t, a)
	case ir.OpFToHalf:
		return uint64(ir.Float16bits(a)), true
	case ir.OpFEq:
		return BoolBits(a == b), true
	case ir.OpFNe:
		return BoolBits(a != b), true
	case ir.OpFLt:
		return BoolBits(a < b), true
	case ir.OpFLe:
		return BoolBits(a <= b), true
	case ir.OpFToS:
		lim := math.Ldexp(1, t.Bits()-1)
		a = math.Trunc(a)
		if a >= -lim && a < lim {
			return uint64(int64(a)), true
		}
	case ir.OpFToU:
		a = math.Trunc(a)
		if a >= 0 && a < math.Ldexp(1, t.Bits()) {
			return uint64(a), true
		}
	}
	return 0, false
}
