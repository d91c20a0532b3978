// Package filter filters pictures.
package filter

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Window is the width of a square of pixels. The width is odd. Each pixel becomes the median of the
// square around it.
var Window = dsl.NewSpecConstant(3)

// Median replaces every pixel by the median of itself and the pixels around it. Single wrong pixels
// disappear, and edges remain. The range has the height and width of the picture. Pixels past a
// border are equal to the nearest pixel on the border.
type Median struct {
	In, Out []float32
}

// Kernel filters one pixel. Kernel sorts all pixels of the window in private
// memory.
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
