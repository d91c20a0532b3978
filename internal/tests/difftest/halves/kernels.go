// Package halves contains kernels that use package half. The results have the same bits on every device.
//
//kgen:bare noform=GroupB,GroupE4M3,GroupE5M2,AtomicB,AtomicE5M2,Functions16,FunctionsB,FunctionsE4M3,FunctionsE5M2,Compute16,ComputeB,ComputeE4M3,ComputeE5M2,Test16,TestB,TestE4M3,TestE5M2,Fast,Chain,Joined,Pairs,Crossed,Other
package halves

import (
	"github.com/x448/float16"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Results is the number of results of Compute for each element of X.
const Results = 10

// Compute applies the operations that return numbers.
type Compute[T half.Float[T]] struct{ X, Y, Z, Out []T }

// These are instances of Compute for each type of package half.
type (
	Compute16   = Compute[half.Float16]
	ComputeB    = Compute[half.BFloat16]
	ComputeE4M3 = Compute[half.Float8E4M3]
	ComputeE5M2 = Compute[half.Float8E5M2]
)

func (k Compute[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	compute(k.X[i], k.Y[i], k.Z[i], k.Out[Results*i:Results*i+Results])
}

func compute[T half.Float[T]](x, y, z T, out []T) {
	out[0] = x.Add(y)
	out[1] = x.Sub(y)
	out[2] = x.Mul(y)
	out[3] = x.Div(y)
	out[4] = x.Sqrt()
	out[5] = x.FMA(y, z)
	out[6] = x.Neg()
	out[7] = x.Abs()
	out[8] = x.Min(y)
	out[9] = x.Max(y)
}

// Fast computes the same as Compute, but the device may contract operations and approximate divisions.
type Fast struct {
	X, Y, Z, Out     []half.Float16
	XB, YB, ZB, OutB []half.BFloat16
}

func (Fast) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatFast)}
}

func (k Fast) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	compute(k.X[i], k.Y[i], k.Z[i], k.Out[Results*i:Results*i+Results])
	compute(k.XB[i], k.YB[i], k.ZB[i], k.OutB[Results*i:Results*i+Results])
}

// Test compares, classifies and converts numbers.
type Test[T half.Float[T]] struct {
	X, Y        []T
	Truth       []uint32
	Wide        []float32 // the numbers X as float32s
	In          []float32
	Near, Bound []T // numbers nearest to the elements of In
}

// These are instances of Test for each type of package half.
type (
	Test16   = Test[half.Float16]
	TestB    = Test[half.BFloat16]
	TestE4M3 = Test[half.Float8E4M3]
	TestE5M2 = Test[half.Float8E5M2]
)

func (k Test[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	truth := uint32(x.Compare(y)+1) | uint32(x.Bits())<<8
	for j, is := range [...]bool{x.Less(y), x.Equal(y), x.IsNaN(), x.IsInf(1), x.IsInf(-1), x == y} {
		if is {
			truth |= 4 << j
		}
	}
	k.Truth[i] = truth
	k.Wide[i] = x.Float32()
	k.Near[i] = half.FromFloat32[T](k.In[i])
	k.Bound[i] = half.FromFloat32Saturating[T](k.In[i])
}

var (
	third = half.FromFloat32[half.Float16](1.0 / 3)
	table = [...]half.BFloat16{half.FromBits[half.BFloat16](0x3f81), half.Largest[half.BFloat16](), half.Epsilon[half.BFloat16]()}
)

// Chain computes a chain of operations with values of package-level variables. The operations must not be fused.
type Chain struct {
	X  []half.Float16
	XB []half.BFloat16
}

func (k Chain) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, b := k.X[i], k.XB[i]
	for range 3 {
		x = x.Mul(third).Add(x)
		b = b.Mul(table[i%3]).Sub(b)
	}
	k.X[i], k.XB[i] = x, b
}

// JoinedResults is the number of results of Joined for each element of X.
const JoinedResults = 8

// Joined has operations on results of other operations. No two of the operations may be fused.
type Joined struct{ X, Y, Z, Out []half.Float16 }

func (k Joined) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, z := k.X[i], k.Y[i], k.Z[i]
	out := k.Out[JoinedResults*i : JoinedResults*i+JoinedResults]
	out[0] = x.Div(y).Mul(y).Sub(x)
	out[1] = x.Div(y).FMA(y, x.Neg())
	root := x.Abs().Sqrt()
	out[2] = root.Mul(root).Sub(x.Abs())
	out[3] = root.FMA(root, x.Abs().Neg())
	out[4] = x.FMA(y, z).Sub(z)
	out[5] = x.Mul(y).FMA(z, x.FMA(y, z))
	out[6] = x.Add(y).Div(z).Add(x)
	sum := half.FromFloat32[half.Float16](1)
	for range 3 {
		sum = x.FMA(sum, y.Div(sum)).Abs().Sqrt()
	}
	out[7] = sum
}

// Pairs computes alternately with two numbers, in a loop whose variables are Float16s. One variable may become NaN.
// Out has PairsResults elements for each element of X.
type Pairs struct {
	X, Y, Z, Out []half.Float16
	Rounds       []uint8
}

// PairsResults is the number of results of Pairs for each element of X.
const PairsResults = 6

func (k Pairs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, z := k.X[i], k.Y[i], k.Z[i]
	a, b, c, d := x, y, z, half.FromFloat32[half.Float16](1)
	for n := uint8(0); n < k.Rounds[i]%6; n++ {
		a, b = a.FMA(z, x), b.FMA(z, x)
		c, d = c.Mul(x), d.Mul(x)
		if n == 3 {
			a, b = b, a
		}
		c, d = c.Sub(y), d.Sub(y)
	}
	out := k.Out[PairsResults*i : PairsResults*i+PairsResults]
	out[0], out[1], out[2], out[3] = a, b, c, d
	out[4], out[5] = a.Neg(), half.FromBits[half.Float16](d.Bits()^1)
}

// Crossed computes with neighbours that are halves of a 32-bit word. Some operations use results of
// operations of the same kind.
type Crossed struct{ X, Y, Out []half.Float16 }

func (k Crossed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	p := x.Mul(third)
	for range 4 {
		p = p.FMA(x, y)
	}
	q := p.Add(y)
	k.Out[i] = q.Add(x).Sub(p.Add(q)).Mul(q)
}

// Words extracts its operands from 32-bit words, and has a host form.
type Words struct {
	X   []uint32
	Out []half.Float16
}

func (k Words) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile := dsl.Local[[64]half.Float16](it)
	tile[l] = half.FromBits[half.Float16](uint16(k.X[i] >> 16))
	it.Barrier()
	x, y := half.FromBits[half.Float16](uint16(k.X[i])), tile[it.LocalRange()-1-l]
	k.Out[i] = x.Div(y).FMA(half.FromBits[half.Float16](uint16(k.X[i]>>8)), y.Sqrt())
}

// Other computes with an integer type of another package.
type Other struct {
	In  []float32
	Out []float16.Float16
	Sum []float32
}

func (k Other) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := float16.Fromfloat32(k.In[i])
	k.Out[i] = x
	k.Sum[i] = x.Float32() + 1
}
