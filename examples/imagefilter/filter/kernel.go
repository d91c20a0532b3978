package filter

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

//go:generate go tool kgen .

// One represents the number 1 in weights and factors, which are fixed-point numbers.
const One = 1 << 12

// Blur blurs a picture along rows or along columns, over a range of height and width. Pixels past
// an edge are equal to the nearest pixel on the edge.
type Blur struct {
	Weights []int32 // weights of an odd number of neighbours; their sum is One
	Columns bool    // blur along columns instead of rows
	In, Out []RGBA  // rows of pixels
}

// Kernel computes a pixel.
func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	in, out := k.In[:h*w], k.Out[:h*w]
	sum := Color{One / 2, One / 2, One / 2, One / 2}
	for j, weight := range k.Weights {
		row, col := y, x
		if d := j - len(k.Weights)/2; k.Columns {
			row = clamp(y+d, h)
		} else {
			col = clamp(x+d, w)
		}
		sum = sum.AddScaled(in[row*w+col].Unpack(), weight)
	}
	out[y*w+x] = Color{sum.R / One, sum.G / One, sum.B / One, sum.A / One}.Pack()
}

// clamp() returns the number from 0 to n-1 that is nearest to i.
func clamp(i, n int) int { return min(max(i, 0), n-1) }

// Edges uses Sobel's operator to draw white edges on black where the brightness changes.
type Edges struct{ In, Out []RGBA }

// Kernel computes a pixel.
func (k Edges) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	in, out := k.In[:h*w], k.Out[:h*w]
	luma := func(dy, dx int) int32 { return in[clamp(y+dy, h)*w+clamp(x+dx, w)].Unpack().Luma() }

	dx := luma(-1, 1) + 2*luma(0, 1) + luma(1, 1) - luma(-1, -1) - 2*luma(0, -1) - luma(1, -1)
	dy := luma(1, -1) + 2*luma(1, 0) + luma(1, 1) - luma(-1, -1) - 2*luma(-1, 0) - luma(-1, 1)
	v := int32(math32.Sqrt(float32(dx*dx+dy*dy)) + 0.5)
	out[y*w+x] = Color{v, v, v, 255}.Pack()
}

// Brightness multiplies colours by a factor, and does not change alpha.
type Brightness struct {
	Factor  int32 // the factor multiplied by One
	In, Out []RGBA
}

// Kernel computes a pixel.
func (k Brightness) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	in, out := k.In[:h*w], k.Out[:h*w]
	c := in[y*w+x].Unpack()
	scale := func(v int32) int32 { return (v*k.Factor + One/2) / One }
	out[y*w+x] = Color{scale(c.R), scale(c.G), scale(c.B), c.A}.Pack()
}
