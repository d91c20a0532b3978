package sparse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim/sparse"
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

// matrix is 1 0 2 in the first row, and 0 3 0 in the second row.
var matrix = sparse.CSR[float32]{Rows: 2, Cols: 3, Start: []int32{0, 2, 3}, Columns: []int32{0, 2, 1}, Values: []float32{1, 2, 3}}

func ExampleGemv() {
	dev := device()
	defer dev.Close()
	y := make([]float32, 2)
	if err := sparse.Gemv(ctx, dev, 1, matrix, []float32{10, 20, 30}, 0, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [70 60]
}

func ExampleGemvOn() {
	dev := device()
	defer dev.Close()
	q := dev.DefaultQueue()
	a := sparse.View[float32]{
		Rows: 2, Cols: 3, Start: must(runtime.BufferOf(dev, matrix.Start)).All(),
		Columns: must(runtime.BufferOf(dev, matrix.Columns)).All(), Values: must(runtime.BufferOf(dev, matrix.Values)).All(),
	}
	x, y := must(runtime.BufferOf(dev, []float32{10, 20, 30})), must(runtime.BufferOf(dev, []float32{1, 1}))
	must(sparse.GemvOn(q, 2, a, x.All(), 1, y.All()))
	s := make([]float32, 2)
	if err := y.CopyTo(ctx, q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
	// Output: [141 121]
}

func ExampleCSROf() {
	dev := device()
	defer dev.Close()
	a := must(sparse.CSROf(ctx, dev, 2, 3, []int32{1, 0, 0}, []int32{1, 2, 0}, []float32{3, 2, 1}))
	fmt.Println(a.Start, a.Columns, a.Values)
	// Output: [0 2 3] [0 2 1] [1 2 3]
}

func ExampleCSROfOn() {
	dev := device()
	defer dev.Close()
	q := dev.DefaultQueue()
	i, j := must(runtime.BufferOf(dev, []int32{1, 0})), must(runtime.BufferOf(dev, []int32{0, 1}))
	v := must(runtime.BufferOf(dev, []float64{5, 7}))
	a := sparse.View[float64]{
		Rows: 2, Cols: 2, Start: must(runtime.NewBuffer[int32](dev, 3)).All(),
		Columns: must(runtime.NewBuffer[int32](dev, 2)).All(), Values: must(runtime.NewBuffer[float64](dev, 2)).All(),
	}
	must(sparse.CSROfOn(q, i.All(), j.All(), v.All(), a))
	s := make([]float64, 2)
	if err := a.Values.CopyTo(ctx, q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
	// Output: [7 5]
}

func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	scratch := must(runtime.NewBuffer[byte](dev, sparse.ScratchBytes(1000)))
	fmt.Println(scratch.Len() > 2*8*1000) // for prim.Scratch(scratch.All())
	// Output: true
}
