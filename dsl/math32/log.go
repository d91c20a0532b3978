package math32

import "math/bits"

const sqrtHalfBits = 0x3f3504f3 // Float32bits(Sqrt2/2)

// logSplit splits the positive finite number with the bits b into (1 + f) * 2**k, with 1 + f in
// [Sqrt2/2, Sqrt2).
func logSplit(b uint32) (f, k float32) {
	e := int32(0)
	if b < 1<<23 {
		// As an integer, the bits of a subnormal give its value in units of the least positive
		// float32. Numbers with the smallest normal exponent have the same unit in the last place.
		e = int32(bits.LeadingZeros32(b)) - 8
		b <<= uint32(e)
	}
	n := int32(b-sqrtHalfBits) >> 23
	return Float32frombits(b-uint32(n)<<23) - 1, float32(n - e)
}

// Log returns the natural logarithm of x.
//
// The error is at most 0.84 ulp.
//
// Special cases are:
//
//	Log(+Inf) = +Inf
//	Log(0) = -Inf
//	Log(x < 0) = NaN
//	Log(NaN) = NaN
func Log(x float32) float32 {
	b := Float32bits(x)
	if b-1 >= expMask-1 {
		return logSpecial(x)
	}
	f, k := logSplit(b)
	s := f / (2 + f)
	z := float32(s * s)
	p := float32(z*0.240335554) + 0.285099089
	p = float32(z*p) + 0.400008529
	p = float32(z*p) + 0.666666627
	h := float32(float32(0.5*f) * f)
	r := float32(s*(h+float32(z*p))) + float32(k*ln2Lo)
	hi, lo := addFast(float32(k*ln2Hi), f)
	return hi + (lo + (r - h))
}

// logSpecial returns the logarithm of a number that is not positive and finite.
func logSpecial(x float32) float32 {
	switch {
	case Float32bits(x)&^signBit == 0:
		return Inf(-1)
	case Signbit(x):
		return NaN()
	}
	return x
}

// logSum returns the natural logarithm of 1 + f, to about 36 bits.
func logSum(f float32) (hi, lo float32) {
	// s = f/(2+f); the logarithm is 2s + 2/3 s**3 + 2/5 s**5 + ...
	dh, dl := addFast(2, f)
	sh := f / dh
	ph, pl := mul(sh, dh)
	sl := ((f - ph) - pl - float32(sh*dl)) / dh
	zh, zl := mul(sh, sh)
	zl += float32(2 * float32(sh*sl))
	p := float32(zh*0.234268427) + 0.285467893
	p = float32(zh*p) + 0.400001556
	const third = 0x1.555556p-1 // 2/3 to 24 bits
	ch, cl := addFast(third, float32(zh*p))
	cl += 2.0/3 - third
	wh, wl := mul(zh, ch)
	wl += float32(zh*cl) + float32(zl*ch)
	uh, ul := mul(sh, wh)
	ul += float32(sh*wl) + float32(sl*wh)
	hi, lo = addFast(sh+sh, uh)
	return addFast(hi, lo+(ul+(sl+sl)))
}

// log2Sum returns the binary logarithm of the positive finite number with the bits b, accurate to
// about 36 bits.
func log2Sum(b uint32) (hi, lo float32) {
	f, k := logSplit(b)
	h, l := logSum(f)
	const log2EHi = 0x1.715476p+0 // 24 bits
	ah, al := mul(h, log2EHi)
	al += float32(h*(Log2E-log2EHi)) + float32(l*log2EHi)
	hi, lo = addFast(k, ah)
	return addFast(hi, lo+al)
}

// Log2 returns the binary logarithm of x.
//
// The error is at most 0.51 ulp.
//
// Special cases are those of Log.
func Log2(x float32) float32 {
	b := Float32bits(x)
	if b-1 >= expMask-1 {
		return logSpecial(x)
	}
	hi, _ := log2Sum(b)
	return hi
}

// Log10 returns the decimal logarithm of x.
//
// The error is at most 0.51 ulp.
//
// Special cases are those of Log.
func Log10(x float32) float32 {
	b := Float32bits(x)
	if b-1 >= expMask-1 {
		return logSpecial(x)
	}
	h, l := log2Sum(b)
	const log10Of2 = Ln2 * Log10E
	const log10Of2Hi = 0x1.344136p-2 // 24 bits
	ah, al := mul(h, log10Of2Hi)
	return ah + (al + (float32(h*(log10Of2-log10Of2Hi)) + float32(l*log10Of2Hi)))
}
