// Package fold reduces slices of floats.
//
//kgen:bare nospare views
package fold

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Size is the number of work-items in a work-group.
const Size = 256

// Stats is the result of Fold. If a slice is divided into pieces, the combined Stats of all pieces are
// the Stats of the slice.
type Stats struct {
	Sum, Min, Max, Dot float32
}

// Fold computes one Stats per work-group. X and Y have the same length, and
// only Dot depends on Y.
type Fold struct {
	X, Y []float32
	Out  []Stats
}

// Properties sets the work-group's size.
func (Fold) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel advances through the slices by the number of work-items, so that neighbouring work-items read neighbouring
// elements.
func (k Fold) Kernel(it dsl.NDItem1) {
	s := Stats{Min: math32.Inf(1), Max: math32.Inf(-1)}
	for i := it.GlobalID(); i < len(k.X) && i < len(k.Y); i += it.GlobalRange() {
		x := k.X[i]
		s.Sum += x
		s.Min = min(s.Min, x)
		s.Max = max(s.Max, x)
		s.Dot += x * k.Y[i]
	}
	s = s.over(it.Group())
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = s
	}
}

// over() combines the Stats of a group's work-items.
func (s Stats) over(g dsl.Group) Stats {
	return Stats{
		Sum: dsl.ReduceOverGroup(g, s.Sum, dsl.Plus),
		Min: dsl.ReduceOverGroup(g, s.Min, dsl.Minimum),
		Max: dsl.ReduceOverGroup(g, s.Max, dsl.Maximum),
		Dot: dsl.ReduceOverGroup(g, s.Dot, dsl.Plus),
	}
}

// Finish combines the Stats of Fold's work-groups in one Stats. Finish is launched with one
// work-group.
type Finish struct {
	Parts []Stats
	Out   []Stats
}

// Properties sets the work-group's size.
func (Finish) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel combines the results of the work-groups.
func (k Finish) Kernel(it dsl.NDItem1) {
	s := Stats{Min: math32.Inf(1), Max: math32.Inf(-1)}
	for i := it.LocalID(); i < len(k.Parts); i += Size {
		p := k.Parts[i]
		s = Stats{s.Sum + p.Sum, min(s.Min, p.Min), max(s.Max, p.Max), s.Dot + p.Dot}
	}
	if s = s.over(it.Group()); it.LocalID() == 0 {
		k.Out[0] = s
	}
}
