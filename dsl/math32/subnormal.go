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

// kept returns x * 2**n, of which r is what the device makes, for a finite x from 2**-126 on.
func kept(r, x float32, n int32) float32 {
	if flushed() != 0 {
		return keptBits(r, x, n)
	}
	return r
}

// keptBits is kept for devices that take subnormals for zeros.
func keptBits(r, x float32, n int32) float32 {
	// How far the result's exponent is below that of 2**-127, which subnormals have.
	if s := -(Float32bits(x)>>23&0xff + uint32(n)); s < flushed() {
		return tinyResult(x, s+1)
	}
	return r
}

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

// minBits is Min for devices that take subnormals for zeros.
func minBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(min(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}

// maxBits is Max for them.
func maxBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(max(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}
