package halves

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/dsl/math32"
)

// Functions applies the functions of package half.
type Functions[T half.Float[T]] struct {
	X, Exp, Log, Tanh, Rsqrt []T
	Dot                      []float32 // sums of up to 15 products of neighbouring numbers
	Sine                     []T       // sines computed by package math32
}

// These are instances of Functions for each type of package half.
type (
	Functions16   = Functions[half.Float16]
	FunctionsB    = Functions[half.BFloat16]
	FunctionsE4M3 = Functions[half.Float8E4M3]
	FunctionsE5M2 = Functions[half.Float8E5M2]
)

func (k Functions[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	k.Exp[i], k.Log[i], k.Tanh[i], k.Rsqrt[i] = half.Exp(x), half.Log(x), half.Tanh(x), half.Rsqrt(x)
	from := max(i-15, 0)
	k.Dot[i] = half.Dot(k.X[from:i], k.X[from+1:])
	k.Sine[i] = half.FromFloat32[T](math32.Sin(x.Float32()))
}
