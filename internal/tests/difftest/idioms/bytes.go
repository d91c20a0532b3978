package idioms

import (
	"encoding/binary"
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// Swaps reverses the bytes of numbers by its own code and by library functions.
type Swaps struct {
	A, B, C []uint64
	Out     []Rows
}

func (k Swaps) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	swaps(a, b, &k.Out[i].Loaded)
	swaps(a+c, b+c, &k.Out[i].Summed)
}

func swap32(w uint32) uint32 {
	return w<<24 | w&0xff00<<8 | w>>8&0xff00 | w>>24
}

func swaps(a, b uint64, out *Row) {
	h, w := uint16(a), uint32(a)
	out[0] = uint64(h>>8 | h<<8)
	out[1] = uint64(uint16(h>>8) | h&0xff<<8)
	out[2] = uint64(swap32(w))
	out[3] = uint64(w>>24 | w>>8&0xff00 | w<<8&0xff0000 | w<<24)
	w = (w&0x00ff00ff)<<8 | w>>8&0x00ff00ff
	out[4] = uint64(w)
	out[5] = uint64(w<<16 | w>>16)
	out[6] = uint64(swap32(uint32(a)))<<32 | uint64(swap32(uint32(a>>32)))
	d := a>>8&0x00ff00ff00ff00ff | a&0x00ff00ff00ff00ff<<8
	d = d>>16&0x0000ffff0000ffff | d&0x0000ffff0000ffff<<16
	out[7] = d
	out[8] = d>>32 | d<<32
	out[9] = a<<56 | a>>56 | a&0xff00<<40 | a>>40&0xff00 | a&0xff0000<<24 | a>>24&0xff0000 | a&0xff000000<<8 | a>>8&0xff000000
	var p [8]byte
	for j := range p {
		p[j] = byte(a >> (8 * j))
	}
	out[10] = uint64(binary.BigEndian.Uint16(p[:]))
	out[11] = uint64(binary.BigEndian.Uint16(p[3:]))
	out[12] = uint64(binary.LittleEndian.Uint16(p[6:]))
	out[13] = uint64(binary.BigEndian.Uint32(p[:]))
	out[14] = uint64(binary.BigEndian.Uint32(p[1:]))
	out[15] = uint64(binary.BigEndian.Uint32(p[3:]))
	out[16] = uint64(binary.BigEndian.Uint32(p[4:]))
	out[17] = uint64(binary.LittleEndian.Uint32(p[:]))
	out[18] = uint64(binary.LittleEndian.Uint32(p[2:]))
	out[19] = uint64(binary.LittleEndian.Uint32(p[4:]))
	out[20] = binary.BigEndian.Uint64(p[:])
	out[21] = binary.LittleEndian.Uint64(p[:])
	var q [16]byte
	binary.BigEndian.PutUint64(q[:], a)
	binary.LittleEndian.PutUint64(q[8:], b)
	out[22] = binary.LittleEndian.Uint64(q[:])
	out[23] = binary.BigEndian.Uint64(q[8:])
	out[24] = binary.LittleEndian.Uint64(q[1:])
	out[25] = binary.BigEndian.Uint64(q[3:])
	out[26] = binary.LittleEndian.Uint64(q[4:])
	out[27] = binary.BigEndian.Uint64(q[6:])
	out[28] = uint64(binary.LittleEndian.Uint32(q[5:]))
	out[29] = uint64(binary.BigEndian.Uint32(q[7:]))
	out[30] = uint64(binary.LittleEndian.Uint16(q[7:]))
	out[31] = uint64(binary.BigEndian.Uint16(q[4:]))
	binary.LittleEndian.PutUint32(q[2:], uint32(b))
	binary.BigEndian.PutUint16(q[9:], uint16(a>>24))
	out[32] = binary.BigEndian.Uint64(q[:])
	out[33] = binary.LittleEndian.Uint64(q[5:])
	out[34] = uint64(binary.BigEndian.Uint32(q[8:]))
	var r [8]byte
	for j := range r {
		r[j] = p[7-j]
	}
	out[35] = binary.LittleEndian.Uint64(r[:])
	n := int(b & 7)
	r[n], r[7-n] = r[7-n], r[n]
	out[36] = binary.BigEndian.Uint64(r[:])
	out[37] = uint64(int32(binary.BigEndian.Uint32(r[2:])))
	out[38] = uint64(int16(binary.LittleEndian.Uint16(r[n&3:])))
	out[39] = uint64(p[0])<<24 | uint64(p[1])<<16 | uint64(p[2])<<8 | uint64(p[3])
	out[40] = uint64(uint16(p[7])<<8 | uint16(p[0]))
	out[41] = uint64(int16(p[6])<<8 | int16(p[7]))
	out[42] = uint64(int32(int8(p[3]))<<8 | int32(p[2]))
	out[43] = uint64(byte(a)) | uint64(byte(a>>16))<<8 | uint64(byte(a>>8))<<16 | uint64(byte(a>>40))<<24
	out[44] = uint64(bits.ReverseBytes32(uint32(a>>16)) ^ uint32(b))
	out[45] = bits.ReverseBytes64(bits.ReverseBytes64(a) + 1)
}

// Carries computes with numbers of several words, and with the carries between words.
type Carries struct {
	A, B, C []uint64
	Out     []Row
}

func (k Carries) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	out := &k.Out[i]
	w, v := uint32(a), uint32(b)
	hi, lo := bits.Mul64(a, b)
	out[0], out[1] = hi, lo
	h32, l32 := bits.Mul32(w, v)
	out[2], out[3] = uint64(h32), uint64(l32)
	s, carry := bits.Add64(a, b, c&1)
	out[4], out[5] = s, carry
	s, carry = bits.Add64(hi, c, carry)
	out[6], out[7] = s, carry
	d, borrow := bits.Sub64(a, b, c&1)
	out[8], out[9] = d, borrow
	d, borrow = bits.Sub64(hi, c, borrow)
	out[10], out[11] = d, borrow
	s32, c32 := bits.Add32(w, v, uint32(c&1))
	out[12], out[13] = uint64(s32), uint64(c32)
	s32, c32 = bits.Sub32(w, v, uint32(c&1))
	out[14], out[15] = uint64(s32), uint64(c32)
	t := uint64(w) * uint64(v)
	out[16] = t >> 32
	out[17] = uint64(uint32(t))
	out[18] = uint64(int64(int32(w))*int64(int32(v))) >> 32
	out[19] = uint64(int64(int32(w)) * int64(v))
	t = uint64(w) + uint64(v)
	out[20] = t >> 32
	out[21] = uint64(uint32(t)) + t>>32
	t = uint64(w) - uint64(v)
	out[22] = t >> 32
	out[23] = t >> 63
	lo2 := uint32(a) + uint32(b)
	hi2 := uint32(a>>32) + uint32(b>>32)
	if lo2 < uint32(a) {
		hi2++
	}
	out[24] = uint64(hi2)<<32 | uint64(lo2)
	hi2 = uint32(a>>32) - uint32(b>>32)
	if uint32(a) < uint32(b) {
		hi2--
	}
	out[25] = uint64(hi2)<<32 | uint64(uint32(a)-uint32(b))
	x := [4]uint64{a, b, c, a ^ b}
	y := [4]uint64{b, ^b, ^c, c}
	carry = 0
	for j := range x {
		x[j], carry = bits.Add64(x[j], y[j], carry)
	}
	out[26], out[27], out[28], out[29], out[30] = x[0], x[1], x[2], x[3], carry
	borrow = 0
	for j := range x {
		x[j], borrow = bits.Sub64(x[j], y[3-j], borrow)
	}
	out[31], out[32], out[33], out[34], out[35] = x[0], x[1], x[2], x[3], borrow
	p := uint64(w)*uint64(v) + uint64(uint32(c)) + uint64(uint32(a>>32))
	out[36] = p
	q, r := bits.Div64(c%(b|1), a, b|1)
	out[37], out[38] = q, r
	q32, r32 := bits.Div32(uint32(c)%(v|1), w, v|1)
	out[39], out[40] = uint64(q32), uint64(r32)
	h2, l2 := bits.Mul64(a, 0x9e3779b97f4a7c15)
	out[41] = h2 ^ l2
	out[42] = uint64(bits.Rem64(c, a, b|1))
}
