// Package light follows light through a scene of shapes and materials.
package light

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Vec is a point, a direction or a colour. Method Off mirrors a direction that points below a surface.
type Vec struct{ X, Y, Z float32 }

func (v Vec) Add(w Vec) Vec       { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }
func (v Vec) Scale(f float32) Vec { return Vec{v.X * f, v.Y * f, v.Z * f} }
func (v Vec) Filter(w Vec) Vec    { return Vec{v.X * w.X, v.Y * w.Y, v.Z * w.Z} }
func (v Vec) Dot(w Vec) float32   { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }
func (v Vec) Unit() Vec           { return v.Scale(1 / math32.Sqrt(v.Dot(v))) }
func (v Vec) Off(normal Vec) Vec  { return v.Add(normal.Scale(-2 * min(v.Dot(normal), 0))) }

// Thing is a shape with a colour and a material.
type Thing struct {
	Shape    Shape
	Color    Vec
	Material Material
}

var scene = [...]Thing{
	{Floor{0}, Vec{0.55, 0.55, 0.5}, Matte{}},
	{Sphere{Vec{0, 1, 0}, 1}, Vec{0.9, 0.9, 0.9}, Metal{0}},
	{Sphere{Vec{-2.1, 0.8, 0.6}, 0.8}, Vec{0.8, 0.15, 0.1}, Matte{}},
	{Sphere{Vec{1.9, 0.7, 0.8}, 0.7}, Vec{0.95, 0.7, 0.3}, Metal{0.25}},
	{Sphere{Vec{0.5, 0.35, 1.7}, 0.35}, Vec{0.1, 0.5, 0.2}, Matte{}},
	{Sphere{Vec{-0.8, 0.3, 1.6}, 0.3}, Vec{0.5, 0.7, 0.95}, Metal{0.05}},
}

// sky() returns the light from a direction. The sky is white at the horizon and blue above, with a large sun.
func sky(to Vec) Vec {
	if to.Dot(Vec{-0.48, 0.64, 0.6}) > 0.95 {
		return Vec{7, 6, 4.5}
	}
	return Vec{0.6 - 0.5*to.Y, 0.7 - 0.4*to.Y, 0.85 - 0.2*to.Y}
}

// Shape is a surface that a ray can hit. Hit returns the distance to the surface, and the normal
// there. If the ray misses, the distance is below zero or not a number.
type Shape interface {
	Hit(from, to Vec) (distance float32, normal Vec)
}

type Floor struct{ Height float32 } // a plane

func (f Floor) Hit(from, to Vec) (float32, Vec) { return (f.Height - from.Y) / to.Y, Vec{Y: 1} }

type Sphere struct { // a ball around a point
	Centre Vec
	Radius float32
}

func (s Sphere) Hit(from, to Vec) (float32, Vec) { // Hit solves a quadratic equation
	rel := from.Add(s.Centre.Scale(-1))
	b := rel.Dot(to)
	d := -b - math32.Sqrt(b*b-rel.Dot(rel)+s.Radius*s.Radius)
	return d, rel.Add(to.Scale(d)).Scale(1 / s.Radius)
}

// Material chooses a random direction from which light arrives. The surface reflects the light in the direction opposite to `in`.
type Material interface {
	Scatter(in, normal Vec, random func() float32) (from Vec)
}

type Matte struct{} // scatters light as paper does, by Lambert's cosine law

func (Matte) Scatter(_, normal Vec, random func() float32) Vec {
	return normal.Scale(1.0001).Add(onSphere(random)).Unit()
}

type Metal struct{ Roughness float32 } // mirrors light, and scatters it more if Roughness is greater

func (m Metal) Scatter(in, normal Vec, random func() float32) Vec {
	return in.Off(normal).Add(onSphere(random).Scale(m.Roughness)).Unit().Off(normal)
}

// onSphere returns a random direction.
func onSphere(random func() float32) Vec {
	y, angle := 2*random()-1, 2*math32.Pi*random()
	r := math32.Sqrt(max(1-y*y, 0))
	return Vec{r * math32.Cos(angle), y, r * math32.Sin(angle)}
}

// Render computes the light in each pixel, over a range of height and width.
type Render struct {
	Samples, Bounces int
	Image            []Vec // rows of pixels
}

// Properties requires exact rounding, because bounces magnify differences in the last bit.
func (Render) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Render) Kernel(it dsl.Item2) { // Kernel computes a pixel
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	k.Image[y*w+x] = k.Pixel(y, x, h, w)
}

// Pixel returns the mean light of the samples of a pixel.
func (k Render) Pixel(y, x, h, w int) (mean Vec) {
	state := uint32(y*w + x)
	random := func() float32 { // returns a number in [0, 1), by O'Neill's generator PCG RXS-M-XS
		state = 747796405*state + 2891336453
		word := (state>>(state>>28+4) ^ state) * 277803737
		return float32((word>>22^word)>>8) * 0x1p-24
	}
	for range k.Samples {
		right := (float32(x) + random() - 0.5*float32(w)) / float32(h)
		up := (0.5*float32(h) - float32(y) - random()) / float32(h)
		to := Vec{right, up - 0.32, -1.6 - 0.2*up}.Unit() // the camera looks down a little
		mean = mean.Add(Trace(scene[:], sky, Vec{0, 2, 6.5}, to, k.Bounces, random))
	}
	return mean.Scale(1 / float32(k.Samples))
}

// Trace follows a path backwards, from the eye to the sky, and returns the light on this path. The
// light is zero if the path has more than the given number of bounces.
func Trace(things []Thing, sky func(Vec) Vec, from, to Vec, bounces int, random func() float32) Vec {
	kept := Vec{1, 1, 1}
	for range bounces {
		nearest, normal, color, material := math32.Inf(1), Vec{}, Vec{}, Material(nil)
		for _, thing := range things {
			if d, n := thing.Shape.Hit(from, to); d > 1e-3 && d < nearest { // 1e-3 excludes the surface where the path starts
				nearest, normal, color, material = d, n, thing.Color, thing.Material
			}
		}
		if material == nil {
			return kept.Filter(sky(to))
		}
		from, to, kept = from.Add(to.Scale(nearest)), material.Scatter(to, normal, random), kept.Filter(color)
	}
	return Vec{}
}
