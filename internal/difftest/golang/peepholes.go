package golang

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Peepholes computes what compilers have something shorter for, and drivers got wrong.
type Peepholes struct{ X, Y, Out []uint64 }

// PeepholeResults is the number of results per work-item of Peepholes.
const PeepholeResults = 81

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

// normal is x, or 0 where devices may differ.
func normal(x float32) float32 {
	if x < 1e-25 && x > -1e-25 {
		return 0
	}
	return x
}

func (k Peepholes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	out := k.Out[i*PeepholeResults:][:PeepholeResults]

	// Products of few bits.
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

	// Comparisons of multiples with what has few values.
	n := int64(y)
	out[48] = bit(int64(bits.LeadingZeros32(uint32(y&1)))/(1<<60) >= int64(int16(y))<<8)
	out[49] = bit(int64(bits.OnesCount32(uint32(y)))/(int64(x)^-8321377986041700917|1) >= n<<30)
	out[50] = bit(int64(x%5) > n*16)
	out[51] = bit(int64(int8(x)) < 2*n)
	out[52] = bit(int64(x>>60) <= n+n)
	out[53] = bit(int32(bits.Len64(x)) < int32(y)*8)
	out[54] = bit(int64(doubleBits(float64(y)))+int64(doubleBits(float64(y))) >= 48)
	out[55] = uint64((uint8(y) - uint8(x)) * (uint8(x) * uint8(x)) << 7)

	// Comparisons with constants.
	f, g := normal(math.Float32frombits(uint32(x))), math.Float64frombits(y)
	out[19] = floatBits(max(1, f))
	out[20] = floatBits(max(2, math.Float32frombits(uint32(x))))
	out[21] = floatBits(min(0.1, f))
	out[22] = floatBits(max(0.5, f)) + floatBits(f)
	out[23] = floatBits(max(f, -3)) + floatBits(min(f, 3))
	out[24] = doubleBits(max(2, g))
	out[25] = doubleBits(min(g, -0.5))
	out[26] = bit(math.Abs(g) > -2)
	out[27] = bit(math.Abs(g) >= 0)
	out[28] = bit(math.Abs(g) < 0)
	out[29] = bit(float32(math.Abs(float64(f))) > -2)
	out[30] = bit(math.Sqrt(g) >= 0)
	out[31] = bit(g*g >= 0)

	// Conversions and what is computed behind them.
	out[32] = uint64(math.Sqrt(float64(y)))
	out[33] = doubleBits(float64(float32(x)))
	out[34] = doubleBits(2 / g)
	out[35] = uint64(uint8(2 / float64(uint8(x)|1)))
	out[36] = uint64(math.Abs(float64(x)))
	out[37] = doubleBits(float64(x) / 3)
	out[38] = uint64(uint(float64(y)))
	out[39] = doubleBits(math.Sqrt(float64(y)))
	out[40] = bit(3/float64(x) == 0)
	out[41] = floatBits(float32(int64(float64(x))))
	out[42] = floatBits(float32(x)) + floatBits(float32(int64(x)))
	out[43] = doubleBits(float64(x)) + doubleBits(float64(int64(y)))
	out[44] = uint64(float32(x))
	out[45] = uint64(math.Floor(float64(x)))
	out[46] = uint64(int64(math.Sqrt(float64(int64(y)))))
	out[47] = doubleBits(float64(uint32(x)) / 3)

	// Negations, also of what is the least of three.
	out[56] = uint64(min(0, min(int32(y), -int32(x))))
	out[57] = uint64(max(int32(y)>>8, -max(int32(x), 3)))
	out[58] = -x + -x + math.MaxUint64
	out[59] = uint64(-(n + n - n>>63))
	out[60] = bit(int16(y)*-32768 <= -1) * (1 - y)
	out[61] = ^max(y, math.MaxInt64) + 1<<63

	// Multiples, behind what a comparison is taken through.
	q := int64(x) / int64(y|1)
	out[62] = bit(^(q << 1) > 1<<32)
	out[63] = bit(n<<23>>23 < 1)
	out[64] = bit(n<<33>>33 < 40)
	out[65] = bit((n+n)>>32 <= 513)
	out[66] = bit(n<<33&^int64(bit(x < y))>>33 < 40)
	least := n << 44
	if n > 255 {
		least = 65535
	}
	out[67] = bit(least <= 0)
	out[68] = uint64(max(n*math.MaxInt64, n))

	// Products of single bits, and what they mask.
	out[69] = x * x & 3 * 15
	out[70] = uint64(int8(y&63) % 2 * int8(x))
	out[71] = bit(x >= 1<<63) &^ (y / (y | 1))
	out[72] = bit(x < y) * (y - x)
	out[73] = uint64(int8(y) * (int8(x) * int8(x)) << 6)
	less := int64(0)
	for i := range 4 {
		less = max(int64(i)-less-n, int64(i))
	}
	out[74] = uint64(less)

	// Bits of which one matters, and a sign that a shift extends.
	out[75] = x & (1<<23 + 1) * (math.MaxUint64 - 1) % (1 << 23)
	out[76] = min(y&(1<<23+1), y) * (math.MaxUint64 - 1) % (1 << 23)
	out[77] = uint64((int32(x) | math.MinInt32) >> 2)

	// Sums of a loop that runs once at most, and twice what a loop carries.
	h := uint64(float64(y))
	if x < 17744093488476213058 {
		h = 9
	}
	sum := int64(0)
	for i := int(y&3) - 1; i >= 0; i -= 3 {
		sum += int64(i)
	}
	out[78] = uint64(sum)
	h = mixed(h, uint64(sum))
	var none [12]int32
	for i := 1; i >= 0; i -= 3 {
		h = mixed(h, uint64(none[i]))
	}
	out[79] = h
	z := y
	for v := x; v != 0; v /= 2 {
		z = choose(z+z > 2, v, 0)
	}
	out[80] = z
}

func choose(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}
