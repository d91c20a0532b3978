package math32

// Pow returns x**y.
//
// The error is at most 0.80 ulp.
//
// Special cases are (in order):
//
//	Pow(x, ±0) = 1 for any x
//	Pow(1, y) = 1 for any y
//	Pow(x, NaN) = NaN
//	Pow(NaN, y) = NaN
//	Pow(±0, y) = ±Inf for y an odd integer < 0
//	Pow(±0, y) = +Inf for other y < 0, and -Inf
//	Pow(±0, y) = ±0 for y an odd integer > 0
//	Pow(±0, y) = +0 for other y > 0, and +Inf
//	Pow(-1, ±Inf) = 1
//	Pow(x, +Inf) = +Inf for |x| > 1
//	Pow(x, -Inf) = +0 for |x| > 1
//	Pow(x, +Inf) = +0 for |x| < 1
//	Pow(x, -Inf) = +Inf for |x| < 1
//	Pow(+Inf, y) = +Inf for y > 0
//	Pow(+Inf, y) = +0 for y < 0
//	Pow(-Inf, y) = Pow(-0, -y)
//	Pow(x, y) = NaN for finite x < 0 and finite non-integer y
func Pow(x, y float32) float32 {
	if Float32bits(y)&^signBit == 0 || x == 1 {
		return 1
	}
	if x != x || y != y {
		return NaN()
	}
	sign := float32(1)
	a := Float32bits(x) &^ signBit
	if Signbit(x) {
		// Every float32 from 2**24 on is an even integer, the infinities too.
		small := Abs(y) < 0x1p24
		switch {
		case small && Float32bits(Trunc(y)) != Float32bits(y):
			if a != 0 && a != expMask {
				return NaN()
			}
		case small && int32(y)&1 != 0:
			sign = -1
		}
	}
	switch {
	case a == 0x3f800000:
		return sign
	case a == 0 || a == expMask || IsInf(y, 0):
		// The result is infinite or 0, depending on whether |x| is above 1 and on the sign of y.
		if (a > 0x3f800000) != Signbit(y) {
			return Copysign(Inf(1), sign)
		}
		return Copysign(0, sign)
	}
	h, l := log2Sum(a)
	e := float32(y * h)
	switch {
	case e > 129:
		return Copysign(Inf(1), sign)
	case e < -151:
		return Copysign(0, sign)
	}
	ph, pl := mul(y, h)
	m, n := exp2Sum(ph, pl+float32(y*l))
	return Copysign(kept(scale(m, n), m, n), sign)
}
