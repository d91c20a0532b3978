package corpus

import "github.com/kgen-go/kgen/dsl"

// SumResults is the number of results per item of Rounded and Fused.
const SumResults = 6

// Rounded converts each product explicitly before it adds the product. The conversion forbids
// fusing.
type Rounded struct {
	X, Y, Z, Out []float32
}

func (k Rounded) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, z := k.X[i], k.Y[i], k.Z[i]
	out := k.Out[i*SumResults:][:SumResults]
	f := factors{x, y}
	method, p := f.product, times(x, y)
	out[0] = float32(times(x, y)) + z
	out[1] = z - rounded(x*y)
	out[2] = float32(p) - z
	out[3] = plus(float32(f.product()), z)
	out[4] = z + float32(method())
	out[5] = rounded(times(x, z)) + rounded(f.product())
}

// Fused adds products that devices may leave unrounded.
type Fused struct {
	X, Y, Z, Out []float32
}

func (k Fused) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, z := k.X[i], k.Y[i], k.Z[i]
	out := k.Out[i*SumResults:][:SumResults]
	out[0] = times(x, y) + z
	out[1] = times(x, y) - z
	out[2] = z - times(x, y)
	out[3] = plus(z, factors{x, y}.product())
	p := times(x, -y)
	out[4] = p - z
	if x > y {
		out[5] = p + z
	} else {
		out[5] = z - p
	}
}

// The type `factors` has a method that multiplies.
type factors struct{ x, y float32 }

func (f factors) product() float32 { return f.x * f.y }
func times(x, y float32) float32   { return x * y }
func plus(x, y float32) float32    { return x + y }
func rounded(x float32) float32    { return float32(x) }
