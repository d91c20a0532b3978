// Package numbers rewrites arithmetic so that devices compute it faster, or can compute it at all.
// All results have the same bits as in Go.
//
//	float32(math.Sqrt(float64(x)))    NarrowFloats ──▶  sqrt of a float32
//	a*b + c                           Fuse         ──▶  fma, where the mode allows it
//	i / n, both below 2^31            ShortDivide  ──▶  a division in 32 bits
//	i + j, known to be small          Narrow       ──▶  a sum in 32 bits
//	i / 10                            ConstDivide  ──▶  a product with the reciprocal
//	x / y, float32                    ExactDivide  ──▶  a correctly rounded quotient
//	i / n, int64                      LongDivide   ──▶  floating point and corrections
//	float32(u), uint32                Unsigned     ──▶  one rounding.
//
// Most passes of package numbers handle 64-bit integers whose values need fewer bits, because Go's
// indices are 64-bit ints and GPUs compute in 32 bits. The passes use the intervals of values from
// package facts.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package numbers imports rewrite, facts and simplify. Arithmetic for devices without 64-bit
// integers is in package split64.
package numbers
