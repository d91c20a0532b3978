// Command first is the README's first program, which also supports Vulkan on Linux without cgo. The targets
// windows, arm64 and container of the Makefile run this program. If the program runs on the host device, it
// prints why no other device is available.
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
		log.Fatal(err) // a panic in the kernel is returned as a *runtime.Fault
	}
	fmt.Println(dev.Name(), y) // [12 24 36]
	for _, why := range dev.Info().Missing {
		fmt.Println("missing:", why)
	}
}
