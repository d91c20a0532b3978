package light

import "github.com/kgen-go/kgen/dsl/math32"

// Shape is what a ray can hit. Hit returns how far away it does, or 0 if it does not, and the
// direction that stands on the surface there, which points at where the ray comes from.
type Shape interface {
	Hit(from, to Vec) (distance float32, normal Vec)
}

// Sphere is a ball around a point.
type Sphere struct {
	Centre Vec
	Radius float32
}

// near is the distance below which a ray still leaves the surface that it starts from.
const near = 1e-3

// Hit solves a quadratic equation.
func (s Sphere) Hit(from, to Vec) (float32, Vec) {
	rel := from.Add(s.Centre.Scale(-1))
	b := rel.Dot(to)
	root := b*b - rel.Dot(rel) + s.Radius*s.Radius
	if root <= 0 {
		return 0, Vec{}
	}
	root = math32.Sqrt(root)
	if d := -b - root; d > near {
		return d, rel.Add(to.Scale(d)).Scale(1 / s.Radius)
	}
	if d := root - b; d > near { // from inside
		return d, rel.Add(to.Scale(d)).Scale(-1 / s.Radius)
	}
	return 0, Vec{}
}

// Floor is a plane at a height.
type Floor struct{ Height float32 }

// Hit is that of a plane.
func (f Floor) Hit(from, to Vec) (float32, Vec) {
	if d := (f.Height - from.Y) / to.Y; d > near && to.Y < 0 {
		return d, Vec{Y: 1}
	}
	return 0, Vec{}
}

// Material is what a surface does to light. Scatter returns where the light may have come from
// that leaves against the direction in, and the share of each colour that is kept.
type Material interface {
	Scatter(at, in, normal Vec, random func() float32) (out, kept Vec)
}

// Matte scatters evenly, as paper does.
type Matte struct{ Color Vec }

// Scatter chooses a direction by the cosine law of Lambert.
func (m Matte) Scatter(_, _, normal Vec, random func() float32) (out, kept Vec) {
	return normal.Scale(1.0001).Add(onSphere(random)).Unit(), m.Color
}

// Metal reflects, the less clearly the rougher it is.
type Metal struct {
	Color     Vec
	Roughness float32
}

// Scatter mirrors the direction.
func (m Metal) Scatter(_, in, normal Vec, random func() float32) (out, kept Vec) {
	out = in.Add(normal.Scale(-2 * in.Dot(normal))).Add(onSphere(random).Scale(m.Roughness))
	if out.Dot(normal) <= 0 {
		return normal, Vec{} // into the metal
	}
	return out.Unit(), m.Color
}

// Tiles are matte, in two colours.
type Tiles struct{ Light, Dark Vec }

// Scatter is that of the tile's colour.
func (t Tiles) Scatter(at, in, normal Vec, random func() float32) (out, kept Vec) {
	color := t.Light
	if (int(math32.Floor(at.X))+int(math32.Floor(at.Z)))&1 != 0 {
		color = t.Dark
	}
	return Matte{color}.Scatter(at, in, normal, random)
}

// onSphere returns a random direction.
func onSphere(random func() float32) Vec {
	y, angle := 2*random()-1, 2*math32.Pi*random()
	r := math32.Sqrt(max(1-y*y, 0))
	return Vec{r * math32.Cos(angle), y, r * math32.Sin(angle)}
}

// Thing is a shape of a material.
type Thing struct {
	Shape    Shape
	Material Material
}

// Scene is what there is to see.
var Scene = [...]Thing{
	{Floor{0}, Tiles{Vec{0.8, 0.8, 0.75}, Vec{0.15, 0.2, 0.3}}},
	{Sphere{Vec{0, 1, 0}, 1}, Metal{Vec{0.9, 0.9, 0.9}, 0}},
	{Sphere{Vec{-2.1, 0.8, 0.6}, 0.8}, Matte{Vec{0.8, 0.15, 0.1}}},
	{Sphere{Vec{1.9, 0.7, 0.8}, 0.7}, Metal{Vec{0.95, 0.7, 0.3}, 0.25}},
	{Sphere{Vec{0.5, 0.35, 1.7}, 0.35}, Matte{Vec{0.1, 0.5, 0.2}}},
	{Sphere{Vec{-0.8, 0.3, 1.6}, 0.3}, Metal{Vec{0.5, 0.7, 0.95}, 0.05}},
}

// Sky returns the light from a direction: white at the horizon, blue above, and a large sun.
func Sky(to Vec) Vec {
	t := 0.5 * (to.Y + 1)
	sky := Vec{1, 1, 1}.Scale(1 - t).Add(Vec{0.35, 0.55, 1}.Scale(t))
	if to.Dot(Vec{-0.48, 0.64, 0.6}) > 0.95 {
		return sky.Add(Vec{7, 6, 4.5})
	}
	return sky
}
