// Package gravity moves bodies by the force between each pair of bodies, and paints the
// bodies.
package gravity

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

const (
	// GroupSize is the number of bodies that a work-group moves.
	GroupSize = 256
	// TileSize is the number of bodies that a work-group loads to work-group memory at a time, four
	// for each work-item. With large tiles, the work-items wait at fewer barriers.
	TileSize = 4 * GroupSize
)

// Vec3 is a vector in space.
type Vec3 struct{ X, Y, Z float32 }

// Add returns v + w.
func (v Vec3) Add(w Vec3) Vec3 { return Vec3{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Sub returns v - w.
func (v Vec3) Sub(w Vec3) Vec3 { return Vec3{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }

// Scale returns v times f.
func (v Vec3) Scale(f float32) Vec3 { return Vec3{v.X * f, v.Y * f, v.Z * f} }

// Dot returns the scalar product of v and w.
func (v Vec3) Dot(w Vec3) float32 { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// Body is a point with a mass, in units in which the gravitational constant is 1.
type Body struct {
	Pos  Vec3
	Mass float32
}

// Step moves bodies by one time step. New contains the moved bodies of Old from index First on, and
// Velocity is updated in place. All bodies of Old attract each body. The nd-range covers the bodies
// of New in work-groups of GroupSize.
type Step struct {
	Dt        float32
	Softening float32 // length that prevents close bodies from flinging each other away
	Old, New  []Body
	Velocity  []Vec3
	First     int
}

// Properties sets the work-group's size.
func (Step) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(GroupSize)}
}

// Kernel moves one body.
func (k Step) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[TileSize]Body](it)
	i, l, n := it.GlobalID(), it.LocalID(), len(k.Old)

	var self Body
	if i < len(k.New) {
		self = k.Old[k.First+i]
	}
	var acc Vec3
	for first := 0; first < n; first += TileSize {
		for t := l; t < TileSize; t += GroupSize {
			var other Body // a body without mass, because elements past the end must not attract
			if j := first + t; j < n {
				other = k.Old[j]
			}
			tile[t] = other
		}
		it.Barrier()
		for j := range tile {
			acc = acc.Add(pull(self.Pos, tile[j], k.Softening))
		}
		it.Barrier()
	}
	if i < len(k.New) {
		v := k.Velocity[i].Add(acc.Scale(k.Dt))
		k.Velocity[i] = v
		k.New[i] = Body{self.Pos.Add(v.Scale(k.Dt)), self.Mass}
	}
}

// pull() returns the acceleration that b causes at p.
func pull(p Vec3, b Body, softening float32) Vec3 {
	d := b.Pos.Sub(p)
	r := math32.FastRsqrt(d.Dot(d) + softening*softening)
	return d.Scale(b.Mass * r * r * r)
}
