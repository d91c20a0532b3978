package light

import "github.com/kgen-go/kgen/dsl/math32"

// Shape is what a ray can hit. Hit returns how far away it does, or 0 if it does not, and the
// direction that stands on the surface there.
type Shape interface {
	Hit(from, to Vec) (distance float32, normal Vec)
}

// near is the distance below which a ray still leaves the surface that it starts from.
const near = 1e-3

// Sphere is a ball around a point.
type Sphere struct {
	Centre Vec
	Radius float32
}

// Hit solves a quadratic equation.
func (s Sphere) Hit(from, to Vec) (float32, Vec) {
	rel := from.Add(s.Centre.Scale(-1))
	b := rel.Dot(to)
	d := -b - math32.Sqrt(max(b*b-rel.Dot(rel)+s.Radius*s.Radius, 0))
	normal := rel.Add(to.Scale(d)).Scale(1 / s.Radius)
	if d > near && to.Dot(normal) < 0 && normal.Dot(normal) < 1.001 {
		return d, normal
	}
	return 0, Vec{}
}

// Floor is a plane at a height.
type Floor struct{ Height float32 }

// Hit is that of a plane.
func (f Floor) Hit(from, to Vec) (float32, Vec) {
	if d := (f.Height - from.Y) / to.Y; d > near {
		return d, Vec{Y: 1}
	}
	return 0, Vec{}
}

// Material says where the light comes from that leaves a surface against the direction in, by
// chance, and which share of each colour stays.
type Material interface {
	Scatter(in, normal Vec, random func() float32) (out, kept Vec)
}

// Matte scatters by the cosine law of Lambert, as paper does.
type Matte struct{ Color Vec }

// Scatter chooses a point of the unit sphere that stands on the surface.
func (m Matte) Scatter(_, normal Vec, random func() float32) (out, kept Vec) {
	return normal.Scale(1.0001).Add(onSphere(random)).Unit(), m.Color
}

// Metal reflects, the less clearly the rougher it is.
type Metal struct {
	Color     Vec
	Roughness float32
}

// Scatter mirrors the direction.
func (m Metal) Scatter(in, normal Vec, random func() float32) (out, kept Vec) {
	out = in.Add(normal.Scale(-2 * in.Dot(normal))).Add(onSphere(random).Scale(m.Roughness)).Unit()
	if out.Dot(normal) <= 0 {
		return normal, Vec{} // lost in the metal
	}
	return out, m.Color
}

// onSphere returns a random direction.
func onSphere(random func() float32) Vec {
	y, angle := 2*random()-1, 2*math32.Pi*random()
	r := math32.Sqrt(max(1-y*y, 0))
	return Vec{r * math32.Cos(angle), y, r * math32.Sin(angle)}
}
