package pick_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/pick"
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

// show prints views.
func show[T any](q *runtime.Queue, views ...runtime.View[T]) {
	for _, v := range views {
		s := make([]T, v.Len())
		if err := v.CopyTo(context.Background(), q, s); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s)
	}
}

func ExampleFlagged() {
	dev := device()
	defer dev.Close()
	points := [][2]float32{{0, 1}, {2, 3}, {4, 5}}
	fmt.Println(pick.Flagged(context.Background(), dev, points, []bool{true, false, true}))
	// Output: [[0 1] [4 5]] <nil>
}

func ExampleFlaggedOn() {
	dev := device()
	defer dev.Close()
	q, xs, flags := dev.DefaultQueue(), buffer(dev, 10, 11, 12, 13), buffer(dev, false, true, false, true)
	out, count := buffer(dev, 0, 0, 0, 0), buffer(dev, int64(0))
	if _, err := pick.FlaggedOn(q, xs, flags, out, count); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [11 13 0 0]
	// [2]
}

// The numbers above 2.
func ExampleWhere() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer[float32](dev, 3, 1, 2.5, 2)
	out, count := buffer[float32](dev, 0, 0, 0, 0), buffer(dev, int64(0))
	if _, err := pick.Where[opsgen.Above](q, ops.Greater{Than: 2}, xs, out, count); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [3 2.5 0 0]
	// [2]
}

// The numbers above 2, and then the others.
func ExamplePartition() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer[float32](dev, 3, 1, 2.5, 2)
	out, count := buffer[float32](dev, 0, 0, 0, 0), buffer(dev, int64(0))
	if _, err := pick.Partition[opsgen.Split](q, ops.Greater{Than: 2}, xs, out, count); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [3 2.5 1 2]
	// [2]
}

func ExampleUnique() {
	dev := device()
	defer dev.Close()
	fmt.Println(pick.Unique(context.Background(), dev, []int{1, 1, 2, 1, 1, 1, 3}))
	// Output: [1 2 1 3] <nil>
}

// As many elements as another function has left.
func ExampleUniqueOn() {
	dev := device()
	defer dev.Close()
	q, xs, n := dev.DefaultQueue(), buffer(dev, 5, 5, 6, 7), buffer(dev, int64(3))
	out, count := buffer(dev, 0, 0, 0, 0), buffer(dev, int64(0))
	if _, err := pick.UniqueOn(q, xs, out, count, prim.Length(n)); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [5 6 0 0]
	// [2]
}

func ExampleRunLengths() {
	dev := device()
	defer dev.Close()
	values, lengths, err := pick.RunLengths(context.Background(), dev, []byte("aaabcc"))
	fmt.Printf("%s %v %v\n", values, lengths, err)
	// Output: abc [3 1 2] <nil>
}

func ExampleRunLengthsOn() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer(dev, 5, 5, 6), buffer(dev, 0, 0, 0)
	lengths, count := buffer[int64](dev, 0, 0, 0), buffer(dev, int64(0))
	if _, err := pick.RunLengthsOn(q, xs, out, lengths, count); err != nil {
		log.Fatal(err)
	}
	show(q, lengths, count)
	// Output:
	// [2 1 0]
	// [2]
}

func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	q, xs, out, count := dev.DefaultQueue(), buffer(dev, 1, 1, 2), buffer(dev, 0, 0, 0), buffer(dev, int64(0))
	memory := must(runtime.NewBuffer[byte](dev, pick.ScratchBytes(xs.Len())))
	if _, err := pick.UniqueOn(q, xs, out, count, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 2 0]
}
