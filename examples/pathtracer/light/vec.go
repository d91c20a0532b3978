package light

import "github.com/kgen-go/kgen/dsl/math32"

// Vec is a point, a direction or a colour.
type Vec struct{ X, Y, Z float32 }

// Add returns v + w.
func (v Vec) Add(w Vec) Vec { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Scale returns v times f.
func (v Vec) Scale(f float32) Vec { return Vec{v.X * f, v.Y * f, v.Z * f} }

// Filter returns the products of the parts: light of colour w behind a filter of colour v.
func (v Vec) Filter(w Vec) Vec { return Vec{v.X * w.X, v.Y * w.Y, v.Z * w.Z} }

// Dot returns the scalar product.
func (v Vec) Dot(w Vec) float32 { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// Unit returns the direction of v.
func (v Vec) Unit() Vec { return v.Scale(1 / math32.Sqrt(v.Dot(v))) }
