// Scan computes prefix sums: what comes before each element of a slice.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/scan/scanner"
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
	buf, err := runtime.BufferOf(dev, x)
	if err != nil {
		return err
	}
	defer buf.Close()
	s, err := scanner.New(dev, n)
	if err != nil {
		return err
	}
	defer s.Close()
	q := dev.DefaultQueue()
	var best time.Duration
	for i := range 3 { // the scan works in place, so each begins anew
		if err := buf.CopyFrom(ctx, q, x); err != nil {
			return err
		}
		d, err := demo.Time(func() error {
			ev, err := s.Scan(q, buf.All())
			if err != nil {
				return err
			}
			return ev.Wait(ctx)
		})
		if err != nil {
			return err
		}
		if i == 0 || d < best {
			best = d
		}
	}
	demo.Rate("kernels", best, float64(8*n), "B")
	got := make([]uint32, n)
	if err := buf.CopyTo(ctx, q, got); err != nil {
		return err
	}

	want := make([]uint32, n)
	d, _ := demo.Time(func() error {
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
