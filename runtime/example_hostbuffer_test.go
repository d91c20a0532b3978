package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// Memory of the host that the device copies from and to by itself, while the program goes on. The
// kernels that are launched later are made ready meanwhile.
func ExampleHostBuffer() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	h, err := runtime.NewHostBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	x, err := runtime.NewBuffer[float32](dev, 6)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	copy(h.Slice(), []float32{1, 2, 3})
	there, err := q.Enqueue(runtime.Copy(x.Slice(3, 6), h.All())) // returns at once
	if err != nil {
		log.Fatal(err)
	}
	if err := runtime.Prewarm(ctx, dev, modelgen.Kernels()...); err != nil {
		log.Fatal(err)
	}
	if err := there.Wait(ctx); err != nil { // now h may be written again
		log.Fatal(err)
	}
	h.Slice()[0] = 7
	back, err := q.Enqueue(runtime.Copy(h.All(), x.Slice(3, 6)))
	if err != nil {
		log.Fatal(err)
	}
	err = back.Wait(ctx)
	fmt.Println(h.Slice(), err)
	// Output: [1 2 3] <nil>
}
