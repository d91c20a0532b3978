// Package develop has the edits that make a photo of the light that a camera has measured. What
// an edit does to a pixel is a method of Pixel, which plain Go can call as well; each edit has a
// kernel, which does that to all pixels of a picture.
package develop

import "github.com/kgen-go/kgen/dsl/math32"

// Pixel is the red, green and blue light of a point; 1 of each is white.
//
// Products are converted to float32, which has them rounded before something is added to them. Go
// may leave that out otherwise, where the processor can, and devices would not agree on last bits.
type Pixel struct{ R, G, B float32 }

// Scale multiplies the light of each colour by a factor of its own.
func (p Pixel) Scale(r, g, b float32) Pixel {
	return Pixel{float32(r * p.R), float32(g * p.G), float32(b * p.B)}
}

// each returns what f makes of each colour's light.
func (p Pixel) each(f func(v float32) float32) Pixel { return Pixel{f(p.R), f(p.G), f(p.B)} }

// Contrast draws light and dark apart, along a curve like an S that leaves black, white and the
// middle where they are. An amount of 0 changes nothing, and one of 1 is the whole curve.
func (p Pixel) Contrast(amount float32) Pixel {
	return p.each(func(v float32) float32 {
		v = min(max(v, 0), 1)
		curve := float32(v * v * (3 - float32(2*v)))
		return v + float32(amount*(curve-v))
	})
}

// Saturate moves the colours away from a gray as bright. An amount of 0 leaves that gray, and
// one of 1 changes nothing.
func (p Pixel) Saturate(amount float32) Pixel {
	gray := float32(0.2126*p.R) + float32(0.7152*p.G) + float32(0.0722*p.B)
	return p.each(func(v float32) float32 { return gray + float32(amount*(v-gray)) })
}

// Vignette darkens a pixel by how far it is from the middle of a picture of h rows of w pixels:
// in the corners by the amount, of which 1 is black.
func (p Pixel) Vignette(amount float32, y, x, h, w int) Pixel {
	dy, dx := float32(2*y+1-h), float32(2*x+1-w) // in halves of pixels
	corner := float32(h*h + w*w)
	f := 1 - float32(amount*(float32(dy*dy)+float32(dx*dx))/corner)
	return p.Scale(f, f, f)
}

// Print turns light into what a screen is told: brighter by a gamma of two, in as many levels as
// given, from 0 to 1.
func (p Pixel) Print(levels float32) Pixel {
	return p.each(func(v float32) float32 {
		v = math32.Sqrt(min(max(v, 0), 1))
		return math32.Floor(float32((levels-1)*v)+0.5) / (levels - 1)
	})
}
