// Package gemm multiplies matrices.
package gemm

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Tile is the width of the square tiles that a work-group loads at a time.
const Tile = 16

// MatMul computes C = A*B for an M by K matrix A and a K by N matrix B, each
// stored row by row. The nd-range covers C in work-groups of Tile by Tile.
type MatMul struct {
	M, K, N int
	A, B, C []float32
}

// Properties sets the work-group's size.
func (MatMul) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Tile, Tile)}
}

// Kernel computes one element of C. In each iteration, the group loads a tile of A and a tile of B
// to work-group memory. Each element in work-group memory is used by Tile work-items.
func (k MatMul) Kernel(it dsl.NDItem2) {
	a := dsl.Local[[Tile][Tile]float32](it)
	b := dsl.Local[[Tile][Tile]float32](it)
	row, col := it.GlobalID()
	y, x := it.LocalID()

	var sum float32
	for t := 0; t < k.K; t += Tile {
		a[y][x] = element(k.A, row, t+x, k.M, k.K)
		b[y][x] = element(k.B, t+y, col, k.K, k.N)
		it.Barrier()
		for i := range Tile {
			sum += a[y][i] * b[i][x]
		}
		it.Barrier()
	}
	if row < k.M && col < k.N {
		k.C[row*k.N+col] = sum
	}
}

// element() returns an element of a rows by cols matrix, or zero for a position outside of the matrix.
func element(m []float32, row, col, rows, cols int) float32 {
	if row >= rows || col >= cols {
		return 0
	}
	return m[row*cols+col]
}
