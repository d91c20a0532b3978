// Reduce computes the sum, the least, the greatest and the scalar product with
// itself, shifted by one, of a file of float32 numbers.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/reduce/fold"
	foldgen "github.com/kgen-go/kgen/generated/examples/reduce/fold"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count = demo.Int("n", 1<<22, 1, 1<<30, "numbers to make up if there is no file")
	file  = flag.String("file", "", "a file of little-endian float32 numbers")
)

func main() { demo.Main(run) }

// groups is the number of work-groups: enough to fill a large device.
const groups = 512

func run(ctx context.Context, dev *runtime.Device) error {
	x, err := numbers()
	if err != nil {
		return err
	}
	if len(x) == 0 {
		return fmt.Errorf("there are no numbers")
	}
	y := append(append([]float32(nil), x[1:]...), x[0])
	demo.Line("numbers", "%d", len(x))
	got, err := reduce(ctx, dev, x, y)
	if err != nil {
		return err
	}

	var plain fold.Stats
	d, _ := demo.Time(func() error {
		s := fold.Stats{Min: x[0], Max: x[0]}
		for i, v := range x {
			s.Sum += v
			s.Min, s.Max = min(s.Min, v), max(s.Max, v)
			s.Dot += v * y[i]
		}
		plain = s
		return nil
	})
	demo.Rate("plain Go", d, float64(8*len(x)), "B")
	demo.Line("sum", "%g", got.Sum)
	demo.Line("least", "%g", got.Min)
	demo.Line("greatest", "%g", got.Max)
	demo.Line("product", "%g", got.Dot)
	return check(x, y, got, plain)
}

// numbers reads the file, or makes numbers up.
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

// reduce returns the Stats of the slices from the device.
func reduce(ctx context.Context, dev *runtime.Device, x, y []float32) (fold.Stats, error) {
	fail := func(err error) (fold.Stats, error) { return fold.Stats{}, err }
	q := dev.DefaultQueue()
	bx, err := runtime.BufferOf(dev, x)
	if err != nil {
		return fail(err)
	}
	defer bx.Close()
	by, err := runtime.BufferOf(dev, y)
	if err != nil {
		return fail(err)
	}
	defer by.Close()
	parts, err := runtime.NewBuffer[fold.Stats](dev, groups)
	if err != nil {
		return fail(err)
	}
	defer parts.Close()
	out, err := runtime.NewBuffer[fold.Stats](dev, 1)
	if err != nil {
		return fail(err)
	}
	defer out.Close()
	nd := runtime.NDRange1{Global: groups * fold.Size, Local: fold.Size}
	one := runtime.NDRange1{Global: fold.Size, Local: fold.Size}
	d, err := demo.Best(3, func() error {
		if _, err := (foldgen.Fold{X: bx.All(), Y: by.All(), Out: parts.All()}).ParallelFor(q, nd); err != nil {
			return err
		}
		return foldgen.Finish{Parts: parts.All(), Out: out.All()}.Run(ctx, q, one)
	})
	if err != nil {
		return fail(err)
	}
	demo.Rate("kernels", d, float64(8*len(x)), "B")
	s := make([]fold.Stats, 1)
	err = out.CopyTo(ctx, q, s)
	return s[0], err
}

// check compares with sums in float64. Adding n numbers in any order errs by less
// than n halves of the last place of the sum of their sizes.
func check(x, y []float32, got, plain fold.Stats) error {
	var sum, dot, sumSize, dotSize float64
	for i, v := range x {
		p := float64(v) * float64(y[i])
		sum += float64(v)
		sumSize += math.Abs(float64(v))
		dot += p
		dotSize += math.Abs(p)
	}
	bound := float64(len(x)) * 0x1p-24
	if e := math.Abs(float64(got.Sum) - sum); e > bound*sumSize {
		return fmt.Errorf("the sum is %g, want %g", got.Sum, sum)
	}
	if e := math.Abs(float64(got.Dot) - dot); e > bound*dotSize {
		return fmt.Errorf("the product is %g, want %g", got.Dot, dot)
	}
	if got.Min != plain.Min || got.Max != plain.Max {
		return fmt.Errorf("from %g to %g, want %g to %g", got.Min, got.Max, plain.Min, plain.Max)
	}
	demo.Line("check", "ok: sum off by %.2g, plain Go's by %.2g", math.Abs(float64(got.Sum)-sum), math.Abs(float64(plain.Sum)-sum))
	return nil
}
