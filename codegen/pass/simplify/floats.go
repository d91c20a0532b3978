package simplify

// This file has the simplifier's rules for floating-point numbers. There are few rules for
// floating-point numbers, because a rule must not change the bits of results.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// compareAbs simplifies the comparison v if it compares |x| with zero or a negative constant. The
// result of comparing |x| with zero or a negative constant depends only on whether x is NaN or
// zero. NVIDIA's driver miscompiles comparisons of |x| with zero or a negative constant (see the
// quirk "magnitude").
func (s *Simplifier) compareAbs(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case !facts.Avoids(s.Module, "magnitude"):
	case y.Op == ir.OpFAbs && x.IsConst():
		if c, ok := facts.FloatOf(x); ok && (c < 0 || c == 0 && v.Op == ir.OpFLe) {
			return s.setOp(v, ir.OpFEq, y.Args[0], y.Args[0])
		}
	case x.Op == ir.OpFAbs && y.IsConst():
		switch c, ok := facts.FloatOf(y); {
		case !ok || c > 0 || c != c:
		case c == 0 && v.Op == ir.OpFLe:
			return s.setOp(v, ir.OpFEq, x.Args[0], y)
		default:
			return s.Module.Bool(false)
		}
	}
	return nil
}
