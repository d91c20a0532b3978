package main

import (
	"image"
	"image/color"
	"math"
)

// Default size of the lake's picture in pixels.
const lakeWidth, lakeHeight = 480, 300

// drawLake draws a picture for trying filters. The sun sets behind mountains, and a lake mirrors
// it.
func drawLake(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	shore := h * 62 / 100
	for y := range h {
		for x := range w {
			var c [3]float64
			if y < shore {
				c = sky(x, y, h)
			} else {
				// Waves shift the mirrored picture, and nearer waves shift it more.
				deep := float64(y-shore) / float64(h-shore)
				dx := 5 * deep * math.Sin(90/(0.1+deep)+float64(x)/31)
				c = sky(x+int(dx), shore-1-(y-shore)*shore/(h-shore)*9/10, h)
				for i := range c {
					c[i] *= 0.75 - 0.3*deep
				}
				c[2] += 0.06
			}
			img.SetNRGBA(x, y, color.NRGBA{level(c[0]), level(c[1]), level(c[2]), 255})
		}
	}
	return img
}

func level(v float64) uint8 { return uint8(255*math.Max(0, math.Min(1, v)) + 0.5) }

// ridge() returns the height of the top of mountain range i, as a fraction of the picture's height.
// The farthest mountain range has the largest index.
func ridge(u float64, i int) float64 {
	f := float64(i)
	v := 0.60 - 0.06*f
	for _, wave := range [][3]float64{{0.055, 2.1, 0.3}, {0.026, 5.7, 1.9}, {0.011, 17, 0.7}, {0.004, 47, 2.2}} {
		v += (0.4 + 0.35*f) * wave[0] * math.Sin(wave[1]*u*(1+0.2*f)+wave[2]+1.7*f)
	}
	return v
}

// sky() returns the colour of a point above the shore. The point is in a mountain, in the sun or in the sky.
func sky(x, y, h int) [3]float64 {
	u, v := float64(x)/float64(h), float64(y)/float64(h)
	for i := range 3 {
		if f := float64(i); v > ridge(u, i) {
			return [3]float64{0.08 + 0.15*f, 0.10 + 0.10*f, 0.15 + 0.11*f}
		}
	}
	d := math.Hypot(u-0.95, v-0.33)
	if d < 0.075 {
		return [3]float64{1, 0.95, 0.75}
	}
	glow := math.Exp(-5 * d)
	return [3]float64{0.98 - 0.75*(0.6-v) + 0.5*glow, 0.45 + 0.5*(v-0.2) + 0.4*glow, 0.35 + 0.5*(0.5-v) + 0.15*glow}
}
