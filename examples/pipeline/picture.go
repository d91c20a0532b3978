package main

import (
	"image"
	"image/color"
	"math"

	"github.com/kgen-go/kgen/examples/pipeline/develop"
)

// scene() returns the light that a camera measures from hills in front of a bright sky. The light
// is too weak and too blue.
func scene(rows, columns int) []develop.Pixel {
	picture := make([]develop.Pixel, rows*columns)
	for i := range picture {
		y, x := float64(i/columns)/float64(rows), float64(i%columns)/float64(rows)
		sun := math.Exp(-9 * math.Hypot(x-1.05, y-0.35))
		r, g, b := 0.55+sun-0.2*y, 0.62+0.7*sun-0.1*y, 0.85-0.3*y
		for hill := range 3 {
			f := float64(hill)
			top := 0.45 + 0.15*f + 0.05*math.Sin(5*x+2*f) + 0.02*math.Sin(13*x+5*f)
			if y > top {
				grass := 0.04 * math.Sin(160*(y-top)) * math.Sin(130*x+50*y+f)
				r, g, b = 0.28-0.05*f+0.5*grass, 0.42-0.06*f+grass, 0.3-0.09*f
			}
		}
		picture[i] = develop.Pixel{R: float32(0.2 * r), G: float32(0.25 * g), B: float32(0.32 * b)}
	}
	return picture
}

// sideBySide draws pictures of the same size beside each other.
func sideBySide(rows, columns int, pictures ...[]develop.Pixel) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, len(pictures)*columns, rows))
	level := func(v float32) uint8 { return uint8(255*min(max(v, 0), 1) + 0.5) }
	for n, picture := range pictures {
		for i, p := range picture {
			img.SetRGBA(n*columns+i%columns, i/columns, color.RGBA{level(p.R), level(p.G), level(p.B), 255})
		}
	}
	return img
}

// sameBits compares the bits of pixels, so 0 and -0 are different.
func sameBits(a, b develop.Pixel) bool {
	bits := func(p develop.Pixel) [3]uint32 {
		return [3]uint32{math.Float32bits(p.R), math.Float32bits(p.G), math.Float32bits(p.B)}
	}
	return bits(a) == bits(b)
}
