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
	bounces = demo.Int("bounces", 8, 1, 1000, "surfaces, and the sky, that a path comes to at most")
	out     = flag.String("o", "pathtracer.png", "where to write the picture")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	h, w := *height, *height*16/9
	k := light.Render{Samples: *samples, Bounces: *bounces, Image: make([]light.Vec, h*w)}
	d, err := demo.Time(func() error { return lightgen.RunRender(ctx, dev, k, runtime.Range2{h, w}) })
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(h*w**samples), "paths")
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i, p := range k.Image {
		img.SetRGBA(i%w, i/w, color.RGBA{level(p.X), level(p.Y), level(p.Z), 255})
	}
	if err := demo.WritePNG(*out, img); err != nil {
		return err
	}
	demo.Line("picture", "%s (%d x %d)", *out, w, h)

	// The same by a plain loop, a row in sixteen.
	const every = 16
	pixels, far := 0, 0
	d, _ = demo.Time(func() error {
		for y := 0; y < h; y += every {
			for x := range w {
				p, q := k.Pixel(y, x, h, w), k.Image[y*w+x]
				pixels++
				if !(math.Abs(float64(p.X-q.X)+float64(p.Y-q.Y)+float64(p.Z-q.Z)) < 0.01) {
					far++
				}
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(pixels**samples), "paths")
	if far*100 > pixels {
		return fmt.Errorf("%d of %d pixels differ from the plain loop's", far, pixels)
	}
	demo.Line("check", "ok: %d of %d pixels differ from the plain loop's", far, pixels)
	return nil
}

// level is an amount of light as a screen wants it.
func level(v float32) uint8 { return uint8(255*math.Sqrt(float64(min(v, 1))) + 0.5) }
