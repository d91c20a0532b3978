// Package blocks multiplies matrices in blocks, whose depth is a specialization
// constant.
package blocks

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A work-group has Across by Across work-items. The work-group computes a block of Block by Block
// elements of C, and each work-item computes Each by Each elements.
const (
	Across = 16
	Each   = 8
	Block  = Across * Each
)

// Depth is the number of columns in a block of A, and the number of rows in a block of B.
// Depth is at least 1 and at most Deepest. Deeper blocks need fewer barriers and more registers.
// Depth is set before the kernel is compiled for a device, so it is a constant for the device.
var Depth = dsl.NewSpecConstant(Deepest)

// Deepest is the largest allowed Depth.
const Deepest = 16

const (
	items = Across * Across
	each  = Block * Deepest / items // number of elements that a work-item loads from each block
	strip = 8                       // number of adjacent work-items that load adjacent elements of one row of A
	quad  = 4                       // number of adjacent elements of a column or row of C that a work-item computes
)

// MatMul computes C = A*B for an M by K matrix A and a K by N matrix B, each stored row by row. The
// nd-range has Across by Across work-items for each block of C, including incomplete blocks. In
// each direction, the nd-range has [Groups] work-groups.
type MatMul struct {
	M, K, N int
	A, B, C []float32
}

// Properties sets the work-group's size.
func (MatMul) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Across, Across)}
}

// Groups returns the number of work-groups, one for each block, that cover n rows or columns of C.
func Groups(n int) int { return (n + Block - 1) / Block }

// Kernel computes Each by Each elements of C. In each iteration, the group loads a block of A and a
// block of B to work-group memory. With every element that it reads from work-group memory, a work-item
// updates `Each` sums. The sums stay in registers, because kgen unrolls loops that index small arrays.
func (k MatMul) Kernel(it dsl.NDItem2) {
	left := dsl.Local[[Deepest][Block + 4]float32](it) // columns of A; because of the 4 unused elements, neighbouring elements are in different banks
	right := dsl.Local[[Deepest][Block]float32](it)    // rows of B
	depth := min(max(Depth.Get(it), 1), Deepest)
	gy, gx := it.GroupID()
	row, col := gy*Block, gx*Block
	y, x := it.LocalID()

	// The slices a and c contain the block's rows of A and of C. The slice expressions check once, for the
	// whole group, that the rows exist. Each index within a or c belongs to an existing row of the matrix.
	top, bottom := min(row, k.M), min(row+Block, k.M)
	a, c := k.A[top*k.K:bottom*k.K], k.C[top*k.N:bottom*k.N]

	var sum [Each][Each]float32
	next := k.load(it, a, 0, depth)
	for t := 0; t < k.K; t += depth {
		next.store(it, left, right)
		it.Barrier()
		// The loads for the next iteration are in progress while this iteration multiplies.
		next = k.load(it, a, t+depth, depth)
		for d := range depth {
			var u, v [Each]float32
			for i := range Each {
				u[i] = left[d][i/quad*Across*quad+y*quad+i%quad]
				v[i] = right[d][i/quad*Across*quad+x*quad+i%quad]
			}
			for i := range Each {
				for j := range Each {
					sum[i][j] += u[i] * v[j]
				}
			}
		}
		it.Barrier()
	}

	// The sums are copied to an array that the loop below indexes. The loop is not unrolled,
	// because an unrolled loop would be most of the kernel's code.
	var out [Each * Each]float32
	for i := range Each {
		for j := range Each {
			out[i*Each+j] = sum[i][j]
		}
	}
	for e := range len(out) {
		i, j := e/Each, e%Each
		i, j = i/quad*Across*quad+y*quad+i%quad, col+j/quad*Across*quad+x*quad+j%quad
		if at := i*k.N + j; j < k.N && uint(at) < uint(len(c)) {
			c[at] = out[e]
		}
	}
}

// The type `part` contains the elements that a work-item loads from a block of A and from a block of B.
type part struct{ p, q [each]float32 }

// load() loads a work-item's elements from columns t to t+depth of a, and from rows t to t+depth of
// B. Elements past the edges are zero.
func (k MatMul) load(it dsl.NDItem2, a []float32, t, depth int) (r part) {
	end := min(t+depth, k.K)
	b := k.B[min(t, k.K)*k.N : end*k.N]
	_, gx := it.GroupID()
	for j := range each {
		y, x := ofLeft(it, j)
		if at := y*k.K + t + x; t+x < end && uint(at) < uint(len(a)) {
			r.p[j] = a[at]
		}
		y, x = ofRight(it, j)
		x += gx * Block
		if at := y*k.N + x; x < k.N && uint(at) < uint(len(b)) {
			r.q[j] = b[at]
		}
	}
	return r
}

// store() stores the elements of r in work-group memory, where all work-items of the group can read them.
func (r part) store(it dsl.NDItem2, left *[Deepest][Block + 4]float32, right *[Deepest][Block]float32) {
	for j := range each {
		y, x := ofLeft(it, j)
		left[x][y] = r.p[j]
		y, x = ofRight(it, j)
		right[y][x] = r.q[j]
	}
}

// ofLeft returns the row and column of the work-item's j-th element in the block of A. Neighbouring
// work-items load the elements of one strip, which fill a memory transaction.
func ofLeft(it dsl.NDItem2, j int) (y, x int) {
	const rows = items / strip
	l := uint(it.LocalLinearID()) // unsigned, because unsigned division is faster
	return j%(Block/rows)*rows + int(l/strip), j/(Block/rows)*strip + int(l%strip)
}

// ofRight is like ofLeft, for the block of B. Neighbouring work-items load complete rows of the block of B.
func ofRight(it dsl.NDItem2, j int) (y, x int) {
	e := uint(j*items + it.LocalLinearID())
	return int(e / Block), int(e % Block)
}
