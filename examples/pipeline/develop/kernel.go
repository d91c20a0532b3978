package develop

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// The kernels run over a range of height and width, a work-item for each pixel. The six edits
// load and store the work-item's own pixel alone. So a work-item can do several of them one after
// the other without waiting for anyone, and a graph can make one launch of them.

// own returns the index of the work-item's own pixel, of rows as wide as the range.
func own(it dsl.Item2) int {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	return y*w + x
}

// Expose multiplies the light, as a shutter does that stays open for longer.
type Expose struct {
	Gain    float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Expose) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Scale(k.Gain, k.Gain, k.Gain)
}

// Balance multiplies each colour's light, so that what is white looks white in any light.
type Balance struct {
	Red, Green, Blue float32
	In, Out          []Pixel
}

// Kernel edits a pixel.
func (k Balance) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Scale(k.Red, k.Green, k.Blue)
}

// Contrast is Pixel.Contrast for each pixel.
type Contrast struct {
	Amount  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Contrast) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Contrast(k.Amount)
}

// Saturate is Pixel.Saturate for each pixel.
type Saturate struct {
	Amount  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Saturate) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Saturate(k.Amount)
}

// Vignette is Pixel.Vignette for each pixel.
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

// Print is Pixel.Print for each pixel.
type Print struct {
	Levels  float32
	In, Out []Pixel
}

// Kernel edits a pixel.
func (k Print) Kernel(it dsl.Item2) {
	i := own(it)
	k.Out[i] = k.In[i].Print(k.Levels)
}

// Blur makes of each pixel the mean of the three by three around it; past an edge, pixels are as
// on it. It loads pixels of other work-items, so all of them have to be there before it starts:
// it cannot be one launch with the edit before it.
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
