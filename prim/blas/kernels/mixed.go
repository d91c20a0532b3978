package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

// This file multiplies matrices of 16-bit floats and of bytes, with the matrix operations of
// sub-groups. A line is a row of A or a column of B, whose elements are neighbours in memory. Lines
// consist of pieces of 16 bytes, and each piece is loaded and stored as a whole.

// A work-group of MixedItems work-items computes a tile of MixedTile rows and columns of C. Each
// sub-group computes a square with `block` rows and `block` columns. In an iteration, work-group
// memory contains StepPieces pieces of each line of the tile.
const (
	MixedTile  = 128
	MixedItems = MixedTile / block * (MixedTile / block) * SubGroup
	// SubGroup is the number of work-items of a sub-group.
	SubGroup = 32
	block    = 64
	// StepPieces is the number of pieces of a line that an iteration uses.
	StepPieces = 8
	pieces     = MixedTile * StepPieces / MixedItems // number of pieces of A, and of B, that a work-item loads in an iteration
	side       = 16                                  // number of rows and of columns of an accumulator
)

// The pitches are distances between lines, in elements. An additional piece makes lines begin in different banks.
const (
	pitch16 = (StepPieces + 1) * len(Piece16[half.Float16]{})
	pitch8  = (StepPieces + 1) * 16
)

// half16 is a type of 16-bit floats.
type half16 interface {
	half.Float16 | half.BFloat16
	Float32() float32
}

// Piece16 is a piece of 16-bit floats.
type Piece16[E half.Float16 | half.BFloat16 | uint16] [8]E

// Piece8 is a piece of bytes. The first byte of the piece is the lowest byte of its first 32-bit word.
type Piece8 [4]uint32

// Sizes contains the sizes of a batch of matrices. Lengths and distances count pieces for A and B, and elements for C.
type Sizes struct {
	M, N, Width               int // numbers of rows and columns of C, and number of pieces in a line (a multiple of StepPieces)
	StrideA, StrideB, StrideC int // distances between lines
	StepA, StepB, StepC       int // distances between the matrices of a batch
}

// Product16 computes C = A*B. C consists of complete tiles, in which elements beyond M rows and N columns are
// unspecified. The launch has a work-group for each tile of each matrix.
type Product16[E half16] struct {
	Sizes
	A, B []Piece16[E]
	C    []float32
}

type (
	ProductFloat16  = Product16[half.Float16]
	ProductBFloat16 = Product16[half.BFloat16]
)

// Properties sets the group sizes. It also lists integer types, which all devices with native matrices have.
func (Product16[E]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(MixedItems), properties.SubGroupSize(SubGroup), properties.DeviceHas(properties.SubGroups, properties.Int16, properties.Int64)}
}

// Kernel computes a tile. The loads for the next iteration are in progress while this iteration multiplies.
func (k Product16[E]) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[MixedTile * pitch16]E](it), dsl.Local[[MixedTile * pitch16]E](it)
	batch, row, col := k.tile(it, len(k.A), len(k.B), len(k.C))
	a, b := k.A[batch*k.StepA:], k.B[batch*k.StepB:]

	var sums blockOf[[side][side]float32]
	nextA, nextB := pieceOf(it, a, row, k.StrideA, 0), pieceOf(it, b, col, k.StrideB, 0)
	for t := 0; t < k.Width; t += StepPieces {
		it.Barrier()
		storePieces16(it, nextA, left)
		storePieces16(it, nextB, right)
		it.Barrier()
		nextA, nextB = pieceOf(it, a, row, k.StrideA, t+StepPieces), pieceOf(it, b, col, k.StrideB, t+StepPieces)
		addStep[[side][side]E, [side][side]E](it, &sums, left[:], right[:], pitch16, 8)
	}
	save(it, k.Sizes, &sums, k.C, batch, row, col)
}

// ProductInt8 computes the same as Product16 for bytes. Products are added as int32s, which wrap around.
type ProductInt8 struct {
	Sizes
	A, B []Piece8
	C    []int32
}

// Properties sets the group sizes. It also lists integer types, which all devices with native matrices have.
func (ProductInt8) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(MixedItems), properties.SubGroupSize(SubGroup), properties.DeviceHas(properties.SubGroups, properties.Int8, properties.Int64)}
}

// Kernel computes a tile.
func (k ProductInt8) Kernel(it dsl.NDItem1) {
	left, right := dsl.Local[[MixedTile * pitch8]int8](it), dsl.Local[[MixedTile * pitch8]int8](it)
	batch, row, col := k.tile(it, len(k.A), len(k.B), len(k.C))
	a, b := k.A[batch*k.StepA:], k.B[batch*k.StepB:]

	var sums blockOf[[side][side]int32]
	nextA, nextB := pieceOf(it, a, row, k.StrideA, 0), pieceOf(it, b, col, k.StrideB, 0)
	pad8(it, left)
	pad8(it, right)
	for t := 0; t < k.Width; t += StepPieces {
		it.Barrier()
		storePieces8(it, nextA, left)
		storePieces8(it, nextB, right)
		it.Barrier()
		nextA, nextB = pieceOf(it, a, row, k.StrideA, t+StepPieces), pieceOf(it, b, col, k.StrideB, t+StepPieces)
		addStep[[side][2 * side]int8, [2 * side][side]int8](it, &sums, left[:], right[:], pitch8, 16)
	}
	save(it, k.Sizes, &sums, k.C, batch, row, col)
}

// The type blockOf contains the sums of a sub-group.
type blockOf[S any] [block / side][block / side]dsl.Accumulator[S]

// tile() returns the number of the work-group's matrix in the batch, and the row and column at
// which its tile begins. tile() panics if A, B or C is too short for the sizes.
func (s Sizes) tile(it dsl.NDItem1, a, b, c int) (batch, row, col int) {
	down, across := (s.M+MixedTile-1)/MixedTile, (s.N+MixedTile-1)/MixedTile
	if down <= 0 || across <= 0 || s.Width <= 0 || s.StrideA < 0 || s.StrideB < 0 {
		panic("a matrix has no elements")
	}
	if s.Width%StepPieces != 0 {
		panic("the width of lines is no multiple of StepPieces")
	}
	g := it.GroupID()
	batch = g / (down * across)
	g %= down * across
	enough(batch*s.StepA, s.M, s.StrideA, s.Width, a)
	enough(batch*s.StepB, s.N, s.StrideB, s.Width, b)
	enough(batch*s.StepC, down*MixedTile, s.StrideC, across*MixedTile, c)
	return batch, g / across * MixedTile, g % across * MixedTile
}

// pieceOf loads the work-item's pieces of a tile, which begins at piece t of each line. The argument `line` is the
// tile's first line. Pieces past the end of a line, or past the last line of the matrix, have unspecified values.
func pieceOf[P any](it dsl.NDItem1, m []P, line, stride, t int) (r [pieces]P) {
	for j := range pieces {
		i := j*MixedItems + it.LocalID()
		if at := (line+i/StepPieces)*stride + t + i%StepPieces; uint(at) < uint(len(m)) {
			r[j] = m[at]
		}
	}
	return r
}

// storePieces16 stores the work-item's pieces in work-group memory.
func storePieces16[E half16](it dsl.NDItem1, r [pieces]Piece16[E], to *[MixedTile * pitch16]E) {
	for j := range pieces {
		i := j*MixedItems + it.LocalID()
		*(*Piece16[E])(to[i/StepPieces*pitch16+i%StepPieces*len(r[j]):]) = r[j]
	}
}

// storePieces8 stores the work-item's pieces in work-group memory.
func storePieces8(it dsl.NDItem1, r [pieces]Piece8, to *[MixedTile * pitch8]int8) {
	for j := range pieces {
		i := j*MixedItems + it.LocalID()
		for w, word := range r[j] {
			at := i/StepPieces*pitch8 + i%StepPieces*16 + 4*w
			to[at], to[at+1], to[at+2], to[at+3] = int8(word), int8(word>>8), int8(word>>16), int8(word>>24)
		}
	}
}

// pad8 clears the additional piece of the work-item's line. All elements are then stored before the
// first load, so kgen does not clear the whole memory.
func pad8(it dsl.NDItem1, to *[MixedTile * pitch8]int8) {
	*(*[16]int8)(to[it.LocalID()%MixedTile*pitch8+StepPieces*16:]) = [16]int8{}
}

// blockAt returns the row and column of the tile at which the sub-group's block begins.
func blockAt(sg dsl.SubGroup) (y, x int) {
	s := uint(sg.GroupID()) % (MixedItems / SubGroup)
	return int(s / (MixedTile / block) * block), int(s % (MixedTile / block) * block)
}

// addStep adds the products of an iteration's pieces to the sums of the sub-group. The argument `pitch` is the
// distance between lines, and `each` is the number of elements in a piece. Each matrix has 16 lines of two pieces.
func addStep[SA, SB, S, E any](it dsl.NDItem1, sums *blockOf[S], left, right []E, pitch, each int) {
	sg := it.SubGroup()
	y, x := blockAt(sg)
	for p := 0; p < StepPieces; p += 2 {
		var a [block / side]dsl.MatrixA[SA]
		for i := range a {
			a[i] = dsl.LoadA[SA](sg, left[(y+side*i)*pitch+p*each:], pitch, dsl.RowMajor)
		}
		for j := range block / side {
			b := dsl.LoadB[SB](sg, right[(x+side*j)*pitch+p*each:], pitch, dsl.ColumnMajor)
			for i := range a {
				sums[i][j] = dsl.MulAdd(sg, a[i], b, sums[i][j])
			}
		}
	}
}

// save() stores the sums of the sub-group.
func save[S, E any](it dsl.NDItem1, s Sizes, sums *blockOf[S], c []E, batch, row, col int) {
	sg := it.SubGroup()
	y, x := blockAt(sg)
	for i := range block / side {
		for j := range block / side {
			at := batch*s.StepC + (row+y+side*i)*s.StrideC + col + x + side*j
			dsl.StoreAccumulator(sg, sums[i][j], c[at:], s.StrideC, dsl.RowMajor)
		}
	}
}

// Packing describes where the lines of an operand are in memory. Element e of line l of matrix b is at b*Step + l*Stride +
// e, or if Deep is not set, at b*Step + l + e*Stride. Each line has Length elements, and each matrix has Lines lines. The
// output has the lines of all matrices one after the other. Each line of the output has Width pieces, and ends with zeros.
type Packing struct {
	Lines, Length, Width, Stride, Step int
	Deep                               bool
}

// piece() returns the index of the piece that the work-item computes. The other results describe the
// piece's elements in the input. They are the index of the first element, the stride, and the number of
// elements. A piece has at most `most` elements. Neighbouring work-items load neighbouring elements.
func (p Packing) piece(it dsl.Item3, most int) (out, in, stride, n int) {
	batch, line, at := it.GlobalID()
	in, stride = batch*p.Step+line*p.Stride, 1
	if !p.Deep {
		line, at = at, line
		in, stride = batch*p.Step+line, p.Stride
	}
	return (batch*p.Lines+line)*p.Width + at, in + at*most*stride, stride, min(most, p.Length-at*most)
}

// Pack16 packs the lines of 16-bit elements. The range has the dimensions matrices, lines and
// pieces of a line. If Deep is not set, the order of the dimensions is matrices, pieces and lines.
type Pack16 struct {
	Packing
	In  []uint16
	Out []Piece16[uint16]
}

// Kernel packs a piece.
func (k Pack16) Kernel(it dsl.Item3) {
	var r Piece16[uint16]
	out, in, stride, n := k.piece(it, len(r))
	for i := range r {
		if i < n {
			r[i] = k.In[in+i*stride]
		}
	}
	k.Out[out] = r
}

// Pack8 packs lines of bytes, as Pack16 packs elements of 16 bits.
type Pack8 struct {
	Packing
	In  []uint8
	Out []Piece8
}

// Kernel packs a piece.
func (k Pack8) Kernel(it dsl.Item3) {
	var r Piece8
	out, in, stride, n := k.piece(it, 16)
	for i := range 16 {
		if i < n {
			r[i/4] |= uint32(k.In[in+i*stride]) << (i % 4 * 8)
		}
	}
	k.Out[out] = r
}

// Finish sets C to Alpha*S + Beta*C. Each float operation is rounded, and integers wrap around. Row i of matrix b of S
// begins at b*StepS + i*StrideS. If Beta is 0, C is not loaded. The range's dimensions are matrices, rows and columns of C.
type Finish[T float32 | int32] struct {
	S, C             []T
	StrideS, StrideC int
	StepS, StepC     int
	Alpha, Beta      T
}

type (
	FinishFloat32 = Finish[float32]
	FinishInt32   = Finish[int32]
)

// Properties requires that each operation is rounded.
func (Finish[T]) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes an element of C.
func (k Finish[T]) Kernel(it dsl.Item3) {
	batch, i, j := it.GlobalID()
	at := batch*k.StepC + i*k.StrideC + j
	v := T(k.Alpha * k.S[batch*k.StepS+i*k.StrideS+j])
	if k.Beta != 0 {
		v += T(k.Beta * k.C[at])
	}
	k.C[at] = v
}

// Widen sets Out to the elements of In, which are exact as float32s.
type Widen[E half16] struct {
	In  []E
	Out []float32
}

type (
	WidenFloat16  = Widen[half.Float16]
	WidenBFloat16 = Widen[half.BFloat16]
)

// Kernel widens an element.
func (k Widen[E]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i].Float32()
}

// PlainInt8 computes the same as ProductInt8 with one work-item per element of C, for devices without
// matrices of sub-groups. The fields of PlainInt8 have the same meaning as the fields of Plain.
type PlainInt8 struct {
	A, B                      []int8
	C                         []int32
	K                         int
	StrideA, StrideB, StrideC int
	StepA, StepB, StepC       int
	Alpha, Beta               int32
}

// Kernel computes an element of a matrix of the batch C.
func (k PlainInt8) Kernel(it dsl.Item3) {
	batch, i, j := it.GlobalID()
	a, b := batch*k.StepA, batch*k.StepB
	farA, farB := 1, 1
	if LeftDeep.Get(it) {
		a += i * k.StrideA
	} else {
		a, farA = a+i, k.StrideA
	}
	if RightDeep.Get(it) {
		b += j * k.StrideB
	} else {
		b, farB = b+j, k.StrideB
	}
	sum := int32(0)
	for range k.K {
		sum += int32(k.A[a]) * int32(k.B[b])
		a += farA
		b += farB
	}
	at := batch*k.StepC + i*k.StrideC + j
	v := k.Alpha * sum
	if k.Beta != 0 {
		v += k.Beta * k.C[at]
	}
	k.C[at] = v
}
