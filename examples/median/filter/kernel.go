// Package filter filters pictures.
package filter

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Window is the width of the square of pixels of which each pixel becomes the
// median. It is odd.
var Window = dsl.NewSpecConstant(3)

// Median replaces every pixel by the median of those around it, itself among
// them: single wrong pixels vanish, and edges stay. The range is the picture, rows
// first; past its borders, the picture goes on as at the border.
type Median struct {
	In, Out []float32
}

// Kernel filters one pixel. It sorts the pixels of the window into memory of its
// own, which has as many elements as the window has pixels.
func (k Median) Kernel(it dsl.Item2) {
	w := Window.Get(it)
	near := dsl.PrivateAlloca[float32](it, w*w)
	y, x := it.GlobalID()
	rows, cols := it.GlobalRange()
	n := 0
	for dy := range w {
		row := min(max(y+dy-w/2, 0), rows-1) * cols
		for dx := range w {
			v := k.In[row+min(max(x+dx-w/2, 0), cols-1)]
			i := n
			for i > 0 && near[i-1] > v {
				near[i] = near[i-1]
				i--
			}
			near[i] = v
			n++
		}
	}
	k.Out[y*cols+x] = near[len(near)/2]
}
