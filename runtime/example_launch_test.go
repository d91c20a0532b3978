package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/abi"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// A work-item for each element.
func ExampleRange1() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, y := []float32{1, 2, 3}, make([]float32, 3)
	err = modelgen.RunSAXPY(ctx, dev, model.SAXPY{A: 2, X: x, Y: y}, runtime.Range1(len(y)))
	fmt.Println(y, err)
	// Output: [2 4 6] <nil>
}

// Two rows of three columns.
func ExampleRange2() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	out := make([]int, 6)
	err = modelgen.RunIndex2(ctx, dev, model.Index2{Out: out}, runtime.Range2{2, 3})
	fmt.Println(out, err)
	// Output: [1 2 3 4 5 6] <nil>
}

// Two layers of one row of four columns.
func ExampleRange3() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	out := make([]int, 8)
	err = modelgen.RunIndex3(ctx, dev, model.Index3{Out: out}, runtime.Range3{2, 1, 4})
	fmt.Println(out, err)
	// Output: [1 2 3 4 5 6 7 8] <nil>
}

// Work-groups of 16, as the kernel states. Another size is an error.
func ExampleNDRange1() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := make([]int32, 32)
	for i := range x {
		x[i] = int32(i)
	}
	err = modelgen.RunReverse(ctx, dev, model.Reverse{X: x}, runtime.NDRange1{Global: 32, Local: 16})
	fmt.Println(x[0], x[15], x[16], x[31], err)

	err = modelgen.RunReverse(ctx, dev, model.Reverse{X: x}, runtime.NDRange1{Global: 32, Local: 8})
	fmt.Println(errors.Is(err, runtime.ErrNDRange))
	// Output:
	// 15 0 31 16 <nil>
	// true
}

// Tiles of eight by eight.
func ExampleNDRange2() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := make([]float32, 16*16), make([]float32, 16*16)
	in[3*16+12] = 1
	r := runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{8, 8}}
	err = modelgen.RunTranspose2(ctx, dev, model.Transpose2{N: 16, In: in, Out: out}, r)
	fmt.Println(out[12*16+3], err)
	// Output: 1 <nil>
}

// Two work-groups, each of a row of three.
func ExampleNDRange3() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	out := make([]int, 6)
	r := runtime.NDRange3{Global: runtime.Range3{1, 2, 3}, Local: runtime.Range3{1, 1, 3}}
	err = modelgen.RunLocal3(ctx, dev, model.Local3{Out: out}, r)
	fmt.Println(out, err)
	// Output: [1 2 3 1 2 3] <nil>
}

// A kernel that is known as a value is launched over any range; what the types of its
// stub would make impossible is an error.
func ExampleLaunchKernel() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	saxpy := modelgen.Kernels()[6]
	args := []any{float32(2), x.All(), x.All()}
	for _, r := range []runtime.Range{runtime.Range1(3), runtime.Range2{1, 3}} {
		ev, err := runtime.LaunchKernel(q, saxpy, r, args)
		if errors.Is(err, runtime.ErrNDRange) {
			fmt.Println(saxpy.Name(), "does not run over two dimensions")
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := ev.Wait(ctx); err != nil {
			log.Fatal(err)
		}
	}
	out := make([]float32, 3)
	err = x.CopyTo(ctx, q, out)
	fmt.Println(out, err)
	// Output:
	// model.SAXPY does not run over two dimensions
	// [3 6 9] <nil>
}

// A range is a value, too.
func ExampleRange() {
	rangeOf := func(shape ...int) runtime.Range {
		switch len(shape) {
		case 1:
			return runtime.Range1(shape[0])
		case 2:
			return runtime.Range2{shape[0], shape[1]}
		case 3:
			return runtime.Range3{shape[0], shape[1], shape[2]}
		}
		return nil // a task
	}
	fmt.Println(rangeOf(), rangeOf(5), rangeOf(2, 3))
	// Output: <nil> 5 [2 3]
}

// What a kernel states, and what it needs of a device.
func ExampleKernel() {
	for _, k := range modelgen.Kernels() {
		if k.Properties().Has(properties.KeyWorkGroupSize) || len(k.Aspects()) > 0 {
			fmt.Println(k.Name(), k.Properties(), k.Aspects())
		}
	}
	// Output:
	// model.Reverse [WorkGroupSize(16)] []
	// model.Sum [] [int64]
}

// How a kernel runs on each device. None is opened.
func ExampleFit() {
	for _, info := range runtime.Devices() {
		if info.Backend != "host" {
			continue
		}
		f := info.Fit(filtergen.Kernels()[0])
		if f.Err != nil {
			fmt.Println(f.Kernel, "does not run:", f.Err)
		} else {
			fmt.Println(f.Kernel, "runs as", f.Variant)
		}
	}
	// Output: filter.Median runs as host
}

// Work-groups of a size for one launch, which waits for another one.
func ExampleLaunchOption() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q, other := dev.DefaultQueue(), dev.NewQueue()

	x, err := runtime.NewBuffer[float32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := runtime.NewBuffer[float32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	first, err := modelgen.SAXPY{A: 2, X: x.All(), Y: x.All()}.ParallelFor(q, 64)
	if err != nil {
		log.Fatal(err)
	}
	second, err := modelgen.SAXPY{A: 2, X: y.All(), Y: y.All()}.ParallelFor(other, 64,
		runtime.DependsOn(first), runtime.With(properties.WorkGroupSize(32)))
	if err != nil {
		log.Fatal(err)
	}
	err = second.Wait(ctx)
	fmt.Println(first.Done(), second.LocalRange(), err)
	// Output: true [32] <nil>
}

// A launch ends with its context.
func ExampleWithContext() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ev, err := modelgen.SAXPY{A: 2, X: x.All(), Y: x.All()}.ParallelFor(dev.DefaultQueue(), 64, runtime.WithContext(ctx))
	if err == nil {
		err = ev.Wait(context.Background())
	}
	fmt.Println(errors.Is(err, runtime.ErrCanceled), errors.Is(err, context.Canceled))
	// Output: true true
}

// Launches on a queue are waited for together.
func ExampleQueue() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.NewQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	for range 3 {
		if _, err := (modelgen.SAXPY{A: 1, X: x.All(), Y: x.All()}).ParallelFor(q, 4); err != nil {
			log.Fatal(err)
		}
	}
	q.Flush() // the device begins, while the program does something else
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 4)
	err = x.CopyTo(ctx, q, out)
	fmt.Println(out, err)
	// Output: [8 16 24 32] <nil>
}

// A picture of 50 rows and 70 columns takes 4 by 5 work-groups of 16 by 16 work-items. Those past
// its edges have nothing to do: kernels compare their ids with the size of the picture.
func ExampleNDRange2_RoundUp() {
	r := runtime.NDRange2{Global: runtime.Range2{50, 70}, Local: runtime.Range2{16, 16}}.RoundUp()
	fmt.Println(r.Global)
	// Output: [64 80]
}

// Errors say which kernel they are about, what is wrong, and what to do.
func ExampleError() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := make([]int32, 15)
	err = modelgen.RunReverse(context.Background(), dev, model.Reverse{X: x}, runtime.NDRange1{Global: 15, Local: 16})
	var e *runtime.Error
	if errors.As(err, &e) {
		fmt.Println(e.Class == runtime.ErrNDRange, e.Kernel)
		fmt.Println(e.Problem)
	}
	// Output:
	// true model.Reverse
	// the range [15] is no multiple of the work-group size [16]
}

// A kind of fault prints the words of gc, and may be compared.
func ExampleFaultKind() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := model.Trap{Mode: 10, At: 2, X: make([]int, 4)}
	err = modelgen.RunTrap(context.Background(), dev, k, 4)
	var fault *runtime.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Kind == abi.FaultDivide, fault.Kind)
	}
	// Output: true integer divide by zero
}

// A device that ends long loops says so; the host device can take over.
func ExampleLoopError() {
	again := func(err error) bool {
		var loop *runtime.LoopError
		if !errors.As(err, &loop) {
			return false
		}
		fmt.Printf("%s: %s ends the loop at %s\n", loop.Kernel, loop.Device, loop.Pos)
		return true
	}
	fmt.Println(again(&runtime.LoopError{Kernel: "search.Find", Pos: "search/kernel.go:18:2", Number: 1, Device: "llvmpipe"}))
	// Output:
	// search.Find: llvmpipe ends the loop at search/kernel.go:18:2
	// true
}
