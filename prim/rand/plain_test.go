package rand

import (
	"math"
	"math/big"
	"math/bits"
)

// This file has the numbers in plain Go, written from the text of doc.go: one after the other, by big integers and
// by package math.

// philox4x32 is the algorithm as its paper has it.
func philox4x32(counter [4]uint32, key [2]uint32) [4]uint32 {
	for r := range uint32(10) {
		hi0, lo0 := bits.Mul32(0xD2511F53, counter[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, counter[2])
		counter = [4]uint32{hi1 ^ counter[1] ^ (key[0] + r*0x9E3779B9), lo1, hi0 ^ counter[3] ^ (key[1] + r*0xBB67AE85), lo0}
	}
	return counter
}

// halves returns the words of a number, the lower one first.
func halves(x uint64) (low, high uint32) { return uint32(x), uint32(x >> 32) }

// plainBlock returns a block of a stream.
func plainBlock(s Stream, b uint64) [4]uint32 {
	b0, b1 := halves(b)
	q0, q1 := halves(s.Sequence)
	k0, k1 := halves(s.Seed)
	return philox4x32([4]uint32{b0, b1, q0, q1}, [2]uint32{k0, k1})
}

// plainWord returns the word of the element of an index, and plainPair the words of one of 64 bits.
func plainWord(s Stream, i uint64) uint32 {
	return plainBlock(s, i/1024*256+i%256)[i/256%4]
}

func plainPair(s Stream, i uint64) uint64 {
	w := plainBlock(s, i/512*256+i%256)
	at := i / 256 % 2 * 2
	return uint64(w[at]) | uint64(w[at+1])<<32
}

// plainBits returns the element of an index.
func plainBits(s Stream, i uint64, size int) uint64 {
	if size == 8 {
		return plainPair(s, i)
	}
	return uint64(plainWord(s, i)) & (1<<(8*size) - 1)
}

func plainUniform32(s Stream, i uint64) float32 {
	return float32(float64(plainWord(s, i)/256) / (1 << 24))
}

func plainUniform64(s Stream, i uint64) float64 { return float64(plainPair(s, i)/2048) / (1 << 53) }

// plainIntN multiplies a number of all digits that there are by n.
func plainIntN(s Stream, i, n uint64, size int) uint64 {
	u, digits := new(big.Int), uint(0)
	more := func(x uint64, size uint) {
		u.Lsh(u, size).Add(u, new(big.Int).SetUint64(x))
		digits += size
	}
	w := plainBlock(s, 1<<62+i)
	if size == 8 {
		more(plainPair(s, i), 64)
		for j := 0; j < 4; j += 2 {
			more(uint64(w[j])|uint64(w[j+1])<<32, 64)
		}
	} else {
		more(uint64(plainWord(s, i)), 32)
		for _, x := range w {
			more(uint64(x), 32)
		}
	}
	u.Mul(u, new(big.Int).SetUint64(n))
	return u.Rsh(u, digits).Uint64()
}

// plainNormal returns a number that Normal's is near to.
func plainNormal(s Stream, i uint64, size int) float64 {
	var u, angle float64
	second := i/256%2 == 1
	if size == 4 {
		first := i
		if second {
			first -= 256
		}
		x, y := plainWord(s, first), plainWord(s, first+256)
		u = (float64(x) + 1) / (1 << 32)
		angle = float64(y>>30) + float64(int32(y<<2))/(1<<32)
	} else {
		w := plainBlock(s, i/512*256+i%256)
		u = float64((uint64(w[0])|uint64(w[1])<<32)>>11+1) / (1 << 53)
		angle = float64(w[3]>>30) + float64(int64((uint64(w[2])|uint64(w[3])<<32)<<2))/(1<<64)
	}
	sin, cos := math.Sincos(angle * math.Pi / 2)
	if second {
		cos = sin
	}
	return math.Sqrt(-2*math.Log(u)) * cos
}

// plainOrder returns the indices of n elements in an order of a stream.
func plainOrder(s Stream, n int) []int {
	var words []uint32
	for b := range uint64(5) {
		w := plainBlock(s, 1<<63+8*s.Offset+b)
		words = append(words, w[:]...)
	}
	size := 8
	for 1<<size < n {
		size++
	}
	low := size / 2
	f := func(x, key uint32, n int) uint32 { // the n highest bits of a hash
		x ^= key
		x ^= x >> 16
		x *= 0xD2511F53
		x ^= x >> 15
		x *= 0xCD9E8D57
		x ^= x >> 16
		return uint32(uint64(x) >> (32 - n))
	}
	order := make([]int, n)
	for i := range order {
		x := i
		for {
			a, b := uint32(x>>low), uint32(x%(1<<low))
			for r := range 8 {
				a ^= f(b, words[2*r], size-low)
				b ^= f(a, words[2*r+1], low)
			}
			if x = int(a)<<low + int(b); x < n {
				break
			}
		}
		if x < 2 && n > 1 && words[16]%2 == 1 {
			x = 1 - x
		}
		order[i] = x
	}
	return order
}
