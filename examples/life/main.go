// Life plays Conway's game of life and writes the game as an animated GIF.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/life/cells"
	cellsgen "github.com/kgen-go/kgen/generated/examples/life/cells"
	"github.com/kgen-go/kgen/runtime"
)

var (
	size   = demo.Int("n", 256, 3, 1<<14, "rows and columns of the world")
	frames = demo.Int("frames", 100, 1, 1<<16, "frames of the animation")
	steps  = demo.Int("steps", 2, 1, 1<<16, "generations from one frame to the next")
	out    = flag.String("o", "life.gif", "where to write the animation")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *size
	r := rand.New(rand.NewPCG(1, 2))
	world := make([]uint32, n*n)
	for i := range world {
		world[i] = r.Uint32N(3) / 2
	}
	demo.Line("world", "%d x %d, %d generations", n, n, *frames**steps)
	pictures, last, err := play(ctx, dev, n, world)
	if err != nil {
		return err
	}

	cellCount := float64(n) * float64(n)
	next := make([]uint32, n*n)
	d, _ := demo.Time(func() error {
		for range *frames * *steps {
			generation(n, world, next)
			world, next = next, world
		}
		return nil
	})
	demo.Rate("plain Go", d, cellCount*float64(*frames**steps), "cells")
	animation := &gif.GIF{Image: pictures, Delay: slices.Repeat([]int{5}, len(pictures))}
	if err := demo.WriteFile(*out, func(w io.Writer) error { return gif.EncodeAll(w, animation) }); err != nil {
		return err
	}
	demo.Line("animation", "%s", *out)
	if !slices.Equal(last, world) {
		return fmt.Errorf("the last generation is not the plain loop's")
	}
	demo.Line("check", "ok: the last generation is the plain loop's")
	return nil
}

// play() returns pictures of some generations, and the last generation.
func play(ctx context.Context, dev *runtime.Device, n int, world []uint32) ([]*image.Paletted, []uint32, error) {
	q := dev.DefaultQueue()
	a, err := runtime.BufferOf(dev, world)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	b, err := runtime.NewBuffer[uint32](dev, n*n)
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{cells.Tile, cells.Tile}}.RoundUp()
	var pictures []*image.Paletted
	now := make([]uint32, n*n)
	progress := demo.NewProgress(*frames)
	d, err := demo.Time(func() error {
		for frame := range *frames {
			for range *steps {
				k := cellsgen.Life{H: n, W: n, In: a.All(), Out: b.All()}
				if _, err := k.ParallelFor(q, nd); err != nil {
					return err
				}
				a, b = b, a
			}
			if err := a.CopyTo(ctx, q, now); err != nil {
				return err
			}
			pictures = append(pictures, paint(n, now))
			progress.Done(frame + 1)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	demo.Rate("kernels", d, float64(n)*float64(n)*float64(*frames**steps), "cells") // the time includes making the pictures
	return pictures, now, nil
}

// paint() draws a generation.
func paint(n int, world []uint32) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, n, n), color.Palette{color.RGBA{16, 24, 32, 255}, color.RGBA{240, 200, 80, 255}})
	for i, v := range world {
		img.Pix[i] = uint8(v)
	}
	return img
}

// generation() computes the next generation by a plain loop.
func generation(n int, world, next []uint32) {
	for y := range n {
		up, down := (y+n-1)%n*n, (y+1)%n*n
		for x := range n {
			left, right := (x+n-1)%n, (x+1)%n
			sum := world[up+left] + world[up+x] + world[up+right] + world[y*n+left] + world[y*n+right] +
				world[down+left] + world[down+x] + world[down+right]
			next[y*n+x] = 0
			if sum == 3 || sum == 2 && world[y*n+x] == 1 {
				next[y*n+x] = 1
			}
		}
	}
}
