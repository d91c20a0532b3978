package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

var exactly = properties.List{properties.Float(properties.FloatExact)}

// Elements copies the elements of a grid with three dimensions. The copies are multiplied by elements of
// a table. The work-item with id (i0*D1+i1)*D2 + i2 copies the element with the indices i0, i1 and i2.
type Elements[T Float] struct {
	In, Out                         []Complex[T]
	Table                           []Complex[T] // factors; empty if there are none
	N                               uint32       // number of elements; elements of Out from index N on become 0
	D1, D2                          uint32
	In0, In1, In2, Out0, Out1, Out2 uint32
	Inner                           bool // whether i2, instead of i1, is the index in Table
	Swap                            bool // whether the real and imaginary parts of In's elements are swapped
	Swapped                         bool // whether the real and imaginary parts of the results are swapped
	Scale                           T
}

// These types instantiate Elements for both sizes of complex numbers.
type (
	Elements32 = Elements[float32]
	Elements64 = Elements[float64]
)

// Properties requires that each operation is rounded.
func (Elements[T]) Properties() properties.List { return exactly }

// Kernel copies an element.
func (k Elements[T]) Kernel(it dsl.Item1) {
	r, i2 := quotient(uint32(it.GlobalID()), k.D2)
	i0, i1 := quotient(r, k.D1)
	e := i1
	if k.Inner {
		e = i2
	}
	var v Complex[T]
	if e < k.N {
		v = get(k.In, i0*k.In0+i1*k.In1+i2*k.In2)
	}
	if k.Swap {
		v = v.swapped()
	}
	if len(k.Table) > 0 {
		v = v.times(get(k.Table, e))
	}
	v = v.scaled(k.Scale)
	if k.Swapped {
		v = v.swapped()
	}
	set(k.Out, i0*k.Out0+i1*k.Out1+i2*k.Out2, v)
}

// set() stores v in element i. The host makes sure that the element exists.
func set[T any](xs []T, i uint32, v T) {
	if int(i) < len(xs) {
		xs[i] = v
	}
}
