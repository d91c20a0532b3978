package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/examples/attention/layers"
	"github.com/kgen-go/kgen/examples/internal/demo"
)

// model is the network's weights: matrices on the host, or on the device.
type model[M any] struct {
	table, place, gain, scores M
	layers                     []layer[M]
}

type layer[M any] struct{ gain1, q, k, v, out, gain2, up, down M }

// newModel returns a network of random weights, always the same ones, by take.
func newModel[M any](take func(layers.Mat) M) (m model[M]) {
	r := rand.New(rand.NewPCG(1, 2))
	weights := func(rows, cols int, size float64) M { // of that size, by the root of the mean of the squares
		data := demo.Random(r, rows*cols)
		for i := range data {
			data[i] *= float32(size * math.Sqrt(12))
		}
		return take(layers.Mat{Data: data, Cols: cols})
	}
	width := *heads * head
	linear := func(rows, cols int) M { return weights(rows, cols, math.Sqrt(1/float64(cols))) } // keeps sizes
	m.table, m.place = weights(letters, width, 1), weights(layers.MaxTokens, width, 1)
	for range *depth {
		m.layers = append(m.layers, layer[M]{weights(1, width, 1), linear(width, width), linear(width, width), linear(width, width),
			linear(width, width), weights(1, width, 1), linear(4*width, width), linear(width, 4*width)})
	}
	m.gain, m.scores = weights(1, width, 1), linear(letters, width)
	return m
}

// check compares the scores of all tokens with those of plain Go, and the tokens with those that
// the random numbers hit there.
func check(tokens []int32, random, got, want []float32) error {
	// A score takes six sums in a row for each layer, and three more; none enlarges what the last
	// was off by, as the matrices keep sizes, by and large. Float32 sums in another order, or fused
	// with products, round up as often as down: n roundings come to about sqrt(n) of 2^-24 each.
	// Eight times that has room for what Fast functions are off by, too.
	longest := max(4**heads*head, len(tokens))
	tolerance := 8 * math.Sqrt(float64((6**depth+3)*longest)) * 0x1p-24 * float64(slices.Max(want))
	worst := 0.0
	for i, w := range want {
		diff := math.Abs(float64(got[i]) - float64(w))
		if !(diff <= tolerance) { // a NaN is none
			return fmt.Errorf("token %d: score %d is %g, want %g", i/letters, i%letters, got[i], w)
		}
		worst = max(worst, diff)
	}
	for row := len(prompt) - 1; row < len(tokens)-1; row++ {
		ends, sum := make([]float64, letters), 0.0 // the softmax, laid end to end
		for i := range ends {
			sum += math.Exp(float64(want[row*letters+i]) / temperature)
			ends[i] = sum
		}
		// A score that is off by d changes its part of the softmax by d/temperature, at most.
		hit, token, slack := float64(random[row])*sum, tokens[row+1], 2*tolerance/temperature*sum
		if hit > ends[token]+slack || token > 0 && hit < ends[token-1]-slack {
			return fmt.Errorf("token %d is %d, which ends at %g of %g; %g was drawn", row+1, token, ends[token], sum, hit)
		}
	}
	demo.Line("check", "ok: largest difference of a score %.2g, of at most %.2g", worst, tolerance)
	return nil
}

// plain returns the scores behind each token of a text, by plain loops.
func plain(m model[layers.Mat], tokens []int32) (scores []float32) {
	keys, values := make([][][]float32, len(m.layers)), make([][][]float32, len(m.layers))
	for at, token := range tokens {
		x := slices.Clone(m.table.Row(int(token)))
		add(x, m.place.Row(at))
		for i, l := range m.layers {
			h := norm(x, l.gain1.Data)
			keys[i], values[i] = append(keys[i], times(l.k, h)), append(values[i], times(l.v, h))
			add(x, times(l.out, attend(times(l.q, h), keys[i], values[i])))
			h = times(l.up, norm(x, l.gain2.Data))
			for j := range h {
				h[j] = max(h[j], 0)
			}
			add(x, times(l.down, h))
		}
		scores = append(scores, times(m.scores, norm(x, m.gain.Data))...)
	}
	return scores
}

func add(x, y []float32) {
	for i := range x {
		x[i] += y[i]
	}
}

func dot(x, y []float32) (sum float32) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func times(w layers.Mat, x []float32) []float32 {
	out := make([]float32, len(w.Data)/w.Cols)
	for i := range out {
		out[i] = dot(w.Row(i), x)
	}
	return out
}

func norm(x, gain []float32) []float32 {
	scale := float32(1 / math.Sqrt(float64(dot(x, x)/float32(len(x)))+1e-5))
	out := slices.Clone(x)
	for i := range out {
		out[i] *= scale * gain[i]
	}
	return out
}

func attend(query []float32, keys, values [][]float32) []float32 {
	out := make([]float32, len(query))
	weight := make([]float64, len(keys))
	for from := 0; from < len(out); from += head {
		sum := 0.0
		for t, key := range keys {
			weight[t] = math.Exp(float64(dot(query[from:from+head], key[from:from+head])) / math.Sqrt(head))
			sum += weight[t]
		}
		for t, value := range values {
			for i := from; i < from+head; i++ {
				out[i] += float32(weight[t]/sum) * value[i]
			}
		}
	}
	return out
}
