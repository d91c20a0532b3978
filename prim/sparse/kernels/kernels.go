// Package kernels has the kernels of package sparse.
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
	// Items is the size of the work-groups of Gemv, and the most rows that one computes.
	Items = 256
	// Chunk is the number of elements that a work-group of Gemv has in its memory.
	Chunk = 1024
)

// sums adds products, as the types Fused, Emulated and Rounded of package blas/kernels do.
type sums[T any] interface {
	Add(x, y, sum T) T
}

// Gemv computes Y = Alpha*A*X + Beta*Y for a matrix A in CSR form. A work-group computes PerGroup rows, at most Items, and
// a work-item one of these. Together they load the elements of the rows, and the elements of X by which these are
// multiplied, chunk by chunk, so that neighbours load neighbours.
type Gemv[T kernels.Float, O sums[T]] struct {
	Start, Columns []int32
	Values, X, Y   []T
	Rows, PerGroup int
	Alpha, Beta    T
}

type (
	Gemv32         = Gemv[float32, kernels.Fused]
	Gemv64         = Gemv[float64, kernels.Rounded]
	GemvEmulated32 = Gemv[float32, kernels.Emulated]
)

// Properties states the work-group's size.
func (Gemv[T, O]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Items)}
}

// spread returns the index in work-group memory of element i of a chunk. Elements that are a multiple of 32 apart are in
// different banks.
func spread(i int32) int32 { return i + i>>5 }

// Kernel computes the element of Y of a work-item's row.
func (k Gemv[T, O]) Kernel(it dsl.NDItem1) {
	values, factors := dsl.Local[[Chunk + Chunk/32]T](it), dsl.Local[[Chunk + Chunk/32]T](it)
	var o O
	if k.PerGroup <= 0 || k.PerGroup > Items || len(k.Start) <= k.Rows || len(k.Y) < k.Rows || len(k.Values) != len(k.Columns) {
		panic("the lengths of the matrix do not fit")
	}
	first := it.GroupID() * k.PerGroup
	last := min(first+k.PerGroup, k.Rows)
	lo, hi := k.Start[first], k.Start[last]
	if lo < 0 || hi < lo || int(hi) > len(k.Values) {
		panic("the starts of rows do not ascend, or exceed the number of elements")
	}
	row, id := first+it.LocalID(), int32(it.LocalID())
	begin, end := hi, hi // of the work-item's row
	if row < last {
		begin, end = k.Start[row], k.Start[row+1]
		if begin < lo || end < begin || end > hi {
			panic("the starts of rows do not ascend, or exceed the number of elements")
		}
	}
	var sum T
	for t := lo; t < hi; t += Chunk {
		n := min(Chunk, hi-t)
		for e := id; e < n; e += Items {
			values[spread(e)] = k.Values[t+e]
			factors[spread(e)] = k.X[k.Columns[t+e]]
		}
		it.Barrier()
		for e := max(begin-t, 0); e < min(end-t, n); e++ {
			sum = o.Add(values[spread(e)], factors[spread(e)], sum)
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

// Keys sets Keys to the places of elements, as numbers that ascend by rows and then by columns.
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

// Columns sets Columns to the columns of sorted keys.
type Columns struct {
	Keys    []uint64
	Columns []int32
}

// Kernel extracts a column.
func (k Columns) Kernel(it dsl.Item1) {
	e := it.GlobalID()
	k.Columns[e] = int32(k.Keys[e])
}

// Starts sets each element of Start to the number of sorted keys of the rows before.
type Starts struct {
	Keys  []uint64
	Start []int32
}

// Kernel searches the first key that is not of a row before.
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
