package blas_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/runtime"
)

var ctx = context.Background()

// device opens the device of the examples.
func device() *runtime.Device { return must(runtime.Open(runtime.Select("host"))) }

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// view returns a matrix of rows of three elements, or of one.
func view(dev *runtime.Device, rows, cols int, xs ...float32) blas.View[float32] {
	return blas.View[float32]{Shape: blas.Shape{Rows: rows, Cols: cols}, Data: must(runtime.BufferOf(dev, xs)).All()}
}

// show prints the elements of a view.
func show(dev *runtime.Device, v runtime.View[float32]) {
	s := make([]float32, v.Len())
	if err := v.CopyTo(ctx, dev.DefaultQueue(), s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
}

func ExampleGemm() {
	dev := device()
	defer dev.Close()
	a := blas.Matrix[float32]{Shape: blas.Shape{Rows: 2, Cols: 3}, Data: []float32{1, 2, 3, 4, 5, 6}}
	c := blas.Matrix[float32]{Shape: blas.Shape{Rows: 2, Cols: 2}, Data: make([]float32, 4)}
	if err := blas.Gemm(ctx, dev, 1, a, a.T(), 0, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data)
	// Output: [14 32 32 77]
}

func ExampleGemmOn() {
	dev := device()
	defer dev.Close()
	a, c := view(dev, 2, 3, 1, 2, 3, 4, 5, 6), view(dev, 3, 3, make([]float32, 9)...)
	must(blas.GemmOn(dev.DefaultQueue(), 1, a.T(), a, 0, c))
	show(dev, c.Data)
	// Output: [17 22 27 22 29 36 27 36 45]
}

func ExampleGemv() {
	dev := device()
	defer dev.Close()
	a := blas.Matrix[float64]{Shape: blas.Shape{Rows: 2, Cols: 3}, Data: []float64{1, 2, 3, 4, 5, 6}}
	y := []float64{100, 200}
	if err := blas.Gemv(ctx, dev, 2, a, []float64{1, 0, 1}, 1, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [108 220]
}

func ExampleGemvOn() {
	dev := device()
	defer dev.Close()
	a, x, y := view(dev, 2, 3, 1, 2, 3, 4, 5, 6), view(dev, 2, 1, 1, 1), view(dev, 3, 1, 0, 0, 0)
	must(blas.GemvOn(dev.DefaultQueue(), 1, a.T(), x.Data, 0, y.Data))
	show(dev, y.Data)
	// Output: [5 7 9]
}

func ExampleGer() {
	dev := device()
	defer dev.Close()
	a := blas.Matrix[float32]{Shape: blas.Shape{Rows: 2, Cols: 3}, Data: make([]float32, 6)}
	if err := blas.Ger(ctx, dev, 1, []float32{1, 10}, []float32{1, 2, 3}, a); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Data)
	// Output: [1 2 3 10 20 30]
}

func ExampleGerOn() {
	dev := device()
	defer dev.Close()
	a, x := view(dev, 2, 2, 1, 1, 1, 1), view(dev, 2, 1, 1, 2)
	must(blas.GerOn(dev.DefaultQueue(), -1, x.Data, x.Data, a))
	show(dev, a.Data)
	// Output: [0 -1 -1 -3]
}

func ExampleAxpy() {
	dev := device()
	defer dev.Close()
	y := []float32{1, 2, 3}
	if err := blas.Axpy(ctx, dev, 10, []float32{1, 1, 2}, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [11 12 23]
}

func ExampleAxpyOn() {
	dev := device()
	defer dev.Close()
	x, y := view(dev, 3, 1, 1, 2, 3), view(dev, 3, 1, 1, 1, 1)
	must(blas.AxpyOn(dev.DefaultQueue(), -1, x.Data, y.Data))
	show(dev, y.Data)
	// Output: [0 -1 -2]
}

func ExampleGemmHalf() {
	dev := device()
	defer dev.Close()
	var xs []half.Float16
	for _, x := range []float32{1, 2, 3, 4, 5, 6} {
		xs = append(xs, half.FromFloat32[half.Float16](x))
	}
	a := blas.Matrix[half.Float16]{Shape: blas.Shape{Rows: 2, Cols: 3}, Data: xs}
	c := blas.Matrix[float32]{Shape: blas.Shape{Rows: 2, Cols: 2}, Data: make([]float32, 4)}
	if err := blas.GemmHalf(ctx, dev, 1, a, a.T(), 0, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data)
	// Output: [14 32 32 77]
}

func ExampleGemmHalfOn() {
	dev := device()
	defer dev.Close()
	one := half.FromFloat32[half.BFloat16](1)
	v := must(runtime.BufferOf(dev, []half.BFloat16{one, one, one, one})).All()
	a := blas.View[half.BFloat16]{Shape: blas.Shape{Rows: 2, Cols: 2}, Data: v}
	c := view(dev, 2, 2, 1, 2, 3, 4)
	must(blas.GemmHalfOn(dev.DefaultQueue(), 1, a, a, 10, c))
	show(dev, c.Data)
	// Output: [12 22 32 42]
}

func ExampleGemmInt8() {
	dev := device()
	defer dev.Close()
	a := blas.Matrix[int8]{Shape: blas.Shape{Rows: 2, Cols: 3}, Data: []int8{1, 2, 3, 4, 5, 6}}
	c := blas.Matrix[int32]{Shape: blas.Shape{Rows: 2, Cols: 2}, Data: make([]int32, 4)}
	if err := blas.GemmInt8(ctx, dev, -1, a, a.T(), 0, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data)
	// Output: [-14 -32 -32 -77]
}

func ExampleGemmInt8On() {
	dev := device()
	defer dev.Close()
	q := dev.DefaultQueue()
	a := blas.View[int8]{Shape: blas.Shape{Rows: 1, Cols: 3}, Data: must(runtime.BufferOf(dev, []int8{100, 100, 100})).All()}
	c := blas.View[int32]{Shape: blas.Shape{Rows: 1, Cols: 1}, Data: must(runtime.BufferOf(dev, []int32{0})).All()}
	must(blas.GemmInt8On(q, 1, a, a.T(), 0, c))
	s := make([]int32, 1)
	if err := c.Data.CopyTo(ctx, q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
	// Output: [30000]
}

func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	a, c := blas.Shape{Rows: 64, Cols: 64}, blas.Shape{Rows: 64, Cols: 64}
	n := blas.ScratchBytes[half.Float16](dev, a, a, c)
	fmt.Println(n) // two matrices of float32s, as the host has no matrices of its own
	// Output: 32768
}
