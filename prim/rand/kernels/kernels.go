package kernels

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// UniformFloat32 makes numbers of at least 0 and less than 1, which are multiples of 2**-24.
type UniformFloat32 struct {
	Out    []float32
	Length []int64 // number of elements that the call makes, or an empty slice if the call makes all elements
	Base   int     // index of Out[0] among the elements of the whole call
	From   From
}

// part() returns the highest 24 bits of a word, times 2**-24.
func part(w uint32) float32 { return float32(int32(w>>8)) * 0x1p-24 }

// Kernel makes four elements from each of several blocks of random words.
func (k UniformFloat32) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	if k.From.Each == 1 { // on GPUs, Each is always 1, and no loop is needed
		k.From.four(out, i)
		return
	}
	for b := i; b < i+k.From.Each; b++ {
		k.From.four(out, b)
	}
}

// four() sets the four elements that are made from the launch's block b.
func (f From) four(out []float32, b uint32) {
	const last = 3 * Row // distance between the first and the last of the four elements
	at := f.place(b, 4)
	w0, w1, w2, w3 := f.block(b)
	if at >= 0 && at+last < len(out) {
		all := out[at : at+last+1]
		all[0], all[Row], all[2*Row], all[last] = part(w0), part(w1), part(w2), part(w3)
		return
	}
	put(out, at, part(w0))
	put(out, at+Row, part(w1))
	put(out, at+2*Row, part(w2))
	put(out, at+last, part(w3))
}

// UniformFloat64 makes numbers of at least 0 and less than 1, which are multiples of 2**-53.
// UniformFloat64 has the fields of UniformFloat32.
type UniformFloat64 struct {
	Out    []float64
	Length []int64
	Base   int
	From   From
}

// Kernel makes two elements from each of several blocks of random words.
func (k UniformFloat64) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	for b := i; b < i+k.From.Each; b++ {
		at := k.From.place(b, 2)
		w0, w1, w2, w3 := k.From.block(b)
		put(out, at, unit(w0, w1, 0))
		put(out, at+Row, unit(w2, w3, 0))
	}
}

// unit() returns (w + more) * 2**-53, where w is the highest 53 bits of the two words.
func unit(low, high, more uint32) float64 {
	return float64(int64(pair(low, high)>>11+uint64(more))) * 0x1p-53
}

// Ints makes integers of at least 0 and less than N. If N is 0, all integers of the type are possible.
type Ints[T uint8 | uint16 | uint32] struct {
	Out    []T
	Length []int64 // number of elements that the call makes, or an empty slice if the call makes all elements
	Base   int     // index of Out[0] among the elements of the whole call
	From   From
	N      uint32
}

// These types instantiate the kernel Ints for each size. Ints64 is a separate kernel.
type (
	Ints8  = Ints[uint8]
	Ints16 = Ints[uint16]
	Ints32 = Ints[uint32]
)

// Kernel makes four elements from each of several blocks of random words.
func (k Ints[T]) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	for b := i; b < i+k.From.Each; b++ {
		at := k.From.place(b, 4)
		w0, w1, w2, w3 := k.From.block(b)
		if k.N == 0 {
			put(out, at, T(w0))
			put(out, at+Row, T(w1))
			put(out, at+2*Row, T(w2))
			put(out, at+3*Row, T(w3))
			continue
		}
		for _, x := range [4]uint32{w0, w1, w2, w3} {
			put(out, at, T(k.below(x, at)))
			at += Row
		}
	}
}

// below() returns a number less than N for the element with index `at` in the launch. For a random number f
// less than 1, the result is f*N rounded down. The argument x is the first 32 bits of f after the binary point.
func (k Ints[T]) below(x uint32, at int) uint32 {
	p := uint64(x) * uint64(k.N)
	high, rest := uint32(p>>32), uint32(p)
	if rest <= -k.N {
		return high // more bits of f cannot change the result
	}
	w0, w1, w2, w3 := Block(k.From.Seed, k.From.Sequence, Further|(k.From.Index+uint64(at)))
	for _, digit := range [4]uint32{w0, w1, w2, w3} {
		p := uint64(digit) * uint64(k.N)
		sum := uint64(rest) + p>>32
		if sum != 1<<32-1 {
			return high + uint32(sum>>32)
		}
		rest = uint32(p)
	}
	return high
}

// Ints64 makes integers of 64 bits. Ints64 has the fields of Ints.
type Ints64 struct {
	Out    []uint64
	Length []int64
	Base   int
	From   From
	N      uint64
}

// Kernel makes two elements from each of several blocks of random words.
func (k Ints64) Kernel(it dsl.Item1) {
	out, i := k.Out[:first(len(k.Out), k.Base, k.Length)], uint32(it.GlobalID())*k.From.Each
	for b := i; b < i+k.From.Each; b++ {
		at := k.From.place(b, 2)
		w0, w1, w2, w3 := k.From.block(b)
		for _, x := range [2]uint64{pair(w0, w1), pair(w2, w3)} {
			if k.N != 0 {
				x = k.below(x, at)
			}
			put(out, at, x)
			at += Row
		}
	}
}

// pair() combines two words into a 64-bit number.
func pair(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// below() is the method below() of Ints, but for 64-bit numbers.
func (k Ints64) below(x uint64, at int) uint64 {
	high, rest := bits.Mul64(x, k.N)
	if rest <= -k.N {
		return high
	}
	w0, w1, w2, w3 := Block(k.From.Seed, k.From.Sequence, Further|(k.From.Index+uint64(at)))
	for _, digit := range [2]uint64{pair(w0, w1), pair(w2, w3)} {
		h, l := bits.Mul64(digit, k.N)
		sum, carry := bits.Add64(rest, h, 0)
		if carry != 0 {
			return high + 1
		}
		if sum != 1<<64-1 {
			return high
		}
		rest = l
	}
	return high
}
