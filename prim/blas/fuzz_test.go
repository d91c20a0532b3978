package blas

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
)

// FuzzBLAS compares products of matrices of all shapes with plain Go.
func FuzzBLAS(f *testing.F) { prims.Fuzz(f, fuzzGemm[float32], fuzzGemm[float64]) }

// fuzzGemm multiplies matrices of at most some 100 rows and columns, in any way that they may lie in memory.
func fuzzGemm[T Float](in *prims.Input) {
	side := func() int { return in.IntN(min(in.N, 100) + 2) }
	m, n, k, pad, batch := side(), side(), side(), in.IntN(5), 1+in.IntN(3)
	a := matrix[T](in.Rand, m, k, pad, batch, in.IntN(2) > 0)
	b := matrix[T](in.Rand, k, n, pad, batch, in.IntN(2) > 0)
	c := matrix[T](in.Rand, m, n, pad, batch, in.IntN(2) > 0)
	want := c
	want.Data = append([]T(nil), c.Data...)
	beta := T(in.IntN(2))
	plainGemm(1.5, a, b, beta, want)
	choose(in.T, in.IntN(2) > 0, in.IntN(2) > 0)
	if in.M < in.N || in.Most != math.MaxInt {
		in.Opts = in.Opts[1:] // the length, which products do not take
	}
	view := func(m Matrix[T]) View[T] { return View[T]{m.Shape, prims.View(in.Views, m.Data)} }
	out := view(c)
	if _, err := GemmOn(in.Q, 1.5, view(a), view(b), beta, out, in.Opts...); err != nil {
		in.T.Fatal(err)
	}
	prims.Equal(in.T, "products", prims.Read(in.Views, out.Data), want.Data)
}
