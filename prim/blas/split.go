package blas

import (
	kernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// This file implements products with prim.Unordered whose sums are long and whose result is a small
// matrix. The inner index is divided into ranges, and each range has a matrix of partial sums in
// scratch memory. For example, if C is one tile with 1<<20 products per sum, C = A*B would run in
// only one work-group. With prim.Unordered, 256 work-groups each compute a matrix of partial sums,
// with 4096 products per sum. At the end, a kernel adds up these matrices.

const (
	leastRange = 512 // smallest number of products in a partial sum
	wantTiles  = 256 // number of work-groups that keep most of a GPU busy
)

// A split describes the ranges into which the sums of a product are divided.
type split struct {
	ranges int // number of ranges; 1 means that the sums are not divided
	length int // number of products of each range except the last
}

// splitOf returns the split for a product of shapes a and c. The split depends only on the shapes, so that
// all devices divide the sums in the same way.
func splitOf(a, c Shape) split {
	each := tiles(c.Rows, 64) * tiles(c.Cols, kernels.TileColumns)
	if c.batch() > 1 || each == 0 || a.Cols < 2*leastRange || 2*each > wantTiles {
		return split{1, a.Cols}
	}
	n := min(wantTiles/each, a.Cols/leastRange)
	length := tiles(tiles(a.Cols, n), 16) * 16
	return split{tiles(a.Cols, length), length}
}

// sums() returns the number of partial sums in scratch memory.
func (s split) sums(c Shape) int {
	if s.ranges == 1 {
		return 0
	}
	return s.ranges * c.Rows * c.Cols
}

// multiplyRanges launches the kernels of a product whose sums are divided into ranges. The matrix c
// must not be transposed.
func multiplyRanges[T Float](l *call.Call, s split, alpha T, a, b View[T], beta T, c View[T]) {
	partial := call.Room[T](l, s.sums(c.Shape))
	one := c.Rows * c.Cols
	// One launch computes a batch of matrices, with one matrix for each range except the last. The
	// last range, which may be shorter, has a launch of its own.
	ranges := func(first, count, length int) {
		part := func(v View[T], alongRows bool) View[T] {
			v.Batch, v.Step = count, s.length
			if v.transposed == alongRows {
				v.Step *= v.stride()
			}
			if v.Stride = v.stride(); alongRows {
				v.Cols = length
			} else {
				v.Rows = length
			}
			v.Data = v.Data.Slice(first*v.Step, v.Data.Len())
			return v
		}
		out := View[T]{Shape{Rows: c.Rows, Cols: c.Cols, Batch: count, Step: one}, partial.Slice(first*one, (first+count)*one)}
		launchProduct(l, 1, part(a, true), part(b, false), 0, out)
	}
	last := s.ranges - 1
	ranges(0, last, s.length)
	ranges(last, 1, a.Cols-last*s.length)
	r := runtime.Range2{c.Rows, c.Cols}
	if call.KindOf[T]().Size == 4 {
		call.Over(l, kernelsgen.AddPartial32{Partial: primimpl.Cast[float32](partial), C: primimpl.Cast[float32](c.Data), StrideC: c.stride(), Alpha: float32(alpha), Beta: float32(beta)}, r)
	} else {
		call.Over(l, kernelsgen.AddPartial64{Partial: primimpl.Cast[float64](partial), C: primimpl.Cast[float64](c.Data), StrideC: c.stride(), Alpha: float64(alpha), Beta: float64(beta)}, r)
	}
}
