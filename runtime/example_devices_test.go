package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// A copy between two devices is a command of both. Here one device's results become the other's
// arguments, and nothing waits before the end. Package shard divides arrays among devices.
func ExampleCopy_devices() {
	ctx := context.Background()
	a, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	b, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	x, err := runtime.BufferOf(a, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	y, err := runtime.NewBuffer[float32](b, 3)
	if err != nil {
		log.Fatal(err)
	}
	qa, qb := a.DefaultQueue(), b.DefaultQueue()
	if _, err := (modelgen.SAXPY{A: 1, X: x.All(), Y: x.All()}).ParallelFor(qa, 3); err != nil {
		log.Fatal(err)
	}
	if _, err := qa.Enqueue(runtime.Copy(y.All(), x.All())); err != nil {
		log.Fatal(err)
	}
	if _, err := (modelgen.SAXPY{A: 1, X: y.All(), Y: y.All()}).ParallelFor(qb, 3); err != nil {
		log.Fatal(err)
	}
	got := make([]float32, 3)
	err = y.CopyTo(ctx, qb, got)
	fmt.Println(got, err)
	// Output: [4 8 12] <nil>
}

// All commands of a queue end with one context.
func ExampleDevice_NewQueueWithin() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	ctx, cancel := context.WithCancel(context.Background())
	q := dev.NewQueueWithin(ctx)
	waits := runtime.HostFunc(func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if _, err := q.Enqueue(waits); err != nil {
		log.Fatal(err)
	}
	cancel()
	fmt.Println(q.Wait(context.Background()) != nil)
	// Output: true
}
