// Package tile renders a part of the picture of the example pathtracer.
package tile

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/examples/pathtracer/light"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Render computes the light in each pixel of a tile, over a range of the tile's height and width.
type Render struct {
	Top, Left        int // the tile's first pixel in the picture
	Height, Width    int // the picture's size
	Samples, Bounces int
	Tile             []light.Vec // rows of pixels
}

// Properties requires exact floats. A pixel then has the same bits on every device, and edges of tiles are invisible.
func (Render) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k Render) Kernel(it dsl.Item2) { // computes a pixel
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.Tile[y*w+x] = light.Render{Samples: k.Samples, Bounces: k.Bounces}.Pixel(k.Top+y, k.Left+x, k.Height, k.Width)
}
