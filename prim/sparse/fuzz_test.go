package sparse

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
)

// FuzzSparse compares products of matrices of all shapes, made from coordinates, with plain Go.
func FuzzSparse(f *testing.F) { prims.Fuzz(f, fuzzGemv[float32], fuzzGemv[float64]) }

// fuzzGemv makes a matrix from coordinates and multiplies it by a vector.
func fuzzGemv[T Float](in *prims.Input) {
	rows, cols, n := 1+in.IntN(in.N+1), 1+in.IntN(300), in.IntN(3*in.N+1)
	i, j, v := make([]int32, n), make([]int32, n), vector[T](in.Rand, n)
	dense := map[[2]int32][]T{} // the values in each place, in order
	for e := range n {
		i[e], j[e] = int32(in.IntN(rows)), int32(in.IntN(cols))
		dense[[2]int32{i[e], j[e]}] = append(dense[[2]int32{i[e], j[e]}], v[e])
	}
	if in.M < in.N || in.Most != math.MaxInt {
		in.Opts = in.Opts[1:] // the length, which these functions do not take
	}
	a := View[T]{Rows: rows, Cols: cols, Start: prims.View(in.Views, make([]int32, rows+1)), Columns: prims.View(in.Views, make([]int32, n)), Values: prims.View(in.Views, make([]T, n))}
	if _, err := CSROfOn(in.Q, prims.View(in.Views, i), prims.View(in.Views, j), prims.View(in.Views, v), a); err != nil {
		in.T.Fatal(err)
	}
	m := CSR[T]{rows, cols, prims.Read(in.Views, a.Start), prims.Read(in.Views, a.Columns), prims.Read(in.Views, a.Values)}
	for row := range int32(rows) {
		for e := m.Start[row]; e < m.Start[row+1]; e++ {
			at := [2]int32{row, m.Columns[e]}
			if e > m.Start[row] && m.Columns[e-1] > m.Columns[e] || len(dense[at]) == 0 || dense[at][0] != m.Values[e] {
				in.T.Fatalf("element %d of row %d is %v in column %d; its values are %v", e, row, m.Values[e], m.Columns[e], dense[at])
			}
			dense[at] = dense[at][1:]
		}
	}
	if int(m.Start[rows]) != n {
		in.T.Fatalf("the matrix has %d elements, want %d", m.Start[rows], n)
	}
	x, y := vector[T](in.Rand, cols), vector[T](in.Rand, rows)
	beta := T(in.IntN(2))
	out := prims.View(in.Views, y)
	plainGemv(1.5, m, x, beta, y)
	if _, err := GemvOn(in.Q, 1.5, a, prims.View(in.Views, x), beta, out, in.Opts...); err != nil {
		in.T.Fatal(err)
	}
	prims.Equal(in.T, "products", prims.Read(in.Views, out), y)
}
