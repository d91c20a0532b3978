package dsl

import "math"

// The functions below multiply four numbers of 8 bits by four, and add up the products and acc. They have
// the same bits on every device. Sums wrap, as Go's do; those of the functions with Saturating in their
// names stop at the type's least and greatest value.

// Dot4 returns acc + a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3].
func Dot4(a, b [4]int8, acc int32) int32 {
	return acc + int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3])
}

// Dot4Unsigned is [Dot4] for numbers without a sign.
func Dot4Unsigned(a, b [4]uint8, acc uint32) uint32 {
	return acc + uint32(a[0])*uint32(b[0]) + uint32(a[1])*uint32(b[1]) + uint32(a[2])*uint32(b[2]) + uint32(a[3])*uint32(b[3])
}

// Dot4Mixed is [Dot4] where the second numbers have no sign.
func Dot4Mixed(a [4]int8, b [4]uint8, acc int32) int32 {
	return acc + int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3])
}

// Dot4Saturating is [Dot4], but for sums that wrap: they are the least or the greatest int32. The sum of the
// products is added to acc at once.
func Dot4Saturating(a, b [4]int8, acc int32) int32 { return saturating(acc, Dot4(a, b, 0)) }

// Dot4UnsignedSaturating is [Dot4Unsigned], but for sums that wrap: they are the greatest uint32.
func Dot4UnsignedSaturating(a, b [4]uint8, acc uint32) uint32 {
	if sum := Dot4Unsigned(a, b, acc); sum >= acc {
		return sum
	}
	return math.MaxUint32
}

// Dot4MixedSaturating is [Dot4Mixed], but for sums that wrap, as [Dot4Saturating].
func Dot4MixedSaturating(a [4]int8, b [4]uint8, acc int32) int32 {
	return saturating(acc, Dot4Mixed(a, b, 0))
}

func saturating(x, y int32) int32 {
	sum := x + y
	switch {
	case y >= 0 && sum < x:
		return math.MaxInt32
	case y < 0 && sum > x:
		return math.MinInt32
	}
	return sum
}
