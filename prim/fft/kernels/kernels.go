// Package kernels has the kernels of package fft.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Float is the type of the parts of complex numbers.
type Float interface{ float32 | float64 }

// Complex is a complex number. Products of complex64 have other bits in Go, where they are computed in
// float64.
type Complex[T Float] struct{ Re, Im T }

func (a Complex[T]) plus(b Complex[T]) Complex[T]  { return Complex[T]{a.Re + b.Re, a.Im + b.Im} }
func (a Complex[T]) minus(b Complex[T]) Complex[T] { return Complex[T]{a.Re - b.Re, a.Im - b.Im} }

// turned returns -i*a, and swapped i times the conjugate of a.
func (a Complex[T]) turned() Complex[T]  { return Complex[T]{a.Im, -a.Re} }
func (a Complex[T]) swapped() Complex[T] { return Complex[T]{a.Im, a.Re} }

// conjugate returns a with the other sign of its imaginary part.
func (a Complex[T]) conjugate() Complex[T] { return Complex[T]{a.Re, -a.Im} }

// scaled returns a times a real number.
func (a Complex[T]) scaled(f T) Complex[T] { return Complex[T]{T(a.Re * f), T(a.Im * f)} }

// times returns the product. The conversions keep compilers for processors from fusing products and sums.
func (a Complex[T]) times(b Complex[T]) Complex[T] {
	return Complex[T]{T(a.Re*b.Re) - T(a.Im*b.Im), T(a.Re*b.Im) + T(a.Im*b.Re)}
}

// The specialization constants of a launch of lines.
var (
	// Length is the number of elements of a line, the product of the radices.
	Length = dsl.NewSpecConstant(uint16(1))
	// Together is the number of lines of a work-group.
	Together = dsl.NewSpecConstant(uint16(1))
	// Radices has 4 bits for each pass, the first pass in the lowest: the radix less one.
	Radices = dsl.NewSpecConstant(uint32(0))
	// Uses has bit r for each radix r, so that a device's compiler leaves out the code for others.
	Uses = dsl.NewSpecConstant(uint32(0))
	// Passes is the number of passes.
	Passes = dsl.NewSpecConstant(uint8(1))
	// Levels is the number of divisions that take the number of a line apart: see lines.
	Levels = dsl.NewSpecConstant(uint8(0))
	// LoadsLines says that neighbouring work-items load elements of neighbouring lines, and StoresLines that
	// they store such; otherwise they are neighbours in a line.
	LoadsLines  = dsl.NewSpecConstant(false)
	StoresLines = dsl.NewSpecConstant(false)
	// Interleaved says that neighbours in the work-group's memory are of neighbouring lines.
	Interleaved = dsl.NewSpecConstant(false)
	// Inverse has the launch make the inverse transform, but for the scale.
	Inverse = dsl.NewSpecConstant(false)
	// Turned has results multiplied by the roots of unity between the steps of a long transform.
	Turned = dsl.NewSpecConstant(false)
	// Scaled has results multiplied by the real part of the first root.
	Scaled = dsl.NewSpecConstant(false)
)

// lines is the arguments of a launch that transforms lines of Length elements, each of them in work-group
// memory. Line q is line c of row o of block b, where q = (b*Rows+o)*Columns + c; Levels says how many of the
// three there are, less one. The arguments take 104 bytes: push constants have room for no more.
type lines[T Float] struct {
	In, Out []Complex[T]
	// Roots has the roots of unity of the passes: exp(-2πi*i*k/(done*radix)) is element i*done + k, where
	// done is the product of the radices before. From Turn on it has those of Turned.
	Roots                              []Complex[T]
	Count                              uint32 // the number of lines
	Columns, Rows                      uint32
	InStep, InLine, InRow, InBlock     uint32 // the distance of elements, lines, rows and blocks of In
	OutStep, OutLine, OutRow, OutBlock uint32
	Turn                               uint32 // where the roots of Turned begin
	Width                              uint32 // a line's place in the long transform is its column divided by this
	Shifts                             uint32 // Near, and from bit 8 on Far
}

// Window is the number of elements that the host lets be loaded from where a table begins, which may have less: so the
// indices of tables need no comparisons.
const Window = 1 << 14

// tables is the roots of a launch.
type tables[T Float] struct{ roots, near, low, high []Complex[T] }

// tables returns the windows of the roots. Of a launch with less memory, which the host does not make, there are none.
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

// root returns the root of unity of Turned for element e of a column. It is the product of three roots: one for
// the lowest near bits of the column, and two for the others.
func (t tables[T]) root(column, e, shifts uint32) Complex[T] {
	near, far := shifts&31, shifts>>8&31
	high := column >> near * e
	return t.near[(e<<near+column&(1<<near-1))%Window].times(t.low[high&(1<<far-1)%Window].times(t.high[high>>far%Window]))
}
