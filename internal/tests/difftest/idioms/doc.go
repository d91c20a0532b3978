// Package idioms contains kernels with idioms that compilers recognize and replace, such as
// saturating sums, comparisons, rotations and byte swaps. A driver's compiler may compile an idiom
// wrongly although it compiles plain operators correctly. The result of each idiom, for each type,
// is one element of a row, widened to 64 bits. If a test reports a difference at index n, the idiom
// is the expression assigned to out[n].
//
// Without -every-case, the tests of devices run only some of the cases. TestWords makes the device
// access memory as words. Flag -random is the number of random operands. Flag -all tries all pairs
// of 8-bit operands.
//
//kgen:bare nospare
package idioms

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Slots is the number of results in a row. The last results of a kernel may be unused and zero.
const Slots = 48

// Row contains the results of a kernel for one pair of operands.
type Row [Slots]uint64

// Rows are a kernel's results for operands that are loaded values, and for operands that are sums.
type Rows struct{ Loaded, Summed Row }

// Unsigned is the constraint of unsigned integers of all sizes.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Signed is the constraint of signed integers of all sizes.
type Signed interface{ int8 | int16 | int32 | int64 }

// Integer is both.
type Integer interface{ Signed | Unsigned }

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// top() returns the value in which only the highest bit is set.
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
