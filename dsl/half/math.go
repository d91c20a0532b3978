package half

import "github.com/kgen-go/kgen/dsl/math32"

// Each function below calls the precise function of package math32, and rounds the float32 result
// once more. The result is the number nearest to the exact result, except for two Float16 arguments
// of Exp and one Float16 argument of Log. For the three excepted arguments, the result is the
// second nearest number, and the error is below 0.5001 units in the last place.
//
// With properties.FloatFast, kernels use the device's own divisions and roots. Then a result may be
// a neighbour of the nearest number.

// Exp returns e**x.
func Exp[T Float[T]](x T) T { return FromFloat32[T](math32.Exp(x.Float32())) }

// Log returns the natural logarithm of x, which is NaN for x < 0. For zeros the result is -Inf, or
// NaN for Float8E4M3.
func Log[T Float[T]](x T) T { return FromFloat32[T](math32.Log(x.Float32())) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T Float[T]](x T) T { return FromFloat32[T](math32.Tanh(x.Float32())) }

// Rsqrt returns 1 / sqrt(x), which is NaN for x < 0. For zeros the result is an infinity with the
// sign of x, or NaN for Float8E4M3.
func Rsqrt[T Float[T]](x T) T { return FromFloat32[T](math32.Rsqrt(x.Float32())) }

// Dot returns the sum of the products a[i] * b[i], as a float32. The products are added one after
// the other, from the first to the last, and each sum is rounded to a float32. The products are
// exact, except products of BFloat16s beyond a float32's range. Dot panics if b is shorter than
// a.
//
// Products and sums of BFloat16s below 2**-126 are zeros on devices that treat subnormal float32s
// as zeros.
func Dot[T Float[T]](a, b []T) (sum float32) {
	for i := range a {
		sum += float32(a[i].Float32() * b[i].Float32())
	}
	return sum
}
