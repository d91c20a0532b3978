// Pathtracer follows light through a scene of metal and matte balls, and writes a PNG.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/pathtracer/light"
	lightgen "github.com/kgen-go/kgen/generated/examples/pathtracer/light"
	"github.com/kgen-go/kgen/runtime"
)

var (
	height  = demo.Int("n", 360, 1, 1<<13, "rows of pixels; there are 16 columns for 9 rows")
	samples = demo.Int("samples", 64, 1, 1<<15, "paths for each pixel")
	out     = flag.String("o", "pathtracer.png", "where to write the picture")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	h, w := *height, *height*16/9
	k := light.Render{Samples: *samples, Bounces: 8, Image: make([]light.Vec, h*w)}
	d, err := demo.Time(func() error { return lightgen.RunRender(ctx, dev, k, runtime.Range2{h, w}) })
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(h*w**samples), "paths")
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	level := func(v float32) uint8 { return uint8(255*math.Sqrt(float64(min(v, 1))) + 0.5) } // brightness as a screen expects it
	for i, p := range k.Image {
		img.SetRGBA(i%w, i/w, color.RGBA{level(p.X), level(p.Y), level(p.Z), 255})
	}
	if err := demo.WritePNG(*out, img); err != nil {
		return err
	}
	demo.Line("picture", "%s (%d x %d)", *out, w, h)
	d, err = demo.Time(func() error { // a plain loop computes every 17th pixel again
		for i := 0; i < h*w; i += 17 {
			if p := k.Pixel(i/w, i%w, h, w); p != k.Image[i] {
				return fmt.Errorf("pixel %d is %v, and %v in a plain loop", i, k.Image[i], p)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	demo.Rate("plain Go", d, float64(h*w**samples)/17, "paths")
	demo.Line("check", "ok: every 17th pixel is the plain loop's, to the last bit")
	return nil
}
