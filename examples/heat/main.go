// Heat moves a flame over a plate and writes how the heat spreads as an animated GIF. The many
// small steps between two pictures are a graph, which one call submits.
package main

import (
	"context"
	"flag"
	"fmt"
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
	n := *size
	demo.Line("plate", "%d x %d, %d steps", n, n, 2**frames**steps)
	pictures, last, err := play(ctx, dev, n)
	if err != nil {
		return err
	}
	points := float64(n) * float64(n) * float64(2**frames**steps)
	var want []float32
	d, _ := demo.Time(func() error { want = plain(n); return nil })
	demo.Rate("plain Go", d, points, "points")
	animation := &gif.GIF{Image: pictures, Delay: slices.Repeat([]int{4}, len(pictures))}
	if err := demo.WriteFile(*out, func(w io.Writer) error { return gif.EncodeAll(w, animation) }); err != nil {
		return err
	}
	demo.Line("animation", "%s", *out)
	if !slices.Equal(last, want) {
		return fmt.Errorf("the plate is not the plain loop's")
	}
	demo.Line("check", "ok: the plate is the plain loop's")
	return nil
}

// solver is a graph: the flame, pairs of steps to and fro between two buffers, and a copy of
// the temperatures to the host.
type solver struct {
	graph *runtime.ExecutableGraph
	flame *runtime.Node
	now   []float32
}

// flameAt returns the launch that heats the plate where the flame is at a frame.
func flameAt(n, frame int, plate runtime.View[float32]) runtime.Command {
	y, x, radius := place(n, frame)
	k := plategen.Flame{W: n, Y: y, X: x, Radius: radius, Heat: hot, Plate: plate}
	return k.Node(runtime.Range2{2*radius + 1, 2*radius + 1})
}

// place returns where the flame is: it goes round once, at half of the way to the edge.
func place(n, frame int) (y, x, radius int) {
	sin, cos := math.Sincos(2 * math.Pi * float64(frame) / float64(*frames))
	return n/2 + int(sin*float64(n/4)), n/2 + int(cos*float64(n/4)), max(n/24, 1)
}

func newSolver(dev *runtime.Device, n int, a, b runtime.View[float32]) (*solver, error) {
	s := &solver{now: make([]float32, n*n)}
	g := runtime.NewGraph(dev)
	var err error
	if s.flame, err = g.Add(flameAt(n, 0, a)); err != nil {
		return nil, err
	}
	for range *steps {
		for _, k := range []plategen.Step{{W: n, Rate: rate, In: a, Out: b}, {W: n, Rate: rate, In: b, Out: a}} {
			if _, err := g.Add(k.Node(runtime.Range2{n, n})); err != nil {
				return nil, err
			}
		}
	}
	if _, err := g.Add(runtime.Download(s.now, a)); err != nil {
		return nil, err
	}
	if *dot != "" {
		if err := demo.WriteFile(*dot, g.WriteDOT); err != nil {
			return nil, err
		}
	}
	s.graph, err = g.Finalize(properties.Updatable())
	return s, err
}

// play returns the pictures and the last temperatures.
func play(ctx context.Context, dev *runtime.Device, n int) ([]*image.Paletted, []float32, error) {
	a, err := runtime.NewBuffer[float32](dev, n*n)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	b, err := runtime.NewBuffer[float32](dev, n*n)
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	s, err := newSolver(dev, n, a.All(), b.All())
	if err != nil {
		return nil, nil, err
	}
	q := dev.DefaultQueue()
	var pictures []*image.Paletted
	progress := demo.NewProgress(*frames)
	d, err := demo.Time(func() error {
		for frame := range *frames {
			if err := s.graph.Update(s.flame, flameAt(n, frame, a.All())); err != nil {
				return err
			}
			ev, err := q.Submit(s.graph)
			if err != nil {
				return err
			}
			if err := ev.Wait(ctx); err != nil {
				return err
			}
			pictures = append(pictures, paint(n, s.now))
			progress.Done(frame + 1)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	demo.Rate("graph", d, float64(n)*float64(n)*float64(2**frames**steps), "points") // with the pictures
	return pictures, s.now, nil
}

// paint draws the temperatures: from black by red and yellow to white.
func paint(n int, plate []float32) *image.Paletted {
	colors := make(color.Palette, 256)
	for i := range colors {
		level := func(from int) uint8 { return uint8(min(max(3*(i-from), 0), 255)) }
		colors[i] = color.RGBA{level(0), level(85), level(170), 255}
	}
	img := image.NewPaletted(image.Rect(0, 0, n, n), colors)
	for i, v := range plate {
		img.Pix[i] = uint8(min(max(v, 0), 255))
	}
	return img
}

// plain computes the last temperatures by plain loops.
func plain(n int) []float32 {
	a, b := make([]float32, n*n), make([]float32, n*n)
	for frame := range *frames {
		cy, cx, radius := place(n, frame)
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				if dy*dy+dx*dx <= radius*radius {
					a[(cy+dy)*n+cx+dx] = hot
				}
			}
		}
		for range 2 * *steps {
			copy(b, a)
			for y := 1; y < n-1; y++ {
				for x := 1; x < n-1; x++ {
					at := y*n + x
					near := a[at-1] + a[at+1] + a[at-n] + a[at+n]
					b[at] = a[at] + float32(rate*float32(near-float32(4*a[at])))
				}
			}
			a, b = b, a
		}
	}
	return a
}
