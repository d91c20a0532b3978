//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// SPIR-V and Vulkan allow a device to treat subnormal float16s as zeros, and to round conversions
// in any direction. Small kernels therefore compute difficult cases, and the host compares the
// results with the results of package half.
var (
	//go:embed kernels/halves.spv
	halvesModule []byte
	//go:embed kernels/halves16.spv
	halves16Module []byte
)

// halfCases is the number of cases in the probes of float16 instructions.
const halfCases = 4096

// halfEdges contains the bits of special float16s, such as the least normal number and infinity.
var halfEdges = [...]uint16{0, 1, 2, 0x1ff, 0x200, 0x3fe, 0x3ff, 0x400, 0x401, 0x7ff, 0x800, 0x3555, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4200, 0x5640, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff}

// halfCase returns three float16s to compute with, and a float32 to convert. The first cases are
// all pairs of numbers from halfEdges. In half of the other cases, the numbers or the results are
// small.
func halfCase(i uint32) (a, b, c half.Float16, f float32) {
	x, y, z := scramble(3*i), scramble(3*i+1), scramble(3*i+2)
	a, b, c = half.Float16(x), half.Float16(y), half.Float16(z)
	const edges = uint32(len(halfEdges))
	switch {
	case i < edges*edges:
		a, b = half.Float16(halfEdges[i/edges]), half.Float16(halfEdges[i%edges])
		a, b, c = a^half.Float16(x>>31<<15), b^half.Float16(y>>31<<15), half.Float16(halfEdges[z%edges])
	case i%8 == 0: // a sum that nearly cancels
		b = a.Neg() ^ half.Float16(y&1)
	case i%8 == 1: // the addend c nearly cancels the product a*b
		c = a.Mul(b).Neg() ^ half.Float16(z&1)
	case i%8 == 2: // a product or quotient near the least numbers
		a, b = a&0x83ff|0x400, b&0x83ff|half.Float16(x>>16%16)<<10
	case i%8 == 3: // a subnormal number
		a, b, c = a&0x83ff, b&0x87ff, c&0x83ff
	case i%8 == 4: // the product is an odd number of 12 bits, so it is halfway between two float16s, and c is small
		p := 3 + x>>8%3*2
		a, b, c = wholeHalf(p), wholeHalf(2048/p+y%(2048/p)|1), c&0x83ff
	}
	// f is the middle between two adjacent float16s, or a float32 next to the middle. In a few
	// cases, f is instead a random float32 or a special number.
	h := half.Float16(z >> 16)
	if i%4 == 1 {
		h &= 0x87ff
	}
	f = math.Float32frombits(math.Float32bits(h.Float32()) + 1<<12 + y>>8%3 - 1)
	if h&0x7c00 == 0 { // near 0.5, the last place of a float32 is half of the last place of a subnormal float16
		f = float32(math.Copysign(float64(h&0x3ff)*0x1p-24+0x1p-25, float64(int16(h))))
		f = math.Float32frombits(math.Float32bits(f) + y>>8%3 - 1)
	}
	switch i % 16 {
	case 6:
		f = math.Float32frombits(y)
	case 7: // a number near 65520
		f = math.Float32frombits(0x477ff000 + z%3 - 1 ^ y&sign32)
	case 8: // a subnormal number, an infinity or a NaN
		f = math.Float32frombits([]uint32{1, 1 << 22, 1<<23 - 1, 1 << 23, 0xff << 23, 0xff<<23 | 1, 0x7fc00000, 0x7fffffff}[i/16%8] | y&sign32)
	}
	return a, b, c, f
}

func wholeHalf(n uint32) half.Float16 { return half.FromFloat32[half.Float16](float32(n)) }

const sign32 = 1 << 31

// putHalves writes the operands for the probes of float16 instructions.
func putHalves(operands []byte) {
	le := binary.LittleEndian
	for i := range uint32(halfCases) {
		a, b, c, f := halfCase(i)
		for j, w := range []uint32{uint32(a), uint32(b), uint32(c), math.Float32bits(f)} {
			le.PutUint32(operands[16*i+4*uint32(j):], w)
		}
	}
}

// isWide reports whether got has the bits of x converted to float32. All NaNs count as equal.
func isWide(got uint32, x half.Float16) bool {
	return got == math.Float32bits(x.Float32()) || x.IsNaN() && got&^sign32 > 0xff<<23
}

// isHalf reports whether got is the bit pattern of x. All NaNs count as equal.
func isHalf(got uint32, x half.Float16) bool {
	return got == uint32(x) || x.IsNaN() && got < 1<<16 && half.Float16(got).IsNaN()
}

// askHalves tests whether the float16 conversions that need no 16-bit types are exact.
func askHalves(right *hal.Halves) *probeKernel {
	const size = 16 * halfCases
	return &probeKernel{module: halvesModule, size: size, items: size, put: putHalves, answer: func(results []byte) {
		right.Unpack, right.Pack = true, true
		for i := range uint32(halfCases) {
			a, _, _, f := halfCase(i)
			out := results[16*i:]
			right.Unpack = right.Unpack && isWide(binary.LittleEndian.Uint32(out), a)
			right.Pack = right.Pack && isHalf(binary.LittleEndian.Uint32(out[4:]), half.FromFloat32[half.Float16](f))
		}
	}}
}

// askHalves16 tests which float16 instructions are exact, on a device with float16.
func askHalves16(right *hal.Halves) *probeKernel {
	return &probeKernel{module: halves16Module, size: 32 * halfCases, items: 16 * halfCases, put: putHalves, answer: func(results []byte) {
		right.Widen, right.Narrow, right.Arithmetic, right.Quotients, right.Roots, right.Fused = true, true, true, true, true, true
		for i := range uint32(halfCases) {
			a, b, c, f := halfCase(i)
			out := func(j uint32) uint32 { return binary.LittleEndian.Uint32(results[32*i+4*j:]) }
			right.Widen = right.Widen && isWide(out(0), a)
			right.Narrow = right.Narrow && isHalf(out(1), half.FromFloat32[half.Float16](f))
			right.Arithmetic = right.Arithmetic && isHalf(out(2), a.Add(b)) && isHalf(out(3), a.Sub(b)) && isHalf(out(4), a.Mul(b))
			right.Quotients = right.Quotients && isHalf(out(5), a.Div(b))
			right.Roots = right.Roots && isHalf(out(6), a.Sqrt())
			right.Fused = right.Fused && isHalf(out(7), a.FMA(b, c))
		}
	}}
}
