// Package montecarlo prices options by simulation.
package montecarlo

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Size is the number of work-items in a work-group.
const Size = 256

// Call is the right to buy a share for the price Strike after Years years, but not earlier. Rate is
// the yearly interest rate, and Volatility is the yearly volatility of the share's price.
type Call struct {
	Spot, Strike, Rate, Volatility, Years float32
}

// Sums contains the sum of the call's values at the ends of paths, and the sum of the squares of these values.
type Sums struct {
	Worth, Squares float32
}

// Price simulates paths of the share's price. Each work-group stores its sums in its own element of Out.
type Price struct {
	Call  Call
	Key   [2]uint32 // key of Philox; other keys give other paths
	Paths int
	Out   []Sums
}

// Properties sets the work-group's size.
func (Price) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel processes counters that differ by the size of the range. The random numbers of counter n are for paths 4n to 4n+3.
func (k Price) Kernel(it dsl.NDItem1) {
	c := k.Call
	drift := (c.Rate - 0.5*c.Volatility*c.Volatility) * c.Years
	swing := c.Volatility * math32.Sqrt(c.Years)
	var s Sums
	for n := it.GlobalID(); 4*n < k.Paths; n += it.GlobalRange() {
		for i, z := range Normals(Philox([4]uint32{uint32(n), uint32(n >> 32)}, k.Key)) {
			if 4*n+i < k.Paths {
				worth := max(c.Spot*math32.Exp(drift+swing*z)-c.Strike, 0)
				s = Sums{s.Worth + worth, s.Squares + worth*worth}
			}
		}
	}
	s.Worth = dsl.ReduceOverGroup(it.Group(), s.Worth, dsl.Plus)
	s.Squares = dsl.ReduceOverGroup(it.Group(), s.Squares, dsl.Plus)
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = s
	}
}
