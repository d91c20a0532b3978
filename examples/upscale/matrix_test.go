package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/upscale/conv"
	convgen "github.com/kgen-go/kgen/generated/examples/upscale/conv"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// layerData contains the memory of a layer, as small whole numbers that both kernels compute with exactly.
type layerData struct{ x, weights, bias, add []float32 }

func dataOf(l conv.Layer, r *rand.Rand) layerData {
	whole := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(r.IntN(5) - 2)
		}
		return s
	}
	d := layerData{make([]float32, conv.Pixel(l.Height+conv.Edge, -conv.Edge, l.Width)*l.In), whole(l.Side * l.Side * l.In * l.Out), whole(l.Out), nil}
	for y := range l.Height {
		for x := range l.Width {
			copy(d.x[conv.Pixel(y, x, l.Width)*l.In:], whole(l.In))
		}
	}
	if r.IntN(2) > 0 {
		d.add = whole(conv.Pixel(l.Height+conv.Edge, -conv.Edge, l.Width) * l.Out)
	}
	return d
}

func halvesOf(s []float32) []conv.Halves {
	h := make([]conv.Halves, len(s)/conv.Part)
	for i, v := range s {
		h[i/conv.Part][i%conv.Part] = half.FromFloat32[half.Float16](v)
	}
	return h
}

// matrixLayer computes a layer with Matrix.
func matrixLayer(t *testing.T, dev *runtime.Device, l conv.Layer, d layerData) ([]conv.Halves, error) {
	y := make([]conv.Halves, conv.Pixel(l.Height*l.Scale+conv.Edge, -conv.Edge, l.Width*l.Scale)*l.Out/conv.Part)
	return y, convgen.RunMatrix(t.Context(), dev, conv.Matrix{Layer: l, X: halvesOf(d.x), Y: y, Weights: halvesOf(d.weights), Add: halvesOf(d.add), Bias: d.bias}, matrixRange(dev, l), subGroup(dev))
}

// TestMatrix compares Matrix with Plain: layers of many shapes, and all of the result with its edges.
func TestMatrix(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		r := rand.New(rand.NewPCG(7, 8))
		for _, l := range []conv.Layer{
			{Side: 1, In: 16, Out: 16, Wide: 16, Scale: 1}, {Side: 3, In: 16, Out: 64, Wide: 64, Scale: 2, Slope: 1},
			{Side: 5, In: 32, Out: 48, Wide: 48, Scale: 1, Slope: 0.5}, {Side: 2, In: 48, Out: 80, Wide: 64, Scale: 1},
			{Side: 3, In: 64, Out: 32, Wide: 16, Scale: 1, Slope: 1}, {Side: 5, In: 64, Out: 64, Wide: 16, Scale: 1},
		} {
			l.Height, l.Width = 1+r.IntN(5), 1+r.IntN(40)
			if dev.Info().Type == runtime.VulkanCPU {
				l.Wide = conv.Block // such a driver limits its loops
			}
			t.Run(fmt.Sprintf("%+v", l), func(t *testing.T) {
				d := dataOf(l, r)
				got, err := matrixLayer(t, dev, l, d)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]float32, len(got)*conv.Part)
				if err := convgen.RunPlain(t.Context(), dev, conv.Plain{Layer: l, X: d.x, Y: want, Weights: d.weights, Bias: d.bias, Add: d.add}, runtime.Range3{l.Height, l.Width, l.Out / conv.Block}); err != nil {
					t.Fatal(err)
				}
				for i, v := range halvesOf(want) {
					if got[i] != v {
						t.Fatalf("part %d is %v, want %v", i, got[i], v)
					}
				}
			})
		}
	})
}

// TestMatrixInfinite has an infinite weight in the second row of the filter. A work-group loads it with the first row,
// where it must not be multiplied by the zeros that follow the row.
func TestMatrixInfinite(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		l := conv.Layer{Height: 3, Width: 3, Side: 3, In: 16, Out: 16, Wide: 16, Scale: 1, Slope: 1}
		d := dataOf(l, rand.New(rand.NewPCG(1, 1)))
		d.add = nil
		for i := range d.x {
			d.x[i] = 1
		}
		for i := range d.weights {
			d.weights[i] = 1
		}
		d.weights[3*16*16] = 1e9 // the first place of the second row
		got, err := matrixLayer(t, dev, l, d)
		if err != nil {
			t.Fatal(err)
		}
		if v := got[conv.Pixel(1, 1, 3)*2][0].Float32(); !(v > 1e9) {
			t.Errorf("the sum is %v, want +Inf", v)
		}
	})
}

// TestMatrixRefuses: a shape that Matrix does not compute is a fault, and so is memory of another shape.
func TestMatrixRefuses(t *testing.T) {
	dev := devtest.Host(t)
	for name, change := range map[string]func(l *conv.Layer, d *layerData){
		"channels of X": func(l *conv.Layer, d *layerData) { l.In = 24 },
		"channels of Y": func(l *conv.Layer, d *layerData) { l.Out = 24 },
		"wide":          func(l *conv.Layer, d *layerData) { l.Wide = 80 },
		"many channels": func(l *conv.Layer, d *layerData) { l.In = 2048 },
		"no scale":      func(l *conv.Layer, d *layerData) { l.Scale = 0 },
		"picture":       func(l *conv.Layer, d *layerData) { d.x = d.x[:len(d.x)-16] },
		"weights":       func(l *conv.Layer, d *layerData) { d.weights = d.weights[:len(d.weights)-16] },
	} {
		l := conv.Layer{Height: 3, Width: 3, Side: 3, In: 16, Out: 16, Wide: 16, Scale: 1, Slope: 1}
		d := dataOf(l, rand.New(rand.NewPCG(1, 1)))
		change(&l, &d)
		var f *runtime.Fault
		if _, err := matrixLayer(t, dev, l, d); !errors.As(err, &f) {
			t.Errorf("%s: got %v, want a fault", name, err)
		}
	}
}
