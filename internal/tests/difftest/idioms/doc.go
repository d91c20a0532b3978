// Package idioms has kernels full of what compilers recognize and replace: the
// saturating sums, comparisons, rotations, byte swaps and the like that a driver's
// compiler may get wrong where a plain operator goes right. Each idiom, for each
// type, has a slot of its own in a row of results, widened to 64 bits, so that a
// difference names the idiom by its place in the source: out[n] of the kernel.
//
// Without -every-case, one case in 3 runs on SwiftShader, one in 7 on the other Vulkan device and one in 11 on
// that device with memory that is accessed as words. -random is the number of random operands; -all tries all
// pairs of 8 bits.
//
//kgen:bare nospare
package idioms

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Slots is the number of results in a row; a kernel may leave the last ones zero.
const Slots = 48

// Row holds the results of a kernel for one pair of operands.
type Row [Slots]uint64

// Rows are a kernel's results where operands are as loaded, and where they are sums.
type Rows struct{ Loaded, Summed Row }

// Unsigned is every size of unsigned integer.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Signed is every size of signed integer.
type Signed interface{ int8 | int16 | int32 | int64 }

// Integer is both.
type Integer interface{ Signed | Unsigned }

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// top returns the value whose highest bit alone is set.
func top[T Integer]() T {
	x := uint64(1) << 63
	switch any(T(0)).(type) {
	case int8, uint8:
		x >>= 56
	case int16, uint16:
		x >>= 48
	case int32, uint32:
		x >>= 32
	}
	return T(x)
}
