// Package model contains small kernels for the tests of the runtime. The stubs in modelgen are
// written by hand, as an example of generated stubs.
package model

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// SAXPY is a range kernel.
type SAXPY struct {
	A    float32
	X, Y []float32
}

// Kernel computes one element of the result.
func (k SAXPY) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] += k.A * k.X[i]
}

// Sum is a task.
type Sum struct {
	X, Out []int64
}

// Kernel adds all elements.
func (k Sum) Kernel(t dsl.Task) {
	var sum int64
	for _, x := range k.X {
		sum += x
	}
	k.Out[0] = sum
}

// Part is a struct argument that mixes values and slices.
type Part struct {
	M int32
	V []int32
}

// Mix is a kernel with struct arguments, and with an argument that it never reads.
type Mix struct {
	Out    []int32
	Unused []int32
	S      struct{ I, J int32 }
	In     [2]Part
}

// Kernel adds up the parts.
func (k Mix) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.S.J
	for _, p := range k.In {
		k.Out[i] += p.M * p.V[i]
	}
}

// Index2 is a range kernel of two dimensions.
type Index2 struct{ Out []int }

// Kernel stores the linear id.
func (k Index2) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.Out[y*w+x] = it.GlobalLinearID() + 1
}

// Index3 is a range kernel of three dimensions.
type Index3 struct{ Out []int }

// Kernel stores the linear id.
func (k Index3) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	_, h, w := it.GlobalRange()
	k.Out[(z*h+y)*w+x] = it.GlobalLinearID() + 1
}

// Reverse is an nd-range kernel with work-group memory.
type Reverse struct{ X []int32 }

// Properties fixes the work-group size.
func (Reverse) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(16)}
}

// Kernel reverses the elements of each group.
func (k Reverse) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[16]int32](it)
	l := it.LocalID()
	tile[l] = k.X[it.GlobalID()]
	it.Barrier()
	k.X[it.GlobalID()] = tile[15-l]
}

// GroupSum is an nd-range kernel with a local accessor.
type GroupSum struct {
	X, Out  []int32
	Scratch dsl.LocalAccessor[int32]
}

// Kernel adds up the elements of each group.
func (k GroupSum) Kernel(it dsl.NDItem1) {
	s := k.Scratch.Slice(it)
	l := it.LocalID()
	s[l] = k.X[it.GlobalID()]
	it.Barrier()
	if l == 0 {
		var sum int32
		for _, x := range s {
			sum += x
		}
		k.Out[it.GroupID()] = sum
	}
}

// Transpose2 is an nd-range kernel of two dimensions.
type Transpose2 struct {
	N       int
	In, Out []float32
}

// Kernel transposes a square matrix by tiles.
func (k Transpose2) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[8][9]float32](it)
	y, x := it.GlobalID()
	ly, lx := it.LocalID()
	tile[ly][lx] = k.In[y*k.N+x]
	it.Barrier()
	gy, gx := it.GroupID()
	k.Out[(gx*8+ly)*k.N+gy*8+lx] = tile[lx][ly]
}

// Local3 is an nd-range kernel of three dimensions.
type Local3 struct{ Out []int }

// Kernel stores the linear local id.
func (k Local3) Kernel(it dsl.NDItem3) {
	k.Out[it.GlobalLinearID()] = it.LocalLinearID() + 1
}

// Trap is a kernel whose work-item At panics. The field Mode selects the kind of panic.
type Trap struct {
	Mode, At, V int
	X           []int
}

// Kernel stores an element, but the work-item At panics.
func (k Trap) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i == k.At {
		Panic(k.Mode, k.V, k.X[:3:4])
	}
	k.X[i] = i + 1
}

// Modes is the number of kinds of panics that Panic can cause.
const Modes = 20

// Panic causes the panic that mode selects. The slice x has length 3 and capacity 4.
func Panic(mode, v int, x []int) {
	var a [3]int
	var p *int
	switch mode {
	case 0:
		x[v] = 1
	case 1:
		x[-v] = 1
	case 2:
		_ = x[:v]
	case 3:
		_ = x[v:]
	case 4:
		_ = x[v : v-1]
	case 5:
		_ = a[:v]
	case 6:
		_ = x[:0:v]
	case 7:
		_ = x[:v:2]
	case 8:
		_ = x[v:2:3]
	case 9:
		_ = [8]int(x)
	case 10:
		x[0] = 1 / (v - v)
	case 11:
		x[0] = 1 << -v
	case 12:
		*p = 1
	case 13:
		panic("the end")
	case 14:
		_ = x[:-v]
	case 15:
		_ = x[-v:]
	case 16:
		_ = x[0:1:-v]
	case 17:
		_ = a[v:]
	case 18:
		_ = a[0:1:v]
	case 19:
		x[0] = 1 % (v - v)
	}
}
