// Quickstart adds a multiple of one vector to another, on any device. The program adds the vectors
// twice, first as Go slices and then as buffers of the device.
package main

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/runtime"
)

var size = demo.Int("n", 1<<24, 2000, 1<<30, "elements")

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *size
	const a = 2
	xs, ys := make([]float32, n), make([]float32, n)
	for i := range xs {
		xs[i], ys[i] = float32(i%1000), float32(i%7)
	}
	want := append([]float32(nil), ys...)
	bytes := float64(12 * n) // two loads and a store

	// A plain loop computes the expected result.
	d, _ := demo.Time(func() error {
		for i := range want {
			want[i] += a * xs[i]
		}
		return nil
	})
	demo.Rate("plain Go", d, bytes, "B")

	// If the arguments are slices, Run copies them to the device, and copies the results back.
	d, err := demo.Time(func() error {
		return saxpygen.RunSAXPY(ctx, dev, saxpy.SAXPY{A: a, X: xs, Y: ys}, runtime.Range1(n))
	})
	if err != nil {
		return err
	}
	demo.Rate("slices", d, bytes, "B")
	if err := check(ys, want); err != nil {
		return err
	}

	// In buffers, the data stays on the device from launch to launch.
	q := dev.DefaultQueue()
	x, err := runtime.BufferOf(dev, xs)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := runtime.BufferOf(dev, ys)
	if err != nil {
		return err
	}
	defer y.Close()
	k := saxpygen.SAXPY{A: 0, X: x.All(), Y: y.All()} // A is 0, so that repeated runs do not change Y
	d, err = demo.Best(10, func() error {
		return k.Run(ctx, q, runtime.Range1(n))
	})
	if err != nil {
		return err
	}
	demo.Rate("buffers", d, bytes, "B")
	clear(ys)
	if err := y.CopyTo(ctx, q, ys); err != nil {
		return err
	}
	if err := check(ys, want); err != nil {
		return err
	}
	demo.Line("result", "2*x + y = %v … (%d elements)", ys[1000:1006], n)
	demo.Line("check", "ok")
	return nil
}

func check(got, want []float32) error {
	for i, v := range got {
		if v != want[i] {
			return fmt.Errorf("y[%d] = %g, want %g", i, v, want[i])
		}
	}
	return nil
}
