package math32

// Sinh returns the hyperbolic sine of x.
//
// The error is at most 0.79 ulp.
//
// Special cases are:
//
//	Sinh(±0) = ±0
//	Sinh(±Inf) = ±Inf
//	Sinh(NaN) = NaN
func Sinh(x float32) float32 {
	a := Abs(x)
	if a < 1 {
		if lost(x) {
			return x
		}
		z := float32(x * x)
		p := float32(z*2.79157393e-06) + 0.000198414171
		p = float32(z*p) + 0.00833331607
		p = float32(z*p) + 0.166666672
		return x + float32(float32(x*z)*p)
	}
	if !(a < 90) {
		return float32(x * Inf(1))
	}
	hi, lo, n := expSum(a)
	r, tail := reciprocal(hi, lo, n)
	s, t := addFast(hi, -r)
	return Copysign(scale(s+(t+(lo-tail)), n-1), x)
}

// Cosh returns the hyperbolic cosine of x.
//
// The error is at most 0.71 ulp.
//
// Special cases are:
//
//	Cosh(±0) = 1
//	Cosh(±Inf) = +Inf
//	Cosh(NaN) = NaN
func Cosh(x float32) float32 {
	a := Abs(x)
	if !(a < 90) {
		return float32(a * Inf(1))
	}
	hi, lo, n := expSum(a)
	r, tail := reciprocal(hi, lo, n)
	s, t := addFast(hi, r)
	return scale(s+(t+(lo+tail)), n-1)
}

// reciprocal() returns 2**(-2n) / (hi + lo), for hi around 1, as a sum of two numbers, or zero if the
// result is negligible.
func reciprocal(hi, lo float32, n int32) (r, tail float32) {
	if n > 20 {
		return 0, 0
	}
	one := pow2(-2 * n)
	r = one / hi
	h, l := mul(r, hi)
	return r, ((one - h) - l - float32(r*lo)) / hi
}

// Tanh returns the hyperbolic tangent of x.
//
// The error is at most 0.80 ulp.
//
// Special cases are:
//
//	Tanh(±0) = ±0
//	Tanh(±Inf) = ±1
//	Tanh(NaN) = NaN
func Tanh(x float32) float32 {
	a := Abs(x)
	if a < tiny {
		return x
	}
	if a < 0.625 {
		z := float32(x * x)
		p := float32(z*-0.00096495566) + 0.00346581032
		p = float32(z*p) - 0.00888892356
		p = float32(z*p) + 0.021889938
		p = float32(z*p) - 0.0539724194
		p = float32(z*p) + 0.133333683
		p = float32(z*p) - 0.333333343
		return x + float32(float32(x*z)*p)
	}
	if !(a < 10) {
		if x != x {
			return x
		}
		return Copysign(1, x)
	}
	// 1 - 2/(e**2x + 1)
	hi, lo, n := expSum(a + a)
	e := pow2(n)
	d, l := addFast(float32(hi*e), 1)
	l += float32(lo * e)
	t := 2 / d
	h, m := mul(t, d)
	t2 := ((2 - h) - m - float32(t*l)) / d
	r, u := addFast(1, -t)
	return Copysign(r+(u-t2), x)
}
