// Attention writes text with a small transformer: it reads a prompt, and then draws one token
// after the other, each from what the network makes of the text so far. The weights are random,
// so the text means nothing. All work for a token is a graph, and nothing comes back to the host
// before the last one is drawn.
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
	heads = demo.Int("heads", 8, 1, 32, "heads of each layer, of 16 columns each")
	seed  = demo.Int("seed", 1, 0, math.MaxInt32, "which text to write")
)

const (
	head        = 16             // columns of a head
	letters     = '~' - ' ' + 1  // the tokens: printable ASCII
	prompt      = "Once upon a " // the first of which are given
	temperature = 0.5
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	demo.Line("network", "%d layers of %d heads, %d columns", *depth, *heads, *heads*head)
	d, err := newDecoder(ctx, dev)
	if err != nil {
		return err
	}
	read, err := d.graph(dev, len(prompt))
	if err != nil {
		return err
	}
	write, err := d.graph(dev, 1)
	if err != nil {
		return err
	}
	repeat := func(g *runtime.ExecutableGraph, times int) func() error {
		return func() error {
			var last runtime.Event
			for range times {
				if last, err = d.queue.Submit(g); err != nil {
					return err
				}
			}
			return last.Wait(ctx)
		}
	}
	t, err := demo.Time(repeat(read, 1))
	if err != nil {
		return err
	}
	demo.Rate("prompt", t, float64(len(prompt)), "tokens")
	if t, err = demo.Time(repeat(write, *count-1)); err != nil { // the prompt's graph has drawn one
		return err
	}
	demo.Rate("writing", t, float64(*count-1), "tokens")

	tokens, got := make([]int32, d.tokens.Len()), make([]float32, d.logits.Data.Len())
	if err := errors.Join(d.tokens.CopyTo(ctx, d.queue, tokens), d.logits.Data.CopyTo(ctx, d.queue, got)); err != nil {
		return err
	}
	var want []float32
	m := newModel(func(m layers.Mat) layers.Mat { return m })
	t, _ = demo.Time(func() error { want = plain(m, tokens[:len(tokens)-1]); return nil })
	demo.Rate("plain Go", t, float64(len(tokens)-1), "tokens")
	text := make([]byte, len(tokens))
	for i, token := range tokens {
		text[i] = ' ' + byte(token)
	}
	demo.Line("text", "%q", text)
	return check(tokens, d.luck, got, want)
}

// decoder is the network on the device, with the text and its activations.
type decoder struct {
	queue         *runtime.Queue
	model         model[layersgen.Mat]
	first, tokens runtime.View[int32]
	luck          []float32       // a random number for each token
	random        layersgen.Mat   // the same on the device
	keys, values  []layersgen.Mat // of each layer: what later tokens look back at
	// The text's way through a layer, what the layer makes of it, and the scores at the end.
	x, normed, query, mixed, hidden, logits layersgen.Mat
}

func newDecoder(ctx context.Context, dev *runtime.Device) (*decoder, error) {
	d := &decoder{queue: dev.DefaultQueue()}
	var failed error
	take := func(m layers.Mat) layersgen.Mat {
		on, err := layersgen.MatOf(ctx, d.queue, m)
		failed = errors.Join(failed, err)
		return on
	}
	d.model = newModel(take)
	text := make([]int32, len(prompt)+*count)
	for i, c := range prompt {
		text[i] = c - ' '
	}
	first, err1 := runtime.BufferOf(dev, []int32{0})
	tokens, err2 := runtime.BufferOf(dev, text)
	if err := errors.Join(failed, err1, err2); err != nil {
		return nil, err
	}
	d.first, d.tokens = first.All(), tokens.All()
	rows := func(cols int) layersgen.Mat { // of the last token nobody needs scores
		return take(layers.Mat{Data: make([]float32, (len(text)-1)*cols), Cols: cols})
	}
	r := rand.New(rand.NewPCG(uint64(*seed), 0))
	for range text[1:] {
		d.luck = append(d.luck, r.Float32())
	}
	d.random = take(layers.Mat{Data: d.luck, Cols: 1})
	width := *heads * head
	for range *depth {
		d.keys, d.values = append(d.keys, rows(width)), append(d.values, rows(width))
	}
	d.x, d.normed, d.query, d.mixed = rows(width), rows(width), rows(width), rows(width)
	d.hidden, d.logits = rows(4*width), rows(letters)
	return d, failed
}

// graph returns the work for a run of tokens, from the next one on: the forward pass, and drawing
// the token behind them.
func (d *decoder) graph(dev *runtime.Device, rows int) (*runtime.ExecutableGraph, error) {
	g := runtime.NewGraph(dev)
	var failed error
	add := func(c runtime.Command) {
		_, err := g.Add(c)
		failed = errors.Join(failed, err)
	}
	groups := func(columns int) runtime.NDRange2 {
		return runtime.NDRange2{Global: runtime.Range2{rows, columns * layers.Group}, Local: runtime.Range2{1, layers.Group}}
	}
	norm := func(gain layersgen.Mat) {
		add(layersgen.Norm{First: d.first, In: d.x, Gain: gain, Out: d.normed}.Node(groups(1)))
	}
	linear := func(k layersgen.Linear) {
		k.First = d.first
		add(k.Node(groups(k.Out.Cols)))
	}
	m := d.model
	add(layersgen.Embed{First: d.first, Tokens: d.tokens, Table: m.table, Place: m.place, Out: d.x}.Node(runtime.Range2{rows, d.x.Cols}))
	for i, l := range m.layers {
		norm(l.gain1)
		linear(layersgen.Linear{W: l.q, In: d.normed, Out: d.query})
		linear(layersgen.Linear{W: l.k, In: d.normed, Out: d.keys[i]})
		linear(layersgen.Linear{W: l.v, In: d.normed, Out: d.values[i]})
		add(layersgen.Attend{First: d.first, Head: head, Q: d.query, K: d.keys[i], V: d.values[i], Out: d.mixed}.Node(groups(*heads)))
		linear(layersgen.Linear{W: l.out, In: d.mixed, Out: d.x, Residual: true})
		norm(l.gain2)
		linear(layersgen.Linear{W: l.up, In: d.normed, Out: d.hidden, ReLU: true})
		linear(layersgen.Linear{W: l.down, In: d.hidden, Out: d.x, Residual: true})
	}
	norm(m.gain)
	linear(layersgen.Linear{W: m.scores, In: d.normed, Out: d.logits})
	add(layersgen.Sample{First: d.first, Tokens: d.tokens, Rows: rows, Random: d.random.Data, Temperature: temperature, Logits: d.logits}.Node())
	if failed != nil {
		return nil, failed
	}
	return g.Finalize()
}
