// Kgenfirst launches one kernel and reads its result. The benchmark suite measures the time from the start to
// the end of this program.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kgenfirst:", err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run() error {
	dev, err := runtime.Open()
	if err != nil {
		return err
	}
	x, y := []float32{1, 2, 3}, []float32{10, 20, 30}
	if err := saxpygen.RunSAXPY(context.Background(), dev, saxpy.SAXPY{A: 2, X: x, Y: y}, runtime.Range1(len(y))); err != nil {
		return err
	}
	if y[0] != 12 || y[1] != 24 || y[2] != 36 {
		return fmt.Errorf("the result is %v", y)
	}
	return dev.Close()
}
