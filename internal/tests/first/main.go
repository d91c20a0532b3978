// Command first is the README's first program, with Vulkan on Linux without cgo, too. The Makefile's targets
// windows, arm64 and container run it. It prints why there is no better device.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/runtime"
)

func main() {
	dev, err := runtime.Open() // a GPU if there is one, else the host
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	err = saxpygen.RunSAXPY(context.Background(), dev,
		saxpy.SAXPY{A: 2, X: x, Y: y}, runtime.Range1(len(y)))
	if err != nil {
		log.Fatal(err) // a panic in the kernel arrives here as a *runtime.Fault
	}
	fmt.Println(dev.Name(), y) // [12 24 36]
	for _, why := range dev.Info().Missing {
		fmt.Println("missing:", why)
	}
}
