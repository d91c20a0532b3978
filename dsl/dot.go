package dsl

import "math"

// The functions below multiply two vectors of four 8-bit numbers, and add up the four products and
// acc. The results have the same bits on every device. The sum wraps, as in Go. In functions with
// Saturating in their name, it stops at the type's least or greatest value instead.

// Dot4 returns acc + a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3].
func Dot4(a, b [4]int8, acc int32) int32 {
	return acc + int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3])
}

// Dot4Unsigned is like [Dot4], for unsigned numbers.
func Dot4Unsigned(a, b [4]uint8, acc uint32) uint32 {
	return acc + uint32(a[0])*uint32(b[0]) + uint32(a[1])*uint32(b[1]) + uint32(a[2])*uint32(b[2]) + uint32(a[3])*uint32(b[3])
}

// Dot4Mixed is like [Dot4], but the numbers of b are unsigned.
func Dot4Mixed(a [4]int8, b [4]uint8, acc int32) int32 {
	return acc + int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3])
}

// Dot4Saturating is like [Dot4], but a sum that overflows becomes the least or the greatest int32.
// Dot4Saturating adds the sum of the four products to acc in one saturating addition.
func Dot4Saturating(a, b [4]int8, acc int32) int32 { return saturating(acc, Dot4(a, b, 0)) }

// Dot4UnsignedSaturating is like [Dot4Unsigned], but a sum that overflows becomes the greatest uint32.
func Dot4UnsignedSaturating(a, b [4]uint8, acc uint32) uint32 {
	if sum := Dot4Unsigned(a, b, acc); sum >= acc {
		return sum
	}
	return math.MaxUint32
}

// Dot4MixedSaturating is like [Dot4Mixed], but the sum saturates as in [Dot4Saturating].
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
