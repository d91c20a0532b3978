package layers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/attention/layers"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

type mat = layers.Mat

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4 }

// TestNext: the character that is there stays; where there is none, the first with the greatest
// score follows.
func TestNext(t *testing.T) {
	table, scores := make([]float32, 95*2), make([]float32, 3*95)
	table[2*7], table[2*7+1], table[2*9], table[2*9+1] = 1, 2, 3, 4
	scores[7], scores[95+9], scores[95+20] = 1, 1, 1
	at, text, x := []int32{-1}, []byte{' ' + 9, ' ' + 9, 0}, []float32{10, 20, 30, 40, 50, 60}
	for range text {
		hostrun.Range(t, layers.Next{At: at, Text: text, Scores: mat{scores, 95}, Table: mat{table, 2}, X: mat{x, 2}}.Kernel)
	}
	if want := []byte{' ' + 9, ' ' + 9, ' ' + 9}; at[0] != 2 || !slices.Equal(text, want) {
		t.Errorf("at %d, text %q; want 2 and %q", at[0], text, want)
	}
	if want := []float32{13, 24, 33, 44, 53, 64}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
}

// TestLinear: RMSNorm makes ones of numbers that are all the same, and what Out had stays in it.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		relu bool
		want []float32
	}{
		{false, []float32{1, 1, 100, -131}},
		{true, []float32{1, 1, 100, 1}},
	} {
		in, w, out := make([]float32, 2*33), make([]float32, 2*33), []float32{1, 1, 1, 1}
		for i := range 33 {
			in[i], in[33+i], w[i], w[33+i] = 1, 20, 3, -4
		}
		k := layers.Linear{At: []int32{1}, In: mat{in, 33}, W: mat{w, 33}, Out: mat{out, 2}, ReLU: c.relu}
		hostrun.NDRange(t, k.Kernel, 2*layers.Group, layers.Group)
		if !slices.EqualFunc(out, c.want, near) {
			t.Errorf("got %v, want %v", out, c.want)
		}
	}
}

// TestAttend: a first head that does not care sees the mean of what came so far; the second sees
// the one token whose key it looks for.
func TestAttend(t *testing.T) {
	const n, width = 70, 2 * layers.Group
	qkv, out := make([]float32, n*3*width), make([]float32, n*width)
	for i := range n {
		row := qkv[i*3*width : (i+1)*3*width]
		row[layers.Group+3] = 600 // the second head's query
		for j := range width {
			row[2*width+j] = float32(i + j)
		}
		if i == 40 {
			row[width+layers.Group+3] = 1 // its key
		}
	}
	for i := range n {
		k := layers.Attend{At: []int32{int32(i)}, QKV: mat{qkv, 3 * width}, Out: mat{out, width}}
		hostrun.NDRange(t, k.Kernel, width, layers.Group)
		for j, got := range out[i*width:][:width] {
			want := float32(i)/2 + float32(j)
			if j >= layers.Group && i >= 40 {
				want = float32(40 + j)
			}
			if !near(got, want) {
				t.Errorf("token %d, column %d: %g, want %g", i, j, got, want)
			}
		}
	}
}
