package prims

import "math"

// FMA32 returns x*y + z with a single rounding. The product is exact in float64, and the sum is rounded to odd. The sum
// then rounds to the same float32 as the exact sum.
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
