package sort_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/sort"
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

func ExampleKeys() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.Keys(context.Background(), dev, []float32{2, -1, 0.5}))
	// Output: [-1 0.5 2] <nil>
}

func ExampleKeysOn() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, 3, 1, 2, 9)
	if _, err := sort.KeysOn(q, xs, xs, prim.Length(buffer(dev, int64(3)))); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [1 2 3 9]
}

func ExampleDescending() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.Keys(context.Background(), dev, []int8{2, -1, 5}, sort.Descending()))
	// Output: [5 2 -1] <nil>
}

// The elements are sorted by their last hexadecimal digit; those with the same one keep their order.
func ExampleBits() {
	dev := device()
	defer dev.Close()
	xs := must(sort.Keys(context.Background(), dev, []uint16{0x31, 0x20, 0x11, 0x10}, sort.Bits(0, 4)))
	fmt.Printf("%x\n", xs)
	// Output: [20 10 31 11]
}

func ExamplePairs() {
	dev := device()
	defer dev.Close()
	ages, ids := []uint8{52, 31, 40}, []int64{1001, 1002, 1003}
	fmt.Println(sort.Pairs(context.Background(), dev, ages, ids))
	// Output: [31 40 52] [1002 1003 1001] <nil>
}

func ExamplePairsOn() {
	dev := device()
	defer dev.Close()
	q := dev.DefaultQueue()
	keys, values := buffer[float32](dev, 2, 1), buffer(dev, [2]int32{1, 2}, [2]int32{3, 4})
	toKeys, toValues := buffer[float32](dev, 0, 0), buffer(dev, [2]int32{}, [2]int32{})
	if _, err := sort.PairsOn(q, keys, values, toKeys, toValues); err != nil {
		log.Fatal(err)
	}
	show(q, toKeys)
	show(q, toValues)
	// Output:
	// [1 2]
	// [[3 4] [1 2]]
}

func ExampleIsSorted() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.IsSorted(context.Background(), dev, []int{1, 2, 2, 5}))
	// Output: true <nil>
}

func ExampleIsSortedOn() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer(dev, true)
	if _, err := sort.IsSortedOn(q, buffer(dev, 1, 2, 2, 5), out, sort.Descending()); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [false]
}

func ExampleSearch() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.Search(context.Background(), dev, []int{10, 20, 20, 30}, []int{5, 20, 25, 31}))
	// Output: [0 1 3 4] <nil>
}

func ExampleSearchOn() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer[int64](dev, 0, 0)
	if _, err := sort.SearchOn(q, buffer(dev, 10, 20, 30), buffer(dev, 15, 30), out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 2]
}

func ExampleMerge() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.Merge(context.Background(), dev, []int{1, 4, 9}, []int{2, 3, 10}))
	// Output: [1 2 3 4 9 10] <nil>
}

func ExampleMergeOn() {
	dev := device()
	defer dev.Close()
	q, out := dev.DefaultQueue(), buffer(dev, 0, 0, 0)
	if _, err := sort.MergeOn(q, buffer(dev, 1, 4), buffer(dev, 2), out); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	// Output: [1 2 4]
}

func ExampleScratchBytes() {
	dev := device()
	defer dev.Close()
	q, xs := dev.DefaultQueue(), buffer(dev, 3, 1, 2)
	memory := must(runtime.NewBuffer[byte](dev, sort.ScratchBytes[int](xs.Len())))
	if _, err := sort.KeysOn(q, xs, xs, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, xs)
	// Output: [1 2 3]
}

func ExampleTopK() {
	dev := device()
	defer dev.Close()
	fmt.Println(sort.TopK(context.Background(), dev, []float32{0.5, 3, -1, 2}, 2))
	// Output: [3 2] <nil>
}

func ExampleTopKOn() {
	dev := device()
	defer dev.Close()
	q, out, count := dev.DefaultQueue(), buffer(dev, 0, 0, 0), buffer[int64](dev, 0)
	if _, err := sort.TopKOn(q, buffer(dev, 7, 9), out, count); err != nil {
		log.Fatal(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [9 7 0]
	// [2]
}
