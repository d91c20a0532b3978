// Package numbers writes arithmetic so that devices compute it fast, or at all, with Go's
// results to the last bit.
//
//	float32(math.Sqrt(float64(x)))    NarrowFloats ──▶  sqrt of a float32
//	a*b + c                           Fuse         ──▶  fma, where the mode allows it
//	i / n, both below 2^31            ShortDivide  ──▶  a division in 32 bits
//	i + j, known to be small          Narrow       ──▶  a sum in 32 bits
//	i / 10                            ConstDivide  ──▶  a product with the reciprocal
//	x / y, float32                    ExactDivide  ──▶  a quotient that is rounded correctly
//	i / n, int64                      LongDivide   ──▶  floating point and corrections
//	float32(u), uint32                Unsigned     ──▶  one rounding
//
// Most of these passes work on ints of 64 bits of which few are needed, since Go's indices are ints
// and GPUs compute in 32 bits. They ask package facts for the ranges of values.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite, facts and simplify. Arithmetic for devices without integers of 64 bits is
// another matter, that of the variant in words.
package numbers
