package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// A work-group of Items work-items computes a tile of C of some rows and TileColumns columns. In a round it has depth
// columns of A, and rows of B, in its memory.
const (
	Items       = 128
	TileColumns = 128
	depth       = 16
	pad         = 4 // elements more in a row of work-group memory, so that rows begin in different banks
	pitch       = TileColumns + pad
	eachColumn  = 8                        // columns of C that a work-item computes
	across      = TileColumns / eachColumn // work-items side by side
	down        = Items / across
	mostLines   = 128              // lines of a tile, which are rows of A or columns of B, at most
	mostRows    = mostLines / down // rows of C that a work-item computes, at most
	quad        = 4                // neighbours that a work-item loads together
	strip       = 8                // rows of tiles that work-groups in a row share, so that their loads hit caches
)

// tile is work-group memory for a round's elements of 64 or 128 lines.
type tile[T any] interface {
	[depth * (mostLines/2 + pad)]T | [depth * (mostLines + pad)]T
}

// The specialization constants of Gemm.
var (
	// LeftDeep says that neighbours in memory are in a row of A, along the sum, and RightDeep that they are in a
	// column of B.
	LeftDeep  = dsl.NewSpecConstant(true)
	RightDeep = dsl.NewSpecConstant(false)
	// LeftQuads and RightQuads say that the number of such neighbours is a multiple of 4.
	LeftQuads  = dsl.NewSpecConstant(false)
	RightQuads = dsl.NewSpecConstant(false)
)

// Gemm computes C = Alpha*A*B + Beta*C for M by K matrices A and K by N matrices B. Row i of batch b of C begins at
// b*StepC + i*StrideC. Rows of A and B begin likewise, or their columns where the matrix is transposed. The launch has a
// work-group for each tile of each matrix. L gives the rows of a tile: 64.
type Gemm[T Float, L tile[T], O sums[T]] struct {
	A, B, C                   []T
	M, N, K                   uint32
	StrideA, StrideB, StrideC uint32
	StepA, StepB, StepC       int
	Alpha, Beta               T
}

type (
	GemmFlat32 = Gemm[float32, flat, Fused]
	GemmFlat64 = Gemm[float64, [depth * (mostLines/2 + pad)]float64, Rounded]
)

// Properties states the work-group's size.
func (Gemm[T, L, O]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Items)}
}

// Kernel computes a tile: mostRows or half as many rows by eachColumn columns for each work-item. The products of a
// round's operands are summed in registers, while the next round's operands are on their way from memory.
func (k Gemm[T, L, O]) Kernel(it dsl.NDItem1) {
	a := dsl.Local[L](it)
	b := dsl.Local[[depth * pitch]T](it)
	var l L
	pitchA := uint32(len(l) / depth)
	tileRows := pitchA - pad
	rows := tileRows / down // of a work-item
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

	var out [mostRows * eachColumn]T // which the loop below indexes: written out, it would be most of the kernel
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

// addRound adds the products of the elements in work-group memory to a work-item's sums. Its rows begin at row y, and its
// columns at column x of the tile.
func addRound[T Float, L tile[T], O sums[T]](sum *[mostRows][eachColumn]T, a *L, b *[depth * pitch]T, y, x uint32) {
	var l L
	var o O
	pitchA := uint32(len(l) / depth)
	rows := (pitchA - pad) / down // of a work-item
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

// place returns the matrix of the batch, and the row and column of C that the work-group's tile begins at. Work-groups
// in a row go down a strip of tiles first.
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

// corner returns the row and the column of the tile that the work-item's first quads of sums begin at. NVIDIA's compiler
// makes a kernel that is 1.14 times as fast of these two divisions as of one by across.
func corner(it dsl.NDItem1) (y, x uint32) {
	const lanes = 32
	l := uint32(it.LocalID())
	lane := l % lanes
	return (l/lanes*(lanes/across) + lane/across) * quad, lane % across * quad
}

// operand is A or B, of which a work-group loads lines: rows of A, or columns of B.
type operand[T Float] struct {
	m            []T
	at           int    // index of the first element of the batch's matrix
	stride       uint32 // distance of lines if deep, or of their elements if not
	first, lines uint32 // the first line of the tile, and the number of lines of the matrix
	k            uint32 // elements of a line
	tile         uint32 // lines of a tile
	deep         bool   // neighbours in memory are elements of a line
	quads        bool   // the number of neighbours is a multiple of 4
}

// check panics unless the operand has all its elements.
func (p *operand[T]) check() {
	if p.deep {
		enough(p.at, int(p.lines), int(p.stride), int(p.k), len(p.m))
	} else {
		enough(p.at, int(p.k), int(p.stride), int(p.lines), len(p.m))
	}
}

// part is a work-item's share of an operand in a round, for the larger tile.
type part[T Float] [mostLines * depth / quad / Items][quad]T

// shared returns the line and the element that the work-item's j-th quad of a tile begins at. Neighbouring work-items load
// quads that are neighbours in memory: two quads of a line, if lines are deep. Their elements go to different banks.
func shared(it dsl.NDItem1, j, tileLines uint32, deep bool) (line, d uint32) {
	e := j*Items + uint32(it.LocalID())
	if deep {
		return e / 2 % tileLines, (e%2 + e/(2*tileLines)*2) * quad
	}
	return e % (tileLines / quad) * quad, e / (tileLines / quad)
}

// load loads the work-item's share of elements t to t+depth of the tile's lines. There are zeros past the edges. Its quads are
// written out here: kgen leaves a loop of so much code as it is, and an array that it indexes in memory.
func (p *operand[T]) load(it dsl.NDItem1, t uint32) (r part[T]) {
	r[0], r[1] = p.loadQuad(it, 0, t), p.loadQuad(it, 1, t)
	if p.tile == mostLines {
		r[2], r[3] = p.loadQuad(it, 2, t), p.loadQuad(it, 3, t)
	}
	return r
}

// loadQuad loads the work-item's j-th quad.
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

// element returns an element that is within the matrix, and zero otherwise.
func (p *operand[T]) element(at int, within bool) T {
	if within && uint(at) < uint(len(p.m)) {
		return p.m[at]
	}
	return 0
}

// store stores the work-item's share in work-group memory, where the elements of all lines with the same place in the
// sum are a row.
func store[T Float, L tile[T]](it dsl.NDItem1, p *operand[T], r *part[T], to *L, pitch uint32) {
	storeQuad(it, p, 0, r[0], to, pitch)
	storeQuad(it, p, 1, r[1], to, pitch)
	if p.tile == mostLines {
		storeQuad(it, p, 2, r[2], to, pitch)
		storeQuad(it, p, 3, r[3], to, pitch)
	}
}

// storeQuad stores the work-item's j-th quad.
func storeQuad[T Float, L tile[T]](it dsl.NDItem1, p *operand[T], j uint32, r [quad]T, to *L, pitch uint32) {
	line, d := shared(it, j, p.tile, p.deep)
	at := d*pitch + line
	if p.deep {
		(*to)[at], (*to)[at+pitch], (*to)[at+2*pitch], (*to)[at+3*pitch] = r[0], r[1], r[2], r[3]
		return
	}
	(*to)[at], (*to)[at+1], (*to)[at+2], (*to)[at+3] = r[0], r[1], r[2], r[3]
}
