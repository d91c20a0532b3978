package golang

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Peepholes computes expressions that compilers replace by shorter code, and that drivers got wrong. The functions
// below group the expressions by kind. A trailing comment such as quirk/square names the row of package quirks that
// the expression tests.
type Peepholes struct {
	X, Y []uint64
	Out  []PeepholeResults
}

// PeepholeResults are the results of one work-item, grouped by kind of expression.
type PeepholeResults struct {
	Products    [19]uint64
	Multiples   [8]uint64
	Constants   [13]uint64
	Conversions [16]uint64
	Negations   [6]uint64
	Behind      [7]uint64
	Bits        [6]uint64
	Signs       [3]uint64
	Loops       [3]uint64
}

// Properties returns the kernel's properties.
func (Peepholes) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func floatBits(x float32) uint64 {
	if x != x {
		return 0x7fc00000
	}
	return uint64(math.Float32bits(x))
}

func doubleBits(x float64) uint64 {
	if x != x {
		return 0x7ff80000
	}
	return math.Float64bits(x)
}

// normal() returns x, or 0 for values with which devices may compute different results.
func normal(x float32) float32 {
	if x < 1e-25 && x > -1e-25 {
		return 0
	}
	return x
}

func (k Peepholes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, out := k.X[i], k.Y[i], &k.Out[i]
	fewBits(x, y, &out.Products)
	comparedMultiples(x, y, &out.Multiples)
	comparedFloats(x, y, &out.Constants)
	converted(x, y, &out.Conversions)
	negatives(x, y, &out.Negations)
	comparedBehind(x, y, &out.Behind)
	singleBits(x, y, &out.Bits)
	oneBit(x, y, &out.Signs)
	shortLoops(x, y, &out.Loops)
}

// fewBits multiplies and shifts numbers of few bits.
func fewBits(x, y uint64, out *[19]uint64) {
	out[0] = uint64(uint16(x) * 32768 * 3)
	out[1] = uint64(uint16(x) * 32768 * 42009)
	out[2] = uint64(uint8(x) << 7 * 223)
	out[3] = uint64(uint16(bit(x != 13)) &^ ^uint16(y) * 65535)
	out[4] = uint64(uint16(y) & uint16(bit(x > 1<<60)) * 65535)
	out[5] = uint64(bits.OnesCount16(uint16(uint8(x) * 128 * 3)))
	out[6] = uint64(uint8(y) * (uint8(x) * 128 >> (y & 7)))
	out[7] = uint64(int16(x) * -32768)
	out[8] = uint64(int8(x) << 7 * 3)
	out[9] = uint64(uint32(x) * 3 << 31)
	out[10] = uint64(bits.OnesCount64(uint64(uint8(y) | uint8(x))))
	out[11] = uint64(bits.LeadingZeros32(uint32(int16(y) & 1)))
	out[12] = bit(x < y) &^ (x % (x | 1))
	out[13] = 0/(y|1)&bit(-y <= 255) + bit(-y <= 255)
	out[14] = min(y, y/18446744073709420544&(y%(y|1)))
	out[15] = uint64(uint8(bit(x < y)) * 255)
	out[16] = uint64(uint32(bit(x < y))*math.MaxUint32) & y
	out[17] = (y & 1) * math.MaxUint64
	out[18] = uint64(uint16(y) & 1 * 65535)
}

// comparedMultiples compares multiples with numbers that have only few possible values.
func comparedMultiples(x, y uint64, out *[8]uint64) {
	n := int64(y)
	out[0] = bit(int64(bits.LeadingZeros32(uint32(y&1)))/(1<<60) >= int64(int16(y))<<8)
	out[1] = bit(int64(bits.OnesCount32(uint32(y)))/(int64(x)^-8321377986041700917|1) >= n<<30)
	out[2] = bit(int64(x%5) > n*16)
	out[3] = bit(int64(int8(x)) < 2*n)
	out[4] = bit(int64(x>>60) <= n+n)
	out[5] = bit(int32(bits.Len64(x)) < int32(y)*8)
	out[6] = bit(int64(doubleBits(float64(y)))+int64(doubleBits(float64(y))) >= 48)
	out[7] = uint64((uint8(y) - uint8(x)) * (uint8(x) * uint8(x)) << 7)
}

// comparedFloats compares floats with constants.
func comparedFloats(x, y uint64, out *[13]uint64) {
	f, g := normal(math.Float32frombits(uint32(x))), math.Float64frombits(y)
	out[0] = floatBits(max(1, f))
	out[1] = floatBits(max(2, math.Float32frombits(uint32(x))))
	out[2] = floatBits(min(0.1, f))
	out[3] = floatBits(max(0.5, f)) + floatBits(f)
	out[4] = floatBits(max(f, -3)) + floatBits(min(f, 3))
	out[5] = doubleBits(max(2, g))
	out[6] = doubleBits(min(g, -0.5))
	out[7] = bit(math.Abs(g) > -2) // quirk/magnitude
	out[8] = bit(math.Abs(g) >= 0)
	out[9] = bit(math.Abs(g) < 0)
	out[10] = bit(float32(math.Abs(float64(f))) > -2)
	out[11] = bit(math.Sqrt(g) >= 0)
	out[12] = bit(g*g >= 0)
}

// converted() converts numbers, and computes with the results.
func converted(x, y uint64, out *[16]uint64) {
	g := math.Float64frombits(y)
	out[0] = uint64(math.Sqrt(float64(y)))
	out[1] = doubleBits(float64(float32(x)))
	out[2] = doubleBits(2 / g)
	out[3] = uint64(uint8(2 / float64(uint8(x)|1)))
	out[4] = uint64(math.Abs(float64(x)))
	out[5] = doubleBits(float64(x) / 3)
	out[6] = uint64(uint(float64(y)))
	out[7] = doubleBits(math.Sqrt(float64(y)))
	out[8] = bit(3/float64(x) == 0)
	out[9] = floatBits(float32(int64(float64(x))))
	out[10] = floatBits(float32(x)) + floatBits(float32(int64(x)))
	out[11] = doubleBits(float64(x)) + doubleBits(float64(int64(y)))
	out[12] = uint64(float32(x))
	out[13] = uint64(math.Floor(float64(x)))
	out[14] = uint64(int64(math.Sqrt(float64(int64(y)))))
	out[15] = doubleBits(float64(uint32(x)) / 3)
}

// negatives() negates numbers, including the least of three numbers.
func negatives(x, y uint64, out *[6]uint64) {
	n := int64(y)
	out[0] = uint64(min(0, min(int32(y), -int32(x)))) // quirk/negated
	out[1] = uint64(max(int32(y)>>8, -max(int32(x), 3)))
	out[2] = -x + -x + math.MaxUint64
	out[3] = uint64(-(n + n - n>>63))
	out[4] = bit(int16(y)*-32768 <= -1) * (1 - y)
	out[5] = ^max(y, math.MaxInt64) + 1<<63
}

// comparedBehind compares results of operations on multiples. Drivers may compare the operands instead of the results.
func comparedBehind(x, y uint64, out *[7]uint64) {
	n := int64(y)
	q := int64(x) / int64(y|1)
	out[0] = bit(^(q << 1) > 1<<32)
	out[1] = bit(n<<23>>23 < 1)
	out[2] = bit(n<<33>>33 < 40)
	out[3] = bit((n+n)>>32 <= 513)
	out[4] = bit(n<<33&^int64(bit(x < y))>>33 < 40)
	least := n << 44
	if n > 255 {
		least = 65535
	}
	out[5] = bit(least <= 0)
	out[6] = uint64(max(n*math.MaxInt64, n))
}

// singleBits multiplies numbers with one set bit, and uses such numbers as masks.
func singleBits(x, y uint64, out *[6]uint64) {
	n := int64(y)
	out[0] = x * x & 3 * 15 // quirk/square
	out[1] = uint64(int8(y&63) % 2 * int8(x))
	out[2] = bit(x >= 1<<63) &^ (y / (y | 1))
	out[3] = bit(x < y) * (y - x) // quirk/flag-product
	out[4] = uint64(int8(y) * (int8(x) * int8(x)) << 6)
	less := int64(0)
	for i := range 4 {
		less = max(int64(i)-less-n, int64(i))
	}
	out[5] = uint64(less)
}

// oneBit masks numbers in which only one bit matters, and extends a sign by a shift.
func oneBit(x, y uint64, out *[3]uint64) {
	out[0] = x & (1<<23 + 1) * (math.MaxUint64 - 1) % (1 << 23)
	out[1] = min(y&(1<<23+1), y) * (math.MaxUint64 - 1) % (1 << 23)
	out[2] = uint64((int32(x) | math.MinInt32) >> 2) // quirk/shifted-negative
}

// shortLoops adds up numbers in a loop that runs at most once, and doubles a value that a loop carries.
func shortLoops(x, y uint64, out *[3]uint64) {
	h := uint64(float64(y))
	if x < 17744093488476213058 {
		h = 9
	}
	sum := int64(0)
	for i := int(y&3) - 1; i >= 0; i -= 3 { // quirk/loop-start
		sum += int64(i)
	}
	out[0] = uint64(sum)
	h = mixed(h, uint64(sum))
	var none [12]int32
	for i := 1; i >= 0; i -= 3 {
		h = mixed(h, uint64(none[i]))
	}
	out[1] = h
	z := y
	for v := x; v != 0; v /= 2 {
		z = choose(z+z > 2, v, 0) // quirk/doubled
	}
	out[2] = z
}

func choose(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}
