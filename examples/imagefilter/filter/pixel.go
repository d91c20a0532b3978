// Package filter contains filters of pictures as kernels. The filters compute with integers, so all
// devices compute the same pictures.
package filter

// RGBA is a pixel, with red in the lowest byte, then green, blue and alpha. Colours are not
// premultiplied by alpha.
type RGBA uint32

// Color is a pixel divided into its channels.
type Color struct{ R, G, B, A int32 }

// Unpack returns the pixel's channels, each from 0 to 255.
func (p RGBA) Unpack() Color {
	return Color{int32(p & 0xff), int32(p >> 8 & 0xff), int32(p >> 16 & 0xff), int32(p >> 24)}
}

// Pack combines the channels to a pixel. Channels below 0 become 0, and channels above 255 become 255.
func (c Color) Pack() RGBA {
	return channel(c.R) | channel(c.G)<<8 | channel(c.B)<<16 | channel(c.A)<<24
}

func channel(v int32) RGBA { return RGBA(min(max(v, 0), 255)) }

// AddScaled returns c + f*d.
func (c Color) AddScaled(d Color, f int32) Color {
	return Color{c.R + f*d.R, c.G + f*d.G, c.B + f*d.B, c.A + f*d.A}
}

// Luma returns the brightness as the eye sees it, from 0 to 255.
func (c Color) Luma() int32 { return (54*c.R + 183*c.G + 19*c.B) >> 8 }
