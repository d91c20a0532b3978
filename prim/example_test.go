package prim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

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

// How many elements are added up is a number that another function leaves on the device.
func ExampleLength() {
	dev := must(runtime.Open(runtime.Select("host")))
	defer dev.Close()
	q, xs, flags := dev.DefaultQueue(), buffer(dev, 1, 2, 3, 4), buffer(dev, true, false, true, true)
	some, count, sum := buffer(dev, 0, 0, 0, 0), buffer[int64](dev, 0), buffer(dev, 0)
	must(pick.FlaggedOn(q, xs, flags, some, count))
	must(reduce.SumOn(q, some, sum, prim.Length(count)))
	show(q, sum)
	// Output: [8]
}

// Memory of the caller's serves one call after the other.
func ExampleScratch() {
	dev := must(runtime.Open(runtime.Select("host")))
	defer dev.Close()
	q, xs, sum := dev.DefaultQueue(), buffer(dev, make([]float32, 10000)...), buffer[float32](dev, 0)
	memory := must(runtime.NewBuffer[byte](dev, reduce.ScratchBytes[float32](xs.Len()))).All()
	must(move.IotaOn(q, xs, 1, 0))
	must(reduce.SumOn(q, xs, sum, prim.Scratch(memory)))
	must(reduce.NormOn(q, xs, sum, prim.Scratch(memory)))
	show(q, sum)
	// Output: [100]
}

// A call that ends with a context.
func ExampleLaunch() {
	dev := must(runtime.Open(runtime.Select("host")))
	defer dev.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q, xs, sum := dev.DefaultQueue(), buffer(dev, 1, 2, 3), buffer(dev, 0)
	must(reduce.SumOn(q, xs, sum, prim.Launch(runtime.WithContext(ctx))))
	show(q, sum)
	// Output: [6]
}

// Where no two elements have the same place, Scatter needs no order.
func ExampleUnordered() {
	dev := must(runtime.Open(runtime.Select("host")))
	defer dev.Close()
	q, xs, at, out := dev.DefaultQueue(), buffer(dev, 10, 20, 30), buffer[int64](dev, 2, 0, 1), buffer(dev, 0, 0, 0)
	must(move.ScatterOn(q, xs, at, out, prim.Unordered()))
	show(q, out)
	// Output: [20 30 10]
}
