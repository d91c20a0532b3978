package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kgen-go/kgen/examples/median/filter"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints/printsgen"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// The simplest form: slices of the program in and out.
func Example() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	err = modelgen.RunSAXPY(context.Background(), dev, model.SAXPY{A: 2, X: x, Y: y}, runtime.Range1(len(y)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [12 24 36]
}

// On buffers, whose memory stays on the device: the method Run of a generated type launches the
// kernel on views, and waits. ParallelFor does the same without waiting.
func Example_buffers() {
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

	k := modelgen.SAXPY{A: 2, X: x.All(), Y: x.All()} // triples
	if err := k.Run(ctx, q, runtime.Range1(x.Len())); err != nil {
		log.Fatal(err)
	}
	y := make([]float32, x.Len())
	err = x.CopyTo(ctx, q, y)
	fmt.Println(y, err)
	// Output: [3 6 9] <nil>
}

// Kernels print by package fmt; the text is written before Run returns. The kernel is
//
//	func (k Many) Kernel(it dsl.Item1) {
//		for j := range k.Lines {
//			fmt.Println("item", it.GlobalID(), "line", j)
//		}
//	}
func ExamplePrintTo() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	err = printsgen.RunMany(context.Background(), dev, prints.Many{Lines: 2}, 1,
		runtime.PrintTo(os.Stdout), runtime.PrintBuffer(1<<16))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// item 0 line 0
	// item 0 line 1
}

// Buffers keep data on the device between launches. The second launch reads what
// the first writes, so it waits for it.
func ExampleBuffer() {
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
	y, err := runtime.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	for range 2 {
		if _, err := (modelgen.SAXPY{A: 2, X: x.All(), Y: y.All()}).ParallelFor(q, runtime.Range1(y.Len())); err != nil {
			log.Fatal(err)
		}
	}
	out := make([]float32, 3)
	if err := y.CopyTo(ctx, q, out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [4 8 12]
}

// What panics in Go is an error of the launch.
func ExampleFault() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	short := make([]float32, 3)
	err = modelgen.RunSAXPY(context.Background(), dev, model.SAXPY{X: short, Y: short}, 4)
	var fault *runtime.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Kind, fault.GlobalID)
	}
	fmt.Println(err)
	// Output:
	// index out of range [3]
	// model.SAXPY: runtime/internal/model/model.go:19:2: index out of range [3] with length 3 (work-item [3])
}

// A program has values of specialization constants for all its launches; a launch
// may have one of its own instead.
func ExampleSetSpec() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := runtime.NewProgram(dev, filtergen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	window, err := runtime.SetSpec(p, filter.Window, 5)
	if err != nil {
		log.Fatal(err)
	}
	exe, err := p.Build()
	if err != nil {
		log.Fatal(err)
	}
	in, out := []float32{1, 9, 2, 8, 3, 7, 4}, make([]float32, 7)
	r := runtime.Range2{1, len(in)}
	err = filtergen.RunMedian(ctx, dev, filter.Median{In: in, Out: out}, r, runtime.WithProgram(exe))
	fmt.Println(window.Get(), out, err)

	err = filtergen.RunMedian(ctx, dev, filter.Median{In: in, Out: out}, r, runtime.WithSpec(filter.Window, 3))
	fmt.Println(3, out, err)

	_, err = runtime.SetSpec(p, filter.Window, 7)
	fmt.Println(errors.Is(err, runtime.ErrSpecConst))
	// Output:
	// 5 [1 2 3 7 4 4 4] <nil>
	// 3 [1 2 8 3 7 4 4] <nil>
	// true
}

// Profiling tells when a launch ran on the device, on the clock of package time.
func ExampleEvent_Profile() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"), runtime.Profiling())
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	ev, err := modelgen.SAXPY{A: 2, X: x.All(), Y: x.All()}.ParallelFor(dev.DefaultQueue(), 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	if err := ev.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	p, err := ev.Profile()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Duration() > 0, p.Queued.Before(p.End), time.Since(p.End) > 0)
	// Output: true true true
}

// A trace is JSON for https://ui.perfetto.dev. It is complete when the device is closed.
func ExampleTrace() {
	var trace bytes.Buffer
	dev, err := runtime.Open(runtime.Select("host"), runtime.Trace(&trace))
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	if err := modelgen.RunSAXPY(context.Background(), dev, model.SAXPY{A: 2, X: x, Y: y}, 3); err != nil {
		log.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		log.Fatal(err)
	}
	var events []struct {
		Name, Cat string
		Args      map[string]any
	}
	if err := json.Unmarshal(trace.Bytes(), &events); err != nil {
		log.Fatal(err)
	}
	for _, e := range events {
		if e.Cat == "kernel" {
			fmt.Println(e.Name, e.Args["range"])
		}
	}
	// Output: model.SAXPY [3]
}

// What runs where, without opening a device.
func ExampleDeviceInfo_Fit() {
	for _, info := range runtime.Devices() {
		for _, k := range filtergen.Kernels() {
			if f := info.Fit(k); info.Backend == "host" {
				fmt.Println(f.Kernel, f.Variant, f.Err)
			}
		}
	}
	// Output: filter.Median host <nil>
}
