package move_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/runtime"
)

// device opens the device of the examples.
func device() *runtime.Device { return must(runtime.Open(runtime.Select("host"))) }

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// buffer returns a view of the elements.
func buffer[T any](dev *runtime.Device, xs ...T) runtime.View[T] {
	return must(runtime.BufferOf(dev, xs)).All()
}

// show prints a view.
func show[T any](q *runtime.Queue, v runtime.View[T]) {
	s := make([]T, v.Len())
	if err := v.CopyTo(context.Background(), q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
}

func ExampleFill() {
	dev := device()
	defer dev.Close()
	xs := make([]int, 3)
	err := move.Fill(context.Background(), dev, xs, 7)
	fmt.Println(xs, err)
	// Output: [7 7 7] <nil>
}

func ExampleFillOn() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, 1, 2, 3)
	if _, err := move.FillOn(q, xs, 9, prim.Length(buffer(dev, int64(2)))); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [9 9 3]
}

func ExampleIota() {
	dev := device()
	defer dev.Close()
	xs := make([]float32, 4)
	err := move.Iota(context.Background(), dev, xs, 1, 0.5)
	fmt.Println(xs, err)
	// Output: [1 1.5 2 2.5] <nil>
}

func ExampleIotaOn() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, make([]int8, 4)...)
	if _, err := move.IotaOn(q, xs, 3, -2); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [3 1 -1 -3]
}

func ExampleReverse() {
	dev := device()
	defer dev.Close()
	xs := []int{1, 2, 3}
	err := move.Reverse(context.Background(), dev, xs)
	fmt.Println(xs, err)
	// Output: [3 2 1] <nil>
}

func ExampleReverseOn() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, 1, 2, 3)
	if _, err := move.ReverseOn(q, xs, xs); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [3 2 1]
}

func ExampleGather() {
	dev := device()
	defer dev.Close()
	ys, err := move.Gather(context.Background(), dev, []float32{1, 2, 3}, []int64{2, 2, 0, 5})
	fmt.Println(ys, err)
	// Output: [3 3 1 0] <nil>
}

func ExampleGatherOn() {
	dev := device()
	defer dev.Close()
	type point struct{ X, Y float32 }
	q, xs, ys := dev.DefaultQueue(), buffer(dev, point{1, 2}, point{3, 4}), buffer(dev, make([]point, 2)...)
	if _, err := move.GatherOn(q, xs, buffer[int64](dev, 1, 0), ys); err != nil {
		log.Fatal(err)
	}
	show(q, ys)
	// Output: [{3 4} {1 2}]
}

func ExampleScatter() {
	dev := device()
	defer dev.Close()
	out := make([]int, 4)
	err := move.Scatter(context.Background(), dev, []int{1, 2, 3}, []int64{3, 0, 3}, out)
	fmt.Println(out, err)
	// Output: [2 0 0 3] <nil>
}

func ExampleScatterOn() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer(dev, 7, 7, 7)
	if _, err := move.ScatterOn(q, buffer(dev, 1, 2), buffer[int64](dev, 2, 0), out, prim.Unordered()); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [2 7 1]
}

// Scatter's memory may be the caller's.
func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer(dev, 7, 7, 7)
	memory := must(runtime.NewBuffer[byte](dev, move.ScratchBytes(out.Len())))
	if _, err := move.ScatterOn(q, buffer(dev, 1, 2), buffer[int64](dev, 2, 2), out, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [7 7 2]
}

func ExampleTranspose() {
	dev := device()
	defer dev.Close()
	ys, err := move.Transpose(context.Background(), dev, []int{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(ys, err)
	// Output: [1 4 2 5 3 6] <nil>
}

func ExampleTransposeOn() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer(dev, make([]byte, 4)...)
	if _, err := move.TransposeOn(q, buffer(dev, []byte{1, 2, 3, 4}...), out, 2, 2); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 3 2 4]
}
