package filter

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

//go:generate go tool kgen .

// One is the unit of weights and factors, which are fixed-point numbers.
const One = 1 << 12

// Blur is one half of a blur, along rows or columns, over a range of height and
// width. Past an edge, pixels are as on it.
type Blur struct {
	Weights []int32 // of an odd number of neighbours; their sum is One
	Columns bool    // along columns, not rows
	In, Out []RGBA  // rows of pixels
}

// Kernel computes a pixel.
func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	at, step, last := x, 1, w-1
	if k.Columns {
		at, step, last = y, w, h-1
	}
	row := y*w + x - at*step // where the row or column begins
	sum := Color{One / 2, One / 2, One / 2, One / 2}
	for j, weight := range k.Weights {
		n := min(max(at+j-len(k.Weights)/2, 0), last)
		sum = sum.AddScaled(k.In[row+n*step].Unpack(), weight)
	}
	k.Out[y*w+x] = Color{sum.R / One, sum.G / One, sum.B / One, sum.A / One}.Pack()
}

// Edges draws where brightness changes, by Sobel's operator, white on black.
type Edges struct{ In, Out []RGBA }

// Kernel computes a pixel.
func (k Edges) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	up, down := max(y-1, 0)*w, min(y+1, h-1)*w
	left, right := max(x-1, 0), min(x+1, w-1)
	luma := func(i int) int32 { return k.In[i].Unpack().Luma() }

	dx := luma(up+right) + 2*luma(y*w+right) + luma(down+right) -
		luma(up+left) - 2*luma(y*w+left) - luma(down+left)
	dy := luma(down+left) + 2*luma(down+x) + luma(down+right) -
		luma(up+left) - 2*luma(up+x) - luma(up+right)
	v := int32(math32.Sqrt(float32(dx*dx+dy*dy)) + 0.5)
	k.Out[y*w+x] = Color{v, v, v, 255}.Pack()
}

// Brightness multiplies colours by a factor, and leaves alpha alone.
type Brightness struct {
	Factor  int32 // in units of 1/One
	In, Out []RGBA
}

// Kernel computes a pixel.
func (k Brightness) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	c := k.In[y*w+x].Unpack()
	scale := func(v int32) int32 { return (v*k.Factor + One/2) / One }
	k.Out[y*w+x] = Color{scale(c.R), scale(c.G), scale(c.B), c.A}.Pack()
}
