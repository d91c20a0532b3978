// Package numbers rewrites arithmetic so that devices compute it fast, or can compute it at all.
// The results are the same as Go's, bit for bit.
//
//	float32(math.Sqrt(float64(x)))    NarrowFloats ──▶  sqrt of a float32
//	a*b + c                           Fuse         ──▶  fma, where the mode allows it
//	i / n, both below 2^31            ShortDivide  ──▶  a division in 32 bits
//	i + j, known to be small          Narrow       ──▶  a sum in 32 bits
//	i / 10                            ConstDivide  ──▶  a product with the reciprocal
//	x / y, float32                    ExactDivide  ──▶  a correctly rounded quotient
//	i / n, int64                      LongDivide   ──▶  floating point and corrections
//	float32(u), uint32                Unsigned     ──▶  one rounding
//
// Most of these passes work on 64-bit ints whose values need fewer bits: Go's indices are ints, and
// GPUs compute in 32 bits. They ask package facts for the intervals of values.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite, facts
// and simplify. Arithmetic for devices without 64-bit integers is not here but in package split64.
package numbers
