package math32

// Some devices treat subnormal operands and results as zeros. On such devices, results that depend
// on subnormals are computed from bits, in code that is guarded by a comparison with flushed().

// flushed() returns how many positive float32s the device treats as zeros. The result is 0, or
// 1<<23 - 1 if the device treats all subnormals as zeros. The host keeps subnormals. In kernels,
// flushed() is a constant that the runtime sets. If flushed() is 0, drivers remove the code for
// subnormals.
func flushed() uint32 { return 0 }

// lost() reports whether the device treats x as zero, although x is not zero.
func lost(x float32) bool { return Float32bits(x)&^signBit-1 < flushed() }

// up() returns x * 2**n for x >= 0 and n in [23, 127]. The result must be exact.
func up(x float32, n int32) float32 {
	if lost(x) {
		// As an integer, the bits of a subnormal give its value in units of the least positive float32.
		return float32(float32(int32(Float32bits(x))) * pow2(n-149))
	}
	return float32(x * pow2(n))
}

// kept() returns x * 2**n for a finite x with |x| >= 2**-126, given the device's result r.
func kept(r, x float32, n int32) float32 {
	if flushed() != 0 {
		return keptBits(r, x, n)
	}
	return r
}

// keptBits computes the result of kept() on devices that treat subnormals as zeros.
func keptBits(r, x float32, n int32) float32 {
	// The result's exponent is -127 - s, and -127 is the exponent of subnormals.
	if s := -(Float32bits(x)>>23&0xff + uint32(n)); s < flushed() {
		return tinyResult(x, s+1)
	}
	return r
}

// tinyResult replaces the exponent of x by the least normal exponent, and divides this number by
// 2**s for s > 0. The quotient is rounded to nearest even.
func tinyResult(x float32, s uint32) float32 {
	s = min(s, 26) // larger shifts also cut off all bits
	b := Float32bits(x)
	m := b&fracMask | 1<<23
	m += 1<<(s-1) - 1 + m>>s&1
	return Float32frombits(m>>s | b&signBit)
}

// order() maps the bits of a float to an integer. The integers compare in the same way as the
// floats, but -0 is smaller than 0. order() is its own inverse.
func order(b int32) int32 { return b ^ int32(uint32(b>>31)>>1) }

// fromOrder returns the float that order() maps to n.
func fromOrder(n int32) float32 { return Float32frombits(uint32(order(n))) }

// minBits computes Min on devices that treat subnormals as zeros.
func minBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(min(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}

// maxBits computes Max on devices that treat subnormals as zeros.
func maxBits(x, y float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	return fromOrder(max(order(int32(Float32bits(x))), order(int32(Float32bits(y)))))
}
