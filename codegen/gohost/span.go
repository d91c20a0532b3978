package gohost

import (
	"math"

	"github.com/kgen-go/kgen/codegen/ir"
)

// span is a closed interval of int64s.
type span struct{ lo, hi int64 }

var anySpan = span{math.MinInt64, math.MaxInt64}

// small is the limit for the bounds of intervals that are added. The sum of two bounds below small
// does not overflow.
const small = 1 << 61

// spanOf returns an interval that contains the integer value v.
func (w *formWriter) spanOf(v *ir.Value) span { return w.spanWithin(v, 12) }

// spanWithin returns an interval that contains v. Parameter depth limits the recursion into operands.
func (w *formWriter) spanWithin(v *ir.Value, depth int) span {
	switch {
	case v.Type != ir.TypeI64 || depth == 0:
		return anySpan
	case v.IsConst():
		return span{v.Int(), v.Int()}
	case w.isLen(v):
		return span{0, 1 << 59}
	}
	of := func(i int) span { return w.spanWithin(v.Args[i], depth-1) }
	switch v.Op {
	case ir.OpUConvert:
		if bits := v.Args[0].Type.Bits(); bits < 63 {
			return span{0, 1<<bits - 1}
		}
	case ir.OpSConvert:
		n := int64(1) << (v.Args[0].Type.Bits() - 1)
		return span{-n, n - 1}
	case ir.OpIAdd:
		if x, y := of(0), of(1); x.isSmall() && y.isSmall() {
			return span{x.lo + y.lo, x.hi + y.hi}
		}
	case ir.OpIMul:
		x, y := of(0), of(1)
		if most := int64(1 << 30); x.lo >= 0 && y.lo >= 0 && (x.hi < 1<<32 && y.hi < most || x.hi < most && y.hi < 1<<32) {
			return span{x.lo * y.lo, x.hi * y.hi}
		}
	case ir.OpShrL, ir.OpShrA:
		if x := of(0); x.lo >= 0 {
			return span{0, x.hi}
		}
	case ir.OpSelect:
		return w.chosenSpan(v, depth)
	case ir.OpPhi:
		s := of(0)
		for i := range v.Args {
			x := of(i)
			s = span{min(s.lo, x.lo), max(s.hi, x.hi)}
		}
		return s
	}
	return anySpan
}

// chosenSpan returns an interval that contains the result of select v. If v is a minimum or maximum
// of integers, the interval may be narrower.
func (w *formWriter) chosenSpan(v *ir.Value, depth int) span {
	cond, a, b := v.Args[0], v.Args[1], v.Args[2]
	x, y := w.spanWithin(a, depth-1), w.spanWithin(b, depth-1)
	if cond.Op == ir.OpSLt || cond.Op == ir.OpSLe {
		switch l, r := cond.Args[0], cond.Args[1]; {
		case l == a && r == b:
			return span{min(x.lo, y.lo), min(x.hi, y.hi)}
		case l == b && r == a:
			return span{max(x.lo, y.lo), max(x.hi, y.hi)}
		}
	}
	return span{min(x.lo, y.lo), max(x.hi, y.hi)}
}

func (s span) isSmall() bool { return s.lo > -small && s.hi < small }
