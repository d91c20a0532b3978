package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"math"

	"github.com/kgen-go/kgen/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/examples/internal/demo"
)

// The type `picture` contains rows of pixels.
type picture struct {
	w, h   int
	pixels []filter.RGBA
}

func fromImage(img image.Image) picture {
	b := img.Bounds()
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(n, n.Bounds(), img, b.Min, draw.Src)
	p := picture{b.Dx(), b.Dy(), make([]filter.RGBA, b.Dx()*b.Dy())}
	for i := range p.pixels {
		p.pixels[i] = filter.RGBA(binary.LittleEndian.Uint32(n.Pix[4*i:]))
	}
	return p
}

func (p picture) image() image.Image {
	n := image.NewNRGBA(image.Rect(0, 0, p.w, p.h))
	for i, v := range p.pixels {
		binary.LittleEndian.PutUint32(n.Pix[4*i:], uint32(v))
	}
	return n
}

// at() returns a channel of a pixel. Pixels past an edge are equal to the nearest pixel on the edge.
func (p picture) at(x, y, channel int) float64 {
	x, y = min(max(x, 0), p.w-1), min(max(y, 0), p.h-1)
	return float64(p.pixels[y*p.w+x] >> (8 * channel) & 0xff)
}

// each() makes a picture from the channels that f returns.
func (p picture) each(f func(x, y, channel int) float64) picture {
	out := picture{p.w, p.h, make([]filter.RGBA, len(p.pixels))}
	for y := range p.h {
		for x := range p.w {
			var v filter.RGBA
			for c := range 4 {
				v |= filter.RGBA(math.Max(0, math.Min(255, math.Round(f(x, y, c))))) << (8 * c)
			}
			out.pixels[y*p.w+x] = v
		}
	}
	return out
}

// The functions blur, edges and brightness compute the filters in float64, with the formulas of
// textbooks.

func blur(p picture, weights []int32) picture {
	half := len(weights) / 2
	for range 2 { // along rows, and, after transposing, along columns
		in := p
		p = in.each(func(x, y, c int) float64 {
			sum := 0.0
			for j, w := range weights {
				sum += float64(w) / filter.One * in.at(x+j-half, y, c)
			}
			return sum
		}).transposed()
	}
	return p
}

func (p picture) transposed() picture {
	out := picture{p.h, p.w, make([]filter.RGBA, len(p.pixels))}
	for i, v := range p.pixels {
		out.pixels[i%p.w*p.h+i/p.w] = v
	}
	return out
}

func edges(p picture) picture {
	return p.each(func(x, y, c int) float64 {
		if c == 3 {
			return 255
		}
		dx, dy := 0.0, 0.0
		for i := -1; i <= 1; i++ {
			for j := -1; j <= 1; j++ {
				luma := math.Floor((54*p.at(x+j, y+i, 0) + 183*p.at(x+j, y+i, 1) + 19*p.at(x+j, y+i, 2)) / 256)
				dx += luma * float64(j*(2-i*i))
				dy += luma * float64(i*(2-j*j))
			}
		}
		return math.Hypot(dx, dy)
	})
}

func brightness(p picture, factor float64) picture {
	return p.each(func(x, y, c int) float64 {
		if c == 3 {
			return p.at(x, y, c)
		}
		return factor * p.at(x, y, c)
	})
}

// compare() tolerates small differences, because every filter may round a value halfway between two
// integers up or down.
func compare(got, want picture) error {
	off, most := 0, 0
	for i := range got.pixels {
		for c := range 4 {
			d := int(got.pixels[i]>>(8*c)&0xff) - int(want.pixels[i]>>(8*c)&0xff)
			if d = max(d, -d); d > 0 {
				off++
				most = max(most, d)
			}
		}
	}
	if most > 8 || off*1000 > len(got.pixels)*4 {
		return fmt.Errorf("%d of %d values differ from the plain loop's, by up to %d", off, 4*len(got.pixels), most)
	}
	demo.Line("check", "ok: %d of %d values round differently", off, 4*len(got.pixels))
	return nil
}
