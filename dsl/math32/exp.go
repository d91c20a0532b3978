package math32

const (
	ln2Hi = 0x1.62e4p-1 // 15 bits, so that products with exponents are exact
	ln2Lo = Ln2 - ln2Hi
	ln2Up = 0x1.62ep-1 // 12 bits
)

// expSum returns e**x as (hi + lo) * 2**n for |x| < 105. For other x the result is
// unspecified.
func expSum(x float32) (hi, lo float32, n int32) {
	k, n := nearest(float32(x * Log2E))
	a := x - float32(k*ln2Hi) // exact
	b := float32(k * ln2Lo)
	r := a - b
	z := float32(r * r)
	p := float32(r*0.00138204277) + 0.00836867839
	p = float32(r*p) + 0.0416682698
	p = float32(r*p) + 0.166665211
	p = float32(r*p) + 0.49999994
	hi, lo = addFast(1, a)
	hi, lo = addFast(hi, (lo-b)+float32(z*p))
	return hi, lo, n
}

// exp2Sum returns 2**(x+tail) as hi * 2**n for |x| < 200 and a small tail. For other x the result
// is unspecified.
func exp2Sum(x, tail float32) (hi float32, n int32) {
	k, n := nearest(x)
	r := x - k
	// The code computes r * Ln2 as a sum of three products. The first product is exact.
	rh := upper(r)
	a := float32(rh * ln2Up)
	b := float32(rh*(Ln2-ln2Up)) + float32((r-rh)*Ln2)
	z := float32(r * r)
	p := float32(r*1.54224981e-05) + 0.000154568348
	p = float32(r*p) + 0.00133330107
	p = float32(r*p) + 0.0096180765
	p = float32(r*p) + 0.0555041134
	p = float32(r*p) + 0.240226507
	hi, lo := addFast(1, a)
	lo += b + float32(z*p)
	return hi + (lo + float32((hi+lo)*float32(tail*Ln2))), n
}

// Exp returns e**x.
//
// The error is at most 0.78 ulp.
//
// Special cases are:
//
//	Exp(+Inf) = +Inf
//	Exp(NaN) = NaN
func Exp(x float32) float32 {
	hi, _, n := expSum(x)
	if Float32bits(x)&^signBit < 0x42ae0000 { // |x| < 87: neither tiny nor huge
		return shift(hi, n)
	}
	switch {
	case x != x:
		return x
	case x > 89:
		return Inf(1)
	case x < -104:
		return 0
	}
	return kept(scale(hi, n), hi, n)
}

// Exp2 returns 2**x.
//
// The error is at most 0.78 ulp.
//
// Special cases are those of Exp.
func Exp2(x float32) float32 {
	hi, n := exp2Sum(x, 0)
	if Float32bits(x)&^signBit < 0x42fa0000 { // |x| < 125: neither tiny nor huge
		return shift(hi, n)
	}
	switch {
	case x != x:
		return x
	case x >= 128:
		return Inf(1)
	case x < -150:
		return 0
	}
	return kept(scale(hi, n), hi, n)
}
