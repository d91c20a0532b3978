package prims

import (
	"math"
	"math/rand/v2"
	"unsafe"
)

// FMA returns x*y + z with a single rounding.
func FMA[T ~float32 | ~float64](x, y, z T) T {
	if unsafe.Sizeof(x) == 4 {
		return T(FMA32(float32(x), float32(y), float32(z)))
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

// FMA32 returns x*y + z with a single rounding. The product is exact in float64, and the sum is
// rounded to odd. If this sum is rounded to float32, the result is the same as for the exact sum.
func FMA32(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	t := s - p
	if rest := (p - (s - t)) + (w - t); rest != 0 && !math.IsInf(s, 0) && math.Float64bits(s)&1 == 0 {
		if rest > 0 {
			s = math.Nextafter(s, math.Inf(1))
		} else {
			s = math.Nextafter(s, math.Inf(-1))
		}
	}
	return float32(s)
}

// Uneven returns a random number that uses all bits of its type. Therefore, sums of such numbers
// must be rounded.
func Uneven[T ~float32 | ~float64](r *rand.Rand) T {
	return T(math.Ldexp(r.Float64()-0.5, r.IntN(20)-10))
}
