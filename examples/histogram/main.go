// Histogram counts the levels of red, green and blue in a picture, and draws them.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"os"

	"github.com/kgen-go/kgen/examples/histogram/tally"
	"github.com/kgen-go/kgen/examples/internal/demo"
	tallygen "github.com/kgen-go/kgen/generated/examples/histogram/tally"
	"github.com/kgen-go/kgen/runtime"
)

var (
	rows = demo.Int("n", 1024, 1, 1<<15, "rows and columns of the picture that is made up if there is none")
	in   = flag.String("i", "", "a picture: PNG, JPEG or GIF")
	out  = flag.String("o", "histogram.png", "where to draw the histogram")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	pixels, err := picture()
	if err != nil {
		return err
	}
	if len(pixels) == 0 {
		return fmt.Errorf("the picture is empty")
	}
	demo.Line("pixels", "%d", len(pixels))
	bins, err := count(ctx, dev, pixels)
	if err != nil {
		return err
	}
	want := make([]uint32, len(bins))
	d, _ := demo.Time(func() error {
		for _, p := range pixels {
			want[p&0xff]++
			want[tally.Levels+p>>8&0xff]++
			want[2*tally.Levels+p>>16&0xff]++
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(len(pixels)), "pixels")
	if err := demo.WritePNG(*out, draw(bins)); err != nil {
		return err
	}
	demo.Line("picture", "%s", *out)
	for b, n := range bins {
		if n != want[b] {
			return fmt.Errorf("bin %d has %d, want %d", b, n, want[b])
		}
	}
	demo.Line("check", "ok: as the plain loop")
	return nil
}

// count returns the bins from the device.
func count(ctx context.Context, dev *runtime.Device, pixels []uint32) ([]uint32, error) {
	bins := make([]uint32, tally.Channels*tally.Levels)
	p, err := runtime.BufferOf(dev, pixels)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	b, err := runtime.NewBuffer[uint32](dev, len(bins))
	if err != nil {
		return nil, err
	}
	defer b.Close()
	q := dev.DefaultQueue()
	groups := min((len(pixels)+tally.Each*tally.Size-1)/(tally.Each*tally.Size), 2048)
	nd := runtime.NDRange1{Global: runtime.Range1(groups * tally.Size), Local: tally.Size}
	d, err := demo.Best(3, func() error {
		if err := b.CopyFrom(ctx, q, bins); err != nil { // zeros
			return err
		}
		return tallygen.Tally{Pixels: p.All(), Bins: b.All()}.Run(ctx, q, nd)
	})
	if err != nil {
		return nil, err
	}
	demo.Rate("kernel", d, float64(len(pixels)), "pixels")
	return bins, b.CopyTo(ctx, q, bins)
}

// picture returns the pixels of the file, or of a picture of waves.
func picture() ([]uint32, error) {
	if *in == "" {
		n := max(*rows, 0)
		pixels := make([]uint32, n*n)
		for i := range pixels {
			x, y := float64(i%n)/float64(n), float64(i/n)/float64(n)
			wave := func(a, b float64) uint32 { return uint32(127.5 + 127*math.Sin(a*x+b*y*y)) }
			pixels[i] = wave(9, 5) | wave(3, 14)<<8 | wave(20, -6)<<16
		}
		return pixels, nil
	}
	f, err := os.Open(*in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", *in, err)
	}
	b := img.Bounds()
	pixels := make([]uint32, 0, b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			pixels = append(pixels, r>>8|g>>8<<8|b>>8<<16)
		}
	}
	return pixels, nil
}

// draw paints the bins of the three channels over one another.
func draw(bins []uint32) image.Image {
	const height, wide = 300, 3
	most := uint32(1)
	for _, n := range bins {
		most = max(most, n)
	}
	img := image.NewRGBA(image.Rect(0, 0, wide*tally.Levels, height))
	for y := range height {
		for x := range wide * tally.Levels {
			c := color.RGBA{R: 24, G: 24, B: 24, A: 255}
			for i, part := range []*uint8{&c.R, &c.G, &c.B} {
				if uint64(height-y)*uint64(most) <= uint64(bins[i*tally.Levels+x/wide])*height {
					*part = 230
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}
