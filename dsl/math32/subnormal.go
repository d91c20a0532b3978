package math32

// Some devices take subnormal operands and results for zeros. There, what depends on them is
// computed from their bits, as integers: by code that follows a comparison with flushed.

// flushed returns how many of the least positive float32s the device takes for zeros: 0, or
// 1<<23 - 1, which are all subnormal ones. The host keeps them. In kernels it is a constant
// that the runtime sets when it loads them, so that drivers of other devices leave that code
// out: nothing is below 0.
func flushed() uint32 { return 0 }

// lost reports whether the device takes x for a zero, though it is none.
func lost(x float32) bool { return Float32bits(x)&^signBit-1 < flushed() }

// up returns x * 2**n for x >= 0 and n in [23, 127], which must be exact.
func up(x float32, n int32) float32 {
	if lost(x) {
		// Bits of a subnormal are what it is in units of the least one.
		return float32(float32(int32(Float32bits(x))) * pow2(n-149))
	}
	return float32(x * pow2(n))
}

// down returns x * 2**n for a finite x from 2**-126 on and n in [-126, 127].
func down(x float32, n int32) float32 {
	if s := below(x, n); s < flushed() {
		return tinyResult(x, s+1)
	}
	return float32(x * pow2(n))
}

// scale returns x * 2**n for n in [-252, 254], rounded once for x around 1.
func scale(x float32, n int32) float32 {
	if s := below(x, n); s < flushed() {
		return tinyResult(x, s+1)
	}
	h := n >> 1
	return float32(float32(x*pow2(h)) * pow2(n-h))
}

// below returns how far the exponent of x * 2**n is below that of the least subnormal
// numbers, 2**-127; if it is above, a number from 1<<23 on.
func below(x float32, n int32) uint32 { return -(Float32bits(x)>>23&0xff + uint32(n)) }

// tinyResult returns x, whose exponent is taken for the least one, divided by 2**s, rounded to
// nearest even, for s > 0.
func tinyResult(x float32, s uint32) float32 {
	s = min(s, 26) // all is cut off then
	b := Float32bits(x)
	m := b&fracMask | 1<<23
	m += 1<<(s-1) - 1 + m>>s&1
	return Float32frombits(m>>s | b&signBit)
}

// order returns a number that is larger the larger x is, -0 being smaller than 0; it is its
// own inverse as a function of bits.
func order(b int32) int32 { return b ^ int32(uint32(b>>31)>>1) }

// fromOrder returns the number of which order is n.
func fromOrder(n int32) float32 { return Float32frombits(uint32(order(n))) }
