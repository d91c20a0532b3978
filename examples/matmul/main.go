// Matmul multiplies two square matrices by a kernel that loads tiles to work-group
// memory.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/matmul/gemm"
	gemmgen "github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	"github.com/kgen-go/kgen/runtime"
)

var size = demo.Int("n", 1000, 1, 1<<15, "rows and columns of the matrices")

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *size
	r := rand.New(rand.NewPCG(1, 2))
	a, b := demo.Random(r, n*n), demo.Random(r, n*n)
	demo.Line("matrices", "%d x %d", n, n)
	flops := 2 * float64(n) * float64(n) * float64(n)

	got, err := multiply(ctx, dev, n, a, b, flops)
	if err != nil {
		return err
	}

	// This plain loop uses a processor's caches well. For large matrices, the loop computes only
	// some rows.
	rows := min(n, max(1, int(4e9/float64(n)/float64(n)/2)))
	want := make([]float32, rows*n)
	d, _ := demo.Time(func() error {
		for i := range rows {
			c := want[i*n : (i+1)*n]
			for l, v := range a[i*n : (i+1)*n] {
				for j, w := range b[l*n : (l+1)*n] {
					c[j] += v * w
				}
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, flops*float64(rows)/float64(n), "flop")

	// Each element is a sum of n products of two numbers from -1/2 to 1/2, added in any order.
	for i, w := range want {
		if math.Abs(float64(got[i]-w)) > 0.25*float64(n)*float64(n)*0x1p-24+1e-6 {
			return fmt.Errorf("element %d, %d is %g, want %g", i/n, i%n, got[i], w)
		}
	}
	return demo.CheckProduct(r, n, a, b, got)
}

// multiply() returns a*b, computed on the device.
func multiply(ctx context.Context, dev *runtime.Device, n int, a, b []float32, flops float64) ([]float32, error) {
	q := dev.DefaultQueue()
	ba, err := runtime.BufferOf(dev, a)
	if err != nil {
		return nil, err
	}
	defer ba.Close()
	bb, err := runtime.BufferOf(dev, b)
	if err != nil {
		return nil, err
	}
	defer bb.Close()
	bc, err := runtime.NewBuffer[float32](dev, n*n)
	if err != nil {
		return nil, err
	}
	defer bc.Close()

	// RoundUp rounds the range up to complete work-groups. The kernel ignores elements past the edges.
	nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{gemm.Tile, gemm.Tile}}.RoundUp()
	k := gemmgen.MatMul{M: n, K: n, N: n, A: ba.All(), B: bb.All(), C: bc.All()}
	d, err := demo.Best(3, func() error {
		return k.Run(ctx, q, nd)
	})
	if err != nil {
		return nil, err
	}
	demo.Rate("kernel", d, flops, "flop")
	c := make([]float32, n*n)
	return c, bc.CopyTo(ctx, q, c)
}
