// Package kernels contains each kernel of the benchmark in three versions. In the versions, the
// size is a constant, a specialization constant, or an argument. All three versions call the same
// function.
//
//kgen:bare nospare views
package kernels

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// These constants are the sizes in the first version of each kernel.
const (
	FixedTile   = 16
	FixedRadius = 4
	FixedWindow = 5
	MaxWindow   = 9
)

// These specialization constants are the sizes in the second version of each kernel.
var (
	Tile   = dsl.NewSpecConstant(FixedTile)
	Radius = dsl.NewSpecConstant(uint8(FixedRadius))
	Window = dsl.NewSpecConstant(FixedWindow)
)

// MatMulConstant multiplies matrices in tiles of FixedTile by FixedTile.
type MatMulConstant struct {
	N       int
	A, B, C []float32
}

// Kernel computes one element.
func (k MatMulConstant) Kernel(it dsl.NDItem2) {
	a := dsl.LocalSlice[float32](it, FixedTile*FixedTile)
	b := dsl.LocalSlice[float32](it, FixedTile*FixedTile)
	matmul(it, FixedTile, k.N, k.A, k.B, k.C, a, b)
}

// MatMulSpec multiplies matrices in tiles of Tile by Tile.
type MatMulSpec struct {
	N       int
	A, B, C []float32
}

// Kernel computes one element.
func (k MatMulSpec) Kernel(it dsl.NDItem2) {
	tile := Tile.Get(it)
	a := dsl.LocalSlice[float32](it, tile*tile)
	b := dsl.LocalSlice[float32](it, tile*tile)
	matmul(it, tile, k.N, k.A, k.B, k.C, a, b)
}

// MatMulArgument multiplies matrices in tiles of k.Tile by k.Tile.
type MatMulArgument struct {
	N, Tile int
	A, B, C []float32
	LA, LB  dsl.LocalAccessor[float32]
}

// Kernel computes one element.
func (k MatMulArgument) Kernel(it dsl.NDItem2) {
	matmul(it, k.Tile, k.N, k.A, k.B, k.C, k.LA.Slice(it), k.LB.Slice(it))
}

// matmul() computes one element of c = a*b for n by n matrices. The size n is a
// multiple of `tile`, and a work-group has tile*tile work-items.
func matmul(it dsl.NDItem2, tile, n int, a, b, c, la, lb []float32) {
	row, col := it.GlobalID()
	y, x := it.LocalID()
	var sum float32
	for t := 0; t < n; t += tile {
		la[y*tile+x] = a[row*n+t+x]
		lb[y*tile+x] = b[(t+y)*n+col]
		it.Barrier()
		for i := range tile {
			sum += la[y*tile+i] * lb[i*tile+x]
		}
		it.Barrier()
	}
	c[row*n+col] = sum
}

// BlurConstant averages pixels within FixedRadius of each pixel.
type BlurConstant struct {
	In, Weights, Out []float32
}

// Kernel computes one pixel.
func (k BlurConstant) Kernel(it dsl.Item2) { blur(it, FixedRadius, k.In, k.Weights, k.Out) }

// BlurSpec averages pixels within Radius of each pixel.
type BlurSpec struct {
	In, Weights, Out []float32
}

// Kernel computes one pixel.
func (k BlurSpec) Kernel(it dsl.Item2) { blur(it, int(Radius.Get(it)), k.In, k.Weights, k.Out) }

// BlurArgument averages pixels within k.Radius of each pixel.
type BlurArgument struct {
	Radius           int
	In, Weights, Out []float32
}

// Kernel computes one pixel.
func (k BlurArgument) Kernel(it dsl.Item2) { blur(it, k.Radius, k.In, k.Weights, k.Out) }

// blur() computes one pixel. The input has a margin of `radius` pixels on all sides.
func blur(it dsl.Item2, radius int, in, weights, out []float32) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	side := 2*radius + 1
	pitch := w + 2*radius
	var sum float32
	for dy := range side {
		for dx := range side {
			sum += weights[dy*side+dx] * in[(y+dy)*pitch+x+dx]
		}
	}
	out[y*w+x] = sum
}

// MedianConstant sets each pixel to the median of FixedWindow by FixedWindow pixels.
type MedianConstant struct{ In, Out []float32 }

// Kernel computes one pixel.
func (k MedianConstant) Kernel(it dsl.Item2) {
	var near [FixedWindow * FixedWindow]float32
	median(it, FixedWindow, near[:], k.In, k.Out)
}

// MedianSpec sets each pixel to the median of Window by Window pixels.
type MedianSpec struct{ In, Out []float32 }

// Kernel computes one pixel.
func (k MedianSpec) Kernel(it dsl.Item2) {
	w := Window.Get(it)
	median(it, w, dsl.PrivateAlloca[float32](it, w*w), k.In, k.Out)
}

// MedianArgument sets each pixel to the median of Window by Window pixels. Window is at most
// MaxWindow.
type MedianArgument struct {
	Window  int
	In, Out []float32
}

// Kernel computes one pixel.
func (k MedianArgument) Kernel(it dsl.Item2) {
	var near [MaxWindow * MaxWindow]float32
	median(it, k.Window, near[:k.Window*k.Window], k.In, k.Out)
}

// median() computes one pixel. The input has a margin of window/2 pixels on all sides.
func median(it dsl.Item2, window int, near, in, out []float32) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	pitch := w + window - 1
	for dy := range window {
		for dx := range window {
			v := in[(y+dy)*pitch+x+dx]
			i := dy*window + dx
			for i > 0 && near[i-1] > v {
				near[i] = near[i-1]
				i--
			}
			near[i] = v
		}
	}
	out[y*w+x] = near[len(near)/2]
}
