// Package numbers writes arithmetic so that devices compute it fast, or at all, with Go's
// results to the last bit.
//
//	float32(math.Sqrt(float64(x)))    NarrowFloats ──▶  sqrt of a float32
//	a*b + c                           Fuse         ──▶  fma, where the mode allows it
//	i / n, both below 2^31            ShortDivide  ──▶  a division in 32 bits
//	i + j, known to be small          Narrow       ──▶  a sum in 32 bits
//	i / 10                            ConstDivide  ──▶  a product with the reciprocal
//	i / n, int64                      LongDivide   ──▶  floating point and corrections
//	float32(u), uint32                Unsigned     ──▶  one rounding
//
// Most of the passes have an int of 64 bits before them that needs few of its bits, since
// Go's indices are ints and GPUs compute in 32. They ask the ranges of package facts.
//
// The rooms below package pass import only rooms to their left:
//
//	rewrite ← facts ← uniform ← simplify ← {memory, numbers, checks, lanes, structurize} ← pass
//
// This one may import the first four. Arithmetic for devices without integers of 64 bits is
// another matter, that of the variant in words.
package numbers
