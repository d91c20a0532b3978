package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Halves computes the transforms of rows of 2*Half real numbers. X contains the transforms of rows of Half complex
// numbers, which are pairs of the real numbers. The results replace X, and their rows have Half+1 elements.
type Halves[T Float] struct {
	X     []Complex[T]
	Roots []Complex[T] // exp(-2πi*k/(2*Half))
	Half  uint32
}

// Pairs computes the inverse of Halves. X contains the transforms of rows of real numbers. In Out,
// the kernel stores rows of Half elements, which are the transforms of the pairs, times two.
type Pairs[T Float] struct {
	X, Out []Complex[T]
	Roots  []Complex[T] // the same roots as in Halves
	Half   uint32
}

// Mirror completes the transforms of rows of N real numbers. Rows of X have only the elements up to N/2.
type Mirror[T Float] struct {
	X, Out []Complex[T]
	N      uint32
}

// Widen converts real numbers to complex numbers.
type Widen[T Float] struct {
	X   []T
	Out []Complex[T]
}

// Narrow copies the real parts of complex numbers.
type Narrow[T Float] struct {
	X   []Complex[T]
	Out []T
}

// These types instantiate the kernels for both sizes of complex numbers.
type (
	Halves32 = Halves[float32]
	Halves64 = Halves[float64]
	Pairs32  = Pairs[float32]
	Pairs64  = Pairs[float64]
	Mirror32 = Mirror[float32]
	Mirror64 = Mirror[float64]
	Widen32  = Widen[float32]
	Widen64  = Widen[float64]
	Narrow32 = Narrow[float32]
	Narrow64 = Narrow[float64]
)

// Properties requires that each operation is rounded.
func (Halves[T]) Properties() properties.List { return exactly }

// Properties requires that each operation is rounded.
func (Pairs[T]) Properties() properties.List { return exactly }

// Kernel computes elements i and Half-i of a row. A row has Half/2+1 work-items.
func (k Halves[T]) Kernel(it dsl.Item1) {
	row, i := quotient(uint32(it.GlobalID()), k.Half/2+1)
	row *= k.Half + 1
	j := k.Half - i
	a := get(k.X, row+i)
	b := a
	if i > 0 {
		b = get(k.X, row+j)
	}
	b = b.conjugate()
	even := a.plus(b).scaled(0.5)
	odd := a.minus(b).scaled(0.5).turned().times(get(k.Roots, i))
	set(k.X, row+i, even.plus(odd))
	if i != j {
		set(k.X, row+j, even.minus(odd).conjugate())
	}
}

// Kernel computes elements i and Half-i of a row. A row has Half/2+1 work-items.
func (k Pairs[T]) Kernel(it dsl.Item1) {
	row, i := quotient(uint32(it.GlobalID()), k.Half/2+1)
	j := k.Half - i
	a, b := get(k.X, row*(k.Half+1)+i), get(k.X, row*(k.Half+1)+j)
	if i == 0 {
		a.Im, b.Im = 0, 0
	}
	b = b.conjugate()
	even := a.plus(b)
	odd := a.minus(b).times(get(k.Roots, i).conjugate()).turned() // -i times the odd elements
	row *= k.Half
	set(k.Out, row+i, even.minus(odd))
	if i > 0 && i != j {
		set(k.Out, row+j, even.plus(odd).conjugate())
	}
}

// Kernel computes an element.
func (k Mirror[T]) Kernel(it dsl.Item1) {
	row, i := quotient(uint32(it.GlobalID()), k.N)
	row *= k.N/2 + 1
	var v Complex[T]
	if i <= k.N/2 {
		v = get(k.X, row+i)
	} else {
		v = get(k.X, row+k.N-i).conjugate()
	}
	if i == 0 {
		v.Im = 0
	}
	set(k.Out, uint32(it.GlobalID()), v)
}

// Kernel computes an element.
func (k Widen[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = Complex[T]{Re: k.X[i]}
}

// Kernel copies an element.
func (k Narrow[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i].Re
}
