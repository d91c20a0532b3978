package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kgen-go/kgen/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/examples/upscale/conv"
	tensorgen "github.com/kgen-go/kgen/generated/examples/tensormatmul/tensor"
	convgen "github.com/kgen-go/kgen/generated/examples/upscale/conv"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// BenchmarkMatrix measures the layers of the network with matrices, for a picture of 128 by 128 pixels, beside
// tensormatmul. That multiplies a matrix of as many rows (pixels), columns (channels of the result) and products of a
// sum, rounded up to its tiles.
func BenchmarkMatrix(b *testing.B) {
	const side = 128
	dev := devtest.Chosen(b)
	q := dev.DefaultQueue()
	for _, l := range []conv.Layer{
		{Side: 3, In: 64, Out: 64}, {Side: 5, In: 64, Out: 64}, {Side: 1, In: 64, Out: 64}, {Side: 3, In: 64, Out: 32},
		{Side: 3, In: 64, Out: 16}, {Side: 3, In: 32, Out: 16}, {Side: 3, In: 16, Out: 64},
	} {
		l.Height, l.Width, l.Scale, l.Slope, l.Wide = side, side, 1, 1, min(l.Out, conv.Widest)
		b.Run(fmt.Sprintf("%dx%d,%d,%d", l.Side, l.Side, l.In, l.Out), func(b *testing.B) {
			pixels := conv.Pixel(side+conv.Edge, -conv.Edge, side)
			x, y := zeros[conv.Halves](b, dev, pixels*l.In/conv.Part), zeros[conv.Halves](b, dev, pixels*l.Out/conv.Part)
			k := convgen.Matrix{Layer: l, X: x, Y: y, Weights: zeros[conv.Halves](b, dev, l.Side*l.Side*l.In*l.Out/conv.Part), Bias: zeros[float32](b, dev, l.Out)}
			// Launches with the option of subGroup take longer on the host, and short layers then wait for the host. In the
			// program's graph, the option costs nothing.
			nd := matrixRange(dev, l)
			own := perLaunch(b, q, func() error { _, err := k.ParallelFor(q, nd); return err })
			n, width := (l.Out+tensor.Tile-1)/tensor.Tile*tensor.Tile, (l.Side*l.Side*l.In+63)/64*8
			p := tensorgen.MatMul{N: n, Width: width, A: zeros[tensor.Halves](b, dev, side*side*width), B: zeros[tensor.Halves](b, dev, n*width), C: zeros[float32](b, dev, side*side*n)}
			other := perLaunch(b, q, func() error {
				_, err := p.ParallelFor(q, runtime.NDRange1{Global: runtime.Range1(tensor.Global(side*side, n)), Local: tensor.Items})
				return err
			})
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(own*1e6, "µs/layer")
			b.ReportMetric(other*1e6, "µs/tensormatmul")
			b.ReportMetric(other/own, "of-tensormatmul")
			b.ReportMetric(2e-12*float64(side*side*l.Side*l.Side*l.In*l.Out)/own, "TFLOP/s")
		})
	}
}

// zeros makes a buffer of zeros, which is closed after the test.
func zeros[T any](b *testing.B, dev *runtime.Device, n int) runtime.View[T] {
	m, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	return m.All()
}

// perLaunch returns the least time, in seconds, that a launch took in several rows of launches.
func perLaunch(b *testing.B, q *runtime.Queue, launch func() error) float64 {
	const times = 200
	least := math.Inf(1)
	for range 5 {
		begin := time.Now()
		for range times {
			if err := launch(); err != nil {
				b.Fatal(err)
			}
		}
		if err := q.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		least = min(least, time.Since(begin).Seconds()/times)
	}
	return least
}
