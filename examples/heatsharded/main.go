// Heatsharded computes the same as example heat, but divides the plate among all GPUs of a machine.
// Each device stores a block of rows, and a halo of copies of the neighbouring rows. If the halo
// has w rows on each side, a device can compute w steps without data from other devices. After w
// steps, the devices exchange the rows at the edges of their blocks.
package main

import (
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	plategen "github.com/kgen-go/kgen/generated/examples/heat/plate"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

var (
	size   = demo.Int("n", 1024, 8, 1<<15, "rows and columns of the plate")
	rounds = demo.Int("rounds", 20, 1, 1<<20, "exchanges of halos")
	halo   = demo.Int("halo", 4, 1, 1<<10, "rows of a halo, and steps from one exchange to the next")
	verify = flag.Bool("check", true, "compare with a plain loop")
)

const rate, hot = 0.2, 255

func main() { demo.MainGroup(run) }

func run(ctx context.Context, g *shard.Group) error {
	n, steps := *size, *rounds**halo
	plate := start(n)
	demo.Line("plate", "%d x %d, %d steps, halos of %d rows", n, n, steps, *halo)
	if err := g.Supports(plategen.Kernels()...); err != nil {
		return err
	}
	shape := []shard.Option{shard.Shape(n, n), shard.Halo(*halo)}
	a, err1 := shard.Scatter(ctx, g, plate, shape...)
	b, err2 := shard.New[float32](g, n*n, shape...)
	defer a.Close()
	defer b.Close()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	demo.Line("blocks", "begin at the rows %v", a.Cuts()[:g.Len()])
	d, err := demo.Time(func() error { return spread(ctx, g, a, b) })
	if err != nil {
		return err
	}
	points := float64(steps) * float64(n) * float64(n)
	demo.Rate("devices", d, points, "points")
	last := a
	if steps%2 == 1 {
		last = b
	}
	got := make([]float32, n*n)
	if err := last.Gather(ctx, got); err != nil {
		return err
	}
	if !*verify {
		return nil
	}
	d, _ = demo.Time(func() error { plate = plain(plate, n, steps); return nil })
	demo.Rate("plain Go", d, points, "points")
	if !slices.Equal(got, plate) {
		return errors.New("the plate is not the plain loop's")
	}
	demo.Line("check", "ok: the plate is the plain loop's")
	return nil
}

// spread() computes the steps, from a to b and back. The program does not wait between steps, because launches
// and copies that use the same memory keep their order.
func spread(ctx context.Context, g *shard.Group, a, b *shard.Array[float32]) error {
	return shard.Each(ctx, g, func(p shard.Part) error {
		x, y := a, b
		for range *rounds {
			// A step does not change the outermost rows of the view. After each step, one more row
			// of the halo is out of date, but no step uses an outdated row.
			for range *halo {
				in, out := x.Around(p), y.Around(p)
				k := plategen.Step{W: *size, Rate: rate, In: in, Out: out}
				if _, err := k.ParallelFor(p.Queue, runtime.Range2{in.Len() / *size, *size}); err != nil {
					return err
				}
				x, y = y, x
			}
			if err := x.Exchange(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// start() returns a plate with a hot disc and a hot edge.
func start(n int) []float32 {
	plate := make([]float32, n*n)
	for i := range plate {
		y, x := i/n-n/2, i%n-n/3
		if y*y+x*x <= n*n/64 || i < n {
			plate[i] = hot
		}
	}
	return plate
}

// plain() computes the last temperatures by plain loops.
func plain(plate []float32, n, steps int) []float32 {
	a, b := slices.Clone(plate), make([]float32, n*n)
	for range steps {
		copy(b, a)
		for y := 1; y < n-1; y++ {
			for x := 1; x < n-1; x++ {
				at := y*n + x
				near := a[at-1] + a[at+1] + a[at-n] + a[at+n]
				b[at] = a[at] + float32(rate*(near-4*a[at]))
			}
		}
		a, b = b, a
	}
	return a
}
