package simplify

// This file has the simplifier's rules for floating-point numbers. They are few, since results must
// stay the same bit for bit.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// magnitude simplifies a comparison of |x| with a constant that is zero or negative. The result
// depends only on whether x is NaN or zero. See the NVIDIA quirk magnitude.
func (s *Simplifier) magnitude(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case !facts.Avoids(s.Module, "magnitude"):
	case y.Op == ir.OpFAbs && x.IsConst():
		if c, ok := facts.FloatOf(x); ok && (c < 0 || c == 0 && v.Op == ir.OpFLe) {
			return s.set(v, ir.OpFEq, y.Args[0], y.Args[0])
		}
	case x.Op == ir.OpFAbs && y.IsConst():
		switch c, ok := facts.FloatOf(y); {
		case !ok || c > 0 || c != c:
		case c == 0 && v.Op == ir.OpFLe:
			return s.set(v, ir.OpFEq, x.Args[0], y)
		default:
			return s.Module.Bool(false)
		}
	}
	return nil
}
