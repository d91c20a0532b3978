package main

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/kgen-go/kgen/examples/mandelbrot/fractal"
)

// smooth() returns the smooth escape count after n iterations, at the squared radius r2.
func smooth(n int, r2 float32) float32 {
	return float32(float64(n) + 1 - math.Log2(math.Log2(float64(r2))/2))
}

// picture() returns the pixels as an image.
func picture(pixels []fractal.RGBA, h, w int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i, p := range pixels {
		binary.LittleEndian.PutUint32(img.Pix[4*i:], uint32(p))
	}
	return img
}

// distance() returns the largest difference between two pixels in one channel.
func distance(a, b fractal.RGBA) int {
	most := 0
	for s := 0; s < 24; s += 8 {
		d := int(a>>s&0xff) - int(b>>s&0xff)
		most = max(most, d, -d)
	}
	return most
}
