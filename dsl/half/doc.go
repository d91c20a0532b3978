// Package half has floating-point numbers of 16 and 8 bits for kernels and for the host:
//
//	Float16      IEEE 754 binary16, with 11 significant bits, up to 65504.
//	BFloat16     the upper half of a float32, with 8 significant bits and float32's range.
//	Float8E4M3   OCP's E4M3, with 4 significant bits, up to 448, without infinities.
//	Float8E5M2   OCP's E5M2, with 3 significant bits, up to 57344.
//
// Go has no floats of 16 or 8 bits, so each type of this package is an unsigned integer that
// contains the bits of a number. Calculations use methods:
//
//	x := half.FromFloat32[half.Float16](1.5)
//	y := x.Mul(x).Add(k.C[i])
//	k.Out[i] = y.Float32()
//
// # Results
//
// Each operation returns the number of the type that is nearest to the exact result, ties to even.
// Subnormal numbers are not rounded to zero. The bits of a result are the same on every device and
// on the host, in kernels of every mode. No two operations are fused, so x.Mul(y).Add(z) rounds
// twice, and x.FMA(y, z) rounds once. A device needs neither 16-bit arithmetic nor 16- or 8-bit
// storage.
//
// Results beyond the largest number are infinities, or NaN for Float8E4M3, which has no infinities.
// For results beyond the largest number, FromFloat32Saturating returns the largest number.
//
// All operations of a type return the same NaN, even if their operands are other NaNs. The
// bits of the returned NaN are 0x7e00 for Float16, 0x7fc0 for BFloat16, 0x7f for Float8E4M3
// and 0x7e for Float8E5M2. But Neg and Abs change only the sign bit, even if the operand is a
// NaN.
//
// # Comparisons
//
// Less, Equal and Compare compare numbers. The numbers 0 and -0 are equal. Less and Equal return
// false if an operand is a NaN. Go's operators == and != compare bits. Go's other operators, and
// conversions such as uint16(x) and half.Float16(1), treat the bits as an integer. kgen rejects
// kernels that treat bits as an integer, and go tool kgenvet finds such code everywhere.
//
// # Group algorithms and atomic operations
//
// Package dsl's group algorithms and atomic operations accept the types of package half. For types
// of package half, dsl.Plus is Add, dsl.Multiplies is Mul, dsl.Minimum is Min and dsl.Maximum is
// Max. Package fmt prints the numbers of this package, also in kernels.
package half

import "fmt"

// Float16 contains the bits of an IEEE 754 binary16 number, which are a sign, 5 bits of exponent
// and 10 bits of fraction.
type Float16 uint16

// BFloat16 contains the bits of a bfloat16 number: a sign, 8 bits of exponent and 7 bits of fraction.
type BFloat16 uint16

// Float8E4M3 contains the bits of a number in OCP's format E4M3: a sign, 4 bits of exponent and 3
// bits of fraction. Float8E4M3 has no infinities. The bits 0x7f and 0xff are NaN.
type Float8E4M3 uint8

// Float8E5M2 contains the bits of a number in OCP's format E5M2: a sign, 5 bits of exponent and 2
// bits of fraction.
type Float8E5M2 uint8

// Float is the set of the types of this package. A function for all types of this package has a
// type parameter T with the constraint Float[T]:
//
//	func Axpy[T half.Float[T]](a T, x, y []T, i int) { y[i] = a.FMA(x[i], y[i]) }
type Float[T any] interface {
	Float16 | BFloat16 | Float8E4M3 | Float8E5M2

	// Float32 returns the same number as a float32.
	Float32() float32
	// Bits returns the bits of the number, in the lower 8 bits for types of 8 bits.
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

// The type `limits` contains the special numbers of a type.
type limits[T any] struct {
	nan, inf, largest, normal, least, epsilon T
}

// FromFloat32 returns the number nearest to x, ties to even. If |x| exceeds the largest number by
// half a unit in the last place or more, the result is an infinity. For Float8E4M3, if |x| exceeds
// the largest number by more than half a unit, the result is NaN.
func FromFloat32[T Float[T]](x float32) T {
	var t T
	return t.nearest(x)
}

// FromFloat32Saturating returns the finite number nearest to x, ties to even. So if x is infinite,
// the result is the largest number with the sign of x. A NaN remains a NaN.
func FromFloat32Saturating[T Float[T]](x float32) T {
	var t T
	return t.saturated(x)
}

// FromBits returns the number with the given bits. Types of 8 bits use the lower 8 bits of b.
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

// These untyped constants are the limits of the types. Largest[T] and similar functions return a T.
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
