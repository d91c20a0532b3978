// Package light follows light through a scene of shapes and materials.
package light

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Vec is a point, a direction or a colour.
type Vec struct{ X, Y, Z float32 }

// Add, Scale, Filter, Dot and Unit are a sum, a multiple, products of the parts, the scalar
// product and the direction.

func (v Vec) Add(w Vec) Vec       { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }
func (v Vec) Scale(f float32) Vec { return Vec{v.X * f, v.Y * f, v.Z * f} }
func (v Vec) Filter(w Vec) Vec    { return Vec{v.X * w.X, v.Y * w.Y, v.Z * w.Z} }
func (v Vec) Dot(w Vec) float32   { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }
func (v Vec) Unit() Vec           { return v.Scale(1 / math32.Sqrt(v.Dot(v))) }

// Thing is a shape of a material.
type Thing struct {
	Shape    Shape
	Material Material
}

var scene = [...]Thing{
	{Floor{0}, Matte{Vec{0.55, 0.55, 0.5}}},
	{Sphere{Vec{0, 1, 0}, 1}, Metal{Vec{0.9, 0.9, 0.9}, 0}},
	{Sphere{Vec{-2.1, 0.8, 0.6}, 0.8}, Matte{Vec{0.8, 0.15, 0.1}}},
	{Sphere{Vec{1.9, 0.7, 0.8}, 0.7}, Metal{Vec{0.95, 0.7, 0.3}, 0.25}},
	{Sphere{Vec{0.5, 0.35, 1.7}, 0.35}, Matte{Vec{0.1, 0.5, 0.2}}},
	{Sphere{Vec{-0.8, 0.3, 1.6}, 0.3}, Metal{Vec{0.5, 0.7, 0.95}, 0.05}},
}

// sky returns the light from a direction: white at the horizon, blue above, and a large sun.
func sky(to Vec) Vec {
	if to.Dot(Vec{-0.48, 0.64, 0.6}) > 0.95 {
		return Vec{7, 6, 4.5}
	}
	return Vec{0.6 - 0.5*to.Y, 0.7 - 0.4*to.Y, 0.85 - 0.2*to.Y}
}

// Render computes the light in each pixel, over a range of height and width.
type Render struct {
	Samples, Bounces int
	Image            []Vec // rows of pixels
}

// Properties: bounces magnify the last bit, so all devices are to have the host's.
func (Render) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes a pixel.
func (k Render) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	k.Image[y*w+x] = k.Pixel(y, x, h, w)
}

// Pixel returns the mean of the light that samples of a pixel get.
func (k Render) Pixel(y, x, h, w int) (mean Vec) {
	state := uint32(y*w + x)
	random := func() float32 { // from 0 up to, but without, 1: O'Neill's PCG RXS-M-XS
		state = 747796405*state + 2891336453
		word := (state>>(state>>28+4) ^ state) * 277803737
		return float32((word>>22^word)>>8) * 0x1p-24
	}
	for range k.Samples {
		right := (float32(x) + random() - 0.5*float32(w)) / float32(h)
		up := (0.5*float32(h) - float32(y) - random()) / float32(h)
		to := Vec{right, up - 0.32, -1.6 - 0.2*up}.Unit() // the camera looks down a little
		light := Trace(scene[:], sky, Vec{0, 2, 6.5}, to, k.Bounces, random)
		mean = mean.Add(light.Scale(1 / float32(k.Samples)))
	}
	return mean
}

// Trace follows a path backwards, from the eye to the sky, and returns the light that comes
// that way: none if the path does not end within the bounces.
func Trace(scene []Thing, sky func(Vec) Vec, from, to Vec, bounces int, random func() float32) Vec {
	kept := Vec{1, 1, 1}
	for range bounces {
		nearest, normal, material := math32.Inf(1), Vec{}, Material(nil)
		for _, thing := range scene {
			if d, n := thing.Shape.Hit(from, to); d > 0 && d < nearest {
				nearest, normal, material = d, n, thing.Material
			}
		}
		if material == nil {
			return kept.Filter(sky(to))
		}
		out, share := material.Scatter(to, normal, random)
		from, to, kept = from.Add(to.Scale(nearest)), out, kept.Filter(share)
	}
	return Vec{}
}
