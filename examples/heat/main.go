// Heat moves a flame over a plate, and writes an animated GIF that shows how the heat spreads. A
// graph contains the many small steps between two pictures, and one call submits the graph.
package main

import (
	"context"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	plategen "github.com/kgen-go/kgen/generated/examples/heat/plate"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	size   = demo.Int("n", 200, 8, 1<<13, "rows and columns of the plate")
	frames = demo.Int("frames", 60, 1, 1<<16, "pictures of the animation")
	steps  = demo.Int("steps", 50, 1, 1<<12, "pairs of steps from one picture to the next")
	out    = flag.String("o", "heat.gif", "where to write the animation")
	dot    = flag.String("dot", "", "where to write the graph for Graphviz, if anywhere")
)

const rate, hot = 0.2, 255

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n, last := *size, make([]float32, *size**size)
	demo.Line("plate", "%d x %d, %d steps", n, n, 2**frames**steps)
	a, err1 := runtime.NewBuffer[float32](dev, n*n)
	b, err2 := runtime.NewBuffer[float32](dev, n*n)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	graph, flame, err := newGraph(dev, a.All(), b.All(), last)
	if err != nil {
		return err
	}
	animation := &gif.GIF{Delay: slices.Repeat([]int{4}, *frames)}
	d, err := demo.Time(func() error {
		for frame := range *frames {
			if err := graph.Update(flame, flameAt(frame, a.All())); err != nil {
				return err
			}
			ev, err := dev.DefaultQueue().Submit(graph)
			if err != nil {
				return err
			}
			if err := ev.Wait(ctx); err != nil {
				return err
			}
			animation.Image = append(animation.Image, paint(last))
		}
		return nil
	})
	if err != nil {
		return err
	}
	points := float64(2**frames**steps) * float64(n*n)
	demo.Rate("graph", d, points, "points") // the time includes making the pictures
	var want []float32
	d, _ = demo.Time(func() error { want = plain(n); return nil })
	demo.Rate("plain Go", d, points, "points")
	if err := demo.WriteFile(*out, func(w io.Writer) error { return gif.EncodeAll(w, animation) }); err != nil {
		return err
	}
	demo.Line("animation", "%s", *out)
	if !slices.Equal(last, want) {
		return errors.New("the plate is not the plain loop's")
	}
	demo.Line("check", "ok: the plate is the plain loop's")
	return nil
}

// newGraph returns a graph and the node of the flame, which the caller updates. The next nodes are pairs
// of steps, from a to b and back. The last node copies the temperatures to the host.
func newGraph(dev *runtime.Device, a, b runtime.View[float32], last []float32) (
	*runtime.ExecutableGraph, *runtime.Node, error) {
	g := runtime.NewGraph(dev)
	flame, failed := g.Add(flameAt(0, a))
	add := func(c runtime.Command) {
		_, err := g.Add(c)
		failed = errors.Join(failed, err)
	}
	for range *steps {
		add(plategen.Step{W: *size, Rate: rate, In: a, Out: b}.Node(runtime.Range2{*size, *size}))
		add(plategen.Step{W: *size, Rate: rate, In: b, Out: a}.Node(runtime.Range2{*size, *size}))
	}
	add(runtime.Download(last, a))
	if *dot != "" {
		failed = errors.Join(failed, demo.WriteFile(*dot, g.WriteDOT))
	}
	graph, err := g.Finalize(properties.Updatable())
	return graph, flame, errors.Join(failed, err)
}

// flameAt returns the launch that heats the plate at the position of the flame in a frame.
func flameAt(frame int, on runtime.View[float32]) runtime.Command {
	y, x, radius := place(frame)
	k := plategen.Flame{W: *size, Y: y, X: x, Radius: radius, Heat: hot, Plate: on}
	return k.Node(runtime.Range2{2*radius + 1, 2*radius + 1})
}

// place() returns the position of the flame, which moves once around the centre, halfway to the edge.
func place(frame int) (y, x, radius int) {
	n := *size
	sin, cos := math.Sincos(2 * math.Pi * float64(frame) / float64(*frames))
	return n/2 + int(sin*float64(n/4)), n/2 + int(cos*float64(n/4)), max(n/24, 1)
}

// paint() draws the temperatures. The colours are black, red, yellow and white, from cold to hot.
func paint(temperatures []float32) *image.Paletted {
	colors := make(color.Palette, 256)
	for i := range colors {
		level := func(from int) uint8 { return uint8(min(max(3*(i-from), 0), 255)) }
		colors[i] = color.RGBA{level(0), level(85), level(170), 255}
	}
	img := image.NewPaletted(image.Rect(0, 0, *size, *size), colors)
	for i, v := range temperatures {
		img.Pix[i] = uint8(min(max(v, 0), 255))
	}
	return img
}

// plain() computes the last temperatures by plain loops.
func plain(n int) []float32 {
	a, b := make([]float32, n*n), make([]float32, n*n)
	for frame := range *frames {
		cy, cx, radius := place(frame)
		for i := range a {
			if y, x := i/n-cy, i%n-cx; y*y+x*x <= radius*radius {
				a[i] = hot
			}
		}
		for range 2 * *steps {
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
	}
	return a
}
