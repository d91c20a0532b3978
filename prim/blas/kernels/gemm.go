package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// A work-group of Items work-items computes a tile of C, which has TileColumns columns. In each
// iteration, work-group memory contains depth columns of A, and depth rows of B.
const (
	Items       = 128
	TileColumns = 128
	depth       = 16
	pad         = 4 // additional elements in a row of work-group memory, so that rows begin in different banks
	pitch       = TileColumns + pad
	eachColumn  = 8                        // columns of C that a work-item computes
	across      = TileColumns / eachColumn // number of work-items in a row of the tile
	down        = Items / across
	mostLines   = 128              // largest number of lines of a tile; a line is a row of A or a column of B
	mostRows    = mostLines / down // largest number of rows of C that a work-item computes
	quad        = 4                // number of neighbours that a work-item loads together
	strip       = 8                // number of rows of tiles that consecutive work-groups compute together, so that loads hit caches
)

// The type `tile` is work-group memory for the elements that one iteration uses. They belong to 64 or 128 lines.
type tile[T any] interface {
	[depth * (mostLines/2 + pad)]T | [depth * (mostLines + pad)]T
}

// These are the specialization constants of Gemm.
var (
	// If LeftDeep is set, neighbours in memory belong to the same row of A. If RightDeep is set,
	// neighbours in memory belong to the same column of B.
	LeftDeep  = dsl.NewSpecConstant(true)
	RightDeep = dsl.NewSpecConstant(false)
	// If LeftQuads or RightQuads is set, A or B consists of contiguous runs whose lengths are multiples of 4.
	LeftQuads  = dsl.NewSpecConstant(false)
	RightQuads = dsl.NewSpecConstant(false)
)

// Gemm computes C = Alpha*A*B + Beta*C for matrices A of M by K elements and B of K by N elements. Row i of matrix b of
// C begins at b*StepC + i*StrideC. Rows of A and B begin at corresponding indices, and so do the columns of a transposed
// matrix. The launch has a work-group for each tile of each matrix. The type L sets the number of rows of a tile.
type Gemm[T Float, L tile[T], O sums[T]] struct {
	A, B, C                   []T
	M, N, K                   uint32
	StrideA, StrideB, StrideC uint32
	StepA, StepB, StepC       int
	Alpha, Beta               T
}

type (
	GemmFlat32 = Gemm[float32, flat, Fused]
	GemmFlat64 = Gemm[float64, [depth * (mostLines/2 + pad)]float64, Fused64]
)

// Properties sets the work-group's size.
func (Gemm[T, L, O]) Properties() properties.List {
	var o O
	return append(properties.List{properties.WorkGroupSize(Items)}, o.Needs()...)
}

// Kernel computes a tile. A work-item computes eachColumn columns and up to mostRows rows of the tile.
// While Kernel adds products of one iteration in registers, it loads the operands of the next iteration.
func (k Gemm[T, L, O]) Kernel(it dsl.NDItem1) {
	a := dsl.Local[L](it)
	b := dsl.Local[[depth * pitch]T](it)
	var l L
	pitchA := uint32(len(l) / depth)
	tileRows := pitchA - pad
	rows := tileRows / down // number of rows that a work-item computes
	batch, row, col := place(it, k.M, k.N, tileRows)
	y, x := corner(it)

	left := operand[T]{k.A, batch * k.StepA, k.StrideA, row, k.M, k.K, tileRows, LeftDeep.Get(it), LeftQuads.Get(it)}
	right := operand[T]{k.B, batch * k.StepB, k.StrideB, col, k.N, k.K, TileColumns, RightDeep.Get(it), RightQuads.Get(it)}
	left.check()
	right.check()
	var sum [mostRows][eachColumn]T
	nextA, nextB := left.load(it, 0), right.load(it, 0)
	for t := uint32(0); t < k.K; t += depth {
		store(it, &left, &nextA, a, pitchA)
		store(it, &right, &nextB, b, pitch)
		it.Barrier()
		nextA, nextB = left.load(it, t+depth), right.load(it, t+depth)
		addRound[T, L, O](&sum, a, b, y, x)
		it.Barrier()
	}

	var out [mostRows * eachColumn]T // array that the loop below indexes; if that loop were unrolled, it would be most of the kernel
	for i := range rows {
		for j := range uint32(eachColumn) {
			out[i*eachColumn+j] = sum[i][j]
		}
	}
	for e := range rows * eachColumn {
		i, j := e/eachColumn, e%eachColumn
		i, j = row+i/quad*down*quad+y+i%quad, col+j/quad*across*quad+x+j%quad
		if i < k.M && j < k.N {
			at := batch*k.StepC + int(i)*int(k.StrideC) + int(j)
			k.C[at] = scaled[T, O](k.Alpha, out[e], k.Beta, k.C, at)
		}
	}
}

// addRound adds the products of the elements in work-group memory to a work-item's sums. The
// work-item's rows begin at row y of the tile, and its columns begin at column x.
func addRound[T Float, L tile[T], O sums[T]](sum *[mostRows][eachColumn]T, a *L, b *[depth * pitch]T, y, x uint32) {
	var l L
	var o O
	pitchA := uint32(len(l) / depth)
	rows := (pitchA - pad) / down // number of rows that a work-item computes
	for d := range uint32(depth) {
		var u [mostRows]T
		var v [eachColumn]T
		for i := range rows {
			u[i] = (*a)[d*pitchA+i/quad*down*quad+y+i%quad]
		}
		for j := range uint32(eachColumn) {
			v[j] = b[d*pitch+j/quad*across*quad+x+j%quad]
		}
		for i := range rows {
			for j := range eachColumn {
				sum[i][j] = o.Add(u[i], v[j], sum[i][j])
			}
		}
	}
}

// place() returns the index of the matrix in the batch, and the row and column of C at which the work-group's tile
// begins. Consecutive work-groups compute tiles in one strip of rows, column by column, before those in the next strip.
func place(it dsl.NDItem1, m, n, tileRows uint32) (batch int, row, col uint32) {
	wide, high := max((n+TileColumns-1)/TileColumns, 1), max((m+tileRows-1)/tileRows, 1)
	g := uint32(it.GroupID())
	b := g / (wide * high)
	g -= b * wide * high
	s := g / (strip * wide)
	g -= s * strip * wide
	most := max(min(high-s*strip, strip), 1)
	return int(b), (s*strip + g%most) * tileRows, g / most * TileColumns
}

// corner() returns the row and column in the tile of the first of the work-item's sums. With NVIDIA's
// compiler, these two divisions make the kernel 1.14 times as fast as one division by `across`.
func corner(it dsl.NDItem1) (y, x uint32) {
	const lanes = 32
	l := uint32(it.LocalID())
	lane := l % lanes
	return (l/lanes*(lanes/across) + lane/across) * quad, lane % across * quad
}

// The type `operand` is A or B. A work-group loads lines of an operand, which are rows of A or columns of B.
type operand[T Float] struct {
	m            []T
	at           int    // index of the first element of the batch's matrix
	stride       uint32 // distance between lines if deep is set, else distance between the elements of a line
	first, lines uint32 // first line of the tile, and number of lines of the matrix
	k            uint32 // number of elements in a line, which is the length of the sum
	tile         uint32 // number of lines in a tile
	deep         bool   // whether neighbours in memory are elements of the same line
	quads        bool   // whether the length of contiguous runs is a multiple of 4
}

// check() panics if the operand's slice is too short for its elements.
func (p *operand[T]) check() {
	if p.deep {
		enough(p.at, int(p.lines), int(p.stride), int(p.k), len(p.m))
	} else {
		enough(p.at, int(p.k), int(p.stride), int(p.lines), len(p.m))
	}
}

// The type `part` contains an operand's elements for one work-item and iteration. Small tiles use only the first half.
type part[T Float] [mostLines * depth / quad / Items][quad]T

// shared() returns the line and element at which the work-item's j-th quad begins. Neighbouring work-items load
// neighbours in memory. If deep is set, two neighbours load quads of one line, and store them in different banks.
func shared(it dsl.NDItem1, j, tileLines uint32, deep bool) (line, d uint32) {
	e := j*Items + uint32(it.LocalID())
	if deep {
		return e / 2 % tileLines, (e%2 + e/(2*tileLines)*2) * quad
	}
	return e % (tileLines / quad) * quad, e / (tileLines / quad)
}

// load() loads the work-item's share of elements t to t+depth-1 of the tile's lines. Elements past the edges are
// zeros. No loop calls loadQuad, since kgen does not unroll long loops, and arrays indexed in loops stay in memory.
func (p *operand[T]) load(it dsl.NDItem1, t uint32) (r part[T]) {
	r[0], r[1] = p.loadQuad(it, 0, t), p.loadQuad(it, 1, t)
	if p.tile == mostLines {
		r[2], r[3] = p.loadQuad(it, 2, t), p.loadQuad(it, 3, t)
	}
	return r
}

// loadQuad loads the j-th quad of the work-item's part.
func (p *operand[T]) loadQuad(it dsl.NDItem1, j, t uint32) (r [quad]T) {
	line, d := shared(it, j, p.tile, p.deep)
	line, d = line+p.first, d+t
	near, nearEnd, far, farEnd := line, p.lines, d, p.k
	if p.deep {
		near, nearEnd, far, farEnd = d, p.k, line, p.lines
	}
	at := p.at + int(far)*int(p.stride) + int(near)
	if p.quads {
		if far < farEnd && near < nearEnd && at >= 0 && at <= len(p.m)-quad {
			r = [quad]T{p.m[at], p.m[at+1], p.m[at+2], p.m[at+3]}
		}
	} else if far < farEnd {
		r = [quad]T{p.element(at, near < nearEnd), p.element(at+1, near+1 < nearEnd), p.element(at+2, near+2 < nearEnd), p.element(at+3, near+3 < nearEnd)}
	}
	return r
}

// element() returns p.m[at], or zero if the argument `within` is false.
func (p *operand[T]) element(at int, within bool) T {
	if within && uint(at) < uint(len(p.m)) {
		return p.m[at]
	}
	return 0
}

// store() stores the work-item's part in work-group memory. A row of the work-group memory
// contains, for one index of the sum, the elements of all lines.
func store[T Float, L tile[T]](it dsl.NDItem1, p *operand[T], r *part[T], to *L, pitch uint32) {
	storeQuad(it, p, 0, r[0], to, pitch)
	storeQuad(it, p, 1, r[1], to, pitch)
	if p.tile == mostLines {
		storeQuad(it, p, 2, r[2], to, pitch)
		storeQuad(it, p, 3, r[3], to, pitch)
	}
}

// storeQuad stores the j-th quad of the work-item's part.
func storeQuad[T Float, L tile[T]](it dsl.NDItem1, p *operand[T], j uint32, r [quad]T, to *L, pitch uint32) {
	line, d := shared(it, j, p.tile, p.deep)
	at := d*pitch + line
	if p.deep {
		(*to)[at], (*to)[at+pitch], (*to)[at+2*pitch], (*to)[at+3*pitch] = r[0], r[1], r[2], r[3]
		return
	}
	(*to)[at], (*to)[at+1], (*to)[at+2], (*to)[at+3] = r[0], r[1], r[2], r[3]
}
