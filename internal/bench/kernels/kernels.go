// Package kernels contains the kernels of the benchmark suite that are not from an example. Most kernels are
// simple code that is not tuned to a device, with one element for each work-item.
//
//kgen:bare views=Empty,Step,Step16,Touch nospare
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Size is the number of work-items in a work-group, for kernels that fix the size of their work-groups.
const Size = 256

// Copy4 measures the bandwidth of memory. Each work-item copies four elements, whose indices differ by the size of
// the work-group.
type Copy4 struct{ A, C []float32 }

func (Copy4) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Copy4) Kernel(it dsl.NDItem1) {
	first := it.GroupID()*4*Size + it.LocalID()
	var v [4]float32
	for j := range v {
		v[j] = k.A[first+j*Size]
	}
	for j := range v {
		k.C[first+j*Size] = v[j]
	}
}

// Rounds is the number of steps (multiply and add) that FMA makes for each of its Chains.
const (
	Rounds = 512
	Chains = 8
)

// FMA measures the rate of arithmetic. Each work-item does 2 * Rounds * Chains floating-point operations, which read
// no memory.
type FMA struct {
	X, Y float32
	Out  []float32
}

func (k FMA) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	f := float32(i&7) / 8
	a, b, c, d, e, g, h, j := f, f+1, f+2, f+3, f+4, f+5, f+6, f+7
	for range Rounds {
		a = a*k.X + k.Y
		b = b*k.X + k.Y
		c = c*k.X + k.Y
		d = d*k.X + k.Y
		e = e*k.X + k.Y
		g = g*k.X + k.Y
		h = h*k.X + k.Y
		j = j*k.X + k.Y
	}
	k.Out[i] = a + b + c + d + e + g + h + j
}

// FMA16 computes the same as FMA in half precision, with one rounding of each product and sum.
type FMA16 struct {
	X, Y half.Float16
	Out  []half.Float16
}

func (k FMA16) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	f := half.FromFloat32[half.Float16](float32(i&7) / 8)
	one := half.FromFloat32[half.Float16](1)
	a := f
	b := a.Add(one)
	c := b.Add(one)
	d := c.Add(one)
	e := d.Add(one)
	g := e.Add(one)
	h := g.Add(one)
	j := h.Add(one)
	for range Rounds {
		a = a.FMA(k.X, k.Y)
		b = b.FMA(k.X, k.Y)
		c = c.FMA(k.X, k.Y)
		d = d.FMA(k.X, k.Y)
		e = e.FMA(k.X, k.Y)
		g = g.FMA(k.X, k.Y)
		h = h.FMA(k.X, k.Y)
		j = j.FMA(k.X, k.Y)
	}
	k.Out[i] = a.Add(b).Add(c).Add(d).Add(e).Add(g).Add(h).Add(j)
}

// Blur sets each pixel to the mean of the 3 by 3 pixels around it. Outside of the picture, the nearest edge pixel is used.
type Blur struct {
	H, W    int
	In, Out []float32
}

func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	var sum float32
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			sum += k.In[min(max(y+dy, 0), k.H-1)*k.W+min(max(x+dx, 0), k.W-1)]
		}
	}
	k.Out[y*k.W+x] = sum * (1.0 / 9)
}

// Properties asks for work-groups of 8 by 32.
func (Blur) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8, 32)}
}

// Rows computes the product of each row of A with X.
type Rows struct {
	A, X, Out []float32
}

func (k Rows) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := len(k.X)
	row := k.A[i*n : i*n+n]
	var sum float32
	for j, x := range k.X {
		sum += row[j] * x
	}
	k.Out[i] = sum
}

// MatMul computes C = A*B for square matrices of N rows, one element for each work-item.
type MatMul struct {
	N       int
	A, B, C []float32
}

func (k MatMul) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	var sum float32
	for i := range k.N {
		sum += k.A[y*k.N+i] * k.B[i*k.N+x]
	}
	k.C[y*k.N+x] = sum
}

// Body is a point with a mass.
type Body struct{ X, Y, Z, Mass float32 }

// NBody computes the force of all Bodies on each body. The number of bodies is a multiple of Size.
type NBody struct {
	Softening float32
	Bodies    []Body
	Force     []Body // resulting forces, whose Mass is zero
}

func (NBody) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k NBody) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Size]Body](it)
	i, l := it.GlobalID(), it.LocalID()
	self := k.Bodies[i]
	var f Body
	for first := 0; first < len(k.Bodies); first += Size {
		tile[l] = k.Bodies[first+l]
		it.Barrier()
		for j := range tile {
			b := tile[j]
			x, y, z := b.X-self.X, b.Y-self.Y, b.Z-self.Z
			r := math32.Rsqrt(x*x + y*y + z*z + k.Softening)
			s := b.Mass * r * r * r
			f.X += x * s
			f.Y += y * s
			f.Z += z * s
		}
		it.Barrier()
	}
	k.Force[i] = f
}

// Mandelbrot counts iterations until a point of the picture diverges, but at most Limit iterations.
type Mandelbrot struct {
	Left, Top, Pixel float32
	Limit            int
	Width            int
	Count            []uint32
}

func (k Mandelbrot) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	re, im := k.Left+float32(x)*k.Pixel, k.Top+float32(y)*k.Pixel
	var a, b float32
	n := 0
	for ; n < k.Limit; n++ {
		a2, b2 := a*a, b*b
		if a2+b2 > 4 {
			break
		}
		b = 2*a*b + im
		a = a2 - b2 + re
	}
	k.Count[y*k.Width+x] = uint32(n)
}

// Stencil sets each inner cell of a cube to a weighted sum of the cell and its six neighbours. The cube has N cells
// in each direction. The range covers the inner cells.
type Stencil struct {
	N       int
	In, Out []float32
}

func (k Stencil) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	n := k.N
	i := ((z+1)*n+y+1)*n + x + 1
	k.Out[i] = 0.4*k.In[i] + 0.1*(k.In[i-1]+k.In[i+1]+k.In[i-n]+k.In[i+n]+k.In[i-n*n]+k.In[i+n*n])
}

// Tile is the side of the square that a work-group of Transpose transposes. Strip is the number of rows of
// work-items in the work-group.
const (
	Tile  = 32
	Strip = 8
)

// Transpose transposes a square matrix through work-group memory. N, the number of rows, is a multiple of Tile.
type Transpose struct {
	N       int
	In, Out []float32
}

func (Transpose) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Strip, Tile)}
}

func (k Transpose) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[Tile][Tile + 1]float32](it)
	gy, gx := it.GroupID()
	y, x := it.LocalID()
	for j := 0; j < Tile; j += Strip {
		tile[y+j][x] = k.In[(gy*Tile+y+j)*k.N+gx*Tile+x]
	}
	it.Barrier()
	for j := 0; j < Tile; j += Strip {
		k.Out[(gx*Tile+y+j)*k.N+gy*Tile+x] = tile[x][y+j]
	}
}

// SpMV computes Y = A*X for a sparse matrix in compressed rows, one row for each work-item.
type SpMV struct {
	Starts  []uint32 // start of each row in Columns and Values, then the end of the last row
	Columns []uint32
	Values  []float32
	X, Y    []float32
}

func (k SpMV) Kernel(it dsl.Item1) {
	row := it.GlobalID()
	var sum float32
	for i := k.Starts[row]; i < k.Starts[row+1]; i++ {
		sum += k.Values[i] * k.X[k.Columns[i]]
	}
	k.Y[row] = sum
}

// Softmax computes the softmax of each row, one row for each work-group.
type Softmax struct {
	N       int // number of elements of a row
	In, Out []float32
}

func (Softmax) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Softmax) Kernel(it dsl.NDItem1) {
	first, l, g := it.GroupID()*k.N, it.LocalID(), it.Group()
	in, out := k.In[first:first+k.N], k.Out[first:first+k.N]
	most := math32.Inf(-1)
	for i := l; i < len(in); i += Size {
		most = max(most, in[i])
	}
	most = dsl.ReduceOverGroup(g, most, dsl.Maximum)
	var sum float32
	for i := l; i < len(in); i += Size {
		sum += math32.Exp(in[i] - most)
	}
	scale := 1 / dsl.ReduceOverGroup(g, sum, dsl.Plus)
	for i := l; i < len(out); i += Size {
		out[i] = math32.Exp(in[i]-most) * scale
	}
}

// BlackScholes prices European options.
type BlackScholes struct {
	Rate, Volatility float32
	Price, Strike, T []float32 // stock prices, strike prices, and times in years
	Call, Put        []float32
}

func (k BlackScholes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s, x, t := k.Price[i], k.Strike[i], k.T[i]
	root := k.Volatility * math32.Sqrt(t)
	d1 := (math32.Log(s/x) + (k.Rate+0.5*k.Volatility*k.Volatility)*t) / root
	n1, n2 := normal(d1), normal(d1-root)
	later := x * math32.Exp(-k.Rate*t)
	k.Call[i] = s*n1 - later*n2
	k.Put[i] = later*(1-n2) - s*(1-n1)
}

// normal() computes the cumulative distribution function of the normal distribution, by the approximation of
// Abramowitz and Stegun (26.2.17).
func normal(d float32) float32 {
	k := 1 / (1 + 0.2316419*math32.Abs(d))
	n := 0.39894228 * math32.Exp(-0.5*d*d) * k *
		(0.31938153 + k*(-0.356563782+k*(1.781477937+k*(-1.821255978+k*1.330274429))))
	if d > 0 {
		n = 1 - n
	}
	return n
}

// Levels is the number of values that Histogram counts.
const Levels = 256

// Histogram counts how often each byte value occurs in X.
type Histogram struct{ X, Bins []uint32 }

func (Histogram) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

func (k Histogram) Kernel(it dsl.NDItem1) {
	const each = 4 // number of loads that are in flight at once
	bins := dsl.Local[[Levels]uint32](it)
	r := it.GlobalRange()
	for i := it.GlobalID(); i < len(k.X); i += each * r {
		var x [each]uint32
		for j := range each {
			if at := i + j*r; at < len(k.X) {
				x[j] = k.X[at]
			}
		}
		for j := range each {
			if i+j*r < len(k.X) {
				dsl.AtomicAdd(&bins[x[j]%Levels], 1)
				dsl.AtomicAdd(&bins[x[j]>>8%Levels], 1)
				dsl.AtomicAdd(&bins[x[j]>>16%Levels], 1)
				dsl.AtomicAdd(&bins[x[j]>>24], 1)
			}
		}
	}
	it.Barrier()
	for b := it.LocalID(); b < Levels; b += Size {
		dsl.AtomicAdd(&k.Bins[b], bins[b])
	}
}

// Step computes A*x+B for each element x. The suite runs chains of Step kernels.
type Step struct {
	A, B    float32
	In, Out []float32
}

func (k Step) Kernel(it dsl.Item1) { i := it.GlobalID(); k.Out[i] = k.A*k.In[i] + k.B }

// Step16 computes the same as Step in half precision.
type Step16 struct {
	A, B    half.Float16
	In, Out []half.Float16
}

func (k Step16) Kernel(it dsl.Item1) { i := it.GlobalID(); k.Out[i] = k.A.Mul(k.In[i]).Add(k.B) }

// Empty does nothing.
type Empty struct{}

func (Empty) Kernel(it dsl.Item1) {}

// Touch counts its launches. Each launch depends on the previous launch.
type Touch struct{ X []uint32 }

func (k Touch) Kernel(it dsl.Item1) { k.X[it.GlobalID()]++ }
