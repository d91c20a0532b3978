// Upscale makes a picture twice as large, by a network that has learned details of pictures.
package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"os"
	"path/filepath"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/upscale/conv"
	convgen "github.com/kgen-go/kgen/generated/examples/upscale/conv"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	in     = flag.String("i", "", "a PNG, JPEG or GIF (default: the model's own picture)")
	out    = flag.String("o", "upscaled.png", "where to write the larger picture")
	dir    = flag.String("model", "", "the model's folder (default: that of scripts/models.sh)")
	tile   = demo.Int("tile", 128, 16, 1<<12, "rows and columns of a tile")
	halves = flag.Bool("half", false, "compute with 16-bit floats, by matrices of sub-groups")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	cache, _ := os.UserCacheDir()
	folder := cmp.Or(*dir, filepath.Join(cache, "kgen/models/esrgan-slim-1.0.0"))
	m, err := load(filepath.Join(folder, "models/x2"))
	src, _, missing := demo.ReadPicture(cmp.Or(*in, filepath.Join(folder, "assets/fixture.png")))
	if err = cmp.Or(err, missing); err != nil {
		return err
	}
	var dst *image.RGBA
	d, err := demo.Time(func() error { dst, err = upscale(ctx, dev, m, src); return err })
	if err != nil {
		return err
	}
	demo.Rate("upscaled", d, float64(len(dst.Pix)/4), "pixel")
	return demo.WritePNG(*out, dst)
}

// The type `weights` contains the weights of a layer. The dimensions of a filter are rows, columns, input channels and output channels.
type weights struct {
	Name  string
	Shape [4]int
	data  []float32
}

// load() reads a model from its folder.
func load(dir string) (map[string]weights, error) {
	type group struct{ Weights []weights }
	var list struct{ WeightsManifest [1]group }
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	bits, missing := os.ReadFile(filepath.Join(dir, "group1-shard1of1.bin"))
	if err = cmp.Or(err, missing, json.Unmarshal(text, &list)); err != nil {
		return nil, fmt.Errorf("no model: %w; sh scripts/models.sh fetches it by npm, and -model names its folder", err)
	}
	m := map[string]weights{}
	for _, w := range list.WeightsManifest[0].Weights {
		w.data = make([]float32, w.Shape[0]*max(w.Shape[1], 1)*max(w.Shape[2], 1)*max(w.Shape[3], 1))
		n, err := binary.Decode(bits, binary.LittleEndian, w.data)
		if err != nil {
			return nil, fmt.Errorf("the weights %s: %w", w.Name, err)
		}
		m[w.Name], bits = w, bits[n:]
	}
	return m, nil
}

// The type `picture` is a picture in device memory.
type picture[T any] struct {
	runtime.View[T]
	h, w, channels int
}

// The type `network` is a graph of the layers of a model.
type network[T any] struct {
	dev    *runtime.Device
	model  map[string]weights
	graph  *runtime.Graph
	per    int // channels of a pixel in a T
	put    func(s []T, at int, v float32)
	get    func(s []T, at int) float32
	launch func(l conv.Layer, x, y, add picture[T], w runtime.View[T], bias runtime.View[float32]) runtime.Command
	err    error // first error
}

// layers() adds the layers that make a picture twice as large.
func (n *network[T]) layers(x picture[T]) picture[T] {
	none, relu, plain := picture[T]{}, conv.Layer{Scale: 1}, conv.Layer{Scale: 1, Slope: 1}
	first := n.layer("F_m1", plain, none, x)
	a := n.layer("F_0", plain, none, first)
	b := n.layer("LFF_1", plain, a, a, n.layer("F_1_1", relu, none, a))
	c := n.layer("LFF_2", plain, b, b, n.layer("F_2_1", relu, none, b))
	d := n.layer("GFF_2", plain, first, n.layer("GFF_1", plain, none, b, c))
	e := n.layer("UPN2", relu, none, n.layer("UPN1", relu, none, d))
	return n.layer("SR", plain, none, n.layer("UPN3", conv.Layer{Scale: 2, Slope: 1}, none, e))
}

// layer() adds a convolution of several pictures. The result is the sum of the convolved pictures, plus the argument `add`.
func (n *network[T]) layer(name string, l conv.Layer, add picture[T], in ...picture[T]) picture[T] {
	w, first := n.model[name+"/kernel"], 0 // first is the index of a picture's first channel among the channels of all pictures
	ins, outs, bias := w.Shape[2], w.Shape[3], make([]float32, conv.Up(w.Shape[3]))
	copy(bias, n.model[name+"/bias"].data)
	for _, x := range in {
		l.Height, l.Width, l.Side, l.In, l.Out = x.h, x.w, w.Shape[0], conv.Up(x.channels), conv.Up(outs)
		filter := make([]T, l.Side*l.Side*l.In*l.Out/n.per)
		for i, v := range w.data {
			if c := i/outs%ins - first; c >= 0 && c < x.channels {
				n.put(filter, (i/(outs*ins)*l.In+c)*l.Out+i%outs, v)
			}
		}
		y := n.picture(x.h*l.Scale, x.w*l.Scale, outs)
		n.check(n.graph.Add(n.launch(l, x, y, add, buffer(n, filter), buffer(n, bias))))
		clear(bias)
		add, first = y, first+x.channels
	}
	if first != ins || ins == 0 {
		n.check(nil, fmt.Errorf("the weights %s are of %d channels, not of %d", name, ins, first))
	}
	return add
}

// picture() makes a picture of zeros.
func (n *network[T]) picture(h, w, channels int) picture[T] {
	return picture[T]{buffer(n, make([]T, conv.Pixel(h+conv.Edge, -conv.Edge, w)*conv.Up(channels)/n.per)), h, w, channels}
}

// buffer() copies numbers to a new buffer on the device.
func buffer[T, E any](n *network[T], s []E) runtime.View[E] {
	b, err := runtime.BufferOf(n.dev, s)
	n.check(nil, err)
	return b.All()
}

func (n *network[T]) check(_ *runtime.Node, err error) { n.err = cmp.Or(n.err, err) }

// upscale() makes a picture twice as large.
func upscale(ctx context.Context, dev *runtime.Device, m map[string]weights, src image.Image) (*image.RGBA, error) {
	if !*halves {
		return (&network[float32]{dev: dev, model: m, graph: runtime.NewGraph(dev), per: 1,
			put: func(s []float32, at int, v float32) { s[at] = v }, get: func(s []float32, at int) float32 { return s[at] },
			launch: func(l conv.Layer, x, y, add picture[float32], w, bias runtime.View[float32]) runtime.Command {
				return convgen.Plain{Layer: l, X: x.View, Y: y.View, Weights: w, Bias: bias, Add: add.View}.Node(runtime.Range3{x.h, x.w, l.Out / conv.Block})
			}}).tiles(ctx, src)
	}
	return (&network[conv.Halves]{dev: dev, model: m, graph: runtime.NewGraph(dev), per: conv.Part,
		put: func(s []conv.Halves, at int, v float32) {
			s[at/conv.Part][at%conv.Part] = half.FromFloat32[half.Float16](v)
		},
		get: func(s []conv.Halves, at int) float32 { return s[at/conv.Part][at%conv.Part].Float32() },
		launch: func(l conv.Layer, x, y, add picture[conv.Halves], w runtime.View[conv.Halves], bias runtime.View[float32]) runtime.Command {
			if l.Wide = min(l.Out, conv.Widest); len(dev.Info().Matrices) == 0 {
				l.Wide = conv.Block // more work-groups do less each, because drivers on the processor limit their loops
			}
			return convgen.Matrix{Layer: l, X: x.View, Y: y.View, Weights: w, Bias: bias, Add: add.View}.Node(matrixRange(dev, l), subGroup(dev))
		}}).tiles(ctx, src)
}

// subGroupSize() returns the size of sub-groups for conv.Matrix, which is 32 if the device has that size.
func subGroupSize(dev *runtime.Device) int {
	return max(dev.Info().MinSubGroup, min(dev.Info().MaxSubGroup, 32))
}

// subGroup() requires that size for a launch, so that a work-group has conv.SubGroups sub-groups.
func subGroup(dev *runtime.Device) runtime.LaunchOption {
	return runtime.With(properties.SubGroupSize(subGroupSize(dev)))
}

// matrixRange() returns the range of conv.Matrix.
func matrixRange(dev *runtime.Device, l conv.Layer) runtime.NDRange2 {
	pixels := conv.Pixel(l.Height-1, l.Width, l.Width) - conv.Pixel(0, 0, l.Width)
	local := conv.SubGroups * subGroupSize(dev)
	return runtime.NDRange2{Global: runtime.Range2{(l.Out + l.Wide - 1) / l.Wide, (pixels + conv.Pixels - 1) / conv.Pixels * local}, Local: runtime.Range2{1, local}}
}

const margin = 10 // largest distance of a pixel that affects a result, which is the sum of Side/2 over all filters

// tiles() enlarges a picture tile by tile. Each tile has a margin, which is removed from the result.
// Margins end at the edge of the picture, because the network was trained with such margins.
func (n *network[T]) tiles(ctx context.Context, src image.Image) (*image.RGBA, error) {
	size, side := src.Bounds().Size(), *tile
	colours := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.Draw(colours, colours.Rect, src, src.Bounds().Min, draw.Src)
	h, w := min(size.Y, side+2*margin), min(size.X, side+2*margin)
	x := n.picture(h, w, 3)
	from := make([]T, x.Len())
	n.check(n.graph.Add(runtime.Upload(x.View, from)))
	y := n.layers(x)
	to := make([]T, y.Len())
	n.check(n.graph.Add(runtime.Download(to, y.View)))
	ex, err := n.graph.Finalize()
	if err = cmp.Or(n.err, err); err != nil {
		return nil, err
	}
	columns, rows := (size.X+side-1)/side, (size.Y+side-1)/side
	dst, progress := image.NewRGBA(image.Rect(0, 0, 2*size.X, 2*size.Y)), demo.NewProgress(columns*rows)
	for i := range columns * rows {
		left, top := i%columns*side, i/columns*side
		x0, y0 := max(0, min(left-margin, size.X-w)), max(0, min(top-margin, size.Y-h))
		for p := range h * w {
			for c, v := range colours.Pix[colours.PixOffset(x0+p%w, y0+p/w):][:3] {
				n.put(from, conv.Pixel(p/w, p%w, w)*conv.Block+c, float32(v))
			}
		}
		ev, err := n.dev.DefaultQueue().Submit(ex)
		if err = cmp.Or(err, ev.Wait(ctx)); err != nil {
			return nil, err
		}
		for py := 2 * top; py < 2*min(top+side, size.Y); py++ {
			for px := 2 * left; px < 2*min(left+side, size.X); px++ {
				at := conv.Pixel(py-2*y0, px-2*x0, 2*w) * conv.Block
				level := func(c int) uint8 { return uint8(max(0, min(255, n.get(to, at+c))) + 0.5) }
				copy(dst.Pix[dst.PixOffset(px, py):], []uint8{level(0), level(1), level(2), 255})
			}
		}
		progress.Done(i + 1)
	}
	return dst, nil
}
