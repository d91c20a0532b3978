package constinit

// This file evaluates floats exactly.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// exactFloats maps the name of a function of package math to Go code that evaluates a call of the
// function. The results have the same bits on all machines that run kgen.
var exactFloats = map[string]func(x []float64) float64{
	"math.Abs":             func(x []float64) float64 { return math.Abs(x[0]) },
	"math.Ceil":            func(x []float64) float64 { return math.Ceil(x[0]) },
	"math.Copysign":        func(x []float64) float64 { return math.Copysign(x[0], x[1]) },
	"math.Float32frombits": func(x []float64) float64 { return widen32(uint32(x[0])) },
	"math.Floor":           func(x []float64) float64 { return math.Floor(x[0]) },
	"math.Inf":             func(x []float64) float64 { return math.Inf(int(x[0])) },
	"math.Ldexp":           func(x []float64) float64 { return math.Ldexp(x[0], int(x[1])) },
	"math.Max":             func(x []float64) float64 { return math.Max(x[0], x[1]) },
	"math.Min":             func(x []float64) float64 { return math.Min(x[0], x[1]) },
	"math.NaN":             func(x []float64) float64 { return math.NaN() },
	"math.Nextafter":       func(x []float64) float64 { return math.Nextafter(x[0], x[1]) },
	"math.Round":           func(x []float64) float64 { return math.Round(x[0]) },
	"math.Sqrt":            func(x []float64) float64 { return math.Sqrt(x[0]) },
	"math.Trunc":           func(x []float64) float64 { return math.Trunc(x[0]) },
}

// ExactFloat evaluates a float expression that consists of constants and of exact or correctly
// rounded operations. A value such as an infinity or a root cannot be a Go constant, so a
// package-level variable with such a value is initialized by a float expression.
func ExactFloat(v ssa.Value) (float64, bool) {
	if !gotypes.IsFloat(v.Type()) {
		return 0, false
	}
	x, ok := unroundedFloat(v)
	if gotypes.IsFloat32(v.Type()) {
		x = rounded32(x)
	}
	return x, ok
}

// widen32 converts a float32 to float64. A signaling NaN remains a signaling NaN.
func widen32(f uint32) float64 {
	if x := math.Float32frombits(f); x == x {
		return float64(x)
	}
	return math.Float64frombits(uint64(f>>31)<<63 | 0x7ff<<52 | uint64(f&0x7fffff)<<29)
}

// Narrowed returns the bits of a float64 after rounding to float32.
func Narrowed(x float64) uint32 {
	if x == x {
		return math.Float32bits(float32(x))
	}
	b := math.Float64bits(x)
	f := uint32(b>>63)<<31 | 0x7f800000 | uint32(b>>29)&0x7fffff
	if f&0x7fffff == 0 {
		f |= 0x400000
	}
	return f
}

// rounded32 rounds a float64 to float32, but keeps signaling NaNs.
func rounded32(x float64) float64 { return widen32(Narrowed(x)) }

// quietNaN converts a signaling NaN to a quiet NaN and returns other numbers unchanged. Every
// floating-point operation converts operands that are signaling NaNs to quiet NaNs.
func quietNaN(x float64) float64 {
	if x == x {
		return x
	}
	return math.Float64frombits(math.Float64bits(x) | 1<<51)
}

func unroundedFloat(v ssa.Value) (float64, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return constFloat(v)
	case *ssa.ChangeType:
		return ExactFloat(v.X)
	case *ssa.Convert:
		x, ok := ExactFloat(v.X)
		if !types.Identical(v.X.Type().Underlying(), v.Type().Underlying()) {
			x = quietNaN(x)
		}
		return x, ok
	case *ssa.UnOp:
		x, ok := ExactFloat(v.X)
		return -x, ok && v.Op == token.SUB
	case *ssa.BinOp:
		x, ok1 := ExactFloat(v.X)
		y, ok2 := ExactFloat(v.Y)
		switch v.Op {
		case token.ADD:
			x += y
		case token.SUB:
			x -= y
		case token.MUL:
			x *= y
		case token.QUO:
			x /= y
		default:
			return 0, false
		}
		return x, ok1 && ok2
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn != nil && fn.RelString(nil) == "math.Float64frombits" {
			c, ok := v.Call.Args[0].(*ssa.Const)
			if !ok {
				return 0, false
			}
			return math.Float64frombits(c.Uint64()), true
		}
		if fn == nil || exactFloats[fn.RelString(nil)] == nil {
			return 0, false
		}
		var args []float64
		for _, a := range v.Call.Args {
			x, ok := ExactFloat(a)
			if c, isConst := a.(*ssa.Const); isConst {
				x, ok = constFloat(c)
			}
			if !ok {
				return 0, false
			}
			args = append(args, x)
		}
		return exactFloats[fn.RelString(nil)](args), true
	}
	return 0, false
}

// constFloat returns the value of a numeric constant. constFloat rounds only once when it converts
// the constant to a float32.
func constFloat(c *ssa.Const) (float64, bool) {
	if c.Value == nil || c.Value.Kind() != constant.Int && c.Value.Kind() != constant.Float {
		return 0, false
	}
	if gotypes.IsFloat32(c.Type()) {
		x, _ := constant.Float32Val(c.Value)
		return float64(x), true
	}
	x, _ := constant.Float64Val(c.Value)
	return x, true
}
