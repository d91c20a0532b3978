package math32

import "math"

// Sqrt returns the square root of x, correctly rounded.
//
// Special cases are:
//
//	Sqrt(+Inf) = +Inf
//	Sqrt(±0) = ±0
//	Sqrt(x < 0) = NaN
//	Sqrt(NaN) = NaN
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Rsqrt returns the inverse of the exact square root of x, correctly rounded.
//
// Special cases are:
//
//	Rsqrt(+Inf) = +0
//	Rsqrt(±0) = ±Inf
//	Rsqrt(x < 0) = NaN
//	Rsqrt(NaN) = NaN
func Rsqrt(x float32) float32 {
	// Rounding twice gives the correct result. The errors of float64 do not matter, because no
	// inverse root of a float32 is too near to the middle between two float32s.
	return float32(1 / math.Sqrt(float64(x)))
}

// Cbrt returns the cube root of x.
//
// The error is at most 0.501 ulp.
//
// Special cases are:
//
//	Cbrt(±0) = ±0
//	Cbrt(±Inf) = ±Inf
//	Cbrt(NaN) = NaN
func Cbrt(x float32) float32 {
	b := Float32bits(x) &^ signBit
	if b == 0 || b >= expMask {
		return x
	}
	// |x| = v * 2**(3j) with v in [1, 8).
	m, e := split(b)
	j := (e+192)/3 - 64
	v := Float32frombits(m&fracMask | uint32(e-3*j+127)<<23)
	// The first estimate of the root has 5 correct bits. Two Halley steps and a Newton step with an
	// exact residual improve the estimate.
	t := Float32frombits(Float32bits(v)/3 + 0x2a5119f2)
	for range 2 {
		r := float32(float32(t*t) * t)
		t = float32(t*(v+v+r)) / (v + r + r)
	}
	sh, sl := mul(t, t)
	ch, cl := mul(sh, t)
	cl += float32(sl * t)
	t += ((v - ch) - cl) / float32(3*sh)
	return Copysign(float32(t*pow2(j)), x)
}

// Hypot returns Sqrt(x*x + y*y) without undue overflow or underflow.
//
// The error is at most 0.76 ulp.
//
// Special cases are:
//
//	Hypot(±Inf, y) = +Inf
//	Hypot(x, ±Inf) = +Inf
//	Hypot(NaN, y) = NaN
//	Hypot(x, NaN) = NaN
func Hypot(x, y float32) float32 {
	if IsInf(x, 0) || IsInf(y, 0) {
		return Inf(1)
	}
	bx, by := Float32bits(x)&^signBit, Float32bits(y)&^signBit
	p, q := Float32frombits(max(bx, by)), Float32frombits(min(bx, by))
	if max(bx, by) == 0 || p != p {
		return p
	}
	// After the scaling below, the errors of products are not subnormal if they affect the result. Since p is
	// at least 2**-29, r*r is a multiple of 2**-104. If q is at least p * 2**-13, q*q is a multiple of 2**-126.
	back := int32(0)
	if p > 0x1p60 {
		p, q, back = float32(p*0x1p-80), float32(q*0x1p-80), 80
	} else if p < 0x1p-25 {
		n := int32(60)
		if p < 0x1p-80 {
			n = 120
		}
		p, q, back = up(p, n), up(q, n), -n
	}
	ph, pl := mul(p, p)
	qh, ql := mul(q, q)
	sh, sl := addFast(ph, qh)
	sl += pl + ql
	r := Sqrt(sh)
	rh, rl := mul(r, r)
	r += ((sh - rh) - rl + sl) / (r + r)
	return kept(float32(r*pow2(back)), r, back)
}
