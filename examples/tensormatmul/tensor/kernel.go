// Package tensor multiplies matrices of 16-bit floats by matrices of sub-groups.
package tensor

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

const (
	Rows, Columns, Depth = 128, 128, 64
	subRows, subColumns  = 64, 32
	SubGroups            = Rows / subRows * Columns / subColumns
	Items                = 256
	part                 = 8
	pitch                = Depth + part
	parts                = Depth / part
	each                 = Rows * parts / Items
)

type Part = [part]half.Float16

type MatMul struct {
	N, K int
	A, B []Part
	C    []float32
}

func (MatMul) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Items)}
}

func load(m []Part, at, width, t int) (r [each]Part) {
	for j := range each {
		i := uint(at + j*Items)
		if to := int(i/parts)*width + t + int(i%parts); uint(to) < uint(len(m)) {
			r[j] = m[to]
		}
	}
	return r
}

func store(r [each]Part, at int, to *[Rows * pitch]half.Float16) {
	for j := range each {
		i := uint(at + j*Items)
		*(*Part)(to[i/parts*pitch+i%parts*part:]) = r[j]
	}
}

func (k MatMul) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	left := dsl.Local[[Rows * pitch]half.Float16](it)
	right := dsl.Local[[Columns * pitch]half.Float16](it)
	g, at := it.GroupID(), it.LocalID()
	across := k.N / Columns
	row, col := g/across*Rows, g%across*Columns
	s := uint(sg.GroupID()) % SubGroups
	y, x := int(s/(Columns/subColumns)*subRows), int(s%(Columns/subColumns)*subColumns)
	width := k.K / part
	a, b := k.A[row*width:(row+Rows)*width], k.B[col*width:(col+Columns)*width]

	var acc [subRows / 16][subColumns / 16]dsl.Accumulator[[16][16]float32]
	na, nb := load(a, at, width, 0), load(b, at, width, 0)
	for t := 0; t < width; t += parts {
		it.Barrier()
		store(na, at, left)
		store(nb, at, right)
		it.Barrier()
		na, nb = load(a, at, width, t+parts), load(b, at, width, t+parts)
		for step := range Depth / 16 {
			d := 16 * step
			var a [subRows / 16]dsl.MatrixA[[16][16]half.Float16]
			for i := range a {
				a[i] = dsl.LoadA[[16][16]half.Float16](sg, left[(y+16*i)*pitch+d:], pitch, dsl.RowMajor)
			}
			for j := range subColumns / 16 {
				b := dsl.LoadB[[16][16]half.Float16](sg, right[(x+16*j)*pitch+d:], pitch, dsl.ColumnMajor)
				for i := range a {
					acc[i][j] = dsl.MulAdd(sg, a[i], b, acc[i][j])
				}
			}
		}
	}
	for i := range subRows / 16 {
		for j := range subColumns / 16 {
			dsl.StoreAccumulator(sg, acc[i][j], k.C[(row+y+16*i)*k.N+col+x+16*j:], k.N, dsl.RowMajor)
		}
	}
}
