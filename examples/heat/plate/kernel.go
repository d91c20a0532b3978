// Package plate computes how heat spreads in a plate.
package plate

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Step computes the temperatures of a plate after a time step, from In to Out. A row of the plate
// has W points. Each point gains Rate times the difference to each of its four neighbours. Points
// at the edges keep their temperatures. Step is stable for a Rate of up to a quarter.
type Step struct {
	W       int
	Rate    float32
	In, Out []float32
}

// Kernel computes one point.
func (k Step) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	at := y*k.W + x
	v := k.In[at]
	if y > 0 && x > 0 && y < h-1 && x < w-1 {
		near := k.In[at-1] + k.In[at+1] + k.In[at-k.W] + k.In[at+k.W]
		v += float32(k.Rate * (near - 4*v)) // because of the conversion, the product is not fused with the sum
	}
	k.Out[at] = v
}

// Flame sets the points of a disc around (X, Y) to a temperature.
type Flame struct {
	W, Y, X, Radius int
	Heat            float32
	Plate           []float32
}

// Kernel heats one point of the square around the disc.
func (k Flame) Kernel(it dsl.Item2) {
	dy, dx := it.GlobalID()
	dy, dx = dy-k.Radius, dx-k.Radius
	if dy*dy+dx*dx <= k.Radius*k.Radius {
		k.Plate[(k.Y+dy)*k.W+k.X+dx] = k.Heat
	}
}
