// Package blocks multiplies matrices in blocks whose size is a specialization
// constant.
package blocks

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Tile is the width of the square blocks that a work-group loads at a time. It is
// set when the kernel is made ready for a device, so to the device it is a constant.
var Tile = dsl.NewSpecConstant(16)

// MatMul computes C = A*B for an M by K matrix A and a K by N matrix B, each
// stored row by row. The nd-range covers C in work-groups of Tile by Tile, and
// each accessor has Tile*Tile elements.
type MatMul struct {
	M, K, N int
	A, B, C []float32
	TA, TB  dsl.LocalAccessor[float32]
}

// Kernel computes one element of C. Each round, the group brings a block of A and
// a block of B to work-group memory, where each element serves Tile work-items.
func (k MatMul) Kernel(it dsl.NDItem2) {
	tile := Tile.Get(it)
	a, b := k.TA.Slice(it), k.TB.Slice(it)
	row, col := it.GlobalID()
	y, x := it.LocalID()

	var sum float32
	for t := 0; t < k.K; t += tile {
		a[y*tile+x] = element(k.A, row, t+x, k.M, k.K)
		b[y*tile+x] = element(k.B, t+y, col, k.K, k.N)
		it.Barrier()
		for i := range tile {
			sum += a[y*tile+i] * b[i*tile+x]
		}
		it.Barrier()
	}
	if row < k.M && col < k.N {
		k.C[row*k.N+col] = sum
	}
}

// element returns an element of a rows by cols matrix, zero outside of it.
func element(m []float32, row, col, rows, cols int) float32 {
	if row >= rows || col >= cols {
		return 0
	}
	return m[row*cols+col]
}
