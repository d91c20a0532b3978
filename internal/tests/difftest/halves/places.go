package halves

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// Specialization constants of half precision.
var (
	Scale = dsl.NewSpecConstant(half.FromFloat32[half.Float16](1.5))
	Shift = dsl.RequireSpecConstant[half.BFloat16]()
	Pair  = dsl.NewSpecConstant([2]half.Float8E4M3{half.FromFloat32[half.Float8E4M3](0.25), 0})
	Len   = dsl.NewSpecConstant(3)
)

// Weight is a variable whose value is compiled into modules. Launches check that Weight has not changed.
var Weight = half.FromFloat32[half.Float16](0.75)

// Point is a struct of numbers, for fields of kernels.
type Point struct {
	X half.Float16
	B [2]half.BFloat16
}

// Places reads numbers from all kinds of memory and constants that a kernel can have.
type Places struct {
	At      Point
	In, Out []half.Float16
	Scratch dsl.LocalAccessor[half.Float16]
}

func (k Places) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	local, more, scratch := dsl.Local[[8]half.Float16](it), dsl.LocalSlice[half.Float16](it, 8), k.Scratch.Slice(it)
	own := dsl.PrivateAlloca[half.Float16](it, Len)
	other := dsl.AlignedPrivateAlloca[half.Float16](it, Len, 16)
	x := k.In[i]
	local[l], more[l], scratch[l] = x.Add(k.At.X), x, x.Neg()
	it.Barrier()
	own[1] = local[7-l].Mul(Scale.Get(it))
	other[2] = own[1].Add(half.FromFloat32[half.Float16](Shift.Get(it).Float32()))
	x = other[2].Add(Weight).Add(more[7-l]).Add(scratch[7-l])
	pair := Pair.Get(it)
	k.Out[i] = x.Add(half.FromFloat32[half.Float16](k.At.B[1].Float32())).Add(half.FromFloat32[half.Float16](pair[0].Float32()))
	if i == 3 {
		fmt.Println(x, pair[0], k.At.X)
		fmt.Printf("%v %g %.2f %8.3e|%+v\n", x, x.Neg(), x, Shift.Get(it), k.At.B[1])
	}
}
