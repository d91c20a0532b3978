package golang

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// Chunks runs loops with a known number of iterations, but unknown start and end.
type Chunks[T, U integer] struct{ X, Out []uint64 }

// Instances of Chunks with two integer types each. Some bugs of NVIDIA's compiler need two loops in
// one kernel. With more than two types lavapipe is slow.
type (
	SignedChunks   = Chunks[int32, int64]
	UnsignedChunks = Chunks[uint32, uint64]
)

// ChunkResults is the number of results per work-item of Chunks.
const ChunkResults = 24

// Unrolled runs loops that compilers can simplify further after unrolling.
type Unrolled struct{ X, Out []uint64 }

// UnrolledResults is the number of results per work-item of Unrolled.
const UnrolledResults = 8

func mixed(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// round() is the body of a loop, with the counter i and a carried value y.
func round[T integer](h uint64, i, y T) (uint64, T) {
	if i != 0 {
		y = 63
	} else {
		y = T(bits.Reverse64(uint64(y)))
	}
	return mixed(h, uint64(-y)), y
}

func upwards[T integer](x, n, step T) uint64 {
	h, y := uint64(x), T(0)
	for i, end := x, x+n*step; i < end; i += step {
		h, y = round(h, i, y)
	}
	return h
}

func until[T integer](x, n, step T) uint64 {
	h, y := uint64(x), T(0)
	for i, end := x, x+n*step; i != end; i += step {
		h, y = round(h, i, y)
	}
	return h
}

func downwards[T integer](x, n, step T) uint64 {
	h, y := uint64(x), T(0)
	for i := x + n*step; i > x; i -= step {
		h, y = round(h, i, y)
	}
	return h
}

func chunks[T integer](out []uint64, x T) {
	out[0] = upwards(x, 5, 1)
	out[1] = upwards(x, 6, 2)
	out[2] = upwards(x, 7, 1)
	out[3] = upwards(x, 8, 1)
	out[4] = upwards(x, 8, 2)
	out[5] = upwards(x, 12, 3)
	out[6] = until(x, 7, 1)
	out[7] = until(x, 8, 2)
	out[8] = until(x, 16, 1)
	out[9] = downwards(x, 7, 1)
	out[10] = downwards(x, 8, 2)
	out[11] = downwards(x, 9, 1)
}

// Kernel runs the loops for each type.
func (k Chunks[T, U]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	out := k.Out[i*ChunkResults:][:ChunkResults]
	if T(0)-1 < 0 {
		x &= 15
	}
	chunks(out[:12], T(x))
	chunks(out[12:], U(x))
}

// Kernel runs the loops on one element.
func (k Unrolled) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	out := k.Out[i*UnrolledResults:][:UnrolledResults]

	// These values have bits that are known only after unrolling.
	h := uint64(0)
	for i := range 5 {
		h = mixed(h, uint64(uint8(x)&uint8(i)))
	}
	out[0] = h
	y := x
	for range 7 {
		y <<= 16
		h = mixed(h, y-16384)
	}
	out[1] = h

	// These loops compare in the last iteration, mask bits, and shift signed numbers.
	z, less := int32(x), uint64(0)
	for i := range int32(3) {
		z |= math.MinInt32
		less = bit(z>>i < i)
	}
	out[2] = less
	for y = x & 255; y != 0; y /= 2 {
		h = mixed(h, y&(1<<38+1)*(math.MaxUint64-1))
	}
	out[3] = h
	n := int64(0)
	for range 4 {
		for i := -int(x & 31); i < 0; i++ {
			n = n*-4096 + 4096
		}
	}
	out[4] = uint64(n)

	// Work-items that have left one of these loops keep their values while other work-items continue the loop.
	h = 0
	for j := range x & 3 {
		h = mixed(h, k.X[j])
	}
	out[5] = h
	pair := [2]uint64{x, h}
	y = x & 3
	for j := range x & 3 {
		y = -(15 - y)
		h += pair[j>>1]
	}
	out[6], out[7] = y, h
}
