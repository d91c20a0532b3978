// Package neural contains a kernel for each step of training a network of convolutions.
//
// A batch of pictures is stored one picture after the other, row by row and pixel by pixel. The channels of a pixel are
// neighbours. Numbers are stored as Ts, and kernels compute with float32s. Each sum has a fixed order, and products are
// rounded before a sum. The results have the same bits in each run, and on all devices that keep subnormals.
//
//kgen:variants load
package neural

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

//go:generate go tool kgen .

// A work-item computes Block channels of a pixel, or adds up the derivatives of Part pictures.
const Block, Part = 8, 8

// Classes is the number of channels of the last layer that are used. Momentum is the fraction of a
// weight's change that is added to the weight's next change.
const Classes, Momentum = 10, 0.9

// Layer is a layer of a network. Filter and pictures are squares. In a dense layer, the filter is as large as the pictures.
type Layer[T any] struct {
	Width, Side, Stride int       // pixels in a row of X; pixels in a row of the filter; distance between adjacent filter positions
	In, Out             int       // channels of X and Y; multiples of Block, except In of the first layer
	ReLU                bool      // negative results become 0
	X, Y, DX, DY        []T       // pictures before and after the layer, and the derivatives of the loss with respect to them
	W                   []T       // weights, indexed by filter pixel, channel of X and channel of Y; then biases, indexed by channel of Y
	Parts               []float32 // derivatives of the loss with respect to W, one set for every Part pictures
	Exact, Speed        []float32 // W before rounding, and the last change of each weight
	At                  []int32   // number of steps that have been done
	Steps               int       // number of all steps
	Rate                float32   // rate of gradient descent in the first step; the rate decreases to 0
}

// Size returns the number of pixels in a row of Y.
func (l Layer[T]) Size() int { return (l.Width-l.Side)/l.Stride + 1 }

// Rows returns the number of rows of W. A row of W has one weight for each channel of Y.
func (l Layer[T]) Rows() int { return l.Side*l.Side*l.In + 1 }

// Forward computes Y. Each work-item computes Block channels of a pixel. The range is indexed by picture, pixel and block.
type Forward[T any, N Number[T]] struct{ Layer[T] }

func (k Forward[T, N]) Kernel(it dsl.Item3) {
	var as N
	picture, pixel, z := it.GlobalID()
	size, row := k.Size(), k.Side*k.In // number of pixels in a row of Y, and number of elements in a row of the filter
	y, x := pixel/size*k.Stride, pixel%size*k.Stride
	w := k.W[z*Block:]
	var sums [Block]float32
	for r := range k.Side {
		for i, v := range k.X[((picture*k.Width+y+r)*k.Width+x)*k.In:][:row] {
			as.MulAdd(&sums, v, w[(r*row+i)*k.Out:])
		}
	}
	as.MulAdd(&sums, as.Narrow(1), w[k.Side*row*k.Out:])
	to := k.Y[(picture*size*size+pixel)*k.Out+z*Block:][:Block]
	for j, v := range sums {
		if k.ReLU {
			v = max(v, 0)
		}
		to[j] = as.Narrow(v)
	}
}

// Back computes DX from DY. A work-item computes Block channels of a pixel. The range is indexed by
// picture, pixel of X and block of channels. X is the result of a ReLU, so DX is 0 where X is 0.
type Back[T any, N Number[T]] struct{ Layer[T] }

func (k Back[T, N]) Kernel(it dsl.Item3) {
	var as N
	picture, pixel, z := it.GlobalID()
	size, py, px := k.Size(), pixel/k.Width, pixel%k.Width
	var sums [Block]float32
	for y := max(py-k.Side+k.Stride, 0) / k.Stride; y < min(py/k.Stride+1, size); y++ { // rows of Y whose filters contain the pixel
		for x := max(px-k.Side+k.Stride, 0) / k.Stride; x < min(px/k.Stride+1, size); x++ {
			at := (py-y*k.Stride)*k.Side + px - x*k.Stride // index in the filter
			dy := k.DY[((picture*size+y)*size+x)*k.Out:][:k.Out]
			for c := range sums {
				sums[c] += as.Dot(dy, k.W[(at*k.In+z*Block+c)*k.Out:][:k.Out])
			}
		}
	}
	at := (picture*k.Width*k.Width+pixel)*k.In + z*Block
	x, dx := k.X[at:][:Block], k.DX[at:][:Block]
	for c, v := range sums {
		if as.Wide(x[c]) == 0 {
			v = 0
		}
		dx[c] = as.Narrow(v)
	}
}

// Gradient computes derivatives of the loss with respect to Block weights, for Part pictures. The
// dimensions of the range are the sets of Part pictures, the rows of W, and the blocks of channels.
type Gradient[T any, N Number[T]] struct{ Layer[T] }

func (k Gradient[T, N]) Kernel(it dsl.Item3) {
	var as N
	part, weight, z := it.GlobalID()
	var sums [Block]float32
	size, row, added := k.Size(), k.Side*k.In, weight == k.Side*k.Side*k.In
	first, last := part*Part, min(part*Part+Part, len(k.Y)/(k.Size()*k.Size()*k.Out))
	for y := first * size; y < last*size; y++ { // rows of Y of Part pictures
		x := k.X[((y/size*k.Width+y%size*k.Stride+weight/row)*k.Width)*k.In+weight%row:]
		for i := range size {
			v := as.Narrow(1)
			if !added {
				v = x[i*k.Stride*k.In]
			}
			as.MulAdd(&sums, v, k.DY[(y*size+i)*k.Out+z*Block:])
		}
	}
	copy(k.Parts[(part*k.Rows()+weight)*k.Out+z*Block:], sums[:])
}

// Update changes one weight in each work-item, by gradient descent with momentum.
type Update[T any, N Number[T]] struct{ Layer[T] }

func (k Update[T, N]) Kernel(it dsl.Item1) {
	var as N
	i := it.GlobalID()
	sum := float32(0)
	for at := i; at < len(k.Parts); at += len(k.W) {
		sum += k.Parts[at]
	}
	rate := k.Rate * (1 - float32(k.At[0])/float32(k.Steps))
	k.Speed[i] = float32(Momentum*k.Speed[i]) - float32(rate*sum)
	k.Exact[i] += k.Speed[i]
	k.W[i] = as.Narrow(k.Exact[i])
}

// Batch contains the pictures that a network sees in a step, and the network's guesses.
type Batch[T any] struct {
	At      []int32   // number of steps that have been done; the batch begins at index At*Size of Order
	Order   []int32   // numbers of pictures
	Size    int       // number of pictures in a batch
	Pixels  []byte    // pixels of all pictures
	Labels  []byte    // classes of all pictures
	X       []T       // X of the first layer
	Y, DY   []T       // Y and DY of the last layer
	Loss    []float32 // losses of the pictures in Order
	Guesses []byte    // most likely classes of the pictures in Order
}

// picture() returns the index in Order of a picture of the batch, and whether the picture exists.
func (k Batch[T]) picture(i int) (int, bool) {
	i += int(k.At[0]) * k.Size
	return i, i < len(k.Order)
}

// Show copies the pictures of a batch to X, one pixel in each work-item.
type Show[T any, N Number[T]] struct{ Batch[T] }

func (k Show[T, N]) Kernel(it dsl.Item2) {
	var as N
	p, pixel := it.GlobalID()
	_, pixels := it.GlobalRange()
	if i, ok := k.picture(p); ok {
		k.X[p*pixels+pixel] = as.Narrow(float32(k.Pixels[int(k.Order[i])*pixels+pixel]) / 255)
	}
}

// Judge computes the loss, the guess and the derivatives DY of one picture in each work-item. The loss
// is the cross-entropy of the softmax of Y, and DY are derivatives of the mean loss of the batch.
type Judge[T any, N Number[T]] struct{ Batch[T] }

func (k Judge[T, N]) Kernel(it dsl.Item1) {
	var as N
	p := it.GlobalID()
	i, ok := k.picture(p)
	if !ok {
		return
	}
	var v [Classes]float32
	best, width := 0, len(k.Y)/k.Size
	for j := range v {
		v[j] = as.Wide(k.Y[p*width+j])
		if v[j] > v[best] {
			best = j
		}
	}
	sum, most := float32(0), v[best]
	for _, y := range v {
		sum += math32.Exp(y - most)
	}
	label := int(k.Labels[k.Order[i]])
	k.Guesses[i] = byte(best)
	k.Loss[i] = math32.Log(sum) + most - v[label]
	for j, y := range v {
		d := math32.Exp(y-most) / sum
		if j == label {
			d--
		}
		k.DY[p*width+j] = as.Narrow(d / float32(k.Size))
	}
}

// Next advances to the next batch.
type Next struct{ At []int32 }

func (k Next) Kernel(dsl.Task) { k.At[0]++ }
