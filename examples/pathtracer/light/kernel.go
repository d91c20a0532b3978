// Package light follows light through a scene of shapes and materials.
package light

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

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
	k.Image[y*w+x] = Pixel(y, x, h, w, k.Samples, k.Bounces)
}

// Pixel returns the mean of the light that samples of the pixel get.
func Pixel(y, x, h, w, samples, bounces int) Vec {
	seed := hash(uint32(y*w+x) + 1)
	random := func() float32 { // from 0 up to, but without, 1
		seed = 747796405*seed + 2891336453
		return float32(hash(seed)>>8) * 0x1p-24
	}
	var sum Vec
	for range samples {
		to := Vec{
			X: (float32(x) + random() - 0.5*float32(w)) / float32(h),
			Y: (0.5*float32(h) - float32(y) - random()) / float32(h),
			Z: -1.6,
		}
		// The camera looks down a little.
		to = Vec{to.X, to.Y + 0.2*to.Z, to.Z - 0.2*to.Y}.Unit()
		sum = sum.Add(Trace(Scene[:], Sky, Vec{0, 2, 6.5}, to, bounces, random))
	}
	return sum.Scale(1 / float32(samples))
}

// Trace follows a path backwards, from the eye to the sky. It returns the light that comes
// that way: none if the path does not end within the bounces.
func Trace(scene []Thing, sky func(Vec) Vec, from, to Vec, bounces int, random func() float32) Vec {
	kept := Vec{1, 1, 1}
	for range bounces {
		distance, normal, material := nearest(scene, from, to)
		if material == nil {
			return kept.Filter(sky(to))
		}
		from = from.Add(to.Scale(distance))
		next, color := material.Scatter(from, to, normal, random)
		to, kept = next, kept.Filter(color)
	}
	return Vec{}
}

// nearest returns what a ray hits first, or no material.
func nearest(scene []Thing, from, to Vec) (distance float32, normal Vec, material Material) {
	distance = math32.Inf(1)
	for _, thing := range scene {
		if d, n := thing.Shape.Hit(from, to); d > 0 && d < distance {
			distance, normal, material = d, n, thing.Material
		}
	}
	return distance, normal, material
}

// hash mixes the bits of x.
func hash(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}
