package dsl_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/guide"
	"github.com/kgen-go/kgen/internal/tests/guide/guidegen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// A product of matrices, of which each sub-group computes 16 rows and columns.
//
//	type MatMul struct {
//		N    int // a multiple of 16
//		A, B []half.Float16
//		C    []float32
//	}
//
//	func (k MatMul) Kernel(it dsl.NDItem2) {
//		sg, n := it.SubGroup(), k.N
//		y, x := it.GroupID()
//		row, col := 16*y, 16*(x*sg.GroupRange()+sg.GroupID())
//		var acc dsl.Accumulator[[16][16]float32]
//		for p := 0; p < n; p += 16 {
//			a := dsl.LoadA[[16][16]half.Float16](sg, k.A[row*n+p:], n, dsl.RowMajor)
//			b := dsl.LoadB[[16][16]half.Float16](sg, k.B[p*n+col:], n, dsl.RowMajor)
//			acc = dsl.MulAdd(sg, a, b, acc)
//		}
//		dsl.StoreAccumulator(sg, acc, k.C[row*n+col:], n, dsl.RowMajor)
//	}
func ExampleAccumulator() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	const n = 32
	k := guide.MatMul{N: n, A: make([]half.Float16, n*n), B: make([]half.Float16, n*n), C: make([]float32, n*n)}
	for i := range n {
		k.A[i*n+i] = half.FromFloat32[half.Float16](2) // twice the identity
		for j := range n {
			k.B[i*n+j] = half.FromFloat32[half.Float16](float32(i) + float32(j)/32)
		}
	}
	// Two sub-groups of 32 work-items compute 16 columns each.
	r := runtime.NDRange2{Global: runtime.Range2{2, 64}, Local: runtime.Range2{1, 64}}
	if err := guidegen.RunMatMul(ctx, dev, k, r, runtime.With(properties.SubGroupSize(32))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.C[0], k.C[1], k.C[n], k.C[n*n-1])
	// Output: 0 0.0625 2 63.9375
}

// A layer of a network: weights times inputs, a bias, and no number below zero.
//
//	type Dense struct {
//		Weights, Inputs []int8 // 4 rows of 8; 4 inputs of 8 numbers each, one after the other
//		Bias            []int32
//		Out             []int32 // 4 numbers for each input
//		Sum             []int32 // the sum of all numbers
//	}
//
//	func (k Dense) Kernel(it dsl.NDItem1) {
//		sg := it.SubGroup()
//		a := dsl.LoadA[[4][8]int8](sg, k.Weights, 8, dsl.RowMajor)
//		b := dsl.LoadB[[8][4]int8](sg, k.Inputs, 8, dsl.ColumnMajor)
//		bias := dsl.LoadAccumulator[[4][4]int32](sg, k.Bias, 0, dsl.ColumnMajor) // each column is the same
//		ones := dsl.Fill[[4][4]int32](sg, int32(1))
//		acc := dsl.Add(sg, dsl.MulAdd(sg, a, b, bias), dsl.Scale(sg, ones, int32(10)))
//		acc = dsl.MapAccumulator(sg, acc, func(x int32) int32 { return max(x, 0) })
//		dsl.StoreAccumulator(sg, acc, k.Out, 4, dsl.ColumnMajor)
//
//		sum := int32(0)
//		for i := range dsl.ElementCount(sg, acc) {
//			sum += dsl.Element[int32](sg, acc, i)
//		}
//		if sum = dsl.ReduceOverGroup(sg, sum, dsl.Plus); sg.LocalID() == 0 {
//			k.Sum[0] = sum
//		}
//	}
func ExampleMapAccumulator() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := guide.Dense{Weights: make([]int8, 32), Inputs: make([]int8, 32), Bias: []int32{1, 2, 3, -1000}, Out: make([]int32, 16), Sum: make([]int32, 1)}
	for i := range k.Weights {
		k.Weights[i], k.Inputs[i] = int8(i%8), int8(i/8)
	}
	if err := guidegen.RunDense(ctx, dev, k, runtime.NDRange1{Global: 8, Local: 8}, runtime.With(properties.SubGroupSize(8))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.Out, k.Sum)
	// Output: [11 12 13 0 39 40 41 0 67 68 69 0 95 96 97 0] [648]
}

// Products of four numbers of 8 bits.
//
//	type Dots struct {
//		A, B             [][4]int8
//		U, V             [][4]uint8
//		Sum, Mixed       []int32
//		Unsigned         []uint32
//		Least, LeastOfUs []int32  // beginning at the least int32
//		Most             []uint32 // beginning at the greatest uint32
//	}
//
//	func (k Dots) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		a, b, u, v := k.A[i], k.B[i], k.U[i], k.V[i]
//		k.Sum[i], k.Mixed[i], k.Unsigned[i] = dsl.Dot4(a, b, 1), dsl.Dot4Mixed(a, v, 1), dsl.Dot4Unsigned(u, v, 1)
//		k.Least[i] = dsl.Dot4Saturating(a, b, math.MinInt32)
//		k.LeastOfUs[i] = dsl.Dot4MixedSaturating(a, v, math.MinInt32)
//		k.Most[i] = dsl.Dot4UnsignedSaturating(u, v, math.MaxUint32)
//	}
func ExampleDot4() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := guide.Dots{
		A: [][4]int8{{1, 2, 3, 4}, {-1, -2, -3, -4}}, B: [][4]int8{{5, 6, 7, 8}, {5, 6, 7, 8}},
		U: [][4]uint8{{255, 255, 255, 255}, {}}, V: [][4]uint8{{255, 255, 255, 255}, {1, 1, 1, 1}},
		Sum: make([]int32, 2), Mixed: make([]int32, 2), Unsigned: make([]uint32, 2),
		Least: make([]int32, 2), LeastOfUs: make([]int32, 2), Most: make([]uint32, 2),
	}
	if err := guidegen.RunDots(ctx, dev, k, 2); err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.Sum, k.Mixed, k.Unsigned)
	fmt.Println(k.Least[0]-math.MinInt32, k.Least[1]-math.MinInt32, k.LeastOfUs[1]-math.MinInt32, k.Most[0] == math.MaxUint32)
	// Output:
	// [71 -69] [2551 -9] [260101 1]
	// 70 0 0 true
}

// The first matrix of a product. The example for Accumulator shows the kernel.
func ExampleLoadA() {
	a := make([]half.Float16, 256)
	a[3] = half.FromFloat32[half.Float16](2) // row 0, column 3
	c, err := product(a, ones())
	fmt.Println(c[0], c[16], err)
	// Output: 2 0 <nil>
}

// The second matrix of a product. The example for Accumulator shows the kernel.
func ExampleLoadB() {
	b := make([]half.Float16, 256)
	b[3] = half.FromFloat32[half.Float16](2)
	c, err := product(ones(), b)
	fmt.Println(c[3], c[16+3], c[4], err)
	// Output: 2 2 0 <nil>
}

// ones returns a matrix.
func ones() []half.Float16 {
	list := make([]half.Float16, 256)
	for i := range list {
		list[i] = half.FromFloat32[half.Float16](1)
	}
	return list
}

// product multiplies two matrices of 16 rows and columns.
func product(a, b []half.Float16) ([]float32, error) {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	k := guide.MatMul{N: 16, A: a, B: b, C: make([]float32, 256)}
	r := runtime.NDRange2{Global: runtime.Range2{1, 32}, Local: runtime.Range2{1, 32}}
	return k.C, guidegen.RunMatMul(context.Background(), dev, k, r, runtime.With(properties.SubGroupSize(32)))
}

// Rows and columns. The kernel of the example for MapAccumulator loads inputs that lie one after the other as the
// columns of a matrix.
func ExampleLayout() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := guide.Dense{Weights: make([]int8, 32), Inputs: make([]int8, 32), Bias: make([]int32, 4), Out: make([]int32, 16), Sum: make([]int32, 1)}
	k.Weights[8+2], k.Inputs[3*8+2] = 3, 7 // row 1 of the weights, and the last input
	if err := guidegen.RunDense(ctx, dev, k, runtime.NDRange1{Global: 8, Local: 8}, runtime.With(properties.SubGroupSize(8))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.Out[3*4:])
	// Output: [10 31 10 10]
}
