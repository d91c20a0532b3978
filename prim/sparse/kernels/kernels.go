// Package kernels contains the kernels of package sparse.
//
//kgen:variants load
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

const (
	// Items is the work-group size of the kernel Gemv, and the largest number of rows that a work-group computes.
	Items = 128
	// Chunk32 and Chunk64 are the numbers of matrix elements (float32s or float64s) that fit into Gemv's work-group memory.
	Chunk32 = 1536
	Chunk64 = 1024
	// The constant `ahead` is the number of loads that a work-item has in progress at the same time.
	ahead = 4
)

// The interface `sums` adds products. Fused, Fused64, Emulated and Emulated64 of package blas/kernels implement `sums`.
type sums[T any] interface {
	Add(x, y, sum T) T
	Needs() properties.List
}

// These types constrain arrays in work-group memory. After every 32 elements, one element is unused (see spread).
type (
	values[T any] interface {
		[Chunk32 + Chunk32/32]T | [Chunk64 + Chunk64/32]T
	}
	columns interface {
		[Chunk32 + Chunk32/32]int32 | [Chunk64 + Chunk64/32]int32
	}
)

// spread() returns the index that element i of a chunk has in a work-group memory array. Elements
// whose distance is a multiple of 32 are thus in different banks.
func spread(i uint32) uint32 { return i + i/32 }

// Gemv computes Y = Alpha*A*X + Beta*Y for a matrix A in CSR form. A work-group computes PerGroup rows, which must be at most Items rows.
type Gemv[T kernels.Float, O sums[T], V values[T], C columns] struct {
	Start, Columns []int32
	Values, X, Y   []T
	Rows, PerGroup int
	Alpha, Beta    T
}

type (
	Gemv32 = Gemv[float32, kernels.Fused, [Chunk32 + Chunk32/32]float32, [Chunk32 + Chunk32/32]int32]
	Gemv64 = Gemv[float64, kernels.Fused64, [Chunk64 + Chunk64/32]float64, [Chunk64 + Chunk64/32]int32]
)

// Properties sets the work-group size, and the properties that the type argument O needs.
func (Gemv[T, O, V, C]) Properties() properties.List {
	var o O
	return append(properties.List{properties.WorkGroupSize(Items)}, o.Needs()...)
}

// Kernel computes one element of Y in each work-item. All work-items of a work-group load the elements of the work-group's rows, chunk
// by chunk, so that neighbouring work-items load neighbouring elements. After that, each work-item adds up the products of its row.
func (k Gemv[T, O, V, C]) Kernel(it dsl.NDItem1) {
	values, columns := dsl.Local[V](it), dsl.Local[C](it)
	chunk := uint32(len(*values)) / 33 * 32
	var o O
	if k.PerGroup <= 0 || k.PerGroup > Items || len(k.Start) <= k.Rows || len(k.Y) < k.Rows || len(k.Values) != len(k.Columns) {
		panic("lengths of the matrix do not fit")
	}
	first := it.GroupID() * k.PerGroup
	last := min(first+k.PerGroup, k.Rows)
	row, id := first+it.LocalID(), uint32(it.LocalID())
	lo, hi := uint32(k.Start[first]), uint32(k.Start[last]) // as uint32s, negative numbers are too large
	begin, end := hi, hi                                    // range of the elements in the work-item's row
	if row < last {
		begin, end = uint32(k.Start[row]), uint32(k.Start[row+1])
	}
	if begin < lo || end < begin || hi < end || uint(hi) > uint(len(k.Values)) {
		panic("starts of rows descend or are too large")
	}
	var sum T
	for t := lo; t < hi; t += chunk {
		n := min(chunk, hi-t)
		for e := id; e < n; e += ahead * Items {
			var v [ahead]T
			var c [ahead]int32
			for j := range uint32(ahead) {
				if f := e + j*Items; f < n {
					v[j], c[j] = k.Values[t+f], k.Columns[t+f]
				}
			}
			for j := range uint32(ahead) {
				if f := e + j*Items; f < n {
					(*values)[spread(f)], (*columns)[spread(f)] = v[j], c[j]
				}
			}
		}
		it.Barrier()
		e, to := max(begin, t)-t, min(max(end, t)-t, n)
		for ; e+ahead <= to; e += ahead {
			var x [ahead]T
			for j := range x {
				x[j] = k.X[(*columns)[spread(e+uint32(j))]]
			}
			for j := range x {
				sum = o.Add((*values)[spread(e+uint32(j))], x[j], sum)
			}
		}
		for ; e < to; e++ {
			sum = o.Add((*values)[spread(e)], k.X[(*columns)[spread(e)]], sum)
		}
		it.Barrier()
	}
	if row < last {
		v := T(k.Alpha * sum)
		if k.Beta != 0 {
			v = o.Add(k.Alpha, sum, T(k.Beta*k.Y[row]))
		}
		k.Y[row] = v
	}
}

// Rows computes the same as Gemv, in the same order, without work-group memory. It is for processors, where barriers cost more
// than loads from different lines, and for devices that emulate fused operations, where loads cost less than the emulation.
type Rows[T kernels.Float, O sums[T]] struct {
	Start, Columns []int32
	Values, X, Y   []T
	Alpha, Beta    T
}

type (
	Rows32         = Rows[float32, kernels.Fused]
	Rows64         = Rows[float64, kernels.Fused64]
	RowsEmulated32 = Rows[float32, kernels.Emulated]
	RowsEmulated64 = Rows[float64, kernels.Emulated64]
)

// Properties returns the properties that the type argument O needs.
func (Rows[T, O]) Properties() properties.List {
	var o O
	return o.Needs()
}

// Kernel computes one element of Y.
func (k Rows[T, O]) Kernel(it dsl.Item1) {
	var o O
	row := it.GlobalID()
	begin, end := uint32(k.Start[row]), uint32(k.Start[row+1]) // as uint32s, negative numbers are too large
	if end < begin || uint(end) > uint(len(k.Values)) || len(k.Values) != len(k.Columns) {
		panic("starts of rows descend or are too large")
	}
	var sum T
	columns := k.Columns[begin:end]
	for e, v := range k.Values[begin:end] {
		sum = o.Add(v, k.X[columns[e]], sum)
	}
	v := T(k.Alpha * sum)
	if k.Beta != 0 {
		v = o.Add(k.Alpha, sum, T(k.Beta*k.Y[row]))
	}
	k.Y[row] = v
}

// For each element, the kernel Keys stores a number in its field Keys. The numbers are ordered by row, then by column.
type Keys struct {
	I, J       []int32
	Keys       []uint64
	Rows, Cols int32
}

// Kernel makes a key.
func (k Keys) Kernel(it dsl.Item1) {
	e := it.GlobalID()
	i, j := k.I[e], k.J[e]
	if uint32(i) >= uint32(k.Rows) || uint32(j) >= uint32(k.Cols) {
		panic("an element is outside of the matrix")
	}
	k.Keys[e] = uint64(uint32(i))<<32 | uint64(uint32(j))
}

// The kernel Columns sets its field Columns to the columns of sorted keys.
type Columns struct {
	Keys    []uint64
	Columns []int32
}

// Kernel extracts a column.
func (k Columns) Kernel(it dsl.Item1) {
	e := it.GlobalID()
	k.Columns[e] = int32(k.Keys[e])
}

// The kernel Starts sets Start[i] to the number of sorted keys whose row is less than i.
type Starts struct {
	Keys  []uint64
	Start []int32
}

// Kernel searches for the first key whose row is not less than the work-item's row.
func (k Starts) Kernel(it dsl.Item1) {
	row := uint64(it.GlobalID()) << 32
	lo, hi := 0, len(k.Keys)
	for lo < hi {
		if m := int(uint(lo+hi) / 2); k.Keys[m] < row {
			lo = m + 1
		} else {
			hi = m
		}
	}
	k.Start[row>>32] = int32(lo)
}
