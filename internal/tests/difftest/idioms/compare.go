package idioms

import (
	"cmp"

	"github.com/kgen-go/kgen/dsl"
)

// Compare compares in three ways, and converts comparisons to masks and numbers.
type Compare[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Compare[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	compare(a, b, &k.Out[i].Loaded)
	compare(a+c, b+c, &k.Out[i].Summed)
}

func lessFirst[T Integer](a, b T) int {
	if a < b {
		return -1
	} else if a > b {
		return 1
	}
	return 0
}

func equalFirst[T Integer](a, b T) int {
	if a == b {
		return 0
	}
	if a < b {
		return -1
	}
	return 1
}

func bySwitch[T Integer](a, b T) int8 {
	switch {
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return -1
}

func fromZero[T Integer](a, b T) uint8 {
	switch {
	case a < b:
		return 0
	case a == b:
		return 1
	default:
		return 2
	}
}

func compare[T Integer](a, b T, out *Row) {
	three := [3]uint16{700, 0xfff0, 9}
	five := [5]int8{-7, 100, -128, 3, 1}
	out[0] = uint64(cmp.Compare(a, b))
	out[1] = uint64(lessFirst(a, b))
	out[2] = uint64(equalFirst(a, b))
	out[3] = uint64(bySwitch(a, b))
	out[4] = uint64(fromZero(a, b))
	out[5] = uint64(three[cmp.Compare(a, b)+1])
	out[6] = uint64(three[lessFirst(a, b)+1])
	out[7] = uint64(three[1-equalFirst(a, b)])
	out[8] = uint64(three[bySwitch(a, b)+1])
	out[9] = uint64(three[fromZero(a, b)])
	out[10] = uint64(five[cmp.Compare(a, b)*2+2])
	out[11] = flag(cmp.Compare(a, b) < 0)
	out[12] = flag(cmp.Compare(a, b) <= 0)
	out[13] = flag(cmp.Compare(a, b) == 0)
	out[14] = flag(equalFirst(a, b) > 0)
	out[15] = flag(equalFirst(a, b) >= 0)
	out[16] = flag(lessFirst(a, b) != 0)
	out[17] = flag(bySwitch(a, b) == 1)
	out[18] = flag(fromZero(a, b) == 1)
	out[19] = flag(fromZero(a, b) > 0)
	out[20] = flag(fromZero(a, b) >= 2)
	out[21] = uint64(-cmp.Compare(a, b))
	out[22] = uint64(cmp.Compare(b, a) * 3)
	out[23] = uint64(cmp.Compare(a, b)) >> 63
	out[24] = flag(a > b) - flag(a < b)
	out[25] = flag(a >= b) - flag(a <= b)
	out[26] = flag(a > 0) - flag(a < 0)
	out[27] = uint64(cmp.Compare(a, 0))
	out[28] = uint64(cmp.Compare(a, 1))
	out[29] = uint64(int32(flag(a > b)) - int32(flag(a < b)))
	out[30] = uint64(int8(flag(a != b)) | -int8(flag(a < b)))
	out[31] = uint64(uint32(cmp.Compare(a, b)))
	out[32] = uint64(uint8(lessFirst(a, b)))
	m := -T(flag(a < b))
	out[33] = uint64(a&m | b&^m)
	out[34] = uint64(b ^ (a^b)&m)
	out[35] = uint64(m)
	out[36] = uint64(T(flag(a == b)) - 1)
	out[37] = uint64(T(flag(a <= b))<<3 + a)
	out[38] = flag(a < b)*5 + flag(a == b)*7
	out[39] = flag(a < b)<<1 | flag(a == b)
	out[40] = uint64(three[flag(a < b)+flag(a <= b)])
	out[41] = flag((a < b) != (b < 9))
	out[42] = flag(!(a < b) && a != b || b == 0)
	out[43] = flag(lessFirst(int8(cmp.Compare(a, b)), int8(cmp.Compare(b, 3))) < 0)
	out[44] = uint64(cmp.Compare(a, b) | cmp.Compare(b, 100))
	r := cmp.Compare(a&15, b&15)
	if r == 0 {
		r = cmp.Compare(a>>4, b>>4)
	}
	out[45] = uint64(r)
	out[46] = uint64(min(max(cmp.Compare(a, b), 0), 1))
	out[47] = uint64(int64(int8(cmp.Compare(a, b))) * 1000)
}

// Clamp clamps numbers, also to the ranges of narrower types.
type Clamp[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k Clamp[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	x, y := int64(a), int64(b)
	u, v := uint64(a), uint64(b)
	out[0] = uint64(int8(min(max(x, -128), 127)))
	out[1] = uint64(int16(min(max(x, -32768), 32767)))
	out[2] = uint64(int32(min(max(x, -1<<31), 1<<31-1)))
	out[3] = uint64(uint8(min(max(x, 0), 255)))
	out[4] = uint64(uint16(min(max(x, 0), 65535)))
	out[5] = uint64(uint32(min(max(x, 0), 1<<32-1)))
	out[6] = uint64(uint8(min(u, 255)))
	out[7] = uint64(uint16(min(u, 65535)))
	out[8] = uint64(uint32(min(u, 1<<32-1)))
	out[9] = uint64(int8(min(u, 127)))
	out[10] = uint64(int16(min(u, 32767)))
	out[11] = uint64(int32(min(u, 1<<31-1)))
	s := x + y
	if s > 127 {
		s = 127
	} else if s < -128 {
		s = -128
	}
	out[12] = uint64(int8(s))
	t := int32(a) + int32(b)
	out[13] = uint64(int8(max(min(t, 127), -128)))
	out[14] = uint64(int16(max(min(t, 32767), -32768)))
	out[15] = uint64(uint8(max(min(t, 255), 0)))
	out[16] = uint64(uint16(max(min(t, 65535), 0)))
	t = int32(a) - int32(b)
	if t < 0 {
		t = 0
	}
	if t > 255 {
		t = 255
	}
	out[17] = uint64(uint8(t))
	if int32(int8(t)) != t {
		t = 127
	}
	out[18] = uint64(t)
	q := int32(a)
	if q != int32(uint8(q)) {
		q = ^q >> 31 & 255
	}
	out[19] = uint64(q)
	q = int32(b)
	if q != int32(int16(q)) {
		q = q>>31 ^ 32767
	}
	out[20] = uint64(q)
	out[21] = uint64(min(max(a, 3), 100))
	out[22] = uint64(min(max(a, b&15), b|64))
	out[23] = uint64(max(min(a, 100), 3))
	lo, hi := min(a, b), max(a, b)
	out[24] = uint64(min(max(lo+hi, lo), hi))
	out[25] = flag(a >= 3 && a <= 100)
	out[26] = flag(a < 3 || a > 100)
	out[27] = flag(uint64(a)-3 < 97)
	out[28] = flag(lo <= 5 && 5 < hi)
	out[29] = uint64(max(min(int16(a), int16(b)), -3))
	out[30] = uint64(min(uint16(a), uint16(b), 1000))
	out[31] = u - min(u, v)
	out[32] = min(u, v) - u
	out[33] = uint64(uint32(u) - min(uint32(u), uint32(v)))
	out[34] = uint64(uint8(u) - min(uint8(u), uint8(v)))
	out[35] = flag(int64(int8(x)) == x)
	out[36] = flag(int64(int16(x)) != x)
	out[37] = flag(int64(int32(x)) == x)
	out[38] = flag(uint64(uint8(u)) == u)
	out[39] = flag(x+128 >= 0 && x+128 < 256)
	out[40] = flag(uint64(x+1<<15) < 1<<16)
	out[41] = flag(u>>8 == 0)
	out[42] = flag(u>>32 != 0)
}
