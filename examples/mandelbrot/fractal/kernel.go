// Package fractal paints the Mandelbrot set.
package fractal

import (
	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// A pixel has Samples by Samples points.
const Samples = 2

// The constant `bailout` is the square of a radius. An orbit outside of this radius counts as escaped. The
// radius is large because the smooth count is more exact if the orbit ends farther away.
const bailout = 1 << 16

// View is a part of the complex plane.
type View struct {
	X, Y  float32 // the centre
	Pixel float32 // distance between two pixels
}

// point() returns the complex number at a distance in pixels from the centre.
func (v View) point(x, y float32) Point {
	return Point{v.X + float32(v.Pixel*x), v.Y + float32(v.Pixel*y)}
}

// Mandelbrot paints one pixel per work-item, over a range of height and width.
type Mandelbrot struct {
	View    View
	MaxIter int
	Image   []RGBA // rows of pixels
}

// Kernel paints a pixel.
func (k Mandelbrot) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	left := float32(x) - 0.5*float32(w)
	top := float32(y) - 0.5*float32(h)

	var sum Color
	for s := range Samples * Samples {
		dx := (float32(s%Samples) + 0.5) * (1.0 / Samples)
		dy := (float32(s/Samples) + 0.5) * (1.0 / Samples)
		c := k.View.point(left+dx, top+dy)
		if n, escaped := c.Escape(k.MaxIter); escaped {
			sum = sum.Add(Palette(n))
		}
	}
	k.Image[y*w+x] = sum.Scale(1.0 / (Samples * Samples)).Pack()
}

// Point is a complex number.
type Point struct{ Re, Im float32 }

// Escape iterates z = z*z + c from zero. Escape returns the smooth number of iterations until z
// escapes. If z has not escaped after limit iterations, Escape returns false.
//
// Near the border of the set, an orbit depends on the last bit. Conversions
// round each product before it is added, so that all devices paint the same
// picture.
func (c Point) Escape(limit int) (float32, bool) {
	if c.inBulbs() {
		return 0, false
	}
	var z Point
	for n := range limit {
		re2, im2 := float32(z.Re*z.Re), float32(z.Im*z.Im)
		if r2 := re2 + im2; r2 > bailout {
			// Far from the centre, |z| is squared in each iteration, so its logarithm doubles.
			return float32(n) + 1 - log2(0.5*log2(r2)), true
		}
		z = Point{re2 - im2 + c.Re, float32(2*z.Re*z.Im) + c.Im}
	}
	return 0, false
}

// inBulbs reports whether c is in one of the two largest parts of the set. The orbits of points in
// the two parts never escape.
func (c Point) inBulbs() bool {
	im2 := c.Im * c.Im
	x := c.Re - 0.25
	q := x*x + im2
	if q*(q+x) <= 0.25*im2 {
		return true
	}
	return (c.Re+1)*(c.Re+1)+im2 <= 1.0/16
}
