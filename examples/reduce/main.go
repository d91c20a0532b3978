// Reduce reads float32 numbers. The program computes the sum of the numbers, and the least and the greatest number
// with their indices. The program also computes the sum of the products of neighbouring numbers.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count = demo.Int("n", 1<<22, 1, 1<<30, "numbers to make up if there is no file")
	file  = flag.String("file", "", "a file of little-endian float32 numbers")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	x, err := numbers()
	if err != nil {
		return err
	}
	if len(x) == 0 {
		return fmt.Errorf("there are no numbers")
	}
	demo.Line("numbers", "%d", len(x))
	got, err := reduced(ctx, dev, x)
	if err != nil {
		return err
	}

	want := stats{Least: x[0], Greatest: x[0]}
	d, _ := demo.Time(func() error {
		for i, v := range x {
			want.Sum += v
			if v < want.Least {
				want.Least, want.LeastAt = v, int64(i)
			}
			if v > want.Greatest {
				want.Greatest, want.GreatestAt = v, int64(i)
			}
			if i > 0 {
				want.Dot += x[i-1] * v
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(4*len(x)), "B")
	demo.Line("sum", "%g", got.Sum)
	demo.Line("least", "%g, number %d", got.Least, got.LeastAt)
	demo.Line("greatest", "%g, number %d", got.Greatest, got.GreatestAt)
	demo.Line("product", "%g", got.Dot)
	return check(x, got, want)
}

// The type `stats` contains the results of the reductions.
type stats struct {
	Sum, Least, Greatest, Dot float32
	LeastAt, GreatestAt       int64
}

// reduced() returns the results, computed on the device.
func reduced(ctx context.Context, dev *runtime.Device, x []float32) (stats, error) {
	in, err1 := runtime.BufferOf(dev, x)
	values, err2 := runtime.NewBuffer[float32](dev, 4)
	places, err3 := runtime.NewBuffer[int64](dev, 2)
	if err := errors.Join(err1, err2, err3); err != nil {
		return stats{}, err
	}
	q, v, n := dev.DefaultQueue(), in.All(), len(x)
	d, err := demo.Best(3, func() error {
		// The functions of package reduce launch kernels, and do not wait for the results.
		_, err1 := reduce.SumOn(q, v, values.Slice(0, 1))
		_, err2 := reduce.MinMaxOn(q, v, values.Slice(1, 3))
		_, err3 := reduce.DotOn(q, v.Slice(0, n-1), v.Slice(1, n), values.Slice(3, 4))
		_, err4 := reduce.ArgMinOn(q, v, places.Slice(0, 1))
		_, err5 := reduce.ArgMaxOn(q, v, places.Slice(1, 2))
		return errors.Join(err1, err2, err3, err4, err5, q.Wait(ctx))
	})
	if err != nil {
		return stats{}, err
	}
	demo.Rate("kernels", d, float64(4*n), "B")
	var f [4]float32
	var i [2]int64
	err = errors.Join(values.CopyTo(ctx, q, f[:]), places.CopyTo(ctx, q, i[:]))
	return stats{f[0], f[1], f[2], f[3], i[0], i[1]}, errors.Join(err, in.Close(), values.Close(), places.Close())
}

// numbers() reads the file, or makes up numbers.
func numbers() ([]float32, error) {
	if *file == "" {
		r := rand.New(rand.NewPCG(1, 2))
		x := make([]float32, max(*count, 0))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x, nil
	}
	b, err := os.ReadFile(*file)
	if err != nil {
		return nil, err
	}
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x, nil
}

// check() compares the results with sums in float64. If n numbers are added, the error is less than n/2
// units in the last place of the sum of the numbers' absolute values.
func check(x []float32, got, plain stats) error {
	var sum, dot, sumSize, dotSize float64
	for i, v := range x {
		sum += float64(v)
		sumSize += math.Abs(float64(v))
		if i > 0 {
			p := float64(x[i-1]) * float64(v)
			dot += p
			dotSize += math.Abs(p)
		}
	}
	bound := float64(len(x)) * 0x1p-24
	if e := math.Abs(float64(got.Sum) - sum); e > bound*sumSize {
		return fmt.Errorf("the sum is %g, want %g", got.Sum, sum)
	}
	if e := math.Abs(float64(got.Dot) - dot); e > bound*dotSize {
		return fmt.Errorf("the product is %g, want %g", got.Dot, dot)
	}
	plain.Sum, plain.Dot = got.Sum, got.Dot
	if got != plain {
		return fmt.Errorf("got %+v, want %+v", got, plain)
	}
	demo.Line("check", "ok: the sum is off by %.2g", math.Abs(float64(got.Sum)-sum))
	return nil
}
