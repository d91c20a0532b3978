// Attention writes text with a small transformer. The program continues a prompt by drawing one
// token after the other at random. The weights are random, so the text has no meaning. One run of a
// graph does all work for a token. The text is copied to the host after the last token.
package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/examples/attention/layers"
	"github.com/kgen-go/kgen/examples/internal/demo"
	layersgen "github.com/kgen-go/kgen/generated/examples/attention/layers"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count = demo.Int("n", 100, 2, 1000, "tokens to write")
	depth = demo.Int("layers", 4, 1, 16, "layers of the network")
	heads = demo.Int("heads", 4, 1, 16, "heads of each layer, of 32 columns each")
)

const prompt, letters = "Once upon a ", '~' - ' ' + 1 // the tokens are printable ASCII

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	graph, text, _, err := network(ctx, dev)
	if err != nil {
		return err
	}
	written := make([]byte, text.Len())
	t, err := demo.Time(func() error {
		for range written {
			if _, err := dev.DefaultQueue().Submit(graph); err != nil {
				return err
			}
		}
		return text.CopyTo(ctx, dev.DefaultQueue(), written)
	})
	if err != nil {
		return err
	}
	demo.Rate("graph", t, float64(len(written)), "tokens")
	demo.Line("text", "%q", written)
	return nil
}

// network() returns a graph that adds one token to the text. Each run of the graph stores the
// scores of all possible next tokens in a new row.
func network(ctx context.Context, dev *runtime.Device) (
	graph *runtime.ExecutableGraph, text *runtime.Buffer[byte], scores layersgen.Mat, failed error) {
	q, g, r := dev.DefaultQueue(), runtime.NewGraph(dev), rand.New(rand.NewPCG(1, 2))
	add := func(c runtime.Command) {
		_, err := g.Add(c)
		failed = errors.Join(failed, err)
	}
	keep := func(on layersgen.Mat, err error) layersgen.Mat {
		failed = errors.Join(failed, err)
		return on
	}
	mat := func(rows, cols int, number func() float64) layersgen.Mat {
		m := layers.Mat{Data: make([]float32, rows*cols), Cols: cols}
		for i := range m.Data {
			m.Data[i] = float32(number())
		}
		return keep(layersgen.MatOf(ctx, q, m))
	}
	text, err1 := runtime.BufferOf(dev, append([]byte(prompt), make([]byte, *count)...))
	at, err2 := runtime.BufferOf(dev, []int32{-1})
	rows := func(n int) layersgen.Mat { return keep(layersgen.NewMat(dev, layers.Mat{Cols: n}, text.Len()*n)) }
	linear := func(k layersgen.Linear) layersgen.Mat {
		size := 1 / math.Sqrt(float64(k.In.Cols)) // with this factor, numbers neither grow nor shrink
		k.At, k.W = at.All(), mat(k.Out.Cols, k.In.Cols, func() float64 { return size * r.NormFloat64() })
		add(k.Node(runtime.NDRange1{Global: runtime.Range1(k.Out.Cols * layers.Group), Local: layers.Group}))
		return k.Out
	}
	width := *heads * layers.Group
	table, x := mat(letters, width, r.NormFloat64), mat(text.Len(), width, r.NormFloat64) // x has a row for each position in the text
	// Because of this Gumbel noise, each token gets the greatest score with its softmax probability.
	scores = mat(text.Len(), letters, func() float64 { return -math.Log(r.ExpFloat64()) })
	add(layersgen.Next{At: at.All(), Text: text.All(), Scores: scores, Table: table, X: x}.Node())
	for range *depth {
		qkv, mixed := linear(layersgen.Linear{In: x, Out: rows(3 * width)}), rows(width)
		add(layersgen.Attend{At: at.All(), QKV: qkv, Out: mixed}.Node(
			runtime.NDRange1{Global: runtime.Range1(width), Local: layers.Group}))
		linear(layersgen.Linear{In: mixed, Out: x})
		linear(layersgen.Linear{In: linear(layersgen.Linear{In: x, Out: rows(4 * width), ReLU: true}), Out: x})
	}
	linear(layersgen.Linear{In: x, Out: scores})
	graph, err3 := g.Finalize()
	return graph, text, scores, errors.Join(failed, err1, err2, err3)
}
