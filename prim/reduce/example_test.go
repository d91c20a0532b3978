package reduce_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
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

// buffers returns a queue, a view of the elements, and one for a result.
func buffers[R, T any](xs ...T) (*runtime.Queue, runtime.View[T], runtime.View[R]) {
	dev := device()
	return dev.DefaultQueue(), must(runtime.BufferOf(dev, xs)).All(), must(runtime.NewBuffer[R](dev, 2)).All()
}

// buffer returns a view of the elements.
func buffer[T any](q *runtime.Queue, xs ...T) runtime.View[T] {
	return must(runtime.BufferOf(q.Device(), xs)).All()
}

// show prints the first n elements of a view.
func show[T any](q *runtime.Queue, v runtime.View[T], n int) {
	s := make([]T, n)
	if err := v.Slice(0, n).CopyTo(context.Background(), q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
}

func ExampleSum() {
	dev := device()
	defer dev.Close()
	sum, err := reduce.Sum(context.Background(), dev, []float32{0.5, 1, 2})
	fmt.Println(sum, err)
	// Output: 3.5 <nil>
}

func ExampleSumOn() {
	q, v, out := buffers[int32, int32](1, 2, 3)
	if _, err := reduce.SumOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [6]
}

// The number of elements comes from the device: nobody waits for it.
func ExampleSumOn_length() {
	q, v, out := buffers[int64, int64](1, 2, 3, 4)
	if _, err := reduce.CountOn(q, v.Slice(0, 3), out.Slice(0, 1)); err != nil {
		log.Fatal(err)
	}
	if _, err := reduce.SumOn(q, v, out.Slice(1, 2), prim.Length(out.Slice(0, 1))); err != nil {
		log.Fatal(err)
	}
	show(q, out, 2)
	// Output: [3 6]
}

// The memory that a function needs may be the caller's.
func ExampleScratchBytes() {
	q, v, out := buffers[int64, int64](1, 2, 3, 4)
	memory := must(runtime.NewBuffer[byte](q.Device(), reduce.ScratchBytes[int64](v.Len())))
	if _, err := reduce.SumOn(q, v, out, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [10]
}

func ExampleDot() {
	dev := device()
	defer dev.Close()
	product, err := reduce.Dot(context.Background(), dev, []int{1, 2, 3}, []int{4, 5, 6})
	fmt.Println(product, err)
	// Output: 32 <nil>
}

func ExampleDotOn() {
	q, v, out := buffers[float32, float32](1, 2, 3)
	if _, err := reduce.DotOn(q, v, v, out, prim.Launch(runtime.WithContext(context.Background()))); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [14]
}

func ExampleNorm() {
	dev := device()
	defer dev.Close()
	norm, err := reduce.Norm(context.Background(), dev, []float64{3, -4})
	fmt.Println(norm, err)
	// Output: 5 <nil>
}

func ExampleNormOn() {
	q, v, out := buffers[float32, float32](1, 2, 2)
	if _, err := reduce.NormOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [3]
}

// The rain of each day.
func ExampleByKey() {
	dev := device()
	defer dev.Close()
	days, rain := []int{1, 1, 2, 5, 5}, []float32{1, 2, 5, 0, 3}
	fmt.Println(reduce.ByKey(context.Background(), dev, days, rain))
	// Output: [1 2 5] [3 5 3] <nil>
}

func ExampleByKeyOn() {
	q, keys, count := buffers[int64, int64](7, 7, 9)
	each, sums := buffer[int64](q, 0, 0, 0), buffer(q, 0, 0, 0)
	if _, err := reduce.ByKeyOn(q, keys, buffer(q, 1, 2, 4), each, sums, count); err != nil {
		log.Fatal(err)
	}
	show(q, sums, 3)
	show(q, count, 1)
	// Output:
	// [3 4 0]
	// [2]
}

func ExampleByKeyScratchBytes() {
	q, keys, count := buffers[int64, int64](7, 7, 9)
	each, sums := buffer[int64](q, 0, 0, 0), buffer(q, 0, 0, 0)
	memory := must(runtime.NewBuffer[byte](q.Device(), reduce.ByKeyScratchBytes(keys.Len())))
	if _, err := reduce.ByKeyOn(q, keys, buffer(q, 1, 2, 4), each, sums, count, prim.Scratch(memory.All())); err != nil {
		log.Fatal(err)
	}
	show(q, each, 3)
	// Output: [7 9 0]
}

func ExampleMin() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.Min(context.Background(), dev, []float32{3, -1, 2}))
	fmt.Println(reduce.Min(context.Background(), dev, []float64{3, math.NaN(), 2}))
	// Output:
	// -1 <nil>
	// NaN <nil>
}

func ExampleMinOn() {
	q, v, out := buffers[uint8, uint8](3, 1, 2)
	if _, err := reduce.MinOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [1]
}

func ExampleMax() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.Max(context.Background(), dev, []int16{3, -1, 2}))
	// Output: 3 <nil>
}

func ExampleMaxOn() {
	q, v, out := buffers[int64, int64](3, -1, 2)
	if _, err := reduce.MaxOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [3]
}

func ExampleMinMax() {
	dev := device()
	defer dev.Close()
	least, greatest, err := reduce.MinMax(context.Background(), dev, []int{3, -1, 2})
	fmt.Println(least, greatest, err)
	// Output: -1 3 <nil>
}

func ExampleMinMaxOn() {
	q, v, out := buffers[float32, float32](3, -1, 2)
	if _, err := reduce.MinMaxOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 2)
	// Output: [-1 3]
}

func ExampleArgMin() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.ArgMin(context.Background(), dev, []int{3, 1, 2, 1}))
	// Output: 1 <nil>
}

func ExampleArgMinOn() {
	q, v, out := buffers[int64, float32](3, 1, 2, 1)
	if _, err := reduce.ArgMinOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [1]
}

func ExampleArgMax() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.ArgMax(context.Background(), dev, []int{3, 1, 3, 1}))
	// Output: 0 <nil>
}

func ExampleArgMaxOn() {
	q, v, out := buffers[int64, int8](-3, 1, 2, 1)
	if _, err := reduce.ArgMaxOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [2]
}

func ExampleCount() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.Count(context.Background(), dev, []bool{true, false, true}))
	// Output: 2 <nil>
}

func ExampleCountOn() {
	q, v, out := buffers[int64, float32](0, 0.5, 0)
	if _, err := reduce.CountOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [1]
}

func ExampleAny() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.Any(context.Background(), dev, []bool{false, true}))
	// Output: true <nil>
}

func ExampleAnyOn() {
	q, v, out := buffers[bool, int32](0, 0)
	if _, err := reduce.AnyOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [false]
}

func ExampleAll() {
	dev := device()
	defer dev.Close()
	fmt.Println(reduce.All(context.Background(), dev, []bool{}))
	// Output: true <nil>
}

func ExampleAllOn() {
	q, v, out := buffers[bool, int32](1, 0)
	if _, err := reduce.AllOn(q, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [false]
}

// The operation and its kernel are in a package of kernels:
//
//	type Square struct{ From float32 }
//
//	func (s Square) Map(x float32) float32 { return (x - s.From) * (x - s.From) }
//
//	func (Square) Combine(x, y float32) float32 { return x + y }
//
//	func (Square) Identity() float32 { return 0 }
//
//	type SumSquares = kernels.Reduce[float32, float32, Square]
func ExampleBy() {
	q, v, out := buffers[float32, float32](1, 2, 3)
	if _, err := reduce.By[opsgen.SumSquares](q, ops.Square{From: 2}, v, out); err != nil {
		log.Fatal(err)
	}
	show(q, out, 1)
	// Output: [2]
}
