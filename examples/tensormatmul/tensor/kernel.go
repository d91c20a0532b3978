// Package tensor uses matrices of sub-groups to multiply matrices of 16-bit floats or of bytes. The
// kernels use the fastest method for GPUs that support matrices of 16 by 16 elements.
//
//kgen:variants load
package tensor

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A work-group computes a tile of Tile by Tile elements of C. Each sub-group of the work-group computes a block of the tile.
const (
	Tile      = 128
	rows      = 64 // number of rows in a block
	columns   = 64
	SubGroups = Tile / rows * (Tile / columns)
	// SubGroup is the size of sub-groups.
	SubGroup = 32
	// Items is the size of a work-group.
	Items = SubGroups * SubGroup
)

// In an iteration, a work-group copies 128 bytes of each row of its tile to work-group memory.
// Work-items load and store parts of 16 bytes.
const (
	parts = 8
	each  = Tile * parts / Items // number of parts that a work-item loads from each tile
)

// Halves contains 16 bytes of a row of 16-bit floats.
type Halves [8]half.Float16

// Bytes contains 16 bytes of a row of bytes, in words. The first byte is in the lowest bits of the first word.
type Bytes [4]uint32

// deepHalves and deepBytes are the numbers of elements that an iteration copies from a row. In work-group memory,
// rows are longer by one part (pitchHalves, pitchBytes), so that they begin in different banks.
const (
	deepHalves  = parts * len(Halves{})
	deepBytes   = parts * 16
	pitchHalves = deepHalves + len(Halves{})
	pitchBytes  = deepBytes + 16
)

// HalvesOf returns 8 floats of a row.
func HalvesOf(s []half.Float16) Halves { return Halves(s) }

// BytesOf returns 16 bytes of a row.
func BytesOf(s []int8) (b Bytes) {
	for i, x := range s[:16] {
		b[i/4] |= uint32(uint8(x)) << (i % 4 * 8)
	}
	return b
}

// Global returns the number of work-items for a product of the given size. Rows and columns must be multiples of Tile.
func Global(rows, cols int) int { return rows / Tile * (cols / Tile) * Items }

// MatMul computes C = A*B. A and C are stored row by row, and B column by column, like the weights of a
// network's layer. A row of A and a column of B have Width parts (a multiple of 8). A row of C has N elements.
// Rows and columns of C are multiples of Tile. The nd-range has Global work-items, in groups of Items.
type MatMul struct {
	N, Width int
	A, B     []Halves
	C        []float32
}

// Properties sets the sizes of work-groups and sub-groups.
func (MatMul) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Items), properties.SubGroupSize(SubGroup)}
}

// Kernel computes a tile. Each sub-group computes a block of the tile.
func (k MatMul) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[Tile * pitchHalves]half.Float16](it), dsl.Local[[Tile * pitchHalves]half.Float16](it)
	check(it, k.N, k.Width, len(k.A), len(k.B), len(k.C))
	row, col := tileOf(it, k.N)
	a, b := k.A[row*k.Width:(row+Tile)*k.Width], k.B[col*k.Width:(col+Tile)*k.Width]

	var sums blockOf[[16][16]float32]
	nextA, nextB := load(it, a, k.Width, 0), load(it, b, k.Width, 0)
	for t := 0; t < k.Width; t += parts {
		it.Barrier()
		storeHalves(it, nextA, left)
		storeHalves(it, nextB, right)
		it.Barrier()
		// The loads for the next iteration are in progress while this iteration multiplies.
		nextA, nextB = load(it, a, k.Width, t+parts), load(it, b, k.Width, t+parts)
		multiply[[16][16]half.Float16, [16][16]half.Float16](it, &sums, left[:], right[:], pitchHalves, 16, deepHalves/16)
	}
	save(it, &sums, k.C, k.N, row, col)
}

// MatMulBytes is like MatMul, for bytes. Products are added as int32s.
type MatMulBytes struct {
	N, Width int
	A, B     []Bytes
	C        []int32
}

// Properties sets the sizes of work-groups and sub-groups.
func (MatMulBytes) Properties() properties.List { return MatMul{}.Properties() }

// Kernel computes a tile. Each sub-group computes a block of the tile.
func (k MatMulBytes) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[Tile * pitchBytes]int8](it), dsl.Local[[Tile * pitchBytes]int8](it)
	check(it, k.N, k.Width, len(k.A), len(k.B), len(k.C))
	row, col := tileOf(it, k.N)
	a, b := k.A[row*k.Width:(row+Tile)*k.Width], k.B[col*k.Width:(col+Tile)*k.Width]

	var sums blockOf[[16][16]int32]
	nextA, nextB := load(it, a, k.Width, 0), load(it, b, k.Width, 0)
	for t := 0; t < k.Width; t += parts {
		it.Barrier()
		storeBytes(it, nextA, left)
		storeBytes(it, nextB, right)
		it.Barrier()
		nextA, nextB = load(it, a, k.Width, t+parts), load(it, b, k.Width, t+parts)
		multiply[[16][32]int8, [32][16]int8](it, &sums, left[:], right[:], pitchBytes, 32, deepBytes/32)
	}
	save(it, &sums, k.C, k.N, row, col)
}

// blockOf contains the sums of a sub-group.
type blockOf[S any] [rows / 16][columns / 16]dsl.Accumulator[S]

// check() panics if the matrices or the nd-range have wrong sizes. Either all work-items of a launch
// panic, or none.
func check(it dsl.NDItem1, n, width, a, b, c int) {
	if width <= 0 || width%parts != 0 {
		panic("the parts of a row of A are no multiple of 8")
	}
	if n%Tile != 0 || b != n*width || a%(Tile*width) != 0 || c != a/width*n {
		panic("the matrices have no whole tiles")
	}
	if it.GroupRange()*Tile*Tile != c {
		panic("the nd-range does not have Global work-items")
	}
}

// tileOf returns the row and column of C at which the work-group's tile begins.
func tileOf(it dsl.NDItem1, n int) (row, col int) {
	g, across := it.GroupID(), n/Tile
	return g / across * Tile, g % across * Tile
}

// blockAt returns the row and column of the tile at which the sub-group's block begins.
func blockAt(sg dsl.SubGroup) (y, x int) {
	s := uint(sg.GroupID()) % SubGroups
	return int(s / (Tile / columns) * rows), int(s % (Tile / columns) * columns)
}

// load() loads the work-item's parts of a tile. The work-group loads eight parts of each row, from index t
// on. After the last iteration, the result contains parts of the next row, or zeros, and is not used.
func load[P any](it dsl.NDItem1, m []P, width, t int) (r [each]P) {
	for j := range each {
		i := j*Items + it.LocalID()
		if at := i/parts*width + t + i%parts; uint(at) < uint(len(m)) {
			r[j] = m[at]
		}
	}
	return r
}

// storeHalves stores the work-item's parts in work-group memory.
func storeHalves(it dsl.NDItem1, r [each]Halves, to *[Tile * pitchHalves]half.Float16) {
	for j := range each {
		i := j*Items + it.LocalID()
		*(*Halves)(to[i/parts*pitchHalves+i%parts*len(Halves{}):]) = r[j]
	}
}

// storeBytes is like storeHalves, for bytes.
func storeBytes(it dsl.NDItem1, r [each]Bytes, to *[Tile * pitchBytes]int8) {
	for j := range each {
		i := j*Items + it.LocalID()
		for w, word := range r[j] {
			at := i/parts*pitchBytes + i%parts*16 + 4*w
			to[at], to[at+1], to[at+2], to[at+3] = int8(word), int8(word>>8), int8(word>>16), int8(word>>24)
		}
	}
}

// multiply() adds products of rows and columns to the sums of a sub-group. In work-group memory, rows and columns are
// `pitch` elements apart. There are `steps` products. In each product, the left matrix has `deep` columns.
func multiply[SA, SB, S, E any](it dsl.NDItem1, sums *blockOf[S], left, right []E, pitch, deep, steps int) {
	sg := it.SubGroup()
	y, x := blockAt(sg)
	for step := range steps {
		var a [rows / 16]dsl.MatrixA[SA]
		for i := range a {
			a[i] = dsl.LoadA[SA](sg, left[(y+16*i)*pitch+step*deep:], pitch, dsl.RowMajor)
		}
		for j := range columns / 16 {
			b := dsl.LoadB[SB](sg, right[(x+16*j)*pitch+step*deep:], pitch, dsl.ColumnMajor)
			for i := range a {
				sums[i][j] = dsl.MulAdd(sg, a[i], b, sums[i][j])
			}
		}
	}
}

// save() stores the sums of a sub-group.
func save[S, E any](it dsl.NDItem1, sums *blockOf[S], c []E, n, row, col int) {
	sg := it.SubGroup()
	y, x := blockAt(sg)
	for i := range rows / 16 {
		for j := range columns / 16 {
			dsl.StoreAccumulator(sg, sums[i][j], c[(row+y+16*i)*n+col+x+16*j:], n, dsl.RowMajor)
		}
	}
}
