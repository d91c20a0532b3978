//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
)

//go:embed kernels/divide64.spv
var divide64Module []byte

// askDivide64 does the test of askDivide for float64, on a device with float64. askDivide64 does
// not test subnormals.
func askDivide64(exact *bool) *probeKernel {
	le := binary.LittleEndian
	return &probeKernel{module: divide64Module, size: 32 * divideCases, items: 16 * divideCases,
		put: func(operands []byte) {
			for i := range uint32(divideCases) {
				for j, x := range divideCase64(i) {
					le.PutUint64(operands[32*i+8*uint32(j):], math.Float64bits(x))
				}
			}
		},
		answer: func(results []byte) {
			*exact = true
			for i := range uint32(divideCases) {
				c, out := divideCase64(i), results[32*i:]
				if le.Uint64(out) != math.Float64bits(c[0]/c[1]) || le.Uint64(out[8:]) != math.Float64bits(math.Sqrt(c[2])) {
					*exact = false
				}
			}
		},
	}
}

// divideCase64 is like divideCase, but for float64. The exponents are chosen so that no subnormals and
// infinities occur.
func divideCase64(i uint32) [3]float64 {
	var a [3]uint64
	for j := range a {
		a[j] = uint64(scramble(6*i+2*uint32(j)))<<32 | uint64(scramble(6*i+2*uint32(j)+1))
	}
	const fraction = 1<<52 - 1
	scale := math.Ldexp(1, int(a[1]>>53%900)-450)
	root := math.Float64frombits(a[2]&fraction|1023<<52) * (1 + float64(a[2]>>63))
	y := a[0]&fraction | 1<<52 | 1
	if i%2 == 1 {
		return [3]float64{float64(a[1]&fraction|1<<52) * scale, float64(y), root * scale}
	}
	inverse := y
	for range 6 {
		inverse *= 2 - y*inverse
	}
	// The computation is the same as in divideCase, but the middle between two adjacent floats has
	// 54 bits.
	r := a[1]%64 | 1
	middle := r * inverse & (1<<54 - 1)
	hi, lo := bits.Mul64(middle, y)
	var borrow uint64
	if middle>>53 == 0 {
		hi, lo = bits.Mul64(1<<54-middle, y)
		lo, borrow = bits.Add64(lo, r, 0)
		hi += borrow
	} else {
		lo, borrow = bits.Sub64(lo, r, 0)
		hi -= borrow
	}
	x := hi<<10 | lo>>54
	return [3]float64{float64(x) * scale, float64(y), root * root * scale}
}
