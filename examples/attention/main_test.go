package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// TestAttention compares what each device makes of texts with plain Go. With -v it says how far
// they are apart for the flags' defaults, on the host.
func TestAttention(t *testing.T) {
	if !testing.Short() {
		if err := check(t.Context(), devtest.Host(t), t.Logf); err != nil {
			t.Error(err)
		}
	}
	for _, c := range [][3]int{{5, 3, 2}, {2, 1, 1}, {40, 1, 3}}[:sample.Of(3, 1)] {
		*count, *depth, *heads = c[0], c[1], c[2]
		devtest.Run(t, func(ctx context.Context, dev *runtime.Device) error {
			return errors.Join(run(ctx, dev), check(ctx, dev, t.Logf))
		})
	}
}

// check writes a text, and compares all scores with those of plain Go. Each token that is not the
// prompt's is to be the one with the greatest score.
func check(ctx context.Context, dev *runtime.Device, logf func(format string, args ...any)) error {
	graph, onDevice, scores, err := network(ctx, dev)
	if err != nil {
		return err
	}
	text, got := make([]byte, onDevice.Len()), make([]float32, scores.Data.Len())
	for range text {
		if _, err := dev.DefaultQueue().Submit(graph); err != nil {
			return err
		}
	}
	q := dev.DefaultQueue()
	if err := errors.Join(onDevice.CopyTo(ctx, q, text), scores.Data.CopyTo(ctx, q, got)); err != nil {
		return err
	}
	if string(text[:len(prompt)]) != prompt {
		return fmt.Errorf("the text begins with %q", text[:len(prompt)])
	}
	for row := len(prompt); row < len(text); row++ {
		before := got[(row-1)*letters : row*letters]
		if best := slices.Index(before, slices.Max(before)); int(text[row]-' ') != best {
			return fmt.Errorf("character %d is %q, and %q has the greatest score", row, text[row], rune(' '+best))
		}
	}
	// A score takes six sums in a row for each layer, and two more; none enlarges by much what the
	// last was off by, as RMSNorm and the matrices keep sizes. Float32 sums in another order, or fused
	// with products, round up as often as down: n roundings come to about sqrt(n) of 2^-24 each.
	// Eight times that has room for what Fast functions are off by, too.
	want := newPlain(len(text)).scores(text)
	longest := max(4**heads*head, len(text))
	tolerance := 8 * math.Sqrt(float64((6**depth+2)*longest)) * 0x1p-24 * float64(slices.Max(want))
	worst := 0.0
	for i, w := range want {
		diff := math.Abs(float64(got[i]) - float64(w))
		if !(diff <= tolerance) { // a NaN is none
			return fmt.Errorf("character %d: score %d is %g, want %g", i/letters, i%letters, got[i], w)
		}
		worst = max(worst, diff)
	}
	logf("largest difference of a score %.2g, of at most %.2g", worst, tolerance)
	return nil
}

const head = 32 // columns

// plain is the network in plain Go. A matrix is a slice of its rows.
type plain struct {
	table, places, noise, out [][]float32
	layers                    []plainLayer
}

type plainLayer struct{ qkv, mix, up, down [][]float32 }

// newPlain makes the network from the same random numbers.
func newPlain(tokens int) (m plain) {
	r := rand.New(rand.NewPCG(1, 2))
	mat := func(rows, cols int, number func() float64) [][]float32 {
		m := make([][]float32, rows)
		for i := range m {
			m[i] = make([]float32, cols)
			for j := range m[i] {
				m[i][j] = float32(number())
			}
		}
		return m
	}
	linear := func(rows, cols int) [][]float32 {
		size := 1 / math.Sqrt(float64(cols))
		return mat(rows, cols, func() float64 { return size * r.NormFloat64() })
	}
	width := *heads * head
	m.table, m.places = mat(letters, width, r.NormFloat64), mat(tokens, width, r.NormFloat64)
	m.noise = mat(tokens, letters, func() float64 { return -math.Log(r.ExpFloat64()) })
	for range *depth {
		m.layers = append(m.layers, plainLayer{linear(3*width, width), linear(width, width),
			linear(4*width, width), linear(width, 4*width)})
	}
	m.out = linear(letters, width)
	return m
}

// scores returns the scores behind each character of a text.
func (m plain) scores(text []byte) (scores []float32) {
	width := *heads * head
	before := make([][][]float32, len(m.layers)) // of each layer, queries, keys and values
	for at, char := range text {
		x := slices.Clone(m.places[at])
		add(x, m.table[char-' '])
		for i, l := range m.layers {
			before[i] = append(before[i], times(l.qkv, x))
			add(x, times(l.mix, attend(before[i], width)))
			hidden := times(l.up, x)
			for j := range hidden {
				hidden[j] = max(hidden[j], 0)
			}
			add(x, times(l.down, hidden))
		}
		out := slices.Clone(m.noise[at])
		add(out, times(m.out, x))
		scores = append(scores, out...)
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

// times returns the products of the rows of a matrix with x as RMSNorm makes it.
func times(w [][]float32, x []float32) []float32 {
	x = slices.Clone(x)
	size := float32(math.Sqrt(float64(dot(x, x)/float32(len(x))) + 1e-5))
	for i := range x {
		x[i] /= size
	}
	out := make([]float32, len(w))
	for i := range out {
		out[i] = dot(w[i], x)
	}
	return out
}

// attend returns what the last of the rows makes of all.
func attend(rows [][]float32, width int) []float32 {
	out, weight := make([]float32, width), make([]float64, len(rows))
	for from := 0; from < width; from += head {
		query, sum := rows[len(rows)-1][from:from+head], 0.0
		for t, row := range rows {
			weight[t] = math.Exp(float64(dot(query, row[width+from:])) / math.Sqrt(head))
			sum += weight[t]
		}
		for t, row := range rows {
			for i := from; i < from+head; i++ {
				out[i] += float32(weight[t]/sum) * row[2*width+i]
			}
		}
	}
	return out
}
