package fft_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/fft"
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

// A plan transforms arrays of one shape: here two of them, of four elements.
func ExampleNewPlan() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex64](dev, 4))
	defer p.Close()
	ys, err := p.Forward(context.Background(), []complex64{1, 0, 0, 0, 1, 1, 1, 1})
	fmt.Println(ys, err)
	// Output: [(1+0i) (1+0i) (1+0i) (1+0i) (4+0i) (0+0i) (0+0i) (0+0i)] <nil>
}

func ExamplePlan_Forward() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex128](dev, 2, 2))
	defer p.Close()
	ys, err := p.Forward(context.Background(), []complex128{1, 2, 3, 4})
	fmt.Println(ys, err)
	// Output: [(10+0i) (-2+0i) (-4+0i) (0+0i)] <nil>
}

func ExamplePlan_ForwardOn() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex64](dev, 4))
	defer p.Close()
	q, xs := dev.DefaultQueue(), buffer[complex64](dev, 1, 2, 3, 4)
	if _, err := p.ForwardOn(q, xs, xs); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [(10+0i) (-2+2i) (-2+0i) (-2-2i)]
}

func ExamplePlan_Inverse() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex64](dev, 4))
	defer p.Close()
	xs, err := p.Inverse(context.Background(), []complex64{10, -2 + 2i, -2, -2 - 2i})
	fmt.Println(xs, err)
	// Output: [(1+0i) (2+0i) (3+0i) (4+0i)] <nil>
}

func ExamplePlan_InverseOn() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex64](dev, 2))
	defer p.Close()
	q, ys, xs := dev.DefaultQueue(), buffer[complex64](dev, 3, -1), buffer(dev, make([]complex64, 2)...)
	if _, err := p.InverseOn(q, ys, xs); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [(1+0i) (2+0i)]
}

// The memory between the launches of a long transform may be the caller's.
func ExamplePlan_ScratchBytes() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewPlan[complex64](dev, 1<<16))
	defer p.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, make([]complex64, 1<<16)...)
	memory := must(runtime.NewBuffer[byte](dev, p.ScratchBytes(1)))
	_, err := p.ForwardOn(q, xs, xs, prim.Scratch(memory.All()))
	fmt.Println(memory.Len(), err)
	// Output: 524288 <nil>
}

// Of the transform of real numbers, the elements after the middle are left out: here one of four.
func ExampleNewRealPlan() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewRealPlan[float32, complex64](dev, 4))
	defer p.Close()
	ys, err := p.Forward(context.Background(), []float32{1, 0, 3, 1})
	fmt.Println(ys, err)
	// Output: [(5+0i) (-2+1i) (3-0i)] <nil>
}

func ExampleRealPlan_Forward() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewRealPlan[float64, complex128](dev, 3))
	defer p.Close()
	ys, err := p.Forward(context.Background(), []float64{2, 2, 2})
	fmt.Println(ys, err)
	// Output: [(6+0i) (0+0i)] <nil>
}

func ExampleRealPlan_ForwardOn() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewRealPlan[float32, complex64](dev, 2, 2))
	defer p.Close()
	q, xs, ys := dev.DefaultQueue(), buffer[float32](dev, 1, 2, 3, 4), buffer(dev, make([]complex64, 4)...)
	if _, err := p.ForwardOn(q, xs, ys); err != nil {
		log.Fatal(err)
	}
	show(q, ys)
	// Output: [(10+0i) (-2-0i) (-4+0i) (0+0i)]
}

func ExampleRealPlan_Inverse() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewRealPlan[float32, complex64](dev, 4))
	defer p.Close()
	xs, err := p.Inverse(context.Background(), []complex64{5, -2 + 1i, 3})
	fmt.Println(xs, err)
	// Output: [1 0 3 1] <nil>
}

func ExampleRealPlan_InverseOn() {
	dev := device()
	defer dev.Close()
	p := must(fft.NewRealPlan[float32, complex64](dev, 2))
	defer p.Close()
	q, ys, xs := dev.DefaultQueue(), buffer[complex64](dev, 3, -1), buffer[float32](dev, 0, 0)
	if _, err := p.InverseOn(q, ys, xs); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [1 2]
}
