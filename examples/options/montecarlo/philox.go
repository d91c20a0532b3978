package montecarlo

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl/math32"
)

// Philox computes four random words from a counter, with the generator Philox4x32-10 (Salmon et al.,
// "Parallel random numbers", SC 2011). Philox has no state, so the numbers do not depend on the
// number of work-items.
func Philox(c [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xd2511f53, c[0])
		hi1, lo1 := bits.Mul32(0xcd9e8d57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ key[0], lo1, hi0 ^ c[3] ^ key[1], lo0}
		key = [2]uint32{key[0] + 0x9e3779b9, key[1] + 0xbb67ae85}
	}
	return c
}

// Normals converts four random words to four numbers of the standard normal distribution, by the
// transform of Box and Muller.
func Normals(words [4]uint32) (z [4]float32) {
	for i := 0; i < 4; i += 2 {
		u := (float32(words[i]>>8) + 1) * 0x1p-24 // from 2^-24 to 1, so the logarithm is finite
		angle := 2 * math32.Pi * 0x1p-24 * float32(words[i+1]>>8)
		radius := math32.Sqrt(-2 * math32.Log(u))
		z[i], z[i+1] = radius*math32.Cos(angle), radius*math32.Sin(angle)
	}
	return z
}
