package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/mnist/neural"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// plainLayer is a layer in plain Go.
type plainLayer struct {
	width, side, stride, in, out int
	relu                         bool
	w                            []float64 // one for each place of the filter, channel of x, and channel of y; then those that are added
}

// forward returns y of a picture.
func (l plainLayer) forward(x []float64) []float64 {
	size := (l.width-l.side)/l.stride + 1
	y := make([]float64, size*size*l.out)
	for i := range y {
		row, column, out := i/l.out/size, i/l.out%size, i%l.out
		sum := l.w[l.side*l.side*l.in*l.out+out]
		for dy := range l.side {
			for dx := range l.side {
				for in := range l.in {
					sum += x[((row*l.stride+dy)*l.width+column*l.stride+dx)*l.in+in] * l.w[((dy*l.side+dx)*l.in+in)*l.out+out]
				}
			}
		}
		if y[i] = sum; l.relu {
			y[i] = max(sum, 0)
		}
	}
	return y
}

// losses returns the loss of each picture.
func losses(layers []plainLayer, pictures [][]float64, labels []byte) []float64 {
	all := make([]float64, len(pictures))
	for i, x := range pictures {
		for _, l := range layers {
			x = l.forward(x)
		}
		sum := 0.0
		for _, v := range x[:neural.Classes] {
			sum += math.Exp(v)
		}
		all[i] = math.Log(sum) - x[labels[i]]
	}
	return all
}

// slopes returns the derivatives of the mean loss by the weights of a layer.
func slopes(layers []plainLayer, i int, pictures [][]float64, labels []byte) []float64 {
	const h = 1e-5
	w := layers[i].w
	all := make([]float64, len(w))
	for j, old := range w {
		for _, step := range []float64{-h, h} {
			w[j] = old + step
			for _, v := range losses(layers, pictures, labels) {
				all[j] += v / (2 * step * float64(len(pictures)))
			}
		}
		w[j] = old
	}
	return all
}

// TestLayers compares the derivatives of the loss by all weights with differences of losses in float64. The limits are some
// three times the differences on the host.
func TestLayers(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testLayers[float32, neural.Float32](t, floatKernels, 1e-6, 1e-6)
	})
	t.Run("BFloat16", func(t *testing.T) {
		testLayers[half.BFloat16, neural.BFloat16](t, halfKernels, 0.01, 0.07)
	})
}

// testLayers allows losses to be a number off, and derivatives to be a share of the largest of their layer off.
func testLayers[T any, N neural.Number[T]](t *testing.T, k kernels[T], far, share float64) {
	const pictures, width = 9, 9 // two parts of a gradient
	r := rand.New(rand.NewPCG(5, 6))
	d := digits{make([]byte, pictures*width*width), make([]byte, pictures)}
	for i := range d.pixels {
		d.pixels[i] = byte(r.IntN(256))
	}
	for i := range d.labels {
		d.labels[i] = byte(i)
	}
	set(t, pictures, pictures, 1, false)
	var differences [][]float64 // the same on all devices
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		n := &network[T, N]{dev: dev, kernels: k}
		n.layer(neural.Layer[T]{Width: width, Side: 3, Stride: 2, In: 1, Out: 8, ReLU: true})
		n.layer(neural.Layer[T]{Width: 4, Side: 3, Stride: 1, In: 8, Out: 8, ReLU: true})
		n.layer(neural.Layer[T]{Width: 2, Side: 2, Stride: 1, In: 8, Out: 16})
		graph, b := n.step(d, buffer(n, []int32{8, 7, 6, 5, 4, 3, 2, 1, 0}), 1)
		if n.err != nil {
			t.Fatal(n.err)
		}
		plain := make([]plainLayer, len(n.layers))
		for i, l := range n.layers {
			plain[i] = plainLayer{l.Width, l.Side, l.Stride, l.In, l.Out, l.ReLU, wide[T, N](t, dev, l.W)}
		}
		q := dev.DefaultQueue()
		n.done(q.Submit(graph))
		got := make([]float32, pictures)
		n.check(b.Loss.CopyTo(t.Context(), q, got))
		if n.err != nil {
			t.Fatal(n.err)
		}
		xs, labels, worst := make([][]float64, pictures), make([]byte, pictures), 0.0
		for i := range xs {
			from := pictures - 1 - i // by the order
			labels[i] = d.labels[from]
			for _, v := range d.pixels[from*width*width:][:width*width] {
				xs[i] = append(xs[i], float64(v)/255)
			}
		}
		for i, want := range losses(plain, xs, labels) {
			worst = max(worst, math.Abs(float64(got[i])-want))
		}
		t.Logf("losses are at most %.2g off", worst)
		if !(worst <= far) {
			t.Errorf("a loss is %g off, which may be %g", worst, far)
		}
		for i, l := range n.layers {
			speed := make([]float32, l.Speed.Len())
			if err := l.Speed.CopyTo(t.Context(), q, speed); err != nil {
				t.Fatal(err)
			}
			if len(differences) == i {
				differences = append(differences, slopes(plain, i, xs, labels))
			}
			most, worst := 0.0, 0.0
			for j, want := range differences[i] {
				most, worst = max(most, math.Abs(want)), max(worst, math.Abs(want+float64(speed[j]/l.Rate)))
			}
			t.Logf("layer %d: derivatives of up to %.2g are at most %.2g off", i, most, worst)
			if !(worst <= share*most) || most == 0 {
				t.Errorf("layer %d: a derivative is %g off, which may be %g", i, worst, share*most)
			}
		}
	})
}

// wide returns the numbers of a view.
func wide[T any, N neural.Number[T]](t *testing.T, dev *runtime.Device, v runtime.View[T]) []float64 {
	t.Helper()
	var as N
	s, to := make([]T, v.Len()), make([]float64, v.Len())
	if err := v.CopyTo(t.Context(), dev.DefaultQueue(), s); err != nil {
		t.Fatal(err)
	}
	for i, x := range s {
		to[i] = float64(as.Wide(x))
	}
	return to
}
