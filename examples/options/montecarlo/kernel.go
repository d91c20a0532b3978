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

// Option is a right to buy (a call) or to sell (a put) a share for Strike after some years,
// and at no other time. Rate is the interest on money, Volatility how far the share's price
// swings: both per year, 0.05 being 5%.
type Option struct {
	Spot, Strike, Rate, Volatility, Years float32
}

// Sums are what a call and a put pay at the end of paths, and the squares of that.
type Sums struct {
	Call, CallSquared, Put, PutSquared float32
}

// Price simulates paths of the share's price, and leaves sums for each work-group.
type Price struct {
	Option Option
	Key    [2]uint32 // Philox's: other keys make other paths
	Paths  int
	Out    []Sums
}

// Properties states the work-group's size.
func (Price) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel goes through the counters in steps of the whole range: counter n has paths 4n to 4n+3.
func (k Price) Kernel(it dsl.NDItem1) {
	o := k.Option
	drift := (o.Rate - 0.5*o.Volatility*o.Volatility) * o.Years
	swing := o.Volatility * math32.Sqrt(o.Years)

	var s Sums
	for n := it.GlobalID(); 4*n < k.Paths; n += it.GlobalRange() {
		words := Philox([4]uint32{uint32(n), uint32(n >> 32)}, k.Key)
		for i, z := range Normals(words) {
			if 4*n+i < k.Paths {
				s = s.after(o.Strike, o.Spot*math32.Exp(drift+swing*z))
			}
		}
	}
	s = s.over(it.Group())
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = s
	}
}

// after adds a path that ends at a price.
func (s Sums) after(strike, price float32) Sums {
	call, put := max(price-strike, 0), max(strike-price, 0)
	return Sums{s.Call + call, s.CallSquared + call*call, s.Put + put, s.PutSquared + put*put}
}

// over adds the Sums of a group's work-items.
func (s Sums) over(g dsl.Group) Sums {
	return Sums{
		Call:        dsl.ReduceOverGroup(g, s.Call, dsl.Plus),
		CallSquared: dsl.ReduceOverGroup(g, s.CallSquared, dsl.Plus),
		Put:         dsl.ReduceOverGroup(g, s.Put, dsl.Plus),
		PutSquared:  dsl.ReduceOverGroup(g, s.PutSquared, dsl.Plus),
	}
}
