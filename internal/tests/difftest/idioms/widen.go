package idioms

import "github.com/kgen-go/kgen/dsl"

// Widen converts the results of operators to wider and narrower types.
type Widen[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Widen[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	widen(a, b, &k.Out[i].Loaded)
	widen(a+c, b+c, &k.Out[i].Summed)
}

func widen[T Integer](a, b T, out *Row) {
	out[0] = uint64(int64(-a))
	out[1] = uint64(int32(-a))
	out[2] = uint64(int16(-a))
	out[3] = uint64(int8(-a))
	out[4] = uint64(uint32(-a))
	out[5] = uint64(uint16(-a))
	out[6] = uint64(uint8(-a))
	out[7] = uint64(int64(^a))
	out[8] = uint64(int32(^a))
	out[9] = uint64(uint16(^a))
	out[10] = uint64(int8(^a))
	out[11] = uint64(int64(a + b))
	out[12] = uint64(int32(a + b))
	out[13] = uint64(uint32(a + b))
	out[14] = uint64(int16(a + b))
	out[15] = uint64(uint8(a + b))
	out[16] = uint64(int64(a - b))
	out[17] = uint64(uint32(a - b))
	out[18] = uint64(int16(a - b))
	out[19] = uint64(int8(a - b))
	out[20] = uint64(int64(a * b))
	out[21] = uint64(uint32(a * b))
	out[22] = uint64(int16(a * b))
	out[23] = uint64(int8(a * b))
	out[24] = uint64(int64(a << 3))
	out[25] = uint64(int32(a << 7))
	out[26] = uint64(uint16(a << 5))
	out[27] = uint64(int8(a << 1))
	out[28] = uint64(int64(a << (b & 7)))
	out[29] = uint64(int32(a >> (b & 7)))
	out[30] = uint64(uint16(a >> (b & 7)))
	out[31] = uint64(int8(a >> 1))
	out[32] = uint64(int32(a / (b | 1)))
	out[33] = uint64(uint32(a % (b | 1)))
	out[34] = uint64(int16(a / (b | 1)))
	out[35] = uint64(int8(a % (b | 1)))
	out[36] = uint64(a/(b|1)*(b|1) + a%(b|1))
	out[37] = uint64(int64(int8(a)) * int64(int8(b)))
	out[38] = uint64(int32(int16(a)) * int32(uint16(b)))
	out[39] = uint64(uint8(a)) + uint64(int8(b))
	out[40] = uint64(int64(int8(a)) - int64(uint8(b)))
	out[41] = uint64(-int16(int8(a)))
	out[42] = uint64(int16(-int8(a)))
	out[43] = uint64(uint32(int32(int8(a))) >> 4)
	out[44] = uint64(-int32(uint8(a)) >> 1)
	out[45] = uint64(float32(-int8(a)))
	out[46] = flag(int64(-a) < 0)
	out[47] = flag(int32(a-1) > int32(b))
}

// Fields extracts and inserts bit fields, and extends their signs.
type Fields[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k Fields[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	n := uint(b) & 7
	u, x := uint64(a), int64(a)
	w, y := uint32(a), int32(a)
	out[0] = uint64(a << 4 >> 4)
	out[1] = uint64(a << 7 >> 7)
	out[2] = uint64(a << n >> n)
	out[3] = uint64(a >> n << n)
	out[4] = uint64(a << 2 >> 5)
	out[5] = uint64(a << 5 >> 2)
	out[6] = uint64(x << 56 >> 56)
	out[7] = uint64(x << 40 >> 56)
	out[8] = uint64(x << 33 >> 33)
	out[9] = uint64(x << 32 >> 40)
	out[10] = uint64(y << 24 >> 24)
	out[11] = uint64(y << 8 >> 24)
	out[12] = uint64(y << 16 >> 16)
	out[13] = uint64(y << 27 >> 27)
	out[14] = uint64(int16(a) << 8 >> 8)
	out[15] = uint64(int16(a) << 3 >> 11)
	out[16] = uint64(int8(a) << 4 >> 4)
	out[17] = uint64(int8(a) << 5 >> 6)
	out[18] = uint64(int8(a) << 7 >> 7)
	out[19] = uint64(a >> 3 & 7)
	out[20] = uint64(a >> n & 1)
	out[21] = uint64(w >> 9 & 0x7f)
	out[22] = uint64(w >> (n * 3) & 0xff)
	out[23] = u >> 20 & 0xfff
	out[24] = u >> (n * 8) & 0xff
	out[25] = uint64(int8(u >> (n * 8)))
	out[26] = uint64(int64(u<<(n*8)) >> 56)
	out[27] = uint64(int32(w<<(n*2)) >> 20)
	out[28] = uint64(a&^0x1c | b<<2&0x1c)
	out[29] = uint64(w&^0xff00 | uint32(b)<<8&0xff00)
	out[30] = uint64(w&^(0xff<<(n*3)) | uint32(uint8(b))<<(n*3))
	out[31] = u&^(0xff<<(n*8)) | uint64(uint8(b))<<(n*8)
	out[32] = u&0xffffffff | uint64(b)<<32
	out[33] = u<<32 | uint64(uint32(b))
	out[34] = uint64(uint16(a))<<16 | uint64(uint16(b))
	out[35] = uint64(uint16(uint8(a))<<8 | uint16(uint8(b)))
	out[36] = uint64(int16(uint16(uint8(a))<<8 | uint16(uint8(b))))
	out[37] = uint64(int32(uint32(uint8(a))<<24 | uint32(uint8(b))<<16))
	out[38] = uint64((x & 0xff) ^ 0x80 - 0x80)
	out[39] = uint64((x&0xff ^ 0x80) - 0x80)
	out[40] = uint64((y&0x7ff ^ 0x400) - 0x400)
	out[41] = uint64(-(y >> 4 & 1))
	out[42] = uint64(a & (1<<n - 1))
	out[43] = uint64(a ^ 1<<n)
	out[44] = uint64(a | 1<<n)
	out[45] = flag(a&(1<<n) != 0)
	out[46] = flag(a>>n&1 == 0)
	out[47] = uint64(a &^ (a >> 1))
}
