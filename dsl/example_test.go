package dsl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/runtime"
)

// A kernel is a struct type whose Kernel method takes an item:
//
//	type SAXPY struct {
//		A    float32
//		X, Y []float32
//	}
//
//	func (k SAXPY) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.Y[i] += k.A * k.X[i]
//	}
//
// kgen writes a stub for it that runs it on a range of work-items.
func Example() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, y := []float32{1, 2, 3}, []float32{10, 20, 30, 40}
	k := saxpy.SAXPY{A: 2, X: x, Y: y}
	if err := saxpygen.RunSAXPY(context.Background(), dev, k, runtime.Range1(len(x))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)

	// A panic in a kernel is an error with the place and the work-item.
	err = saxpygen.RunSAXPY(context.Background(), dev, k, runtime.Range1(4))
	fmt.Println(err)
	// Output:
	// [12 24 36 40]
	// saxpy.SAXPY: examples/quickstart/saxpy/kernel.go:25:21: index out of range [3] with length 3 (work-item [3])
}
