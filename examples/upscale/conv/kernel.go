// Package conv contains convolutions (layers of networks) with float32s, or with matrices of 16-bit floats.
//
// A picture is stored row by row and pixel by pixel. The numbers of channels of a pixel, and of pixels in a row, are
// multiples of Block. Edge zero pixels on each side surround the picture, so a filter may extend beyond the picture.
package conv

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

//go:generate go tool kgen .

// Block is the number of rows and columns of a matrix, and Edge is half the side of the largest filter, rounded down.
const Block, Edge = 16, 2

// Up rounds up to a multiple of Block.
func Up(n int) int { return (n + Block - 1) / Block * Block }

// Pixel returns the index of a pixel in a picture of the given width.
func Pixel(y, x, width int) int { return (y+Edge)*(Up(width)+2*Edge) + x + Edge }

// Layer is the shape of a convolution.
type Layer struct {
	Width, Side int     // pixels in a row of X, and in a side of the filter
	In, Out     int     // channels of X and Y
	Slope       float32 // factor of negative results, which is 0 for a ReLU
	Scale       int     // a result becomes a square of Scale by Scale pixels
}

// Plain computes Block channels of a pixel in each work-item, for a range of rows, columns and blocks of channels.
type Plain struct {
	Layer         Layer
	X, Y          []float32
	Weights, Bias []float32 // weights by filter position, channel of X and channel of Y; biases by channel of Y
	Add           []float32 // picture that is added, or empty
}

// Kernel adds up the products of a pixel's channels.
func (k Plain) Kernel(it dsl.Item3) {
	l := k.Layer
	y, x, z := it.GlobalID()
	sums := [Block]float32(k.Bias[z*Block:][:Block])
	for i := range l.Side * l.Side {
		at := Pixel(y+i/l.Side-l.Side/2, x+i%l.Side-l.Side/2, l.Width)
		for c := range l.In {
			v, w := k.X[at*l.In+c], k.Weights[(i*l.In+c)*l.Out+z*Block:][:Block]
			for j := range sums {
				sums[j] += v * w[j]
			}
		}
	}
	for j, v := range sums {
		z := z*Block + j
		if len(k.Add) > 0 {
			v += k.Add[Pixel(y, x, l.Width)*l.Out+z]
		}
		for i := range l.Scale * l.Scale {
			k.Y[Pixel(y*l.Scale+i/l.Scale, x*l.Scale+i%l.Scale, l.Width*l.Scale)*l.Out+z] = max(v, 0) + l.Slope*min(v, 0)
		}
	}
}

// Matrix computes, in each work-group, Block channels of Block pixels of a row. A work-group is one
// sub-group. The range is rows, blocks of columns and blocks of channels. Matrix has the fields of Plain.
type Matrix struct {
	Layer              Layer
	X, Y, Weights, Add []half.Float16
	Bias               []float32
}

// Kernel multiplies matrices of pixels and their channels by matrices of weights.
func (k Matrix) Kernel(it dsl.NDItem3) {
	l, sg := k.Layer, it.SubGroup()
	y, x, z := it.GroupID()
	var sum dsl.Accumulator[[Block][Block]float32]
	for i := range l.Side * l.Side {
		at := Pixel(y+i/l.Side-l.Side/2, x*Block+i%l.Side-l.Side/2, l.Width)
		for c := 0; c < l.In; c += Block {
			a := dsl.LoadA[[Block][Block]half.Float16](sg, k.X[at*l.In+c:], l.In, dsl.RowMajor)
			b := dsl.LoadB[[Block][Block]half.Float16](sg, k.Weights[(i*l.In+c)*l.Out+z*Block:], l.Out, dsl.RowMajor)
			sum = dsl.MulAdd(sg, a, b, sum)
		}
	}
	tile := dsl.Local[[Block * Block]float32](it)
	dsl.StoreAccumulator(sg, sum, tile[:], Block, dsl.RowMajor)
	it.Barrier()
	for e := it.LocalLinearID(); e < len(tile); e += sg.LocalRange() {
		if x, z := x*Block+e/Block, z*Block+e%Block; x < l.Width { // pixels outside of the picture stay zero
			v := tile[e] + k.Bias[z]
			if len(k.Add) > 0 {
				v += k.Add[Pixel(y, x, l.Width)*l.Out+z].Float32()
			}
			for i := range l.Scale * l.Scale {
				k.Y[Pixel(y*l.Scale+i/l.Scale, x*l.Scale+i%l.Scale, l.Width*l.Scale)*l.Out+z] = half.FromFloat32[half.Float16](max(v, 0) + l.Slope*min(v, 0))
			}
		}
	}
}
