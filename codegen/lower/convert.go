package lower

// This file lowers conversions.

import (
	"go/types"
	"math"
	"unicode/utf8"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// lowerConvert lowers a conversion between basic types, or between types with the same underlying
// type.
func (l *lowerer) lowerConvert(v val, from, to types.Type) val {
	if gotypes.IsComplex(from) && gotypes.IsComplex(to) {
		c, ok := v.(tuple)
		if !ok {
			return badVal{}
		}
		ft, tt := gotypes.Fields(from)[0], gotypes.Fields(to)[0]
		return tuple{[]val{l.lowerConvert(c.elems[0], ft, tt), l.lowerConvert(c.elems[1], ft, tt)}}
	}
	if s, ok := v.(str); ok {
		if sl, ok := to.Underlying().(*types.Slice); ok {
			return l.bytesOrRunes(s.s, gotypes.Width(sl.Elem()) == 32)
		}
	}
	if _, ok := v.(dynText); ok && !gotypes.IsString(to) {
		l.errorf(diag.String, l.pos, "copy it: n := copy(buf[:], s)", "a kernel cannot convert a string that is not known when the kernel is generated to %v", to)
		return badVal{}
	}
	if s, ok := v.(slice); ok && gotypes.IsString(to) {
		if t, ok := from.Underlying().(*types.Slice); ok && gotypes.Width(t.Elem()) == 8 {
			return l.viewOf(s)
		}
	}
	if _, ok := v.(bytesView); ok && !gotypes.IsString(to) {
		l.errorf(diag.String, l.pos, "copy it: n := copy(buf[:], s)", "a kernel cannot convert a string that is not known when the kernel is generated to %v", to)
		return badVal{}
	}
	x, ok := v.(*ir.Value)
	if ok && x.IsConst() && gotypes.IsInteger(from) && gotypes.IsString(to) {
		return str{string(runeOf(x, from))}
	}
	if !ok || l.classify(to) != classScalar {
		if types.Identical(from.Underlying(), to.Underlying()) {
			return v
		}
		code, hint := badType(to)
		l.errorf(code, l.pos, hint, "a kernel cannot convert %v to %v", from, to)
		return badVal{}
	}
	switch {
	case gotypes.IsInteger(from) && gotypes.IsInteger(to):
		return l.intToInt(x, from, to)
	case gotypes.IsInteger(from) && gotypes.IsFloat(to):
		if gotypes.IsUnsigned(from) {
			return l.op(ir.OpUToF, regType(to), x)
		}
		return l.op(ir.OpSToF, regType(to), x)
	case gotypes.IsFloat(from) && gotypes.IsFloat(to):
		if x.Type == regType(to) {
			return l.markRounded(x)
		}
		return l.op(ir.OpFConvert, regType(to), x)
	case gotypes.IsFloat(from) && gotypes.IsInteger(to):
		return l.floatToInt(x, to)
	}
	return x
}

// runeOf returns the rune to which the conversion string(x) maps a constant integer x.
func runeOf(x *ir.Value, from types.Type) rune {
	n := x.Int()
	if gotypes.IsUnsigned(from) {
		n = int64(min(x.Bits, math.MaxInt64))
	}
	if n != int64(rune(n)) {
		return utf8.RuneError
	}
	return rune(n)
}

func (w *builder) intToInt(x *ir.Value, from, to types.Type) *ir.Value {
	reg := regType(to)
	if x.IsConst() {
		n := x.Bits
		if !gotypes.IsUnsigned(from) {
			n = uint64(x.Int())
		}
		s := 64 - gotypes.Width(to)
		if gotypes.IsUnsigned(to) {
			return w.m.Const(reg, n<<s>>s)
		}
		return w.m.Int(reg, int64(n<<s)>>s)
	}
	switch {
	case reg == ir.TypeI64 && x.Type == ir.TypeI32:
		return w.toI64(x, from)
	case reg == ir.TypeI32 && x.Type == ir.TypeI64:
		x = w.op(ir.OpUConvert, ir.TypeI32, x)
	case gotypes.Width(to) >= gotypes.Width(from) && gotypes.IsUnsigned(from) == gotypes.IsUnsigned(to):
		return x
	case gotypes.Width(to) > gotypes.Width(from) && gotypes.IsUnsigned(from):
		return x
	}
	return w.fitWidth(x, to)
}

// floatToInt converts a float to an integer with the same result as gc on amd64, even if the value
// is out of range. The conversions of amd64 return the least integer for values out of range. For
// an integer type with less than 32 bits, the float is converted to a wider type and the result is
// truncated.
func (l *lowerer) floatToInt(x *ir.Value, to types.Type) *ir.Value {
	x = l.markRounded(x) // the subtraction below must not be fused with the computation of x
	wide := gotypes.Width(to) == 64 || gotypes.Width(to) == 32 && gotypes.IsUnsigned(to)
	if !wide {
		return l.fitWidth(l.truncTo(x, ir.TypeI32), to)
	}
	v := l.truncTo(x, ir.TypeI64)
	if gotypes.Width(to) == 32 {
		return l.op(ir.OpUConvert, ir.TypeI32, v)
	}
	if gotypes.IsUnsigned(to) {
		// If x is at least 1<<63, v is the least int64, and high contains the low 63 bits of the
		// result. If v is not negative, high is ignored.
		high := l.truncTo(l.op(ir.OpFSub, x.Type, x, l.float(x.Type, 1<<63)), ir.TypeI64)
		sign := l.op(ir.OpShrA, ir.TypeI64, v, l.m.Int(ir.TypeI64, 63))
		v = l.op(ir.OpOr, ir.TypeI64, v, l.op(ir.OpAnd, ir.TypeI64, high, sign))
	}
	return v
}

// truncTo converts a float to a signed integer. NaN and numbers out of range become the least
// integer.
func (w *builder) truncTo(x *ir.Value, t *ir.Type) *ir.Value {
	bits := t.Bits()
	limit := float64(uint64(1) << (bits - 1))
	below := w.op(ir.OpFLt, ir.TypeBool, x, w.float(x.Type, limit))
	var above *ir.Value
	if bits == 32 && x.Type == ir.TypeF64 {
		// Truncating a number between -1<<31 - 1 and -1<<31 gives -1<<31, which is a valid int32.
		above = w.op(ir.OpFLt, ir.TypeBool, w.float(x.Type, -limit-1), x)
	} else {
		above = w.op(ir.OpFLe, ir.TypeBool, w.float(x.Type, -limit), x)
	}
	ok := w.op(ir.OpLAnd, ir.TypeBool, below, above)
	safe := w.op(ir.OpSelect, x.Type, ok, x, w.float(x.Type, 0))
	return w.op(ir.OpSelect, t, ok, w.op(ir.OpFToS, t, safe), w.m.Const(t, 1<<(bits-1)))
}
