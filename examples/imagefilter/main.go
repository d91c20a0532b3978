// Imagefilter applies filters to a picture. The program reads a PNG, JPEG or GIF, and writes a
// PNG.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/kgen-go/kgen/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/examples/internal/demo"
	filtergen "github.com/kgen-go/kgen/generated/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/runtime"
)

var (
	in      = flag.String("i", "", "the picture; without one, it is a lake that the program draws")
	out     = flag.String("o", "filtered.png", "where to write the result")
	filters = flag.String("filter", "blur,brightness", "what to do, in order: blur, edges, brightness")
	radius  = demo.Int("n", 8, 0, 1000, "pixels that a blur reaches in each direction")
	factor  = flag.Float64("by", 1.3, "what brightness multiplies colours by")
	drawTo  = flag.String("draw", "", "draw the lake to a `file` and do nothing else")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	if *drawTo != "" {
		return demo.WritePNG(*drawTo, drawLake(lakeWidth, lakeHeight))
	}
	if !(*factor >= 0 && *factor <= 100) { // this form of the condition also excludes NaN
		return fmt.Errorf("-by %g: it is a number from 0 to 100", *factor)
	}
	img, name, err := open(*in)
	if err != nil {
		return err
	}
	p := fromImage(img)
	demo.Line("picture", "%s, %d x %d", name, p.w, p.h)
	steps, err := plan(strings.Split(*filters, ","))
	if err != nil {
		return err
	}

	got, err := p.filtered(ctx, dev, steps)
	if err != nil {
		return err
	}
	want := p
	d, _ := demo.Time(func() error {
		for _, s := range steps {
			want = s.plain(want)
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(len(p.pixels)*len(steps)), "pixels")
	if err := compare(got, want); err != nil {
		return err
	}
	return demo.WritePNG(*out, got.image())
}

// open() reads the picture in a file, or draws the lake if file is empty. The result `name` describes the picture.
func open(file string) (img image.Image, name string, err error) {
	if file == "" {
		return drawLake(lakeWidth, lakeHeight), "a lake", nil
	}
	img, format, err := demo.ReadPicture(file)
	return img, file + ": " + format, err
}

// The type `step` is one filter, on the device and in plain Go.
type step struct {
	name   string
	launch func(q *runtime.Queue, r runtime.Range2, in, out, spare runtime.View[filter.RGBA]) error
	plain  func(p picture) picture
}

// plan() returns the steps for the filters with the given names.
func plan(names []string) ([]step, error) {
	var steps []step
	for _, name := range names {
		s := step{name: name}
		switch name {
		case "blur":
			weights := gauss(*radius)
			s.plain = func(p picture) picture { return blur(p, weights) }
			s.launch = func(q *runtime.Queue, r runtime.Range2, in, out, spare runtime.View[filter.RGBA]) error {
				w, err := runtime.BufferOf(q.Device(), weights)
				if err != nil {
					return err
				}
				defer w.Close() // frees the memory after the launches have completed
				if _, err := (filtergen.Blur{Weights: w.All(), In: in, Out: spare}).ParallelFor(q, r); err != nil {
					return err
				}
				_, err = filtergen.Blur{Weights: w.All(), Columns: true, In: spare, Out: out}.ParallelFor(q, r)
				return err
			}
		case "edges":
			s.plain = edges
			s.launch = func(q *runtime.Queue, r runtime.Range2, in, out, _ runtime.View[filter.RGBA]) error {
				_, err := filtergen.Edges{In: in, Out: out}.ParallelFor(q, r)
				return err
			}
		case "brightness":
			by := int32(math.Round(*factor * filter.One))
			s.plain = func(p picture) picture { return brightness(p, float64(by)/filter.One) }
			s.launch = func(q *runtime.Queue, r runtime.Range2, in, out, _ runtime.View[filter.RGBA]) error {
				_, err := filtergen.Brightness{Factor: by, In: in, Out: out}.ParallelFor(q, r)
				return err
			}
		default:
			return nil, fmt.Errorf("-filter: there is no %q; there are blur, edges and brightness", name)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// gauss() returns the weights of a blur, whose sum is filter.One.
func gauss(radius int) []int32 {
	weights := make([]int32, 2*radius+1)
	sum := 0.0
	at := func(i int) float64 {
		x := float64(i-radius) / (float64(radius)/2 + 0.5)
		return math.Exp(-x * x / 2)
	}
	for i := range weights {
		sum += at(i)
	}
	left := int32(filter.One)
	for i := range weights {
		weights[i] = int32(at(i) / sum * filter.One)
		left -= weights[i]
	}
	weights[radius] += left
	return weights
}

// filtered() runs the filters on the device. The picture is copied to the device and back once. The
// filters move the picture between two buffers.
func (p picture) filtered(ctx context.Context, dev *runtime.Device, steps []step) (picture, error) {
	q := dev.DefaultQueue()
	var bufs [3]*runtime.Buffer[filter.RGBA]
	for i := range bufs {
		var err error
		if bufs[i], err = runtime.NewBuffer[filter.RGBA](dev, len(p.pixels)); err != nil {
			return p, err
		}
		defer bufs[i].Close()
	}
	d, err := demo.Best(3, func() error {
		if err := bufs[0].CopyFrom(ctx, q, p.pixels); err != nil {
			return err
		}
		for _, s := range steps {
			if err := s.launch(q, runtime.Range2{p.h, p.w}, bufs[0].All(), bufs[1].All(), bufs[2].All()); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			bufs[0], bufs[1] = bufs[1], bufs[0]
		}
		return q.Wait(ctx)
	})
	if err != nil {
		return p, err
	}
	demo.Rate("kernel", d, float64(len(p.pixels)*len(steps)), "pixels")
	out := picture{p.w, p.h, make([]filter.RGBA, len(p.pixels))}
	return out, bufs[0].CopyTo(ctx, q, out.pixels)
}
