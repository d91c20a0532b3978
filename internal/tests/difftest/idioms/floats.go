package idioms

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

// Floats32 computes the idioms of float32. Floats32 omits idioms whose results depend on a NaN's
// payload or may be subnormal.
type Floats32 struct {
	A, B []float32
	Out  []Row
}

func bits32(x float32) uint64 {
	if x != x {
		return 1 << 40
	}
	return uint64(math.Float32bits(x))
}

func (k Floats32) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	u, v := math.Float32bits(a), math.Float32bits(b)
	out[0] = bits32(math.Float32frombits(u &^ (1 << 31)))
	out[1] = bits32(math.Float32frombits(u | 1<<31))
	out[2] = bits32(math.Float32frombits(u ^ 1<<31))
	out[3] = bits32(math.Float32frombits(u&^(1<<31) | v&(1<<31)))
	out[4] = bits32(math32.Abs(a))
	out[5] = bits32(-a)
	out[6] = bits32(0 - a)
	out[7] = bits32(-(0 - a))
	out[8] = bits32(a + 0)
	out[9] = bits32(a * -1)
	out[10] = flag(u>>31 != 0)
	out[11] = flag(int32(u) < 0)
	out[12] = flag(a < 0)
	out[13] = flag(1/a < 0)
	out[14] = flag(u<<1 == 0)
	out[15] = flag(u&0x7fffffff > 0x7f800000)
	out[16] = flag(u>>23&0xff == 0xff)
	out[17] = uint64(u>>23&0xff) - 127
	out[18] = bits32(min(a, b))
	out[19] = bits32(max(a, b))
	out[20] = bits32(min(max(a, -2), 3))
	m := a
	if b < a {
		m = b
	}
	out[21] = bits32(m)
	if !(b >= a) {
		m = 5
	}
	out[22] = bits32(m)
	m = b
	if a > b {
		m = a
	}
	out[23] = bits32(m)
	m = a
	if m < 0 {
		m = -m
	}
	out[24] = bits32(m)
	out[25] = bits32(a - a)
	out[26] = bits32(a * 0)
	out[27] = bits32(a / a)
	out[28] = bits32(a - b + b)
	out[29] = bits32(0 / a)
	out[30] = flag(a == a)
	out[31] = flag(a != a || b != b)
	out[32] = flag(a < b || a >= b)
	out[33] = flag(a < b || a > b)
	out[34] = flag(!(a < b) && !(a > b))
	out[35] = flag(a <= b && a >= b)
	out[36] = flag(!(a <= b))
	out[37] = flag(a == b && 1/a == 1/b)
	out[38] = flag(a < b && b < 3 || a != b && a > 1)
	out[39] = flag(a < b) - flag(a > b)
	out[40] = flag(a-b < 0) | flag(a-b == 0)<<1
	out[41] = bits32(float32(int32(max(min(a, 1e6), -1e6))))
	out[42] = uint64(int64(max(min(a, 1e12), -1e12)))
	out[43] = bits32(math32.Floor(a))
	out[44] = bits32(math32.Trunc(a))
	out[45] = bits32(float32(int64(v)) - float32(int32(v)))
	n := int32(u)
	out[46] = uint64(n ^ n>>31&0x7fffffff)
	out[47] = bits32(float32(uint8(u)) - float32(int8(v)))
}

// Floats64 computes the idioms of Floats32 for float64.
type Floats64 struct {
	A, B []float64
	Out  []Row
}

func bits64(x float64) uint64 {
	if x != x {
		return 1
	}
	return math.Float64bits(x)
}

func (k Floats64) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	u, v := math.Float64bits(a), math.Float64bits(b)
	out[0] = bits64(math.Float64frombits(u &^ (1 << 63)))
	out[1] = bits64(math.Float64frombits(u | 1<<63))
	out[2] = bits64(math.Float64frombits(u ^ 1<<63))
	out[3] = bits64(math.Float64frombits(u&^(1<<63) | v&(1<<63)))
	out[4] = bits64(math.Abs(a))
	out[5] = bits64(math.Copysign(a, b))
	out[6] = bits64(math.Copysign(3, b))
	out[7] = bits64(-a)
	out[8] = bits64(0 - a)
	out[9] = bits64(a + 0)
	out[10] = flag(math.Signbit(a))
	out[11] = flag(int64(u) < 0)
	out[12] = flag(math.IsNaN(a))
	out[13] = flag(math.IsInf(a, 0))
	out[14] = flag(math.IsInf(a, -1))
	out[15] = flag(u<<1 == 0)
	out[16] = flag(u>>52&0x7ff == 0x7ff)
	out[17] = u>>52&0x7ff - 1023
	out[18] = bits64(min(a, b))
	out[19] = bits64(max(a, b))
	out[20] = bits64(math.Min(a, b))
	out[21] = bits64(math.Max(a, b))
	m := a
	if b < a {
		m = b
	}
	out[22] = bits64(m)
	m = a
	if m < 0 {
		m = -m
	}
	out[23] = bits64(m)
	out[24] = bits64(a - a)
	out[25] = bits64(a * 0)
	out[26] = bits64(a / a)
	out[27] = bits64(0 / a)
	out[28] = bits64(math.Floor(a))
	out[29] = bits64(math.Ceil(a))
	out[30] = bits64(math.Trunc(a))
	out[31] = bits64(math.Round(a))
	out[32] = bits64(math.RoundToEven(a))
	out[33] = bits64(a - math.Floor(a))
	out[34] = bits64(float64(int64(max(min(a, 1e15), -1e15))))
	out[35] = uint64(int32(max(min(a, 1e9), -1e9)))
	out[36] = uint64(uint8(int8(int32(max(min(a, 1e3), -1e3)))))
	out[37] = bits64(float64(v) - float64(int64(v)))
	out[38] = bits64(float64(uint32(u)) - float64(int16(v)))
	out[39] = flag(a < b || a >= b)
	out[40] = flag(a < b || a > b)
	out[41] = flag(!(a < b) && !(a > b))
	out[42] = flag(!(a <= b))
	out[43] = flag(a == b && 1/a == 1/b)
	out[44] = flag(a < b) - flag(a > b)
	out[45] = flag(a-b < 0) | flag(a-b == 0)<<1
	n := int64(u)
	out[46] = uint64(n ^ int64(uint64(n>>63)>>1))
	out[47] = flag(float64(float32(a)) == a)
}
