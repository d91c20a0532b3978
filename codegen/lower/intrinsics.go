package lower

// This file lowers functions of packages math, math32 and math/bits.

import (
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/ir"
)

// floatOps maps the name of a function of one or two floats to the single op that computes the
// function. Functions that are not in the map are compiled from their Go source.
var floatOps = map[string]ir.Op{
	"math.Sqrt": ir.OpFSqrt, "math.Abs": ir.OpFAbs, "math.Floor": ir.OpFFloor,
	"math.Ceil": ir.OpFCeil, "math.Trunc": ir.OpFTrunc, "math.RoundToEven": ir.OpFRoundEven,

	math32Path + ".Sqrt": ir.OpFSqrt, math32Path + ".Abs": ir.OpFAbs, math32Path + ".Floor": ir.OpFFloor,
	math32Path + ".Ceil": ir.OpFCeil, math32Path + ".Trunc": ir.OpFTrunc, math32Path + ".RoundToEven": ir.OpFRoundEven,
	math32Path + ".Rsqrt": ir.OpFInvSqrt,

	math32Path + ".FastSin": ir.OpFSin, math32Path + ".FastCos": ir.OpFCos, math32Path + ".FastTan": ir.OpFTan,
	math32Path + ".FastExp": ir.OpFExp, math32Path + ".FastExp2": ir.OpFExp2, math32Path + ".FastLog": ir.OpFLog,
	math32Path + ".FastLog2": ir.OpFLog2, math32Path + ".FastPow": ir.OpFPow, math32Path + ".FastRsqrt": ir.OpFRsqrt,
}

const math32Path = dslPath + "/math32"

func init() {
	for name, op := range floatOps {
		add(name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			xs := scalarArgs(args)
			return l.op(op, xs[0].Type, xs...)
		})
	}
	add("math.Pow", lowerPow)
	add(math32Path+".flushed", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
		return l.m.ReservedSpec(abi.SpecFlushed, "Flushed", ir.TypeI32, 0)
	})
	add(math32Path+".HasFMA", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
		return l.m.ReservedSpec(abi.SpecFused, "Fused", ir.TypeBool, 0)
	})
	for _, name := range []string{math32Path + ".HasFMA64", "math.hasFMA"} {
		add(name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
			return l.m.ReservedSpec(abi.SpecFused64, "Fused64", ir.TypeBool, 0)
		})
	}
	for _, name := range []string{math32Path + ".FastFMA64", "math.fastFMA"} {
		add(name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			return l.op(ir.OpFmaOnce, ir.TypeF64, scalarArgs(args)...)
		})
	}
	add(math32Path+".FastFMA", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
		return l.op(ir.OpFmaOnce, ir.TypeF32, scalarArgs(args)...)
	})
	add(dslPath+"/half.widen", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
		return l.op(ir.OpFFromHalf, ir.TypeF32, scalarArgs(args)[0])
	})
	add(dslPath+"/half.narrow", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
		return l.i32(ir.OpFToHalf, l.markRounded(scalarArgs(args)[0]))
	})
	for name, op := range map[string]ir.Op{"quotient16": ir.OpHalfDiv, "root16": ir.OpHalfSqrt, "fused16": ir.OpHalfFma} {
		add(dslPath+"/half."+name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			return l.i32(op, scalarArgs(args)...)
		})
	}
	for name, to := range map[string]*ir.Type{
		"math.Float32bits": ir.TypeI32, "math.Float32frombits": ir.TypeF32,
		"math.Float64bits": ir.TypeI64, "math.Float64frombits": ir.TypeF64,
		math32Path + ".Float32bits": ir.TypeI32, math32Path + ".Float32frombits": ir.TypeF32,
	} {
		add(name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			return l.op(ir.OpBitcast, to, l.markRounded(scalarArgs(args)[0]))
		})
	}
	for name, f := range map[string]func(l *lowerer, x *ir.Value) *ir.Value{
		"LeadingZeros32": leadingZeros32, "TrailingZeros32": trailingZeros32, "OnesCount32": onesCount32, "Reverse32": reverse32,
		"LeadingZeros64": leadingZeros64, "TrailingZeros64": trailingZeros64, "OnesCount64": onesCount64, "Reverse64": reverse64,
		"LeadingZeros": leadingZeros64, "TrailingZeros": trailingZeros64, "OnesCount": onesCount64, "Reverse": reverse64,
		"Len32": func(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(32, leadingZeros32(l, x)) },
		"Len64": func(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(64, leadingZeros64(l, x)) },
		"Len":   func(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(64, leadingZeros64(l, x)) },
		"Len8":  func(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(32, leadingZeros32(l, x)) },
		"Len16": func(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(32, leadingZeros32(l, x)) },
		"LeadingZeros8": func(l *lowerer, x *ir.Value) *ir.Value {
			return l.op(ir.OpISub, ir.TypeI32, leadingZeros32(l, x), l.m.Int(ir.TypeI32, 24))
		},
		"LeadingZeros16": func(l *lowerer, x *ir.Value) *ir.Value {
			return l.op(ir.OpISub, ir.TypeI32, leadingZeros32(l, x), l.m.Int(ir.TypeI32, 16))
		},
		"TrailingZeros8": func(l *lowerer, x *ir.Value) *ir.Value {
			return trailingZeros32(l, l.op(ir.OpOr, ir.TypeI32, x, l.m.Int(ir.TypeI32, 1<<8)))
		},
		"TrailingZeros16": func(l *lowerer, x *ir.Value) *ir.Value {
			return trailingZeros32(l, l.op(ir.OpOr, ir.TypeI32, x, l.m.Int(ir.TypeI32, 1<<16)))
		},
		"OnesCount8": onesCount32, "OnesCount16": onesCount32,
	} {
		add("math/bits."+name, func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
			v := f(l, scalarArgs(args)[0])
			if want := regType(in.Type()); v.Type != want {
				v = l.op(ir.OpUConvert, want, v)
			}
			return v
		})
	}
}

func init() {
	for name, isBool := range constinit.Idle {
		add(name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
			if isBool {
				return l.m.Bool(false)
			}
			return nil
		})
	}
}

// scalarArgs returns the arguments that are scalars.
func scalarArgs(args []val) []*ir.Value {
	var out []*ir.Value
	for _, a := range args {
		if v, ok := a.(*ir.Value); ok {
			out = append(out, v)
		}
	}
	return out
}

func (w *builder) i32(op ir.Op, args ...*ir.Value) *ir.Value { return w.op(op, ir.TypeI32, args...) }

func (w *builder) sub32(n int64, x *ir.Value) *ir.Value {
	return w.i32(ir.OpISub, w.m.Int(ir.TypeI32, n), x)
}

// splitHalves returns the low and the high 32-bit half of a 64-bit integer.
func (w *builder) splitHalves(x *ir.Value) (lo, hi *ir.Value) {
	lo = w.i32(ir.OpUConvert, x)
	hi = w.i32(ir.OpUConvert, w.op(ir.OpShrL, ir.TypeI64, x, w.m.Int(ir.TypeI64, 32)))
	return lo, hi
}

func leadingZeros32(l *lowerer, x *ir.Value) *ir.Value { return l.sub32(31, l.i32(ir.OpFindUMsb, x)) }

func trailingZeros32(l *lowerer, x *ir.Value) *ir.Value {
	zero := l.op(ir.OpIEq, ir.TypeBool, x, l.m.Int(ir.TypeI32, 0))
	return l.i32(ir.OpSelect, zero, l.m.Int(ir.TypeI32, 32), l.i32(ir.OpFindLsb, x))
}

func onesCount32(l *lowerer, x *ir.Value) *ir.Value { return l.i32(ir.OpBitCount, x) }

func reverse32(l *lowerer, x *ir.Value) *ir.Value { return l.i32(ir.OpBitReverse, x) }

func leadingZeros64(l *lowerer, x *ir.Value) *ir.Value {
	lo, hi := l.splitHalves(x)
	none := l.op(ir.OpIEq, ir.TypeBool, hi, l.m.Int(ir.TypeI32, 0))
	return l.i32(ir.OpSelect, none, l.i32(ir.OpIAdd, leadingZeros32(l, lo), l.m.Int(ir.TypeI32, 32)), leadingZeros32(l, hi))
}

func trailingZeros64(l *lowerer, x *ir.Value) *ir.Value {
	lo, hi := l.splitHalves(x)
	none := l.op(ir.OpIEq, ir.TypeBool, lo, l.m.Int(ir.TypeI32, 0))
	return l.i32(ir.OpSelect, none, l.i32(ir.OpIAdd, trailingZeros32(l, hi), l.m.Int(ir.TypeI32, 32)), trailingZeros32(l, lo))
}

func onesCount64(l *lowerer, x *ir.Value) *ir.Value {
	lo, hi := l.splitHalves(x)
	return l.i32(ir.OpIAdd, onesCount32(l, lo), onesCount32(l, hi))
}

func reverse64(l *lowerer, x *ir.Value) *ir.Value {
	lo, hi := l.splitHalves(x)
	top := l.op(ir.OpShl, ir.TypeI64, l.op(ir.OpUConvert, ir.TypeI64, reverse32(l, lo)), l.m.Int(ir.TypeI64, 32))
	return l.op(ir.OpOr, ir.TypeI64, top, l.op(ir.OpUConvert, ir.TypeI64, reverse32(l, hi)))
}

// lowerPow lowers math.Pow by inlining its Go body. The Go body calls Pow recursively only for x =
// -Inf. To avoid the recursion, lowerPow replaces Pow(-Inf, y) by Pow(-0, -y), which has the same
// value for all y.
func lowerPow(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	for f := l.frame; f != nil; f = f.caller {
		if f.fn == fn {
			return args[0] // never reached
		}
	}
	xs := scalarArgs(args)
	x, y := xs[0], xs[1]
	least := l.op(ir.OpFEq, ir.TypeBool, x, l.float(x.Type, math.Inf(-1)))
	x = l.op(ir.OpSelect, x.Type, least, l.float(x.Type, math.Copysign(0, -1)), x)
	y = l.op(ir.OpSelect, x.Type, least, l.op(ir.OpFNegate, x.Type, y), y)
	return l.inlineCall(fn, []val{x, y}, nil, in.Pos())
}
