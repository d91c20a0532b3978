// Scan computes, for each element, the sum of all elements before it (prefix sums).
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/runtime"
)

var count = demo.Int("n", 1<<22, 1, 1<<30, "elements")

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *count
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32() >> 16
	}
	demo.Line("elements", "%d", n)
	in, err1 := runtime.BufferOf(dev, x)
	out, err2 := runtime.NewBuffer[uint32](dev, n)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	q, got := dev.DefaultQueue(), make([]uint32, n)
	d, err := demo.Best(3, func() error {
		ev, err := scan.ExclusiveOn(q, in.All(), out.All())
		if err != nil {
			return err
		}
		return ev.Wait(ctx)
	})
	if err := errors.Join(err, out.CopyTo(ctx, q, got), in.Close(), out.Close()); err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(8*n), "B")

	want := make([]uint32, n)
	d, _ = demo.Time(func() error {
		sum := uint32(0)
		for i, v := range x {
			want[i] = sum
			sum += v
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(8*n), "B")
	for i, v := range got {
		if v != want[i] {
			return fmt.Errorf("element %d is %d, want %d", i, v, want[i])
		}
	}
	demo.Line("check", "ok: %d elements", n)
	return nil
}
