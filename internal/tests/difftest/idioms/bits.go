package idioms

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// Counts counts the bits of loaded values, converted to all sizes.
type Counts[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k Counts[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	counts(k.A[i], &k.Out[i])
}

// CountsOf counts the bits of sums, converted to all sizes.
type CountsOf[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k CountsOf[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	counts(k.A[i]+k.B[i], &k.Out[i])
}

func counts[T Integer](a T, out *Row) {
	b, h, w, d := uint8(a), uint16(a), uint32(a), uint64(a)
	out[0] = uint64(bits.OnesCount8(b))
	out[1] = uint64(bits.OnesCount16(h))
	out[2] = uint64(bits.OnesCount32(w))
	out[3] = uint64(bits.OnesCount64(d))
	out[4] = uint64(bits.LeadingZeros8(b))
	out[5] = uint64(bits.LeadingZeros16(h))
	out[6] = uint64(bits.LeadingZeros32(w))
	out[7] = uint64(bits.LeadingZeros64(d))
	out[8] = uint64(bits.TrailingZeros8(b))
	out[9] = uint64(bits.TrailingZeros16(h))
	out[10] = uint64(bits.TrailingZeros32(w))
	out[11] = uint64(bits.TrailingZeros64(d))
	out[12] = uint64(bits.Len8(b))
	out[13] = uint64(bits.Len16(h))
	out[14] = uint64(bits.Len32(w))
	out[15] = uint64(bits.Len64(d))
	out[16] = uint64(bits.Reverse8(b))
	out[17] = uint64(bits.Reverse16(h))
	out[18] = uint64(bits.Reverse32(w))
	out[19] = bits.Reverse64(d)
	out[20] = uint64(bits.ReverseBytes16(h))
	out[21] = uint64(bits.ReverseBytes32(w))
	out[22] = bits.ReverseBytes64(d)
	out[23] = uint64(int8(bits.Reverse8(b)))
	out[24] = uint64(int16(bits.ReverseBytes16(h)))
	out[25] = uint64(int32(bits.ReverseBytes32(w)))
	out[26] = uint64(bits.OnesCount8(uint8(int8(a))))
	out[27] = uint64(bits.OnesCount16(uint16(int8(a))))
	out[28] = uint64(bits.OnesCount32(uint32(int8(a))))
	out[29] = uint64(bits.OnesCount64(uint64(int16(a))))
	out[30] = uint64(bits.Len32(uint32(int16(a))))
	out[31] = uint64(bits.Len64(uint64(int8(-a))))
	out[32] = uint64(bits.LeadingZeros16(uint16(-int8(a))))
	out[33] = uint64(bits.TrailingZeros8(uint8(^a)))
	out[34] = uint64(bits.TrailingZeros32(uint32(a & -a)))
	out[35] = uint64(bits.OnesCount64(d &^ (d - 1)))
	out[36] = uint64(bits.OnesCount32(w & -w))
	out[37] = uint64(bits.OnesCount64(d)) & 1
	out[38] = flag(bits.OnesCount64(d) == 1)
	out[39] = flag(bits.OnesCount8(b) <= 1)
	out[40] = flag(bits.Len16(h) == 0)
	out[41] = uint64(bits.OnesCount(uint(a)))
	out[42] = uint64(bits.Len(uint(b)))
	out[43] = uint64(64 - bits.LeadingZeros64(uint64(h)))
	out[44] = uint64(31 - bits.LeadingZeros32(w|1))
	out[45] = uint64(bits.Reverse8(b) >> (bits.LeadingZeros8(b) & 7))
	out[46] = uint64(bits.ReverseBytes32(bits.Reverse32(w)))
	out[47] = bits.Reverse64(uint64(b) << 56)
}

// Tricks computes results of well-known bit tricks.
type Tricks[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k Tricks[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	out[0] = uint64(a & -a)
	out[1] = uint64(a & (a - 1))
	out[2] = uint64(a | (a - 1))
	out[3] = uint64(a ^ (a - 1))
	out[4] = uint64(a | (a + 1))
	out[5] = uint64(a & (a + 1))
	out[6] = uint64(^a & (a - 1))
	out[7] = uint64(^a & (a + 1))
	out[8] = uint64(a&b + (a^b)>>1)
	out[9] = uint64(a | b - (a^b)>>1)
	out[10] = uint64((a | b) - (a^b)>>1)
	out[11] = uint64(a>>1 + b>>1 + a&b&1)
	out[12] = uint64(min(a, b) + (max(a, b)-min(a, b))>>1)
	out[13] = uint64(a + (b-a)/2)
	out[14] = uint64((a + b) / 2)
	out[15] = uint64((a + b) >> 1)
	out[16] = uint64((a & b) + (a | b))
	out[17] = uint64((a | b) - (a & b))
	out[18] = uint64((a ^ b) + 2*(a&b))
	out[19] = uint64(2*(a|b) - (a ^ b))
	out[20] = uint64(a + b - (a | b))
	out[21] = uint64(^(a - 1))
	out[22] = uint64(^(^a + b))
	out[23] = uint64(^a - ^b)
	out[24] = uint64(a&^b + a&b)
	out[25] = uint64((a ^ b) ^ b)
	out[26] = uint64((a | b) ^ b)
	out[27] = uint64((a | b) &^ (a & b))
	out[28] = uint64(^(^a & ^b))
	out[29] = uint64(^a | ^b)
	out[30] = uint64((a & 0x55) | (b &^ 0x55))
	out[31] = uint64((a^b)&0x33 ^ b)
	out[32] = flag(a != 0 && a&(a-1) == 0)
	out[33] = flag(a&(a-1) == 0)
	out[34] = flag(a^b == 0)
	out[35] = flag((a | b) == 0)
	out[36] = flag(a&b == b)
	out[37] = flag((a | b) == b)
	out[38] = flag(a&1 != b&1)
	out[39] = flag(a%2 == 1)
	out[40] = flag(a%2 != 0)
	out[41] = flag((a-1)|(b-1) == 0)
	out[42] = uint64((a + 7) &^ 7)
	out[43] = uint64(a &^ 7)
	out[44] = uint64(a - a&7)
	out[45] = uint64(a*3 - a<<1)
	out[46] = uint64(a<<3 - a)
	out[47] = uint64(a*b + a*^b)
}

// Rotate rotates bits by constants and variables, written in all usual ways.
type Rotate[T Unsigned] struct {
	A, B []T
	Out  []Row
}

func (k Rotate[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	n := int(b)
	s := uint(b)
	h, w, d := uint16(a), uint32(a), uint64(a)
	g := uint8(a)
	out[0] = uint64(g<<3 | g>>5)
	out[1] = uint64(g>>1 | g<<7)
	out[2] = uint64(g<<4 | g>>4)
	out[3] = uint64(h<<8 | h>>8)
	out[4] = uint64(h>>8 | h<<8)
	out[5] = uint64(h<<5 | h>>11)
	out[6] = uint64(h>>3 + h<<13)
	out[7] = uint64(w<<7 | w>>25)
	out[8] = uint64(w>>8 | w<<24)
	out[9] = uint64(w<<16 | w>>16)
	out[10] = uint64(w<<16 ^ w>>16)
	out[11] = d<<13 | d>>51
	out[12] = d>>7 | d<<57
	out[13] = d<<32 | d>>32
	out[14] = d<<8 + d>>56
	out[15] = uint64(bits.RotateLeft8(g, 3))
	out[16] = uint64(bits.RotateLeft16(h, 8))
	out[17] = uint64(bits.RotateLeft32(w, -9))
	out[18] = bits.RotateLeft64(d, 40)
	out[19] = uint64(bits.RotateLeft8(g, n))
	out[20] = uint64(bits.RotateLeft16(h, n))
	out[21] = uint64(bits.RotateLeft32(w, n))
	out[22] = bits.RotateLeft64(d, n)
	out[23] = uint64(bits.RotateLeft8(g, -n))
	out[24] = uint64(bits.RotateLeft16(h, -n))
	out[25] = uint64(bits.RotateLeft32(w, -n))
	out[26] = bits.RotateLeft64(d, -n)
	out[27] = uint64(g<<(s&7) | g>>(-s&7))
	out[28] = uint64(h<<(s&15) | h>>(-s&15))
	out[29] = uint64(w<<(s&31) | w>>(-s&31))
	out[30] = d<<(s&63) | d>>(-s&63)
	out[31] = uint64(w>>(s&31) | w<<(32-s&31))
	out[32] = d>>(s&63) | d<<(64-s&63)
	out[33] = uint64(g<<(s%8) | g>>(8-s%8))
	out[34] = uint64(h<<(s%16) | h>>(16-s%16))
	out[35] = uint64(w<<(s%32) | w>>(32-s%32))
	out[36] = d<<(s%64) | d>>(64-s%64)
	out[37] = uint64(w<<(s%33) | uint32(b)>>(32-s%33))
	out[38] = d<<(s%65) | uint64(b)>>(64-s%65)
	out[39] = uint64(w<<9 | uint32(b)>>23)
	out[40] = d<<20 | uint64(b)>>44
	out[41] = uint64(uint32(d << 32 >> (s & 31) >> 32))
	out[42] = uint64(uint32((uint64(w)<<32 | uint64(w)) >> (s & 31)))
	out[43] = uint64(uint32((uint64(w)<<32 | uint64(uint32(b))) >> (s & 31)))
	out[44] = uint64(uint8((h<<8 | h&0xff) >> (s & 7)))
	out[45] = uint64(int8(g<<3 | g>>5))
	out[46] = uint64(int16(h<<8 | h>>8))
	out[47] = uint64(int32(w<<16 | w>>16))
}
