package math32

// Some devices treat subnormal operands and results as zeros. On these, results that depend on
// subnormals are computed from bits, in code that follows a comparison with flushed.

// flushed returns the number of the least positive float32s that the device treats as zeros.
// This is 0, or 1<<23 - 1 for all subnormals. The host keeps subnormals. In kernels the
// number is a constant that the runtime sets. If it is 0, drivers remove the code for
// subnormals.
func flushed() uint32 { return 0 }

// lost reports whether the device treats x as zero, although x is not zero.
func lost(x float32) bool { return Float32bits(x)&^signBit-1 < flushed() }

// up returns x * 2**n for x >= 0 and n in [23, 127], which must be exact.
func up(x float32, n int32) float32 {
	if lost(x) {
		// Bits of a subnormal are what it is in units of the least one.
		return float32(float32(int32(Float32bits(x))) * pow2(n-149))
	}
	return float32(x * pow2(n))
}

// kept returns x * 2**n for a finite x from 2**-126 on. r is the device's own result for it.
func kept(r, x float32, n int32) float32 {
	if flushed() != 0 {
		return keptBits(r, x, n)
	}
	return r
}

// keptBits is kept for devices that treat subnormals as zeros.
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

// order returns an integer with the order of the number, where -0 is smaller than 0. As a function
// of bits, order is its own inverse.
func order(b int32) int32 { return b ^ int32(uint32(b>>31)>>1) }

// fromOrder returns the number for which order returns n.
func fromOrder(n int32) float32 { return Float32frombits(uint32(order(n))) }

// minBits is Min for devices that treat subnormals as zeros.
func minBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(min(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}

// maxBits is Max for devices that treat subnormals as zeros.
func maxBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(max(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}
