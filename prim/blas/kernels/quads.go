package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Quad contains four elements that are neighbours in memory.
type Quad [quad]float32

// The interface `ways` describes how the operands of Quads are stored in memory.
type ways interface {
	// LeftDeep reports whether neighbours belong to a row of A. RightDeep reports whether they belong to a column of B.
	LeftDeep() bool
	RightDeep() bool
}

// For NN, A and B are stored by rows. For NT, B is transposed, and for TN, A is transposed.
type (
	NN struct{}
	NT struct{}
	TN struct{}
)

// LeftDeep reports whether neighbours belong to a row of A.
func (NN) LeftDeep() bool { return true }

// RightDeep reports whether neighbours belong to a column of B.
func (NN) RightDeep() bool { return false }

// LeftDeep reports whether neighbours belong to a row of A.
func (NT) LeftDeep() bool { return true }

// RightDeep reports whether neighbours belong to a column of B.
func (NT) RightDeep() bool { return true }

// LeftDeep reports whether neighbours belong to a row of A.
func (TN) LeftDeep() bool { return false }

// RightDeep reports whether neighbours belong to a column of B.
func (TN) RightDeep() bool { return false }

// Quads computes the same as Gemm for matrices that consist of quads. Distances and steps are in
// quads. The type W describes how operands are stored. If specialization constants described the
// layout, the kernel would contain code for all layouts, and would run half as fast.
type Quads[L tile[float32], W ways] struct {
	A, B, C                   []Quad
	M, N, K                   uint32 // numbers of rows, columns and products, in elements
	StrideA, StrideB, StrideC uint32
	StepA, StepB, StepC       int
	Alpha, Beta               float32
}

type (
	tall = [depth * (mostLines + pad)]float32
	flat = [depth * (mostLines/2 + pad)]float32

	TallNN = Quads[tall, NN]
	TallNT = Quads[tall, NT]
	TallTN = Quads[tall, TN]
	FlatNN = Quads[flat, NN]
	FlatNT = Quads[flat, NT]
	FlatTN = Quads[flat, TN]
)

// Properties sets the work-group's size, and requires 64-bit integers, which Gemm does not need.
func (Quads[L, W]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Items), properties.DeviceHas(properties.Int64)}
}

// The type `quads` is an operand of Quads, and corresponds to Gemm's type `operand`.
type quads struct {
	m            []Quad
	stride       uint32 // number of quads
	first, lines uint32
	k, tile      uint32
	deep         bool
}

// check() panics if the operand's slice is too short, or if its lines do not consist of quads.
func (p quads) check() {
	near, far := p.lines, p.k
	if p.deep {
		near, far = far, near
	}
	if near%quad != 0 {
		panic("a matrix has rows that are no whole quads")
	}
	enough(0, int(far), int(p.stride), int(near/quad), len(p.m))
}

// load() loads those quads of one iteration that belong to the work-item.
func (p quads) load(it dsl.NDItem1, t uint32) (r [mostLines * depth / quad / Items]Quad) {
	for j := range p.tile * depth / quad / Items {
		line, d := shared(it, j, p.tile, p.deep)
		line, d = line+p.first, d+t
		at := d*p.stride + line/quad
		if p.deep {
			at = line*p.stride + d/quad
		}
		if line < p.lines && d < p.k && uint(at) < uint(len(p.m)) {
			r[j] = p.m[at]
		}
	}
	return r
}

// storeQuads stores the work-item's part in work-group memory. Each row of the work-group memory
// contains the elements of all lines that have the same index in the sum.
func storeQuads[L tile[float32]](it dsl.NDItem1, p quads, r *[mostLines * depth / quad / Items]Quad, to *L, pitch uint32) {
	for j := range p.tile * depth / quad / Items {
		line, d := shared(it, j, p.tile, p.deep)
		at := d*pitch + line
		if p.deep {
			(*to)[at], (*to)[at+pitch], (*to)[at+2*pitch], (*to)[at+3*pitch] = r[j][0], r[j][1], r[j][2], r[j][3]
		} else {
			(*to)[at], (*to)[at+1], (*to)[at+2], (*to)[at+3] = r[j][0], r[j][1], r[j][2], r[j][3]
		}
	}
}

// Kernel computes a tile as Gemm.Kernel does.
func (k Quads[L, W]) Kernel(it dsl.NDItem1) {
	a := dsl.Local[L](it)
	b := dsl.Local[tall](it)
	var l L
	var way W
	pitchA := uint32(len(l) / depth)
	tileRows := pitchA - pad
	rows := tileRows / down // number of rows that a work-item computes
	batch, row, col := place(it, k.M, k.N, tileRows)
	y, x := corner(it)

	left := quads{k.A[batch*k.StepA:], k.StrideA, row, k.M, k.K, tileRows, way.LeftDeep()}
	right := quads{k.B[batch*k.StepB:], k.StrideB, col, k.N, k.K, TileColumns, way.RightDeep()}
	left.check()
	right.check()
	var sum [mostRows][eachColumn]float32
	nextA, nextB := left.load(it, 0), right.load(it, 0)
	for t := uint32(0); t < k.K; t += depth {
		storeQuads(it, left, &nextA, a, pitchA)
		storeQuads(it, right, &nextB, b, pitch)
		it.Barrier()
		nextA, nextB = left.load(it, t+depth), right.load(it, t+depth)
		addRound[float32, L, Fused](&sum, a, b, y, x)
		it.Barrier()
	}

	const each = eachColumn / quad
	var out [mostRows * each]Quad
	for i := range rows {
		for j := range uint32(each) {
			out[i*each+j] = Quad{sum[i][j*quad], sum[i][j*quad+1], sum[i][j*quad+2], sum[i][j*quad+3]}
		}
	}
	c, columns := k.C[batch*k.StepC:], k.N/quad
	for e := range rows * each {
		i, j := e/each, e%each
		i, j = row+i/quad*down*quad+y+i%quad, col/quad+j*across+x/quad
		at := int(i)*int(k.StrideC) + int(j)
		if i >= k.M || j >= columns || uint(at) >= uint(len(c)) {
			continue
		}
		v := out[e]
		if k.Beta == 0 {
			c[at] = Quad{k.Alpha * v[0], k.Alpha * v[1], k.Alpha * v[2], k.Alpha * v[3]}
			continue
		}
		u := c[at]
		var o Fused
		c[at] = Quad{
			o.Add(k.Alpha, v[0], float32(k.Beta*u[0])), o.Add(k.Alpha, v[1], float32(k.Beta*u[1])),
			o.Add(k.Alpha, v[2], float32(k.Beta*u[2])), o.Add(k.Alpha, v[3], float32(k.Beta*u[3])),
		}
	}
}
