package idioms

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// Logs computes powers of two, logarithms and roots.
type Logs[T Unsigned] struct {
	A, B []T
	Out  []Row
}

func (k Logs[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	out[0] = flag(a != 0 && a&(a-1) == 0)
	out[1] = flag(bits.OnesCount64(uint64(a)) == 1)
	out[2] = flag(a&-a == a)
	x := a - 1
	for s := 1; s < 64; s *= 2 {
		x |= x >> s
	}
	out[3] = uint64(x + 1)
	out[4] = uint64(T(1) << bits.Len64(uint64(a-1)))
	out[5] = uint64(x - x>>1)
	n := 0
	for y := a; y > 1; y >>= 1 {
		n++
	}
	out[6] = uint64(n)
	out[7] = uint64(bits.Len64(uint64(a)) - 1)
	n = 0
	for y := a; y != 0; y &= y - 1 {
		n++
	}
	out[8] = uint64(n)
	n = 0
	for y := a; y >= 10; y /= 10 {
		n++
	}
	out[9] = uint64(n)
	d := (bits.Len64(uint64(a)|1) * 1233) >> 12
	out[10] = uint64(d)
	p := uint64(a)
	p ^= p >> 32
	p ^= p >> 16
	p ^= p >> 8
	p ^= p >> 4
	out[11] = 0x6996 >> (p & 15) & 1
	odd := false
	for y := a; y != 0; y >>= 1 {
		odd = odd != (y&1 != 0)
	}
	out[12] = flag(odd)
	r, rest, bit := T(0), a, top[T]()>>1
	for bit > rest {
		bit >>= 2
	}
	for bit != 0 {
		if rest >= r+bit {
			rest -= r + bit
			r = r>>1 + bit
		} else {
			r >>= 1
		}
		bit >>= 2
	}
	out[13], out[14] = uint64(r), uint64(rest)
	r = 0
	for j := T(128); j != 0; j >>= 1 {
		if t := uint64(r | j); t*t <= uint64(a) {
			r |= j
		}
	}
	out[15] = uint64(r)
	searches(a, b, out)
}

// searches() computes the remaining results of Logs by searches, powers, and bit-by-bit loops.
func searches[T Unsigned](a, b T, out *Row) {
	lo, hi := T(0), a
	for lo < hi {
		mid := lo + (hi-lo)/2
		if mid < b {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	out[16] = uint64(lo)
	table := [8]T{1, 3, 9, 20, 21, 50, 100, 120}
	base := 0
	for size := 4; size > 0; size >>= 1 {
		if table[base+size-1] < a {
			base += size
		}
	}
	out[17] = uint64(base)
	q, m := T(1), a
	for e := b & 31; e != 0; e >>= 1 {
		if e&1 != 0 {
			q *= m
		}
		m *= m
	}
	out[18] = uint64(q)
	g, h := a, b
	for h != 0 {
		g, h = h, g%h
	}
	out[19] = uint64(g)
	inv := a | 1
	for range 6 {
		inv *= 2 - (a|1)*inv
	}
	out[20], out[21] = uint64(inv), uint64(inv*(a|1))
	rev := T(0)
	for y, j := a, 0; j < 8; j++ {
		rev = rev<<1 | y&1
		y >>= 1
	}
	out[22] = uint64(rev)
	sum := T(0)
	for y := a; y != 0; y /= 10 {
		sum += y % 10
	}
	out[23] = uint64(sum)
	gray := a ^ a>>1
	out[24] = uint64(gray)
	for s := uint(32); s != 0; s >>= 1 {
		gray ^= gray >> s
	}
	out[25] = uint64(gray)
	crc := a
	for range 8 {
		if crc&1 != 0 {
			crc = crc>>1 ^ 0x69
		} else {
			crc >>= 1
		}
	}
	out[26] = uint64(crc)
	crc = b
	for range 8 {
		crc = crc>>1 ^ -(crc&1)&0x53
	}
	out[27] = uint64(crc)
}

// Mix computes steps of random number generators and of hashes.
type Mix struct {
	A, B, C []uint64
	Out     []Row
}

func (k Mix) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i]+k.C[i], k.B[i]
	out := &k.Out[i]
	x := a
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	out[0] = x
	w := uint32(a)
	w ^= w << 13
	w ^= w >> 17
	w ^= w << 5
	out[1] = uint64(w)
	h := uint16(a)
	h ^= h << 7
	h ^= h >> 9
	h ^= h << 8
	out[2] = uint64(h)
	x = a*6364136223846793005 + (b | 1)
	out[3] = x
	out[4] = uint64(bits.RotateLeft32(uint32((a>>18^a)>>27), -int(a>>59)))
	w = uint32((a>>18 ^ a) >> 27)
	r := uint32(a >> 59)
	out[5] = uint64(w>>r | w<<(-r&31))
	x = (a>>(a>>59+5) ^ a) * 12605985483714917081
	out[6] = x>>43 ^ x
	x = (a ^ a>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	out[7] = x ^ x>>31
	w = (uint32(a) ^ uint32(a)>>16) * 0x85ebca6b
	w = (w ^ w>>13) * 0xc2b2ae35
	out[8] = uint64(w ^ w>>16)
	s := [4]uint64{a, b, a ^ b, a + b}
	for range 3 {
		y := bits.RotateLeft64(s[1]*5, 7) * 9
		t := s[1] << 17
		s[2] ^= s[0]
		s[3] ^= s[1]
		s[1] ^= s[2]
		s[0] ^= s[3]
		s[2] ^= t
		s[3] = bits.RotateLeft64(s[3], 45)
		s[0] ^= y
	}
	out[9], out[10] = s[0], s[1]
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	out[11] = hi ^ lo
	f := uint32(2166136261)
	for j := range 8 {
		f = (f ^ uint32(uint8(a>>(8*j)))) * 16777619
	}
	out[12] = uint64(f)
	d := uint32(5381)
	for j := range 8 {
		d = d<<5 + d + uint32(int8(b>>(8*j)))
	}
	out[13] = uint64(d)
	p, q, m, n := uint32(a), uint32(a>>32), uint32(b), uint32(b>>32)
	for range 2 {
		p += q
		n = bits.RotateLeft32(n^p, 16)
		m += n
		q = bits.RotateLeft32(q^m, 12)
		p += q
		n = bits.RotateLeft32(n^p, 8)
		m += n
		q = bits.RotateLeft32(q^m, 7)
	}
	out[14], out[15] = uint64(p)<<32|uint64(q), uint64(m)<<32|uint64(n)
	out[16] = uint64(bits.RotateLeft32(p, 15)*0x1b873593 ^ q&m | ^q&n)
	out[17] = uint64(p&q ^ p&m ^ q&m)
	out[18] = uint64(bits.RotateLeft32(p, -6) ^ bits.RotateLeft32(p, -11) ^ bits.RotateLeft32(p, -25))
	out[19] = uint64(bits.RotateLeft32(p, -7) ^ bits.RotateLeft32(p, -18) ^ p>>3)
	z := a & 0xffffffff
	z = (z | z<<16) & 0x0000ffff0000ffff
	z = (z | z<<8) & 0x00ff00ff00ff00ff
	z = (z | z<<4) & 0x0f0f0f0f0f0f0f0f
	z = (z | z<<2) & 0x3333333333333333
	z = (z | z<<1) & 0x5555555555555555
	out[20] = z
	z = a - a>>1&0x5555555555555555
	z = z&0x3333333333333333 + z>>2&0x3333333333333333
	z = (z + z>>4) & 0x0f0f0f0f0f0f0f0f
	out[21] = z * 0x0101010101010101 >> 56
	z = a>>1&0x5555555555555555 | a&0x5555555555555555<<1
	z = z>>2&0x3333333333333333 | z&0x3333333333333333<<2
	z = z>>4&0x0f0f0f0f0f0f0f0f | z&0x0f0f0f0f0f0f0f0f<<4
	out[22] = z
	out[23] = flagByte(a)
	out[24] = (a&0x7f7f7f7f7f7f7f7f + b&0x7f7f7f7f7f7f7f7f) ^ (a^b)&0x8080808080808080
	v := uint64(0)
	for j, y := uint(0), a; ; j += 7 {
		v = v<<3 ^ y&0x7f<<j
		y >>= 7
		if y == 0 || j > 60 {
			break
		}
	}
	out[25] = v
	out[26] = a<<1 ^ uint64(int64(a)>>63)
	out[27] = a>>1 ^ -(a & 1)
}

// flagByte returns flags that say which bytes of x are zero.
func flagByte(x uint64) uint64 {
	return (x - 0x0101010101010101) &^ x & 0x8080808080808080
}
