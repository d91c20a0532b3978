// Package conv contains convolutions (layers of networks) with float32s, or with matrices of 16-bit floats.
//
// A picture is stored row by row and pixel by pixel. The number of channels of a pixel is a multiple of Block, and so is
// the number of pixels in a row. Each side has a border of Edge zero pixels, so a filter may extend beyond the picture.
package conv

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

//go:generate go tool kgen .

// Block is the number of rows and columns of a matrix. Edge is half the side of the largest filter, rounded down. Part
// is the number of channels in an element of a picture of 16-bit floats.
const Block, Edge, Part = 16, 2, 8

// Halves contains Part channels of a pixel. Devices load and store the 16 bytes of a Halves at once.
type Halves [Part]half.Float16

// Up rounds up to a multiple of Block.
func Up(n int) int { return (n + Block - 1) / Block * Block }

// Pixel returns the index of a pixel in a picture of the given width.
func Pixel(y, x, width int) int { return (y+Edge)*(Up(width)+2*Edge) + x + Edge }

// Layer is the shape of a convolution.
type Layer struct {
	Height, Width int     // rows and columns of X, in pixels
	Side          int     // pixels in a side of the filter
	In, Out       int     // channels of X and Y
	Slope         float32 // factor of negative results; 0 for a ReLU
	Scale         int     // a result becomes a square of Scale by Scale pixels
	Wide          int     // channels of Y in a work-group of Matrix; a multiple of Block, at most Widest
}

// Plain computes Block channels of a pixel in each work-item. The range covers rows, columns and blocks of channels.
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

// A work-group of Matrix has SubGroups sub-groups and computes Pixels pixels, with at most Widest channels.
const (
	SubGroups = Pixels / Block
	Pixels    = 64
	Widest    = 64
	depth     = 4                  // parts of a row that are multiplied in an iteration
	pitch     = (depth + 1) * Part // distance of rows in work-group memory, so that rows begin in different banks
	pitchWide = Widest + Part
	some      = Widest / 2 // channels that are stored at a time
)

// Matrix computes Wide channels of Pixels pixels in each work-group. The pixels are adjacent in memory. Some of these
// pixels are at the edges of rows, and Matrix does not store them. The pixels of a row of the filter are adjacent, too.
// So a row of the filter multiplies a matrix whose rows overlap in X. Each row of this matrix begins one pixel after the
// row before it. Matrix has the fields of Plain. The rows of the nd-range are blocks of Wide channels.
type Matrix struct {
	Layer              Layer
	X, Y, Weights, Add []Halves
	Bias               []float32
}

// Kernel multiplies tiles of X by tiles of weights, in work-group memory. A tile of X has Pixels rows of `depth` parts.
func (k Matrix) Kernel(it dsl.NDItem2) {
	left, right, sum := dsl.Local[[Pixels * pitch]half.Float16](it), dsl.Local[[depth * Part * pitchWide]half.Float16](it), dsl.Local[[Pixels * some]float32](it)
	l, sg := k.Layer, it.SubGroup()
	lines, items := it.LocalRange()
	if l.Height < 1 || l.Height > 1<<12 || l.Width < 1 || l.Width > 1<<12 || l.Side < 1 || l.Side > 2*Edge+1 || l.In < Block || l.In > 1<<8 || l.Out < Block || l.Out > 1<<12 || (l.In|l.Out|l.Wide)%Block != 0 || l.Wide < Block || l.Wide > Widest || l.Scale < 1 || l.Scale > 1<<4 {
		panic("Matrix cannot compute a layer of this shape")
	}
	if len(k.X) != Pixel(l.Height+Edge, -Edge, l.Width)*l.In/Part || len(k.Weights) != l.Side*l.Side*l.In*l.Out/Part || lines != 1 || sg.GroupRange() != SubGroups {
		panic("the picture or the weights are of another shape, or the work-group has another number of rows or sub-groups")
	}
	block, tile := it.GroupID()
	_, id := it.LocalID()
	row, side, outs, parts, wide := uint32(Up(l.Width)+2*Edge), uint32(l.Side), uint32(l.Out/Part), uint32(l.In/Part), uint32(l.Wide/Part)
	first := uint32(min(Pixel(0, 0, l.Width)+tile*Pixels, Pixel(l.Height, 0, l.Width)))
	run, mine := side*parts, int(uint(sg.GroupID())%SubGroups)*Block // parts in a row of the filter, and first pixel of the sub-group

	var sums [Widest / Block]dsl.Accumulator[[Block][Block]float32]
	for r := range side {
		for t := uint32(0); t < run; t += depth {
			pixels, weights := (first+(r-side/2)*row-side/2)*parts+t, (r*run+t)*Part*outs+uint32(block)*wide
			it.Barrier()
			for i := id; i < Pixels*depth; i += 2 * items {
				j := (i + items) % (Pixels * depth)
				x, x2 := at(k.X, pixels, parts, i/depth, i%depth, Pixels, run-t), at(k.X, pixels, parts, j/depth, j%depth, Pixels, run-t)
				w, w2 := at(k.Weights, weights, outs, i/Part, i%Part, (run-t)*Part, wide), at(k.Weights, weights, outs, j/Part, j%Part, (run-t)*Part, wide)
				*(*Halves)(left[i/depth*pitch+i%depth*Part:]) = x
				*(*Halves)(left[j/depth*pitch+j%depth*Part:]) = x2
				*(*Halves)(right[i/Part*pitchWide+i%Part*Part:]) = w
				*(*Halves)(right[j/Part*pitchWide+j%Part*Part:]) = w2
			}
			it.Barrier()
			for step := range depth * Part / Block {
				a := dsl.LoadA[[Block][Block]half.Float16](sg, left[mine*pitch+step*Block:], pitch, dsl.RowMajor)
				for j := range sums {
					if j*Block < l.Wide {
						b := dsl.LoadB[[Block][Block]half.Float16](sg, right[step*Block*pitchWide+j*Block:], pitchWide, dsl.RowMajor)
						sums[j] = dsl.MulAdd(sg, a, b, sums[j])
					}
				}
			}
		}
	}

	for h := range Widest / some { // stores `some` channels at a time, because work-group memory is small
		it.Barrier()
		for j := range some / Block {
			dsl.StoreAccumulator(sg, sums[h*some/Block+j], sum[mine*some+j*Block:], some, dsl.RowMajor)
		}
		it.Barrier()
		for i := id; i < len(sum)/Part; i += items {
			p, z := first+uint32(i*Part/some), h*some+i*Part%some
			if y, x := int(p/row)-Edge, int(p%row)-Edge; y < l.Height && x >= 0 && x < l.Width && z < l.Wide && block*l.Wide+z < l.Out {
				z += block * l.Wide
				var add, v Halves
				if len(k.Add) > 0 {
					add = k.Add[p*outs+uint32(z/Part)]
				}
				for c, b := range [Part]float32(k.Bias[z:]) {
					u := sum[i*Part+c] + b + add[c].Float32()
					v[c] = half.FromFloat32[half.Float16](max(u, 0) + l.Slope*min(u, 0))
				}
				for j := range l.Scale {
					to := Pixel(y*l.Scale+j, x*l.Scale, l.Width*l.Scale)
					for j := range l.Scale {
						k.Y[(to+j)*l.Out/Part+z/Part] = v
					}
				}
			}
		}
	}
}

// at() loads part x of row y from m. Row 0 begins at index `first`, and consecutive rows are `parts` elements apart. If
// there are fewer rows or columns, or the index is past the end of m, the result contains zeros.
func at(m []Halves, first, parts uint32, y, x int, rows, columns uint32) (h Halves) {
	if i := int(first + uint32(y)*parts + uint32(x)); uint32(y) < rows && uint32(x) < columns && i < len(m) {
		h = m[i]
	}
	return h
}
