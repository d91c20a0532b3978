package math32

// asinSeries returns (asin(s) - s) / s for z = s*s up to 1/4.
func asinSeries(z float32) float32 {
	p := float32(z*0.0346505232) + 0.0075100828
	p = float32(z*p) + 0.0246026851
	p = float32(z*p) + 0.0301132686
	p = float32(z*p) + 0.0446598604
	p = float32(z*p) + 0.0749994963
	p = float32(z*p) + 0.166666672
	return float32(z * p)
}

// Asin returns the arcsine, in radians, of x.
//
// The error is at most 0.65 ulp.
//
// Special cases are:
//
//	Asin(±0) = ±0
//	Asin(x) = NaN if x < -1 or x > 1
func Asin(x float32) float32 {
	a := Abs(x)
	if a < 0.5 {
		if lost(x) {
			return x
		}
		return x + float32(x*asinSeries(float32(x*x)))
	}
	if !(a <= 1) {
		return NaN()
	}
	// The result is Pi/2 - 2*asin(sqrt((1-a)/2)), where the root is a sum of two numbers.
	z := float32((1 - a) * 0.5)
	s, c := sqrtSum(z)
	t := float32(s*asinSeries(z)) + c
	hi, lo := addFast(halfPiHi, -2*s)
	return Copysign(hi+(lo+(halfPiLo-float32(2*t))), x)
}

// Acos returns the arccosine, in radians, of x.
//
// The error is at most 0.63 ulp.
//
// Special case is:
//
//	Acos(x) = NaN if x < -1 or x > 1
func Acos(x float32) float32 {
	a := Abs(x)
	if a < 0.5 {
		hi, lo := addFast(halfPiHi, -x)
		return hi + (lo + (halfPiLo - float32(x*asinSeries(float32(x*x)))))
	}
	if !(a <= 1) {
		return NaN()
	}
	z := float32((1 - a) * 0.5)
	s, c := sqrtSum(z)
	t := float32(s*asinSeries(z)) + c
	if x > 0 {
		return float32(2 * (s + t))
	}
	hi, lo := addFast(2*halfPiHi, -2*s)
	return hi + (lo + (2*halfPiLo - float32(2*t)))
}

// sqrtSum returns the square root of x as a sum of two numbers.
func sqrtSum(x float32) (hi, lo float32) {
	if x == 0 {
		return 0, 0
	}
	hi = Sqrt(x)
	h, l := mul(hi, hi)
	return hi, ((x - h) - l) / (hi + hi)
}

// Atan returns the arctangent, in radians, of x.
//
// The error is at most 0.73 ulp.
//
// Special cases are:
//
//	Atan(±0) = ±0
//	Atan(±Inf) = ±Pi/2
func Atan(x float32) float32 {
	if lost(x) {
		return x
	}
	hi, lo := atanSum(Abs(x))
	return Copysign(hi+lo, x)
}

// atanSum returns the arctangent of x >= 0 as a sum of two numbers.
func atanSum(x float32) (hi, lo float32) {
	// atan(x) = atan(c) + atan((x-c)/(1+c*x))
	var base, rest, t float32
	const (
		atanHalfHi = 0x1.dac67p-2
		atanHalfLo = 0.463647609000806116214256231461214402028537054286120263810933 - atanHalfHi
		atan1_5Hi  = 0x1.f730bep-1
		atan1_5Lo  = 0.982793723247329067985710611014666014496877453631628556761425 - atan1_5Hi
		atanOneHi  = halfPiHi / 2
		atanOneLo  = halfPiLo / 2
		firstEdge  = 7.0 / 16
		secondEdge = 11.0 / 16
		thirdEdge  = 19.0 / 16
		lastEdge   = 39.0 / 16
		hugeTan    = 0x1p26
	)
	switch {
	case x < firstEdge:
		t = x
	case x < secondEdge:
		base, rest, t = atanHalfHi, atanHalfLo, (x+x-1)/(2+x)
	case x < thirdEdge:
		base, rest, t = atanOneHi, atanOneLo, (x-1)/(x+1)
	case x < lastEdge:
		base, rest, t = atan1_5Hi, atan1_5Lo, (x-1.5)/(1+float32(1.5*x))
	case x < hugeTan:
		base, rest, t = halfPiHi, halfPiLo, -1/x
	default:
		if x != x {
			return x, 0
		}
		return halfPiHi, halfPiLo
	}
	z := float32(t * t)
	p := float32(z*0.044634968) - 0.0833458677
	p = float32(z*p) + 0.110179842
	p = float32(z*p) - 0.142797038
	p = float32(z*p) + 0.199998155
	p = float32(z*p) - 0.333333313
	p = float32(float32(t*z) * p)
	if base == 0 {
		return t, p
	}
	hi, lo = addFast(base, t)
	return hi, lo + (rest + p)
}

// Atan2 returns the arctangent of y/x, in radians, using the signs of y and x to determine the
// quadrant.
//
// The error is at most 0.75 ulp.
//
// Special cases are (in order):
//
//	Atan2(y, NaN) = NaN
//	Atan2(NaN, x) = NaN
//	Atan2(+0, x>=0) = +0
//	Atan2(-0, x>=0) = -0
//	Atan2(+0, x<=-0) = +Pi
//	Atan2(-0, x<=-0) = -Pi
//	Atan2(y>0, 0) = +Pi/2
//	Atan2(y<0, 0) = -Pi/2
//	Atan2(+Inf, +Inf) = +Pi/4
//	Atan2(-Inf, +Inf) = -Pi/4
//	Atan2(+Inf, -Inf) = 3Pi/4
//	Atan2(-Inf, -Inf) = -3Pi/4
//	Atan2(y, +Inf) = 0
//	Atan2(y>0, -Inf) = +Pi
//	Atan2(y<0, -Inf) = -Pi
//	Atan2(+Inf, x) = +Pi/2
//	Atan2(-Inf, x) = -Pi/2
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	a, b := Abs(y), Abs(x)
	var hi, lo float32 // the angle of (b, a), in the first quadrant
	switch {
	case Float32bits(a) == Float32bits(b):
		if Float32bits(a) != 0 {
			hi, lo = halfPiHi/2, halfPiLo/2
		}
	case Float32bits(a) == 0 || IsInf(b, 0):
	case Float32bits(b) == 0 || IsInf(a, 0):
		hi, lo = halfPiHi, halfPiLo
	default:
		hi, lo = firstQuadrant(a, b)
	}
	r := hi + lo
	if lost(hi) {
		r = hi
	}
	if Signbit(x) {
		h, l := addFast(2*halfPiHi, -hi)
		r = h + (l + (2*halfPiLo - lo))
	}
	return Copysign(r, y)
}

// firstQuadrant returns the arctangent of y/x for positive finite numbers.
func firstQuadrant(y, x float32) (hi, lo float32) {
	switch e := int32(Float32bits(y)>>23) - int32(Float32bits(x)>>23); {
	case e > 26:
		return halfPiHi, halfPiLo
	case e < -26:
		return y / x, 0
	}
	if m := max(x, y); m > 0x1p60 {
		y, x = float32(y*0x1p-64), float32(x*0x1p-64)
	} else if m < 0x1p-40 {
		y, x = up(y, 100), up(x, 100)
	}
	q := y / x
	h, l := mul(q, x)
	hi, lo = atanSum(q)
	return hi, lo + ((y-h)-l)/x/(1+float32(q*q))
}
