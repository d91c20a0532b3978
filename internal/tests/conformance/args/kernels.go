// Package args contains kernels whose arguments are scalars, slices, structs and arrays.
//
//kgen:bare views
package args

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Captured has a slice, a number and a struct as arguments.
type Captured struct {
	Out []int32
	I   int32
	S   struct{ M int32 }
}

// Kernel runs once.
func (k Captured) Kernel(t dsl.Task) { k.Out[0] = k.I + k.S.M }

// Mixed is a struct of scalars and slices.
type Mixed struct {
	M  int32
	In []int32
}

// Deep has slices as arguments, and a Mixed inside another struct.
type Deep struct {
	Part struct{ Inner Mixed }
	In1  []int32
	Out  []int32
}

// Kernel adds scalars and elements of slices.
func (k Deep) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.Part.Inner.M + k.Part.Inner.In[i] + k.In1[i]
}

// Array has an argument that is an array by value.
type Array struct {
	A   [2]int32
	Out []int32
}

// Kernel copies it.
func (k Array) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A[i%2]
}

// Pair is a struct of a scalar and two slices.
type Pair struct {
	M  int32
	In [2][]int32
}

// Slices has arguments that are arrays of slices, and an array of structs with slices.
type Slices struct {
	In    [2][]int32
	Pairs [2]Pair
	Out   []int32
}

// Kernel adds up elements of all slices.
func (k Slices) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	sum := k.In[0][i] - k.In[1][i]
	for p := range k.Pairs {
		for s := range k.Pairs[p].In {
			sum += k.Pairs[p].M * int32(10*s+1) * k.Pairs[p].In[s][i]
		}
	}
	k.Out[i] = sum
}

// Part stores the length, the capacity and the first element of a slice, which may be part of a buffer.
type Part struct{ In, Out []int32 }

// Kernel runs once.
func (k Part) Kernel(t dsl.Task) {
	k.Out[0], k.Out[1], k.Out[2] = int32(len(k.In)), int32(cap(k.In)), k.In[0]
	k.In[len(k.In)-1] = -1
}

// Idle has arguments that the kernel never reads.
type Idle struct {
	Flag  bool
	Scale float64
	Big   []float32
	N     int16
	Out   []int32
	More  []Pairless
	Parts [2]struct {
		Used   int32
		Unused []int32
	}
}

// Pairless is the element type of a slice that no kernel reads.
type Pairless struct{ A, B int32 }

// Kernel reads N, Out, and one number of each struct.
func (k Idle) Kernel(it dsl.Item1) {
	k.Out[it.GlobalID()] = int32(k.N) + k.Parts[0].Used*k.Parts[1].Used
}

// Nothing is a kernel that does not read its arguments.
type Nothing struct {
	A int32
	X []int32
}

// Kernel does nothing.
func (k Nothing) Kernel(it dsl.Item1) {}

// Scalars has a field of each scalar type.
type Scalars struct {
	B    bool
	I8   int8
	U8   uint8
	I16  int16
	U16  uint16
	I32  int32
	U32  uint32
	I64  int64
	U64  uint64
	Int  int
	Uint uint
	F32  float32
}

// Echo copies values to memory and back.
type Echo struct {
	V       Scalars
	In, Out []Scalars
}

// Kernel runs for two work-items.
func (k Echo) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i == 0 {
		k.Out[i] = k.V
	} else {
		k.Out[i] = k.In[i]
	}
}

// Large has arguments that exceed the size of push constants.
type Large struct {
	A   [40]float32
	Out []float32
}

// Kernel copies one element.
func (k Large) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = k.A[it.GlobalID()] }

// Spaces adds up slices in each address space, with one function.
type Spaces struct{ In, Out []int32 }

func sum(s []int32) (n int32) {
	for _, v := range s {
		n += v
	}
	return n
}

// Kernel runs in work-groups of four work-items.
func (k Spaces) Kernel(it dsl.NDItem1) {
	local := dsl.Local[[4]int32](it)
	local[it.LocalID()] = k.In[it.LocalID()] * 10
	it.Barrier()
	private := [40]int32{1, 2, 3} // the array is too long to be promoted to values
	var none []int32
	if i := it.LocalID(); i == 0 {
		k.Out[0], k.Out[1], k.Out[2] = sum(k.In), sum(local[:]), sum(private[:])
		k.Out[3] = int32(len(none)) + sum(none)
		// The slice s is first in one address space and then in another.
		s := k.In
		if k.In[0] > 0 {
			s = local[:]
		}
		k.Out[4] = sum(s)
	}
}
