package layers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/attention/layers"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

type mat = layers.Mat

// groups runs a kernel for rows and columns.
func groups(t *testing.T, kernel any, rows, columns int) {
	t.Helper()
	hostrun.NDRange(t, kernel, rows, columns*layers.Group, 1, layers.Group)
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4 }

func TestEmbed(t *testing.T) {
	out := make([]float32, 6)
	hostrun.Range(t, layers.Embed{First: []int32{1}, Tokens: []int32{0, 1, 0}, Table: mat{[]float32{1, 2, 3, 4}, 2},
		Place: mat{[]float32{9, 9, 10, 20, 30, 40}, 2}, Out: mat{out, 2}}.Kernel, 2, 2)
	if want := []float32{0, 0, 13, 24, 31, 42}; !slices.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}

func TestNorm(t *testing.T) {
	out := make([]float32, 4)
	groups(t, layers.Norm{First: []int32{1}, In: mat{[]float32{9, 9, 1, 7}, 2}, Gain: mat{[]float32{1, 2}, 2}, Out: mat{out, 2}}.Kernel, 1, 1)
	if want := []float32{0, 0, 0.2, 2.8}; !slices.EqualFunc(out, want, near) { // the mean of 1 and 49 is 25
		t.Errorf("got %v, want %v", out, want)
	}
}

func TestLinear(t *testing.T) {
	in, w := make([]float32, 2*33), make([]float32, 2*33)
	for i := range 33 {
		in[i], in[33+i], w[i], w[33+i] = 1, 2, 3, -4
	}
	for _, c := range []struct {
		relu, residual bool
		want           []float32
	}{
		{false, false, []float32{99, -132, 198, -264}},
		{true, false, []float32{99, 0, 198, 0}},
		{false, true, []float32{100, -131, 199, -263}},
	} {
		out := []float32{1, 1, 1, 1}
		groups(t, layers.Linear{First: []int32{0}, W: mat{w, 33}, In: mat{in, 33}, Out: mat{out, 2}, ReLU: c.relu, Residual: c.residual}.Kernel, 2, 2)
		if !slices.Equal(out, c.want) {
			t.Errorf("got %v, want %v", out, c.want)
		}
	}
}

// TestAttend: a first head that does not care sees the mean of what came so far; the second sees
// the one token whose key it looks for.
func TestAttend(t *testing.T) {
	const n = 70
	q, key, v, out := make([]float32, 2*n), make([]float32, 2*n), make([]float32, 2*n), make([]float32, 2*n)
	for i := range n {
		q[2*i+1], v[2*i], v[2*i+1] = 100, float32(i), float32(i)
	}
	key[2*40+1] = 1
	groups(t, layers.Attend{First: []int32{0}, Head: 1, Q: mat{q, 2}, K: mat{key, 2}, V: mat{v, 2}, Out: mat{out, 2}}.Kernel, n, 2)
	for i := range n {
		second := float32(40)
		if i < 40 {
			second = float32(i) / 2
		}
		if !near(out[2*i], float32(i)/2) || !near(out[2*i+1], second) {
			t.Errorf("token %d sees %v, want %v and %v", i, out[2*i:2*i+2], float32(i)/2, second)
		}
	}
}

// TestSample: scores of 0, 2 log 3 and nearly nothing are at a temperature of 2 a token that takes
// the first quarter, one that takes the rest, and others.
func TestSample(t *testing.T) {
	logits := slices.Repeat([]float32{-400}, 4*50)
	row := logits[3*50:]
	row[7], row[45] = 0, 2*float32(math.Log(3))
	for random, want := range map[float32]int32{0: 7, 0.2499: 7, 0.2501: 45, 0.99999: 45} {
		first, tokens := []int32{2}, make([]int32, 5)
		hostrun.Range(t, layers.Sample{First: first, Tokens: tokens, Rows: 2, Random: []float32{9, 9, 9, random, 9}, Temperature: 2,
			Logits: mat{logits, 50}}.Kernel)
		if first[0] != 4 || !slices.Equal(tokens, []int32{0, 0, 0, 0, want}) {
			t.Errorf("%g draws %v, and the next row is %d; want %d and 4", random, tokens, first[0], want)
		}
	}
}
