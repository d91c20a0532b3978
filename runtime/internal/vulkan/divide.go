//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

//go:embed kernels/divide.spv
var divideModule []byte

// divideCases is the number of quotients and roots that askDivide tests.
const divideCases = 4096

// askDivide tests whether float32 division and square root are correctly rounded. Subnormal
// operands and results matter only on devices whose arithmetic keeps subnormals. An earlier probe
// tests whether the device's arithmetic keeps subnormals.
func askDivide(exact *bool, kept *hal.Subnormals) *probeKernel {
	const size = 16 * divideCases
	le := binary.LittleEndian
	return &probeKernel{module: divideModule, size: size, items: size,
		put: func(operands []byte) {
			for i := range divideCases {
				for j, x := range divideCase(uint32(i)) {
					le.PutUint32(operands[16*i+4*j:], math.Float32bits(x))
				}
			}
		},
		answer: func(results []byte) {
			keeps := kept.Arithmetic && kept.Quotients
			*exact = true
			for i := range divideCases {
				c, out := divideCase(uint32(i)), results[16*i:]
				q, r := c[0]/c[1], float32(math.Sqrt(float64(c[2])))
				if caseMatters(keeps, c[0], c[1], q) && le.Uint32(out) != math.Float32bits(q) ||
					caseMatters(keeps, c[2]) && le.Uint32(out[4:]) != math.Float32bits(r) {
					*exact = false
				}
			}
		},
	}
}

// caseMatters reports whether the test must check the result for the given floats. The result is
// not checked if the device flushes subnormals and one of the floats is subnormal. The least normal
// number counts as subnormal, because it may be a rounded subnormal.
func caseMatters(keeps bool, floats ...float32) bool {
	for _, x := range floats {
		if !keeps && x != 0 && math.Abs(float64(x)) <= 0x1p-126 {
			return false
		}
	}
	return true
}

// divideCase returns two floats to divide and one for the square root. Random floats rarely reveal
// a rare rounding error. Half of the quotients are therefore as near as possible to the middle
// between two adjacent floats. For half of the roots, the operand is the float nearest to m*m,
// where m is the middle between two adjacent floats. In the other half of the cases, the floats
// have random bits, so that all exponents occur.
func divideCase(i uint32) [3]float32 {
	a, b, c := scramble(3*i), scramble(3*i+1), scramble(3*i+2)
	if i%2 == 1 {
		x, y := math.Float32frombits(a), math.Float32frombits(b)
		return [3]float32{clampFinite(x), clampFinite(y), clampFinite(math.Float32frombits(c &^ (1 << 31)))}
	}
	// The code finds numbers with middle*y = x * 2^25 + r. In this equation, `middle` is an odd
	// number of 25 bits, y is an odd number of 24 bits, and r is small.
	const bits = 1<<25 - 1
	y := uint64(a&(1<<23-1)|1<<23) | 1
	inverse := y
	for range 5 {
		inverse *= 2 - y*inverse
	}
	r := int64(b%64 | 1)
	middle := uint64(r) * inverse & bits
	if middle>>24 == 0 {
		r, middle = -r, bits+1-middle
	}
	x := (middle*y - uint64(r)) >> 25
	scale := math.Ldexp(1, int(b>>8%64)-32)
	root := float64(c&(1<<24-1)|1<<23) + 0.5
	return [3]float32{float32(float64(x) * scale), float32(y), float32(root * root * scale)}
}

// clampFinite returns x. For infinities and NaN, clampFinite returns the largest float instead.
func clampFinite(x float32) float32 {
	if x-x != 0 {
		return math.MaxFloat32
	}
	return x
}

// `scramble` returns pseudo-random bits that depend only on i.
func scramble(i uint32) uint32 {
	i += 0x9e3779b9
	i = (i ^ i>>16) * 0x85ebca6b
	i = (i ^ i>>13) * 0xc2b2ae35
	return i ^ i>>16
}
