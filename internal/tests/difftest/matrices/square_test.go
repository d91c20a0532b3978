package matrices_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/matrices/matricesgen"
	"github.com/kgen-go/kgen/runtime"
)

// square has the operands of a product of matrices of n rows, and runs it in two ways.
type square struct {
	n       int
	a, b    []half.Float16
	x, y, c []float32
}

func newSquare(n int) *square {
	s, r := &square{n: n, c: make([]float32, n*n)}, rand.New(rand.NewPCG(7, 8))
	for range n * n {
		s.a, s.b = append(s.a, half.FromFloat32[half.Float16](anyFloat(r))), append(s.b, half.FromFloat32[half.Float16](anyFloat(r)))
		s.x, s.y = append(s.x, s.a[len(s.x)].Float32()), append(s.y, s.b[len(s.y)].Float32())
	}
	return s
}

func (s *square) matrices(t testing.TB, dev *runtime.Device) []float32 {
	size := dev.Info().MaxSubGroup
	if dev.Info().Backend == "host" {
		size = 32
	}
	r := runtime.NDRange2{Global: runtime.Range2{s.n / 16, s.n / 16 * size}, Local: runtime.Range2{1, 4 * size}}
	if err := gen.RunSquare(t.Context(), dev, matrices.Square{N: s.n, A: s.a, B: s.b, C: s.c}, r); err != nil {
		t.Fatal(err)
	}
	return s.c
}

func (s *square) loops(t testing.TB, dev *runtime.Device) []float32 {
	if err := gen.RunLoops(t.Context(), dev, matrices.Loops{N: s.n, A: s.x, B: s.y, C: s.c}, runtime.Range2{s.n, s.n}); err != nil {
		t.Fatal(err)
	}
	return s.c
}

// TestSquare: a product by matrices of sub-groups has the bits of loops, where matrices are expanded.
func TestSquare(t *testing.T) {
	t.Setenv(env.Matrices, "expanded")
	s := newSquare(64)
	for _, dev := range []*runtime.Device{devtest.Host(t), devtest.Vulkan(t)} {
		want := append([]float32(nil), s.loops(t, dev)...)
		clear(s.c)
		if d := difftest.Diff(s.matrices(t, dev), want, false); d != "" {
			t.Errorf("%s: %s", dev.Name(), d)
		}
	}
}

// BenchmarkSquare compares matrices with loops on the host, in GFLOP/s.
func BenchmarkSquare(b *testing.B) {
	s := newSquare(512)
	dev := devtest.Host(b)
	for _, way := range []struct {
		name string
		run  func(testing.TB, *runtime.Device) []float32
	}{{"matrices", s.matrices}, {"loops", s.loops}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				way.run(b, dev)
			}
			b.ReportMetric(2*512*512*512*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
