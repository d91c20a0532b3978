// Package kernels contains the kernels of package fft.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Float is the type of the parts of complex numbers.
type Float interface{ float32 | float64 }

// Complex is a complex number. Package kernels does not use Go's complex64. Go computes products of
// complex64 in float64, and the last bits of results would differ.
type Complex[T Float] struct{ Re, Im T }

func (a Complex[T]) plus(b Complex[T]) Complex[T]  { return Complex[T]{a.Re + b.Re, a.Im + b.Im} }
func (a Complex[T]) minus(b Complex[T]) Complex[T] { return Complex[T]{a.Re - b.Re, a.Im - b.Im} }

// turned() returns -i*a, and swapped() exchanges the real and the imaginary part of a.
func (a Complex[T]) turned() Complex[T]  { return Complex[T]{a.Im, -a.Re} }
func (a Complex[T]) swapped() Complex[T] { return Complex[T]{a.Im, a.Re} }

// conjugate() returns a with the opposite sign of the imaginary part.
func (a Complex[T]) conjugate() Complex[T] { return Complex[T]{a.Re, -a.Im} }

// scaled() returns a times a real number.
func (a Complex[T]) scaled(f T) Complex[T] { return Complex[T]{T(a.Re * f), T(a.Im * f)} }

// times() returns a product. The conversions to T prevent compilers for CPUs from fusing products and sums.
func (a Complex[T]) times(b Complex[T]) Complex[T] {
	return Complex[T]{T(a.Re*b.Re) - T(a.Im*b.Im), T(a.Re*b.Im) + T(a.Im*b.Re)}
}

// These are the specialization constants of a launch that transforms lines.
var (
	// Length is the number of elements in a line. Length is the product of the radices.
	Length = dsl.NewSpecConstant(uint16(1))
	// Together is the number of lines that a work-group transforms.
	Together = dsl.NewSpecConstant(uint16(1))
	// Radices contains 4 bits for each pass, which are the pass's radix minus one. The first pass has the lowest bits.
	Radices = dsl.NewSpecConstant(uint32(0))
	// Uses has bit r set for each radix r of the launch, so that a device's compiler removes code for other radices.
	Uses = dsl.NewSpecConstant(uint32(0))
	// Passes is the number of passes.
	Passes = dsl.NewSpecConstant(uint8(1))
	// Levels is the number of divisions that compute up to three indices from a line's number (see `lines`).
	Levels = dsl.NewSpecConstant(uint8(0))
	// If LoadsLines is set, neighbouring work-items load elements of neighbouring lines. Otherwise
	// they load neighbours in one line. StoresLines does the same for stores.
	LoadsLines  = dsl.NewSpecConstant(false)
	StoresLines = dsl.NewSpecConstant(false)
	// If Interleaved is set, neighbours in work-group memory belong to neighbouring lines.
	Interleaved = dsl.NewSpecConstant(false)
	// If Inverse is set, the launch computes the inverse transform, but without the division.
	Inverse = dsl.NewSpecConstant(false)
	// If Turned is set, results are multiplied by roots of unity. This is done between the steps of a long transform.
	Turned = dsl.NewSpecConstant(false)
	// If Scaled is set, results are multiplied by the real part of the first root.
	Scaled = dsl.NewSpecConstant(false)
)

// The type `lines` contains the arguments of a launch that transforms lines of Length elements in work-group
// memory. Line q is line c of row o of block b, where q = (b*Rows+o)*Columns + c. Levels is 0 if only c exists, 1
// if c and o exist, and 2 if all three exist. The arguments have 104 bytes, which is the limit for push constants.
type lines[T Float] struct {
	In, Out []Complex[T]
	// Roots contains the roots of unity of the passes. Element i*done + k is exp(-2πi*i*k/(done*radix)), where
	// done is the product of the earlier radices. The roots that are used if Turned is set begin at index Turn.
	Roots                              []Complex[T]
	Count                              uint32 // number of lines
	Columns, Rows                      uint32
	InStep, InLine, InRow, InBlock     uint32 // distances between elements, lines, rows and blocks of In
	OutStep, OutLine, OutRow, OutBlock uint32
	Turn                               uint32 // index at which the roots for Turned begin
	Width                              uint32 // number of columns for each index in the long transform
	Shifts                             uint32 // shift Near in bits 0 to 7, and shift Far in the bits above
}

// Window is the number of elements of a table that kernels may load, even if the table is shorter.
// The host ensures that Window elements exist in memory, so indices of tables need no comparisons.
const Window = 1 << 14

// The type `tables` contains the roots of unity of a launch.
type tables[T Float] struct{ roots, near, low, high []Complex[T] }

// tables() returns a window of each table. Result `ok` is false if Roots is too short, which the host prevents.
func (k lines[T]) tables(length uint32) (t tables[T], ok bool) {
	near := int(k.Turn)
	low := near + int(length<<(k.Shifts&31))
	high := low + int(uint32(1)<<(k.Shifts>>8&31))
	n := len(k.Roots)
	if n < Window || near+Window > n || low+Window > n || high+Window > n {
		return t, false
	}
	return tables[T]{k.Roots[:Window], k.Roots[near : near+Window], k.Roots[low : low+Window], k.Roots[high : high+Window]}, true
}

// root() returns the root of unity that is the factor of element e of a column if Turned is set. The result is the
// product of three roots. One root depends on the lowest `near` bits of the column, and two depend on its other bits.
func (t tables[T]) root(column, e, shifts uint32) Complex[T] {
	near, far := shifts&31, shifts>>8&31
	high := column >> near * e
	return t.near[(e<<near+column&(1<<near-1))%Window].times(t.low[high&(1<<far-1)%Window].times(t.high[high>>far%Window]))
}
