package scan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/scan"
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

func ExampleInclusive() {
	dev := device()
	defer dev.Close()
	fmt.Println(scan.Inclusive(context.Background(), dev, []int{1, 2, 3, 4}))
	// Output: [1 3 6 10] <nil>
}

func ExampleInclusiveOn() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer[float32](dev, 0.5, 1, 2, 4), buffer[float32](dev, 0, 0, 0, 0)
	if _, err := scan.InclusiveOn(q, xs, out, prim.Length(buffer(dev, int64(3)))); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [0.5 1.5 3.5 0]
}

// Each row of a ragged table begins where those before it end.
func ExampleExclusive() {
	dev := device()
	defer dev.Close()
	lengths := []int32{3, 0, 2, 5}
	fmt.Println(scan.Exclusive(context.Background(), dev, lengths))
	// Output: [0 3 3 5] <nil>
}

func ExampleExclusiveOn() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer[uint32](dev, 7, 7, 7), buffer[uint32](dev, 0, 0, 0)
	if _, err := scan.ExclusiveOn(q, xs, out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [0 7 14]
}

// The squares of differences from 1, added up.
func ExampleBy() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer[float32](dev, 0, 3, 1, 2), buffer[float32](dev, 0, 0, 0, 0)
	if _, err := scan.By[opsgen.Distances](q, ops.Square{From: 1}, xs, out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 5 5 6]
}

func ExampleExclusiveBy() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer[float32](dev, 0, 3, 1, 2), buffer[float32](dev, 0, 0, 0, 0)
	if _, err := scan.ExclusiveBy[opsgen.Distances](q, ops.Square{From: 1}, xs, out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [0 1 5 5]
}

func ExampleByKey() {
	dev := device()
	defer dev.Close()
	days, rain := []int{1, 1, 2}, []float32{1, 2, 5}
	fmt.Println(scan.ByKey(context.Background(), dev, days, rain))
	// Output: [1 3 5] <nil>
}

func ExampleByKeyOn() {
	dev := device()
	defer dev.Close()
	q, keys, xs, out := dev.DefaultQueue(), buffer[uint8](dev, 7, 7, 7, 1), buffer(dev, 1, 2, 3, 4), buffer(dev, 0, 0, 0, 0)
	if _, err := scan.ByKeyOn(q, keys, xs, out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 3 6 4]
}

// The number of each element in its run.
func ExampleExclusiveByKey() {
	dev := device()
	defer dev.Close()
	fmt.Println(scan.ExclusiveByKey(context.Background(), dev, []byte("aabccc"), []int{1, 1, 1, 1, 1, 1}))
	// Output: [0 1 0 0 1 2] <nil>
}

func ExampleExclusiveByKeyOn() {
	dev := device()
	defer dev.Close()
	q, keys, xs, out := dev.DefaultQueue(), buffer[uint8](dev, 7, 7, 7, 1), buffer(dev, 1, 2, 3, 4), buffer(dev, 0, 0, 0, 0)
	if _, err := scan.ExclusiveByKeyOn(q, keys, xs, out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [0 1 3 0]
}

func ExampleByKeyScratchBytes() {
	dev := device()
	defer dev.Close()
	q, keys, xs, out := dev.DefaultQueue(), buffer(dev, 1, 1, 2), buffer(dev, 1, 2, 3), buffer(dev, 0, 0, 0)
	memory := must(runtime.NewBuffer[byte](dev, scan.ByKeyScratchBytes(xs.Len())))
	if _, err := scan.ByKeyOn(q, keys, xs, out, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 3 3]
}

func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer(dev, 1, 2, 3), buffer(dev, 0, 0, 0)
	memory := must(runtime.NewBuffer[byte](dev, scan.ScratchBytes[int](xs.Len())))
	if _, err := scan.InclusiveOn(q, xs, out, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 3 6]
}
