package fractal

import "github.com/kgen-go/kgen/dsl/math32"

// RGBA is a pixel, with red in the lowest byte, then green, blue and alpha.
type RGBA uint32

// Color is a colour with channels from 0 to 1.
type Color struct{ R, G, B float32 }

// Add returns the sum of two colours.
func (c Color) Add(d Color) Color { return Color{c.R + d.R, c.G + d.G, c.B + d.B} }

// Scale returns the colour times f.
func (c Color) Scale(f float32) Color { return Color{c.R * f, c.G * f, c.B * f} }

// Pack returns the colour as an opaque pixel.
func (c Color) Pack() RGBA {
	return channel(c.R) | channel(c.G)<<8 | channel(c.B)<<16 | 0xff<<24
}

func channel(v float32) RGBA {
	return RGBA(255*min(max(v, 0), 1) + 0.5)
}

// Palette returns the colour of an escape count. The bands of colours, from deep blue through white
// to amber, are wider for larger counts.
func Palette(n float32) Color {
	t := 0.9 * log2(max(n, 0)+2)
	return Color{wave(t + 0.50), wave(t + 0.42), wave(t + 0.30)}
}

// wave() changes smoothly between 0 and 1 with a period of 1, and is 1 at 0. wave() is a triangle wave
// with rounded corners, which looks like a cosine and is very fast.
func wave(t float32) float32 {
	t -= math32.Floor(t)
	g := math32.Abs(2*t - 1)
	return g * g * (3 - 2*g)
}

// log2 returns the binary logarithm. [math32.Log2] also gets the last bit right, but takes five times
// as long. The last bit is not visible in a colour.
func log2(x float32) float32 { return math32.Log2E * math32.Log(x) }
