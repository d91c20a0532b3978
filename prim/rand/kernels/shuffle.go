package kernels

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// The type `word` constrains the types of the words of an element.
type word interface{ uint8 | uint16 | uint32 }

// Rounds is the number of rounds that mix an index. Each round has a key.
const Rounds = 16

// leastBits is the least number of bits that mix() permutes. With numbers of 3 bits, for example,
// 16 rounds would make some permutations of 7 numbers more likely than others.
const leastBits = 8

// Shuffle sets Out to the elements of X in a random order.
type Shuffle[T word] struct {
	X      []T
	Length []int64 // number of elements that the call shuffles, or an empty slice if the call shuffles all elements
	Base   int     // index of Out[0] among the elements of the whole call
	Words  int     // number of words of an element
	Out    []T
	Keys   [Rounds]uint32
	Swap   bool // the permutation exchanges its results 0 and 1
}

// These types instantiate the kernel Shuffle for words of each size.
type (
	Shuffle8  = Shuffle[uint8]
	Shuffle16 = Shuffle[uint16]
	Shuffle32 = Shuffle[uint32]
)

// Kernel copies one element of X to Out.
func (k Shuffle[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := first(len(k.X)/k.Words, 0, k.Length)
	if k.Base+i >= n {
		return
	}
	from := Place(uint64(k.Base+i), uint64(n), k.Keys, k.Swap)
	for w := range k.Words {
		k.Out[i*k.Words+w] = k.X[int(from)*k.Words+w]
	}
}

// Place applies a permutation of the numbers below n to the number i, and returns the result.
//
// Place calls mix() repeatedly, beginning with i, until the result is below n. mix() permutes numbers
// with as many bits as n-1, but at least leastBits bits. A round is always an even permutation, so
// without the argument `swap`, half of the permutations of 256 numbers would never occur.
func Place(i, n uint64, keys [Rounds]uint32, swap bool) uint64 {
	size := uint32(max(bits.Len64(n-1), leastBits))
	low := size / 2
	for {
		i = mix(i, size-low, low, keys)
		if i < n {
			break
		}
	}
	if swap && i < 2 && n > 1 {
		return 1 - i
	}
	return i
}

// mix() permutes the numbers of highBits+lowBits bits. Each round changes one half of the number, depending on the other half.
func mix(x uint64, highBits, lowBits uint32, keys [Rounds]uint32) uint64 {
	high, low := uint32(x>>lowBits), uint32(x&(1<<lowBits-1))
	for r := 0; r < Rounds; r += 2 {
		high ^= hash(low^keys[r]) >> (32 - highBits)
		low ^= hash(high^keys[r+1]) >> (32 - lowBits)
	}
	return uint64(high)<<lowBits | uint64(low)
}

// hash() returns a word in which each bit depends on all bits of x.
func hash(x uint32) uint32 {
	x = (x ^ x>>16) * 0xd2511f53
	x = (x ^ x>>15) * 0xcd9e8d57
	return x ^ x>>16
}
