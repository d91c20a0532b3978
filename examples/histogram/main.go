// Histogram counts the levels of red, green and blue in a picture, and draws them.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/runtime"
)

var (
	rows = demo.Int("n", 1024, 1, 1<<15, "rows and columns of the picture that is made up if there is none")
	in   = flag.String("i", "", "a picture: PNG, JPEG or GIF")
	out  = flag.String("o", "histogram.png", "where to draw the histogram")
)

func main() { demo.Main(run) }

// The constant `levels` is the number of levels of a channel.
const levels = 256

func run(ctx context.Context, dev *runtime.Device) error {
	channels, err := picture()
	if err != nil {
		return err
	}
	n := len(channels[0])
	if n == 0 {
		return fmt.Errorf("the picture is empty")
	}
	demo.Line("pixels", "%d", n)
	counts, err := count(ctx, dev, channels)
	if err != nil {
		return err
	}
	var want [3 * levels]int64
	d, _ := demo.Time(func() error {
		for c, channel := range channels {
			for _, level := range channel {
				want[c*levels+int(level)]++
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(n), "pixels")
	if err := demo.WritePNG(*out, draw(counts)); err != nil {
		return err
	}
	demo.Line("picture", "%s", *out)
	if counts != want {
		return fmt.Errorf("the counts are %v, want %v", counts, want)
	}
	demo.Line("check", "ok: as the plain loop")
	return nil
}

// count() returns the number of pixels with each level of each channel. count() runs on the device.
func count(ctx context.Context, dev *runtime.Device, channels [3][]uint8) (counts [3 * levels]int64, err error) {
	var in [3]*runtime.Buffer[uint8]
	for c, channel := range channels {
		if in[c], err = runtime.BufferOf(dev, channel); err != nil {
			return counts, err
		}
		defer in[c].Close()
	}
	to, err := runtime.NewBuffer[int64](dev, len(counts))
	if err != nil {
		return counts, err
	}
	defer to.Close()
	q := dev.DefaultQueue()
	d, err := demo.Best(3, func() error {
		for c := range in { // the three counts may run at the same time
			if _, err := hist.ByKeyOn(q, in[c].All(), to.Slice(c*levels, (c+1)*levels)); err != nil {
				return err
			}
		}
		return q.Wait(ctx)
	})
	if err != nil {
		return counts, err
	}
	demo.Rate("kernels", d, float64(len(channels[0])), "pixels")
	return counts, to.CopyTo(ctx, q, counts[:])
}

// picture() returns the red, green and blue channels of the file, or of a picture of waves.
func picture() (channels [3][]uint8, err error) {
	add := func(levels ...uint8) {
		for c, level := range levels {
			channels[c] = append(channels[c], level)
		}
	}
	if *in == "" {
		n := max(*rows, 0)
		for i := range n * n {
			x, y := float64(i%n)/float64(n), float64(i/n)/float64(n)
			wave := func(a, b float64) uint8 { return uint8(127.5 + 127*math.Sin(a*x+b*y*y)) }
			add(wave(9, 5), wave(3, 14), wave(20, -6))
		}
		return channels, nil
	}
	img, _, err := demo.ReadPicture(*in)
	if err != nil {
		return channels, err
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			add(uint8(r>>8), uint8(g>>8), uint8(b>>8))
		}
	}
	return channels, nil
}

// draw() paints the counts of the three channels over one another.
func draw(counts [3 * levels]int64) image.Image {
	const height, wide = 300, 3
	most := max(slices.Max(counts[:]), 1)
	img := image.NewRGBA(image.Rect(0, 0, wide*levels, height))
	for y := range height {
		for x := range wide * levels {
			c := color.RGBA{R: 24, G: 24, B: 24, A: 255}
			for i, part := range []*uint8{&c.R, &c.G, &c.B} {
				if int64(height-y)*most <= counts[i*levels+x/wide]*height {
					*part = 230
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}
