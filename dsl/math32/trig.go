package math32

import "math/bits"

const (
	// Pi/2 is the sum of four parts. The first three parts have 12 bits or fewer, so their products
	// with integers below 2**12 are exact.
	halfPi1 = 0x1.92p+0
	halfPi2 = 0x1.fb4p-12
	halfPi3 = 0x1.444p-24
	halfPi4 = Pi/2 - halfPi1 - halfPi2 - halfPi3

	halfPiHi = 0x1.921fb6p+0 // 24 bits
	halfPiLo = Pi/2 - halfPiHi

	// If x is below smallAngle, x / (Pi/2) is below 2**12.
	smallAngle = 6400

	// Odd functions with slope 1 at zero, such as Sin, return an argument unchanged if it is below tiny.
	tiny = 0x1p-12
)

// Sin returns the sine of x radians.
//
// The error is at most 0.78 ulp.
//
// Special cases are:
//
//	Sin(±0) = ±0
//	Sin(±Inf) = NaN
//	Sin(NaN) = NaN
func Sin(x float32) float32 {
	if Abs(x) < tiny {
		return x
	}
	q, hi, lo := reduce(x)
	return quadrant(q, hi, lo)
}

// Cos returns the cosine of x radians.
//
// The error is at most 0.78 ulp.
//
// Special cases are:
//
//	Cos(±Inf) = NaN
//	Cos(NaN) = NaN
func Cos(x float32) float32 {
	q, hi, lo := reduce(x)
	return quadrant(q+1, hi, lo)
}

// quadrant() returns the sine of q*Pi/2 + hi + lo for |hi| up to Pi/4.
func quadrant(q int32, hi, lo float32) float32 {
	var r float32
	if q&1 == 0 {
		h, l := sinSum(hi, lo)
		r = h + l
	} else {
		h, l := cosSum(hi, lo)
		r = h + l
	}
	if q&2 != 0 {
		return -r
	}
	return r
}

// Tan returns the tangent of x radians.
//
// The error is at most 0.92 ulp.
//
// Special cases are:
//
//	Tan(±0) = ±0
//	Tan(±Inf) = NaN
//	Tan(NaN) = NaN
func Tan(x float32) float32 {
	if Abs(x) < tiny {
		return x
	}
	q, hi, lo := reduce(x)
	nh, nl := sinSum(hi, lo)
	dh, dl := cosSum(hi, lo)
	if q&1 != 0 {
		nh, nl, dh, dl = -dh, -dl, nh, nl
	}
	t := nh / dh
	ph, pl := mul(t, dh)
	return t + ((nh-ph)-pl+(nl-float32(t*dl)))/dh
}

// sinSum returns the sine of x + tail, for |x| up to Pi/4, as a sum of two numbers.
func sinSum(x, tail float32) (hi, lo float32) {
	z := float32(x * x)
	p := float32(z*2.80435688e-06) - 0.000198502952
	p = float32(z*p) + 0.00833337288
	p = float32(z*p) - 0.166666672
	return addFast(x, float32(float32(x*z)*p)+float32(tail*(1-float32(0.5*z))))
}

// cosSum returns the cosine of x + tail, for |x| up to Pi/4, as a sum of two numbers.
func cosSum(x, tail float32) (hi, lo float32) {
	zh, zl := mul(x, x)
	p := float32(zh*2.44327421e-05) - 0.00138873118
	p = float32(zh*p) + 0.0416666456
	hi, lo = addFast(1, -0.5*zh)
	return addFast(hi, lo+(float32(float32(zh*zh)*p)-(float32(0.5*zl)+float32(x*tail))))
}

// reduce() returns x as q*Pi/2 + hi + lo with |hi| up to Pi/4 or slightly more. The result q is
// valid only modulo 4.
func reduce(x float32) (q int32, hi, lo float32) {
	a := Abs(x)
	if a <= Pi/4 {
		return 0, x, 0
	}
	if a >= smallAngle {
		return reduceLarge(x)
	}
	n, q := nearest(float32(x * (2 / Pi)))
	r := (x - float32(n*halfPi1)) - float32(n*halfPi2) // both differences are exact
	t := float32(n * halfPi3)
	hi = r - t
	v := r - hi // difference of r and hi, which is about t
	lo = (r - (hi + v)) + (v - t) - float32(n*halfPi4)
	hi, lo = addFast(hi, lo)
	return q, hi, lo
}

// twoOverPi holds the bits of 2/Pi, after 32 bits of zero.
var twoOverPi = [...]uint32{
	0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
}

// reduceLarge computes the result of reduce() by the method of Payne and Hanek. The method uses
// only the bits of 2/Pi whose product with x is neither a multiple of 4 nor negligible.
func reduceLarge(x float32) (q int32, hi, lo float32) {
	b := Float32bits(x) &^ signBit
	if b >= expMask {
		return 0, NaN(), 0
	}
	m := b&fracMask | 1<<23
	pos := b>>23 - 150 + 30 // position of the bit with weight 2 in m*2/Pi
	i, s := pos>>5, pos&31
	// The index i is at most 4. The masks tell compilers that no index is out of range.
	t0, t1, t2, t3 := twoOverPi[i&7], twoOverPi[(i+1)&7], twoOverPi[(i+2)&7], twoOverPi[(i+3)&7]
	w0 := t0<<s | t1>>(32-s)
	w1 := t1<<s | t2>>(32-s)
	w2 := t2<<s | t3>>(32-s)

	// The low 96 bits of m * (w0,w1,w2) are two bits of the quotient, followed by the fraction.
	p2 := m * w2
	h2 := mulHi(m, w2)
	p1 := m*w1 + h2
	carry := uint32(0)
	if p1 < h2 {
		carry = 1
	}
	p0 := m*w0 + mulHi(m, w1) + carry
	q = int32(p0 >> 30)
	f0, f1 := p0<<2|p1>>30, p1<<2|p2>>30

	negative := Signbit(x)
	if f0&signBit != 0 { // a fraction of 1/2 or more becomes negative, and q becomes the next multiple
		q++
		f0, f1 = ^f0, ^f1
		if f1++; f1 == 0 {
			f0++
		}
		negative = !negative
	}
	if Signbit(x) {
		q = -q
	}

	// The code converts the fraction to a sum of two numbers of 24 bits.
	unit := float32(0x1p-24)
	if f0 == 0 {
		f0, f1 = f1, 0
		unit = 0x1p-56
	}
	n := uint32(bits.LeadingZeros32(f0))
	f0, f1 = f0<<n|f1>>(32-n), f1<<n
	unit = float32(unit * pow2(-int32(n)))
	fh := float32(float32(int32(f0>>8)) * unit)
	fl := float32(float32(float32(int32((f0<<16|f1>>16)&0xffffff))*unit) * 0x1p-24)

	hi, lo = mul(fh, halfPiHi)
	hi, lo = addFast(hi, lo+(float32(fh*halfPiLo)+float32(fl*halfPiHi)))
	if negative {
		return q, -hi, -lo
	}
	return q, hi, lo
}
