package hist_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/hist"
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

// How often each byte is in a text.
func ExampleByKey() {
	dev := device()
	defer dev.Close()
	counts, err := hist.ByKey(context.Background(), dev, []byte("kernels"), 256)
	fmt.Println(counts['e'], counts['k'], counts['z'], err)
	// Output: 2 1 0 <nil>
}

// As many elements as another function has left.
func ExampleByKeyOn() {
	dev := device()
	defer dev.Close()
	q, keys, n := dev.DefaultQueue(), buffer(dev, 0, 2, 2, 9, -1, 2), buffer(dev, int64(5))
	counts := buffer[int64](dev, 0, 0, 0)
	if _, err := hist.ByKeyOn(q, keys, counts, prim.Length(n)); err != nil {
		log.Fatal(err)
	}
	show(q, counts)
	// Output: [1 0 2]
}

func ExampleEven() {
	dev := device()
	defer dev.Close()
	fmt.Println(hist.Even(context.Background(), dev, []float32{0, 0.1, 0.3, 0.5, 1}, 0, 1, 4))
	// Output: [2 1 1 0] <nil>
}

func ExampleEvenOn() {
	dev := device()
	defer dev.Close()
	q, xs, counts := dev.DefaultQueue(), buffer(dev, -3, 0, 4, 5, 9), buffer[int64](dev, 0, 0)
	if _, err := hist.EvenOn(q, xs, 0, 10, counts); err != nil {
		log.Fatal(err)
	}
	show(q, counts)
	// Output: [2 2]
}

// The bins are 0 to 9, 10 to 99, and 100 to 999.
func ExampleEdges() {
	dev := device()
	defer dev.Close()
	fmt.Println(hist.Edges(context.Background(), dev, []int{7, 10, 12, 99, 5000}, []int{0, 10, 100, 1000}))
	// Output: [1 3 0] <nil>
}

func ExampleEdgesOn() {
	dev := device()
	defer dev.Close()
	q, xs, edges := dev.DefaultQueue(), buffer[float32](dev, 1, 2, 3, 4), buffer[float32](dev, 0, 1.5, 10)
	counts := buffer[int64](dev, 0, 0)
	if _, err := hist.EdgesOn(q, xs, edges, counts); err != nil {
		log.Fatal(err)
	}
	show(q, counts)
	// Output: [1 3]
}
