//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"math"
)

// This file tests whether a device rounds fused multiply-adds only once, and whether its inverses
// and inverse roots are accurate enough.

var (
	//go:embed kernels/fused.spv
	fusedModule []byte
	//go:embed kernels/fused64.spv
	fused64Module []byte
)

// fusedCases is the number of operands that askFused tests.
const fusedCases = 4096

// askFused tests whether kernels may correct float32 division and roots by fused multiply-adds. The
// corrections are right only if Fma rounds once. The corrections start from inverses and inverse
// roots, which must not have larger errors than Vulkan allows.
func askFused(fused *bool) *probeKernel {
	const size = 16 * fusedCases
	le := binary.LittleEndian
	return &probeKernel{module: fusedModule, size: size, items: size,
		put: func(operands []byte) {
			for i := range uint32(fusedCases) {
				for j, x := range fusedCase(i) {
					le.PutUint32(operands[16*i+4*uint32(j):], math.Float32bits(x))
				}
			}
		},
		answer: func(results []byte) {
			*fused = true
			for i := range uint32(fusedCases) {
				c, out := fusedCase(i), results[16*i:]
				if le.Uint32(out) != math.Float32bits(fmaOnce(c[0], c[1], c[2])) ||
					!nearlyEqual(math.Float32frombits(le.Uint32(out[4:])), 1/math.Sqrt(float64(c[3])), 2) ||
					!nearlyEqual(math.Float32frombits(le.Uint32(out[8:])), 1/float64(c[0]), 2.5) {
					*fused = false
				}
			}
		},
	}
}

// askFused64 tests whether Fma of float64s rounds once and keeps subnormals, on a device with float64.
func askFused64(fused *bool) *probeKernel {
	le := binary.LittleEndian
	return &probeKernel{module: fused64Module, size: 32 * fusedCases, items: 16 * fusedCases,
		put: func(operands []byte) {
			for i := range uint32(fusedCases) {
				for j, x := range fusedCase64(i) {
					le.PutUint64(operands[32*i+8*uint32(j):], math.Float64bits(x))
				}
			}
		},
		answer: func(results []byte) {
			*fused = true
			for i := range uint32(fusedCases) {
				c := fusedCase64(i)
				if le.Uint64(results[32*i:]) != math.Float64bits(math.FMA(c[0], c[1], c[2])) {
					*fused = false
				}
			}
		},
	}
}

// fusedCase64 returns two float64s to multiply and a float64 to add. In a quarter of the cases, the
// sum cancels everything except the product's rounding error. In another quarter, the sum is next
// to the middle between two float64s. In the third quarter, the sum is subnormal.
func fusedCase64(i uint32) [3]float64 {
	var c [3]float64
	for j := range c {
		a := uint64(scramble(6*i+2*uint32(j)))<<32 | uint64(scramble(6*i+2*uint32(j)+1))
		c[j] = math.Ldexp(math.Float64frombits(a&(1<<63|1<<52-1)|1023<<52), int(a>>52%400)-200)
	}
	x, y, z := c[0], c[1], c[2]
	switch i % 4 {
	case 0:
		z = -x * y
	case 1:
		// The factors are odd numbers of 27 bits, whose product has 53 or 54 bits.
		x = math.Trunc(math.Ldexp(math.Abs(x), 25-math.Ilogb(x)))*2 + 1
		y = math.Trunc(math.Ldexp(math.Abs(y), 25-math.Ilogb(y)))*2 + 1
		z = math.Ldexp(z, -200-math.Ilogb(z))
	case 2:
		x = math.Ldexp(x, -540-math.Ilogb(x))
		y = math.Ldexp(y, -500-math.Ilogb(y))
		z = math.Ldexp(z, -1030-int(i%32)-math.Ilogb(z))
	}
	return [3]float64{x, y, z}
}

// nearlyEqual reports whether got differs from want by at most ulps units in the last place. The
// number `want` must be neither tiny nor huge.
func nearlyEqual(got float32, want float64, ulps float64) bool {
	_, exp := math.Frexp(want)
	return math.Abs(float64(got)-want) <= math.Ldexp(ulps, exp-24)
}

// fusedCase returns two floats to multiply, a float to add, and a float for the inverse root. The
// floats of fusedCase and the results are neither tiny nor huge. In a third of the cases, the sum
// cancels everything except the product's rounding error. In another third, the sum is next to the
// middle between two floats, where a second rounding changes the result.
func fusedCase(i uint32) [4]float32 {
	var a [4]uint32
	for j := range a {
		a[j] = scramble(4*i + uint32(j))
	}
	number := func(a uint32, exponents int) float32 {
		f := math.Float32frombits(a&(1<<31|1<<23-1) | 127<<23)
		return float32(math.Ldexp(float64(f), int(a>>23&0xff)%(2*exponents)-exponents))
	}
	x, y, z := number(a[0], 30), number(a[1], 30), number(a[2], 30)
	switch i % 3 {
	case 0:
		z = -x * y
	case 1:
		// The factors are odd numbers of 12 and 13 bits, whose product usually has 25 bits.
		x = float32(math.Ldexp(float64(a[0]&(1<<12-1)|1<<11|1), int(a[0]>>12%32)-30))
		y = float32(math.Ldexp(float64(a[1]&(1<<13-1)|1<<12|1), int(a[1]>>13%32)-30))
		z = float32(math.Ldexp(float64(x*y), -26-int(a[2]%64)))
		if a[2]>>31 != 0 {
			z = -z
		}
	}
	return [4]float32{x, y, z, float32(math.Abs(float64(number(a[3], 100))))}
}

// fmaOnce returns x*y + z, rounded once. The product is exact in float64, and the sum is
// rounded to odd in float64 (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums",
// 2008).
func fmaOnce(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := p + q
	b := s - p
	if e := (p - (s - b)) + (q - b); e != 0 {
		if n := math.Float64bits(s); n&1 == 0 {
			n++
			if (e > 0) != (s > 0) {
				n -= 2
			}
			s = math.Float64frombits(n)
		}
	}
	return float32(s)
}
