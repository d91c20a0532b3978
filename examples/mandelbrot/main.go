// Mandelbrot paints the Mandelbrot set, or a part of it, to a PNG.
package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/mandelbrot/fractal"
	fractalgen "github.com/kgen-go/kgen/generated/examples/mandelbrot/fractal"
	"github.com/kgen-go/kgen/runtime"
)

var (
	height  = demo.Int("n", 1080, 1, 1<<14, "rows of pixels; there are 16 columns for 9 rows")
	out     = flag.String("o", "mandelbrot.png", "where to write the picture")
	maxIter = demo.Int("iter", 2000, 1, 1<<30, "iterations after which a point counts as inside")
	centerX = flag.Float64("x", -0.74364, "real part of the centre")
	centerY = flag.Float64("y", 0.13182, "imaginary part of the centre")
	span    = flag.Float64("span", 0.008, "height of the picture in the complex plane; 2.5 shows the whole set")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	h, w := *height, *height*16/9
	k := fractal.Mandelbrot{
		View:    fractal.View{X: float32(*centerX), Y: float32(*centerY), Pixel: float32(*span / float64(h))},
		MaxIter: *maxIter,
		Image:   make([]fractal.RGBA, h*w),
	}
	d, err := demo.Best(3, func() error { return fractalgen.RunMandelbrot(ctx, dev, k, runtime.Range2{h, w}) })
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(h*w), "pixels")

	// A plain loop computes one of every sixteen rows of the same picture.
	const every = 16
	rows := (h + every - 1) / every
	plain := make([]fractal.RGBA, rows*w)
	d, _ = demo.Time(func() error {
		for r := range rows {
			for x := range w {
				plain[r*w+x] = pixel(k, r*every, x, h, w)
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(rows*w), "pixels")

	if err := demo.WritePNG(*out, picture(k.Image, h, w)); err != nil {
		return err
	}
	demo.Line("picture", "%s (%d x %d)", *out, w, h)

	far := 0
	for i, p := range plain {
		if distance(p, k.Image[i/w*every*w+i%w]) > 2 {
			far++
		}
	}
	if far*1000 > len(plain) {
		return fmt.Errorf("%d of %d pixels differ from the plain loop's", far, len(plain))
	}
	demo.Line("check", "ok: %d of %d pixels differ visibly", far, len(plain))
	return nil
}

// pixel() computes a pixel without the shortcuts of the kernel.
func pixel(k fractal.Mandelbrot, y, x, h, w int) fractal.RGBA {
	const samples = fractal.Samples
	var sum fractal.Color
	for s := range samples * samples {
		dx := float32(x) - float32(w)/2 + (float32(s%samples)+0.5)/samples
		dy := float32(y) - float32(h)/2 + (float32(s/samples)+0.5)/samples
		a, b := k.View.X+float32(k.View.Pixel*dx), k.View.Y+float32(k.View.Pixel*dy)
		re, im := float32(0), float32(0)
		for n := range k.MaxIter {
			re2, im2 := float32(re*re), float32(im*im)
			if re2+im2 > 1<<16 {
				sum = sum.Add(fractal.Palette(smooth(n, re2+im2)))
				break
			}
			re, im = re2-im2+a, float32(2*re*im)+b
		}
	}
	return sum.Scale(1.0 / (samples * samples)).Pack()
}
