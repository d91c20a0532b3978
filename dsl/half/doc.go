// Package half has floating-point numbers of 16 and 8 bits for kernels and for the host:
//
//	Float16      IEEE 754 binary16: 11 significant bits, up to 65504
//	BFloat16     the upper half of a float32: 8 significant bits, and float32's range
//	Float8E4M3   OCP's E4M3: 4 significant bits, up to 448, no infinities
//	Float8E5M2   OCP's E5M2: 3 significant bits, up to 57344
//
// Go has no such types, so each is the bits of a number in an unsigned integer. Methods
// compute with them:
//
//	x := half.FromFloat32[half.Float16](1.5)
//	y := x.Mul(x).Add(k.C[i])
//	k.Out[i] = y.Float32()
//
// # Results
//
// Each operation returns the number of the type that is nearest to the exact result, ties to
// even. Subnormal numbers are kept. The bits are the same on every device and on the host, in
// kernels of every mode: no operation is fused with another one, as x.Mul(y).Add(z) rounds
// twice, and x.FMA(y, z) once. A device needs no 16-bit arithmetic for it, and no 16- or 8-bit
// storage.
//
// Results beyond the largest number are infinities. Float8E4M3 has none, and its results are
// NaN there. FromFloat32Saturating returns the largest number instead.
//
// An operation whose result is no number returns the type's NaN, and always the same
// one, whatever NaN the operands are: 0x7e00 for Float16, 0x7fc0 for BFloat16, 0x7f for Float8E4M3
// and 0x7e for Float8E5M2. Neg and Abs are no such operations: they change the sign bit
// alone, that of a NaN too.
//
// # Comparisons
//
// Less, Equal and Compare compare numbers: zeros are equal whatever their signs, and a NaN is
// equal to nothing. Go's operators == and != compare bits. Its other operators, and conversions
// such as uint16(x) and half.Float16(1), take the bits for an integer. In kernels these are
// errors, and go tool kgenvet finds them everywhere.
//
// # Group algorithms and atomic operations
//
// Package dsl's group algorithms and atomic operations compute with the numbers: dsl.Plus is Add,
// dsl.Multiplies Mul, dsl.Minimum Min and dsl.Maximum Max. fmt's functions print the numbers, in
// kernels, too.
package half

import "fmt"

// Float16 is the bits of an IEEE 754 binary16 number: a sign, 5 bits of exponent and 10 of
// fraction.
type Float16 uint16

// BFloat16 is the bits of a bfloat16 number: a sign, 8 bits of exponent and 7 of fraction.
type BFloat16 uint16

// Float8E4M3 is the bits of a number of OCP's format E4M3: a sign, 4 bits of exponent and 3 of
// fraction. Float8E4M3 has no infinities; 0x7f and 0xff are NaN.
type Float8E4M3 uint8

// Float8E5M2 is the bits of a number of OCP's format E5M2: a sign, 5 bits of exponent and 2 of
// fraction.
type Float8E5M2 uint8

// Float is the types of this package. A function for all of them has a type parameter for
// which the constraint holds its own name:
//
//	func Axpy[T half.Float[T]](a T, x, y []T, i int) { y[i] = a.FMA(x[i], y[i]) }
type Float[T any] interface {
	Float16 | BFloat16 | Float8E4M3 | Float8E5M2

	// Float32 returns the same number as a float32.
	Float32() float32
	// Bits returns the bits of the number, the lower 8 for types of 8 bits.
	Bits() uint16

	Add(y T) T
	Sub(y T) T
	Mul(y T) T
	Div(y T) T
	Sqrt() T
	FMA(y, z T) T

	Neg() T
	Abs() T
	Min(y T) T
	Max(y T) T

	Less(y T) bool
	Equal(y T) bool
	Compare(y T) int
	IsNaN() bool
	IsInf(sign int) bool

	String() string
	Format(s fmt.State, verb rune)

	nearest(x float32) T
	saturated(x float32) T
	withBits(b uint16) T
	limits() limits[T]
	word() uint32
	negative() bool
}

// limits are the special numbers of a type.
type limits[T any] struct {
	nan, inf, largest, normal, least, epsilon T
}

// FromFloat32 returns the number nearest to x, ties to even. One that is too large becomes an
// infinity, from where half a unit in the last place is missing to the number that would
// follow the largest. For Float8E4M3, which has none, it becomes NaN, as infinities do.
func FromFloat32[T Float[T]](x float32) T {
	var t T
	return t.nearest(x)
}

// FromFloat32Saturating returns the number nearest to x, ties to even, but the largest
// number with the sign of x if x is larger than that, or infinite. A NaN stays one.
func FromFloat32Saturating[T Float[T]](x float32) T {
	var t T
	return t.saturated(x)
}

// FromBits returns the number with the given bits: the lower 8 for types of 8 bits.
func FromBits[T Float[T]](b uint16) T {
	var t T
	return t.withBits(b)
}

// NaN returns the NaN that operations return.
func NaN[T Float[T]]() T {
	var t T
	return t.limits().nan
}

// Inf returns positive infinity if sign >= 0, negative infinity if sign < 0, and NaN for
// Float8E4M3.
func Inf[T Float[T]](sign int) T {
	var t T
	if sign < 0 && t.limits().inf.IsInf(1) {
		return t.limits().inf.Neg()
	}
	return t.limits().inf
}

// Largest returns the largest finite number.
func Largest[T Float[T]]() T {
	var t T
	return t.limits().largest
}

// SmallestNormal returns the smallest positive number with all significant bits.
func SmallestNormal[T Float[T]]() T {
	var t T
	return t.limits().normal
}

// SmallestNonzero returns the smallest positive number.
func SmallestNonzero[T Float[T]]() T {
	var t T
	return t.limits().least
}

// Epsilon returns the difference between 1 and the next larger number.
func Epsilon[T Float[T]]() T {
	var t T
	return t.limits().epsilon
}

// Limits of the types, as numbers. Those of a type T are Largest[T]() and so on.
const (
	MaxFloat16             = 65504
	SmallestNormalFloat16  = 0x1p-14
	SmallestNonzeroFloat16 = 0x1p-24
	EpsilonFloat16         = 0x1p-10

	MaxBFloat16             = 0x1.fep127
	SmallestNormalBFloat16  = 0x1p-126
	SmallestNonzeroBFloat16 = 0x1p-133
	EpsilonBFloat16         = 0x1p-7

	MaxFloat8E4M3             = 448
	SmallestNormalFloat8E4M3  = 0x1p-6
	SmallestNonzeroFloat8E4M3 = 0x1p-9
	EpsilonFloat8E4M3         = 0x1p-3

	MaxFloat8E5M2             = 57344
	SmallestNormalFloat8E5M2  = 0x1p-14
	SmallestNonzeroFloat8E5M2 = 0x1p-16
	EpsilonFloat8E5M2         = 0x1p-2
)
