package develop

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// The kernels run over a range of height and width, with one work-item for each pixel. The six edits
// load and store only the work-item's own pixel. A work-item can therefore do several edits without
// waiting for other work-items, and a graph can fuse the edits into one launch.

// own() returns the index of the work-item's own pixel. Rows are as wide as the range.
func own(it dsl.Item2) int {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	return y*w + x
}

// Expose multiplies the light, like a shutter that stays open for longer.
type Expose struct {
	Gain    float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Expose) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Scale(k.Gain, k.Gain, k.Gain)
}

// Balance multiplies each colour's light, so that white things look white in any light.
type Balance struct {
	Red, Green, Blue float32
	In, Out          []Pixel
}

// Kernel edits a pixel.
func (k Balance) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Scale(k.Red, k.Green, k.Blue)
}

// Contrast applies Pixel.Contrast to each pixel.
type Contrast struct {
	Amount  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Contrast) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Contrast(k.Amount)
}

// Saturate applies Pixel.Saturate to each pixel.
type Saturate struct {
	Amount  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Saturate) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Saturate(k.Amount)
}

// Vignette applies Pixel.Vignette to each pixel.
type Vignette struct {
	Amount  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Vignette) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	i := own(it)
	k.Out[i] = k.In[i].Vignette(k.Amount, y, x, h, w)
}

// Print applies Pixel.Print to each pixel.
type Print struct {
	Levels  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Print) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Print(k.Levels)
}

// Blur sets each pixel to the mean of the three by three pixels around it. Pixels past an edge are
// equal to the nearest pixel on the edge. Blur loads pixels that other work-items have stored
// before, so it cannot be fused with the edit before it.
type Blur struct{ In, Out []Pixel }

// Kernel computes a pixel.
func (k Blur) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	var sum Pixel
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			row, col := min(max(y+dy, 0), h-1), min(max(x+dx, 0), w-1)
			p := k.In[row*w+col]
			sum = Pixel{sum.R + p.R, sum.G + p.G, sum.B + p.B}
		}
	}
	k.Out[own(it)] = sum.Scale(1./9, 1./9, 1./9)
}
