package lower

import (
	"go/constant"
	"go/token"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// exactFloats has functions that make a float of constants and have the same bits
// wherever kgen runs.
var exactFloats = map[string]func(x []float64) float64{
	"math.Abs":             func(x []float64) float64 { return math.Abs(x[0]) },
	"math.Ceil":            func(x []float64) float64 { return math.Ceil(x[0]) },
	"math.Copysign":        func(x []float64) float64 { return math.Copysign(x[0], x[1]) },
	"math.Float32frombits": func(x []float64) float64 { return float64(math.Float32frombits(uint32(x[0]))) },
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

// exactFloat evaluates a float that is made of constants by what is exact or
// correctly rounded, as package-level variables are that constants cannot be: an
// infinity, a root.
func exactFloat(v ssa.Value) (float64, bool) {
	if !isFloat(v.Type()) {
		return 0, false
	}
	x, ok := unroundedFloat(v)
	if regType(v.Type()) == ir.TypeF32 {
		x = float64(float32(x))
	}
	return x, ok
}

func unroundedFloat(v ssa.Value) (float64, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return constFloat(v)
	case *ssa.ChangeType:
		return exactFloat(v.X)
	case *ssa.Convert:
		return exactFloat(v.X)
	case *ssa.UnOp:
		x, ok := exactFloat(v.X)
		return -x, ok && v.Op == token.SUB
	case *ssa.BinOp:
		x, ok1 := exactFloat(v.X)
		y, ok2 := exactFloat(v.Y)
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
			x, ok := exactFloat(a)
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

// constFloat returns a constant number, rounded once if it is a float32.
func constFloat(c *ssa.Const) (float64, bool) {
	if c.Value == nil || c.Value.Kind() != constant.Int && c.Value.Kind() != constant.Float {
		return 0, false
	}
	if isFloat(c.Type()) && regType(c.Type()) == ir.TypeF32 {
		x, _ := constant.Float32Val(c.Value)
		return float64(x), true
	}
	x, _ := constant.Float64Val(c.Value)
	return x, true
}
