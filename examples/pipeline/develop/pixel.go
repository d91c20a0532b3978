// Package develop contains edits that make a photo from the light that a camera has measured. The
// effect of an edit on a pixel is a method of Pixel, which plain Go can call as well. For each
// edit, a kernel applies the method to all pixels.
package develop

import "github.com/kgen-go/kgen/dsl/math32"

// Pixel is the red, green and blue light of a point. White has the value 1 in all three colours.
//
// Products are converted to float32, so that they are rounded before a sum. Without conversions, Go
// may fuse a product and a sum, and the results of devices would differ in the last bits.
type Pixel struct{ R, G, B float32 }

// Scale multiplies the light of each colour by its own factor.
func (p Pixel) Scale(r, g, b float32) Pixel {
	return Pixel{float32(r * p.R), float32(g * p.G), float32(b * p.B)}
}

// each() applies f to each colour's light.
func (p Pixel) each(f func(v float32) float32) Pixel { return Pixel{f(p.R), f(p.G), f(p.B)} }

// Contrast increases the difference of light and dark. The curve has the shape of an S and does not change
// black, white and middle gray. An amount of 0 has no effect, and an amount of 1 has the full effect.
func (p Pixel) Contrast(amount float32) Pixel {
	return p.each(func(v float32) float32 {
		v = min(max(v, 0), 1)
		curve := float32(v * v * (3 - float32(2*v)))
		return v + float32(amount*(curve-v))
	})
}

// Saturate moves the colours away from the gray of the same brightness. An amount of 0 gives the
// gray, and an amount of 1 changes nothing.
func (p Pixel) Saturate(amount float32) Pixel {
	gray := float32(0.2126*p.R) + float32(0.7152*p.G) + float32(0.0722*p.B)
	return p.each(func(v float32) float32 { return gray + float32(amount*(v-gray)) })
}

// Vignette darkens a pixel according to its distance from the middle of a picture of h rows of w
// pixels. In the corners, an amount of 1 gives black.
func (p Pixel) Vignette(amount float32, y, x, h, w int) Pixel {
	dy, dx := float32(2*y+1-h), float32(2*x+1-w) // distances in halves of pixels
	corner := float32(h*h + w*w)
	f := 1 - float32(amount*(float32(dy*dy)+float32(dx*dx))/corner)
	return p.Scale(f, f, f)
}

// Print converts light to values for a screen, from 0 to 1. Print applies a gamma of two and rounds
// to the given number of levels.
func (p Pixel) Print(levels float32) Pixel {
	return p.each(func(v float32) float32 {
		v = math32.Sqrt(min(max(v, 0), 1))
		return math32.Floor(float32((levels-1)*v)+0.5) / (levels - 1)
	})
}
