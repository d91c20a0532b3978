// Package ulps measures the errors of math32's functions on a device.
//
//kgen:bare
package ulps

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// These constants are the values of field Fn, one for each function.
const (
	Sin = iota
	Cos
	Tan
	Exp
	Exp2
	Log
	Log2
	Rsqrt
	Tanh
	Pow
	Count
)

// Fast applies the fast version of function Fn. Pow has Y as second argument.
type Fast struct {
	Fn        int32
	X, Y, Out []float32
}

func (k Fast) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	switch k.Fn {
	case Sin:
		x = math32.FastSin(x)
	case Cos:
		x = math32.FastCos(x)
	case Tan:
		x = math32.FastTan(x)
	case Exp:
		x = math32.FastExp(x)
	case Exp2:
		x = math32.FastExp2(x)
	case Log:
		x = math32.FastLog(x)
	case Log2:
		x = math32.FastLog2(x)
	case Rsqrt:
		x = math32.FastRsqrt(x)
	case Tanh:
		x = math32.FastTanh(x)
	case Pow:
		x = math32.FastPow(x, k.Y[i])
	}
	k.Out[i] = x
}

// Precise applies the precise version of function Fn.
type Precise struct {
	Fn        int32
	X, Y, Out []float32
}

func (k Precise) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	switch k.Fn {
	case Sin:
		x = math32.Sin(x)
	case Cos:
		x = math32.Cos(x)
	case Tan:
		x = math32.Tan(x)
	case Exp:
		x = math32.Exp(x)
	case Exp2:
		x = math32.Exp2(x)
	case Log:
		x = math32.Log(x)
	case Log2:
		x = math32.Log2(x)
	case Rsqrt:
		x = math32.Rsqrt(x)
	case Tanh:
		x = math32.Tanh(x)
	case Pow:
		x = math32.Pow(x, k.Y[i])
	}
	k.Out[i] = x
}
