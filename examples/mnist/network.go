package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	random "math/rand/v2"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/mnist/neural"
	neuralgen "github.com/kgen-go/kgen/generated/examples/mnist/neural"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/prim/rand"
	"github.com/kgen-go/kgen/runtime"
)

const seed = 1 // seed of the first weights, and of the order of pictures

// learn() trains a network with the digits in `train`. The network then guesses the digits in `test`.
// learn() returns the loss of each picture in training, and the guesses.
func learn(ctx context.Context, dev *runtime.Device, train, test digits) (losses []float32, guesses []byte, err error) {
	if *halves {
		return teach(ctx, &network[half.BFloat16, neural.BFloat16]{dev: dev, kernels: halfKernels}, train, test)
	}
	return teach(ctx, &network[float32, neural.Float32]{dev: dev, kernels: floatKernels}, train, test)
}

// teach() adds layers to n, a network without layers, and then does the same as learn().
func teach[T any, N neural.Number[T]](ctx context.Context, n *network[T, N], train, test digits) (losses []float32, guesses []byte, err error) {
	n.layer(neural.Layer[T]{Width: side, Side: 5, Stride: 2, In: 1, Out: 8, ReLU: true})
	n.layer(neural.Layer[T]{Width: 12, Side: 5, Stride: 2, In: 8, Out: 32, ReLU: true})
	n.layer(neural.Layer[T]{Width: 4, Side: 4, Stride: 1, In: 32, Out: 16}) // 10 of the 16 channels are classes
	q, all := n.dev.DefaultQueue(), len(train.labels)
	ordered, shuffled := buffer(n, make([]int32, max(all, len(test.labels)))), buffer(n, make([]int32, *epochs*all))
	n.done(move.IotaOn(q, ordered, 0, 1))
	for i := range *epochs {
		order := rand.Stream{Seed: seed, Offset: uint64(i)}
		n.done(rand.ShuffleOn(q, order, ordered.Slice(0, all), shuffled.Slice(i*all, (i+1)*all)))
	}
	steps := shuffled.Len() / *batch
	fit, seen := n.step(train, shuffled, steps)
	guess, judged := n.step(test, ordered.Slice(0, len(test.labels)), 0)
	if steps == 0 {
		n.err = cmp.Or(n.err, fmt.Errorf("%d times %d pictures are no batch of %d", *epochs, all, *batch))
	}
	losses, guesses = make([]float32, steps**batch), make([]byte, len(test.labels))
	const parts = 10 // the training has 10 parts, with a printed line for each
	for i := 0; i < parts && n.err == nil; i++ {
		from, to := i*steps/parts, (i+1)*steps/parts
		n.run(ctx, fit, to-from)
		part := losses[from**batch : to**batch]
		if n.check(seen.Loss.Slice(from**batch, to**batch).CopyTo(ctx, q, part)); n.err == nil && from < to {
			sum := 0.0
			for _, v := range part {
				sum += float64(v)
			}
			demo.Line("loss", "%.4f in steps %d to %d of %d", sum/float64(len(part)), from+1, to, steps)
		}
	}
	n.run(ctx, guess, (len(guesses)+*batch-1) / *batch)
	n.check(judged.Guesses.CopyTo(ctx, q, guesses))
	return losses, guesses, n.err
}

// The type `kernels` contains functions that return launches of the kernels for numbers of type T.
type kernels[T any] struct {
	forward, back, gradient func(neuralgen.Layer[T], runtime.Range3) runtime.Command
	update                  func(neuralgen.Layer[T], runtime.Range1) runtime.Command
	show                    func(neuralgen.Batch[T], runtime.Range2) runtime.Command
	judge                   func(neuralgen.Batch[T], runtime.Range1) runtime.Command
}

var floatKernels = kernels[float32]{
	ofLayer[neuralgen.ForwardFloat32], ofLayer[neuralgen.BackFloat32], ofLayer[neuralgen.GradientFloat32],
	ofLayer[neuralgen.UpdateFloat32], ofBatch[neuralgen.ShowFloat32], ofBatch[neuralgen.JudgeFloat32],
}

var halfKernels = kernels[half.BFloat16]{
	ofLayer[neuralgen.ForwardBFloat16], ofLayer[neuralgen.BackBFloat16], ofLayer[neuralgen.GradientBFloat16],
	ofLayer[neuralgen.UpdateBFloat16], ofBatch[neuralgen.ShowBFloat16], ofBatch[neuralgen.JudgeBFloat16],
}

// ofLayer returns the launch of a kernel whose only field is a layer. ofBatch does the same for a batch.
func ofLayer[K interface {
	~struct{ Layer neuralgen.Layer[T] }
	Node(R, ...runtime.LaunchOption) runtime.Command
}, T, R any](l neuralgen.Layer[T], r R) runtime.Command {
	return K(struct{ Layer neuralgen.Layer[T] }{l}).Node(r)
}

func ofBatch[K interface {
	~struct{ Batch neuralgen.Batch[T] }
	Node(R, ...runtime.LaunchOption) runtime.Command
}, T, R any](b neuralgen.Batch[T], r R) runtime.Command {
	return K(struct{ Batch neuralgen.Batch[T] }{b}).Node(r)
}

// The type `network` is a network on a device.
type network[T any, N neural.Number[T]] struct {
	dev *runtime.Device
	kernels[T]
	layers []neuralgen.Layer[T]
	err    error // first error
}

// layer() adds a layer of the given shape. The field X of the new layer is Y of the layer before it. The layer's weights are random.
func (n *network[T, N]) layer(shape neural.Layer[T]) {
	var as N
	r := random.New(random.NewPCG(seed, uint64(len(n.layers))))
	exact, rounded := make([]float32, shape.Rows()*shape.Out), make([]T, shape.Rows()*shape.Out)
	for i := range exact[shape.Out:] { // the last row contains biases, which are 0 at first
		exact[i] = float32(r.NormFloat64() * math.Sqrt(2/float64(shape.Rows()-1)))
		rounded[i] = as.Narrow(exact[i])
	}
	l := neuralgen.Layer[T]{Width: shape.Width, Side: shape.Side, Stride: shape.Stride, In: shape.In, Out: shape.Out, ReLU: shape.ReLU}
	l.Rate = min(0.1, 0.001*float32(*batch)) // with small batches, gradients are mostly noise
	if len(n.layers) > 0 {
		last := n.layers[len(n.layers)-1]
		l.X, l.DX = last.Y, last.DY
	} else {
		l.X = buffer(n, make([]T, *batch*l.Width*l.Width*l.In))
	}
	l.Y = buffer(n, make([]T, *batch*shape.Size()*shape.Size()*l.Out))
	l.DY = buffer(n, make([]T, l.Y.Len()))
	l.W, l.Exact, l.Speed = buffer(n, rounded), buffer(n, exact), buffer(n, make([]float32, len(exact)))
	l.Parts = buffer(n, make([]float32, (*batch+neural.Part-1)/neural.Part*len(exact)))
	n.layers = append(n.layers, l)
}

// step() returns a graph. In each run of the graph, the network guesses the next batch of pictures.
// If steps, the number of training steps, is not 0, the network also learns from the batch.
func (n *network[T, N]) step(d digits, order runtime.View[int32], steps int) (*runtime.ExecutableGraph, neuralgen.Batch[T]) {
	g := runtime.NewGraph(n.dev)
	add := func(c runtime.Command) {
		_, err := g.Add(c)
		n.check(err)
	}
	first, last := n.layers[0], n.layers[len(n.layers)-1]
	b := neuralgen.Batch[T]{At: buffer(n, []int32{0}), Order: order, Pixels: buffer(n, d.pixels), Labels: buffer(n, d.labels), Size: *batch,
		X: first.X, Y: last.Y, DY: last.DY, Loss: buffer(n, make([]float32, order.Len())), Guesses: buffer(n, make([]byte, order.Len()))}
	add(n.show(b, runtime.Range2{*batch, first.X.Len() / *batch}))
	for _, l := range n.layers {
		add(n.forward(l, runtime.Range3{*batch, l.Y.Len() / *batch / l.Out, l.Out / neural.Block}))
	}
	add(n.judge(b, runtime.Range1(*batch)))
	for i := len(n.layers) - 1; i >= 0 && steps > 0; i-- {
		l := n.layers[i]
		if l.At, l.Steps = b.At, steps; i > 0 {
			add(n.back(l, runtime.Range3{*batch, l.Width * l.Width, l.In / neural.Block}))
		}
		add(n.gradient(l, runtime.Range3{l.Parts.Len() / l.W.Len(), l.W.Len() / l.Out, l.Out / neural.Block}))
		add(n.update(l, runtime.Range1(l.W.Len())))
	}
	add(neuralgen.Next{At: b.At}.Node())
	graph, err := g.Finalize()
	n.check(err)
	return graph, b
}

// buffer() copies numbers to a new buffer on the device.
func buffer[T, E any, N neural.Number[T]](n *network[T, N], s []E) runtime.View[E] {
	b, err := runtime.BufferOf(n.dev, s)
	n.check(err)
	return b.All()
}

func (n *network[T, N]) check(err error) { n.err = cmp.Or(n.err, err) }

// run() runs a graph a number of times, and waits for each run. An interrupt ends a run early, through the context.
func (n *network[T, N]) run(ctx context.Context, graph *runtime.ExecutableGraph, times int) {
	for i := 0; i < times && n.err == nil; i++ {
		ev, err := n.dev.DefaultQueue().Submit(graph, runtime.WithContext(ctx))
		n.check(cmp.Or(err, ev.Wait(ctx)))
	}
}

func (n *network[T, N]) done(_ runtime.Event, err error) { n.check(err) }
