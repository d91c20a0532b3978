package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// A kernel runs on a part of a buffer.
func ExampleView() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	middle := x.Slice(2, 4)
	if _, err := (modelgen.SAXPY{A: 9, X: middle, Y: middle}).ParallelFor(q, runtime.Range1(middle.Len())); err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 6)
	err = x.CopyTo(ctx, q, out)
	fmt.Println(out, err)
	// Output: [1 2 30 40 5 6] <nil>
}

// Copies and fills are values, too, which a queue does in an order that is right.
func ExampleCommand() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.NewBuffer[int32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := runtime.NewBuffer[int32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	out := make([]int32, 4)
	for _, c := range []runtime.Command{
		runtime.Fill(x.All(), 7),
		runtime.Upload(x.Slice(0, 2), []int32{1, 2}),
		runtime.Copy(y.All(), x.All()),
		runtime.Download(out, y.All()),
	} {
		if _, err := q.Enqueue(c); err != nil {
			log.Fatal(err)
		}
	}
	err = q.Wait(ctx)
	fmt.Println(out, err)
	// Output: [1 2 7 7] <nil>
}

// A function of the host between commands of a graph: it says which of the host's
// memory it uses, and waits for that alone.
func ExampleHostMemory() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	values, scaled := make([]float32, 3), make([]float32, 3)
	g := runtime.NewGraph(dev)
	for _, c := range []runtime.Command{
		runtime.Download(values, x.All()),
		runtime.HostFunc(func(ctx context.Context) error {
			for i, v := range values {
				scaled[i] = v / values[2]
			}
			return nil
		}, runtime.HostReads(values), runtime.HostWrites(scaled)),
		runtime.Upload(x.All(), scaled),
	} {
		if _, err := g.Add(c); err != nil {
			log.Fatal(err)
		}
	}
	ex, err := g.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Submit(ex); err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 3)
	err = x.CopyTo(ctx, q, out)
	fmt.Println(out, err)
	// Output: [0.25 0.5 1] <nil>
}
