package numbers

// This file contains the pass floats, which narrows float64 operations to float32. The pass runs
// before fuse, which must see the remaining products.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// NarrowFloats narrows float64 operations to float32 if the result has the same bits. Go's package
// math has functions only for float64, so people write float32(math.Sqrt(float64(x))) and
// math.IsNaN(float64(x)) for a float32 x. Narrowed code also runs on devices without float64, and
// runs faster on other devices.
func NarrowFloats(m *ir.Module) diag.List {
	changed := false
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				n := &rewrite.Maker{Func: f, At: v}
				switch v.Op {
				case ir.OpFConvert:
					changed = narrowResult(n, v) || changed
				case ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe:
					changed = narrowOrder(n, v) || changed
				}
				out = append(append(out, n.Made...), v)
			}
			b.Insts = out
		}
	}
	if changed {
		simplify.Run(m)
		simplify.CSE(m)
		simplify.DCE(m) // removes unused values, which the pass fuse would treat as uses of products
	}
	return nil
}

// exactOps is the set of ops whose float64 result is exact in float32 if all operands are exact in
// float32.
var exactOps = map[ir.Op]bool{
	ir.OpFNegate: true, ir.OpFAbs: true, ir.OpFFloor: true, ir.OpFCeil: true, ir.OpFTrunc: true, ir.OpFRoundEven: true, ir.OpSelect: true,
}

// roundTwiceOps is the set of ops for which double rounding is harmless. A result that is rounded
// to 53 bits and then to 24 bits equals the result rounded only to 24 bits. Both results are equal
// because 53 is at least 2·24 + 2 (Figueroa, When is double rounding innocuous?, 1995).
var roundTwiceOps = map[ir.Op]bool{ir.OpFAdd: true, ir.OpFSub: true, ir.OpFMul: true, ir.OpFDiv: true, ir.OpFSqrt: true}

// maxNarrow is the largest depth of an expression that is narrowed.
const maxNarrow = 6

// isNarrow reports whether the float64 v is known to have a value that float32 represents exactly.
func isNarrow(v *ir.Value, depth int) bool {
	switch {
	case v.Type != ir.TypeF64 || depth > maxNarrow:
		return false
	case v.IsConst():
		_, ok := narrowConst(v)
		return ok
	case v.Op == ir.OpFConvert:
		return v.Args[0].Type == ir.TypeF32
	case !exactOps[v.Op]:
		return false
	}
	for i, a := range v.Args {
		if (v.Op != ir.OpSelect || i > 0) && !isNarrow(a, depth+1) {
			return false
		}
	}
	return true
}

// narrowConst returns the bits of the float64 constant v as a float32. narrowConst also reports
// whether the conversion is exact.
func narrowConst(v *ir.Value) (uint64, bool) {
	f := math.Float64frombits(v.Bits)
	x := float32(f)
	return uint64(math.Float32bits(x)), float64(x) == f && facts.Exact32(x)
}

// isBits reports whether op only copies or changes bits of floats. Such an op also preserves
// signalling NaNs.
func isBits(op ir.Op) bool { return op == ir.OpFNegate || op == ir.OpFAbs || op == ir.OpSelect }

// inNarrow returns v as a float32. inNarrow requires that isNarrow is true for v. If wantQuiet is
// set, a signalling NaN becomes quiet, as in a conversion to float32.
func inNarrow(m *rewrite.Maker, v *ir.Value, wantQuiet bool) *ir.Value {
	if v.IsConst() {
		bits, _ := narrowConst(v)
		return m.Func.Module.Const(ir.TypeF32, bits)
	}
	if v.Op == ir.OpFConvert {
		x := v.Args[0]
		if facts.MayBeProduct(x) {
			x = m.Op(ir.OpFRounded, ir.TypeF32, x)
		}
		if wantQuiet && !isComputed(x) {
			x = quietNaN(m, x)
		}
		return x
	}
	return m.Op(v.Op, ir.TypeF32, allNarrow(m, v, wantQuiet && isBits(v.Op))...)
}

// quietNaN returns x, or the corresponding quiet NaN if x is a signalling NaN.
func quietNaN(m *rewrite.Maker, x *ir.Value) *ir.Value {
	bits := m.Op(ir.OpOr, ir.TypeI32, m.Op(ir.OpBitcast, ir.TypeI32, x), m.Func.Module.Int(ir.TypeI32, 1<<22))
	return m.Op(ir.OpSelect, ir.TypeF32, m.Op(ir.OpFNe, ir.TypeBool, x, x), m.Op(ir.OpBitcast, ir.TypeF32, bits), x)
}

// allNarrow returns v's operands as float32s.
func allNarrow(m *rewrite.Maker, v *ir.Value, quiet bool) []*ir.Value {
	var args []*ir.Value
	for _, a := range v.Args {
		if a.Type == ir.TypeF64 {
			a = inNarrow(m, a, quiet)
		}
		args = append(args, a)
	}
	return args
}

// narrowResult handles a conversion v of a float64 to float32. narrowResult replaces the operation
// that computes the converted float64 by a float32 operation, if the result is the same.
// narrowResult reports whether it has changed v.
func narrowResult(m *rewrite.Maker, v *ir.Value) bool {
	wide := v.Args[0]
	if v.Type != ir.TypeF32 || wide.Type != ir.TypeF64 || wide.IsConst() {
		return false
	}
	if (wide.Op == ir.OpSToF || wide.Op == ir.OpUToF) && wide.Args[0].Type.Bits() <= 32 {
		v.Op, v.Args = wide.Op, slices.Clone(wide.Args)
		return true
	}
	if wide.Op == ir.OpFConvert && wide.Args[0].Type == ir.TypeF32 {
		v.Op, v.Args = ir.OpFRounded, []*ir.Value{inNarrow(m, wide, true)}
		return true
	}
	if !exactOps[wide.Op] && !roundTwiceOps[wide.Op] {
		return false
	}
	for _, a := range wide.Args {
		if a.Type == ir.TypeF64 && !isNarrow(a, 1) {
			return false
		}
	}
	v.Op, v.Args = ir.OpFRounded, []*ir.Value{m.Op(wide.Op, ir.TypeF32, allNarrow(m, wide, isBits(wide.Op))...)}
	return true
}

// isComputed reports whether v is the result of float32 arithmetic, and therefore not a signalling
// NaN.
func isComputed(v *ir.Value) bool {
	if v.Op == ir.OpFRounded {
		v = v.Args[0]
	}
	return v.Type == ir.TypeF32 && roundTwiceOps[v.Op]
}

// narrowOrder turns the comparison v of two float64s into a comparison of float32s, if float32
// represents both operands exactly. A constant operand between two float32s is replaced by an
// adjacent float32. narrowOrder reports whether it has changed v.
func narrowOrder(m *rewrite.Maker, v *ir.Value) bool {
	x, y := v.Args[0], v.Args[1]
	if x.Type != ir.TypeF64 || x.IsConst() && y.IsConst() {
		return false
	}
	switch inX, inY := isNarrow(x, 0), isNarrow(y, 0); {
	case inX && inY:
		v.Args = allNarrow(m, v, false)
		keepOrder(m, v)
		return true
	case (v.Op == ir.OpFEq || v.Op == ir.OpFNe) && (inX && betweenFloats(y) || inY && betweenFloats(x)):
		b := m.Func.Module.Bool
		v.Op, v.Args = ir.OpLNe, []*ir.Value{b(v.Op == ir.OpFNe), b(false)} // simplify folds the comparison of two constants
		return true
	case v.Op == ir.OpFEq || v.Op == ir.OpFNe:
	case inX && y.IsConst():
		if limit, ok := nearestFloat(math.Float64frombits(y.Bits), false); ok {
			v.Op, v.Args = ir.OpFLt, []*ir.Value{inNarrow(m, x, false), m.Func.Module.Const(ir.TypeF32, limit)}
			return true
		}
	case inY && x.IsConst():
		if limit, ok := nearestFloat(math.Float64frombits(x.Bits), true); ok {
			v.Op, v.Args = ir.OpFLt, []*ir.Value{m.Func.Module.Const(ir.TypeF32, limit), inNarrow(m, y, false)}
			return true
		}
	}
	return false
}

// keepOrder corrects a narrowed comparison for subnormals, which some devices treat as zeros. The
// specialization constant abi.SpecFlushed identifies devices that treat subnormals as zeros. The
// drivers of devices that support subnormals remove the added code. A device that treats subnormals
// as zeros compares correctly if at most one operand is zero or subnormal. If both operands are
// zero or subnormal and at least one operand is not zero, the added code compares integers:
//
//	small = (bits(x)|bits(y))&^sign - 1 < flushed;
//	x == y becomes x == y && !(small && bits(x) != bits(y));
//	x != y becomes x != y || small && bits(x) != bits(y);
//	x < y and x <= y compare order(x) and order(y) if small is true.
func keepOrder(m *rewrite.Maker, v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	if x == y || isNormal(x) || isNormal(y) {
		return
	}
	mod := m.Func.Module
	word := func(op ir.Op, args ...*ir.Value) *ir.Value {
		w := m.Func.NewValue(op, ir.TypeI32, args...)
		if c := facts.FoldConst(mod, w); c != nil {
			return c
		}
		return m.Op(op, ir.TypeI32, args...)
	}
	is := func(op ir.Op, args ...*ir.Value) *ir.Value { return m.Op(op, ir.TypeBool, args...) }
	p, q := word(ir.OpBitcast, x), word(ir.OpBitcast, y)
	either := word(ir.OpAnd, word(ir.OpOr, p, q), mod.Int(ir.TypeI32, SignBit-1))
	small := is(ir.OpULt, word(ir.OpISub, either, mod.Int(ir.TypeI32, 1)), mod.ReservedSpec(abi.SpecFlushed, "Flushed", ir.TypeI32, 0))
	device := is(v.Op, x, y)
	switch v.Op {
	case ir.OpFEq:
		v.Op, v.Args = ir.OpLAnd, []*ir.Value{device, is(ir.OpLNot, is(ir.OpLAnd, small, is(ir.OpINe, p, q)))}
	case ir.OpFNe:
		v.Op, v.Args = ir.OpLOr, []*ir.Value{device, is(ir.OpLAnd, small, is(ir.OpINe, p, q))}
	default:
		order := func(b *ir.Value) *ir.Value { // maps the bits of a float to an integer such that the integers have the order of the floats
			sign := word(ir.OpShrA, b, mod.Int(ir.TypeI32, 31))
			return word(ir.OpXor, b, word(ir.OpAnd, sign, mod.Int(ir.TypeI32, SignBit-1)))
		}
		op := map[ir.Op]ir.Op{ir.OpFLt: ir.OpSLt, ir.OpFLe: ir.OpSLe}[v.Op]
		v.Op, v.Args = ir.OpSelect, []*ir.Value{small, is(op, order(p), order(q)), device}
	}
}

// isNormal reports whether v is a constant that is neither zero nor subnormal.
func isNormal(v *ir.Value) bool { return v.IsConst() && v.Bits&(SignBit-1) >= HiddenBit }

// betweenFloats reports whether v is a constant strictly between two adjacent float32s.
func betweenFloats(v *ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	_, ok := nearestFloat(math.Float64frombits(v.Bits), false)
	return ok
}

// nearestFloat returns the bits of a float32 that is adjacent to c, where c is not a float32. If
// isLess is set, nearestFloat returns the greatest float32 less than c, and otherwise the least
// float32 greater than c.
func nearestFloat(c float64, isLess bool) (uint64, bool) {
	x := float32(c)
	switch {
	case c != c || math.Abs(c) < 0x1p-126:
		return 0, false
	case isLess && float64(x) > c:
		x = math.Nextafter32(x, float32(math.Inf(-1)))
	case !isLess && float64(x) < c:
		x = math.Nextafter32(x, float32(math.Inf(1)))
	}
	return uint64(math.Float32bits(x)), facts.Exact32(x)
}
