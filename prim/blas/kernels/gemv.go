package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// A work-group of GemvRows has RowItems work-items and multiplies Rows rows of A. In each step, it copies rowDepth
// elements of each row to work-group memory. A work-group of GemvColumns has ColumnItems work-items, one per column.
const (
	RowItems    = 128
	Rows        = 32
	rowDepth    = 64
	rowShare    = Rows * rowDepth / RowItems
	ColumnItems = 64
	batch       = 16 // number of elements that are loaded together
)

// The type `vectors` contains the arguments of Y = Alpha*A*X + Beta*Y, where A has M lines of K elements.
type vectors[T Float] struct {
	A, X, Y       []T
	M, K, StrideA int
	Alpha, Beta   T
}

// GemvRows multiplies the rows of A by a vector. Row i begins at element i*StrideA.
type GemvRows[T Float, O sums[T]] vectors[T]

// GemvEach computes the same as GemvRows, in the same order, without work-group memory. It is for processors, where
// barriers cost more than loads from different lines.
type GemvEach[T Float, O sums[T]] vectors[T]

// GemvColumns multiplies the columns of A by a vector. The elements of a column are StrideA apart.
type GemvColumns[T Float, O sums[T]] vectors[T]

type (
	GemvRows32    = GemvRows[float32, Fused]
	GemvRows64    = GemvRows[float64, Fused64]
	GemvEach32    = GemvEach[float32, Fused]
	GemvEach64    = GemvEach[float64, Fused64]
	GemvColumns32 = GemvColumns[float32, Fused]
	GemvColumns64 = GemvColumns[float64, Fused64]
)

// Properties sets the work-group's size, and requires that each operation is rounded.
func (GemvRows[T, O]) Properties() properties.List {
	var o O
	return append(properties.List{properties.WorkGroupSize(RowItems), properties.Float(properties.FloatExact)}, o.Needs()...)
}

// Properties requires that each operation is rounded.
func (GemvEach[T, O]) Properties() properties.List {
	var o O
	return append(properties.List{properties.Float(properties.FloatExact)}, o.Needs()...)
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (GemvColumns[T, O]) Properties() properties.List {
	var o O
	return append(properties.List{properties.WorkGroupSize(ColumnItems), properties.Float(properties.FloatExact)}, o.Needs()...)
}

// Kernel multiplies rows. All work-items copy elements to work-group memory. For each row, one
// work-item adds up the row's products in order.
func (k GemvRows[T, O]) Kernel(it dsl.NDItem1) {
	block := dsl.Local[[Rows][rowDepth + 1]T](it) // one additional element, so that rows begin in different banks
	vector := dsl.Local[[rowDepth]T](it)
	enough(0, k.M, k.StrideA, k.K, len(k.A))
	enough(0, 1, 0, k.K, len(k.X))
	l, first := it.LocalID(), it.GroupID()*Rows
	sums := l < Rows && first+l < k.M
	var sum T
	next, nextX := vectors[T](k).load(l, first, 0), vectors[T](k).element(l)
	for t := 0; t < k.K; t += rowDepth {
		for j := range rowShare {
			e := j*RowItems + l
			block[e/rowDepth][e%rowDepth] = next[j]
		}
		if l < rowDepth {
			vector[l] = nextX
		}
		it.Barrier()
		next, nextX = vectors[T](k).load(l, first, t+rowDepth), vectors[T](k).element(t+rowDepth+l)
		if sums {
			sum = add[T, O](block[l%Rows][:], vector[:], min(k.K-t, rowDepth), sum)
		}
		it.Barrier()
	}
	if sums {
		k.Y[first+l] = scaled[T, O](k.Alpha, sum, k.Beta, k.Y, first+l)
	}
}

// Kernel multiplies a row.
func (k GemvEach[T, O]) Kernel(it dsl.Item1) {
	row := it.GlobalID()
	line := k.A[min(row*k.StrideA, len(k.A)):][:k.K] // a matrix without columns may have no elements at the stride
	var sum T
	var o O
	for d, x := range k.X[:k.K] {
		sum = o.Add(line[d], x, sum)
	}
	k.Y[row] = scaled[T, O](k.Alpha, sum, k.Beta, k.Y, row)
}

// Kernel multiplies a column for each work-item. The work-items of a group load neighbours in memory.
func (k GemvColumns[T, O]) Kernel(it dsl.NDItem1) {
	enough(0, k.K, k.StrideA, k.M, len(k.A))
	line := it.GlobalID()
	if line >= k.M {
		return
	}
	var sum T
	var o O
	d := 0
	for ; d+batch <= k.K && d+batch <= len(k.X); d += batch {
		var u, v [batch]T
		for i := range batch {
			if at := (d+i)*k.StrideA + line; uint(at) < uint(len(k.A)) { // always true, because enough() has checked the length of A
				u[i] = k.A[at]
			}
			v[i] = k.X[d+i]
		}
		for i := range batch {
			sum = o.Add(u[i], v[i], sum)
		}
	}
	for ; d < k.K; d++ {
		sum = o.Add(k.A[d*k.StrideA+line], k.X[d], sum)
	}
	k.Y[line] = scaled[T, O](k.Alpha, sum, k.Beta, k.Y, line)
}

// element() returns an element of X, or zero past its end.
func (k vectors[T]) element(i int) T {
	if i < k.K && uint(i) < uint(len(k.X)) {
		return k.X[i]
	}
	return 0
}

// add() returns the argument `sum` plus the first n products of a line. The line is in work-group memory.
func add[T Float, O sums[T]](line, vector []T, n int, sum T) T {
	var o O
	d := 0
	for ; d+batch <= n; d += batch {
		var u, v [batch]T
		for i := range batch {
			u[i], v[i] = line[d+i], vector[d+i]
		}
		for i := range batch {
			sum = o.Add(u[i], v[i], sum)
		}
	}
	for ; d < n; d++ {
		sum = o.Add(line[d], vector[d], sum)
	}
	return sum
}

// load() loads the work-item's share of the elements t to t+rowDepth-1 of the rows, which begin
// with row `first`. Elements past the edges are zeros.
func (k vectors[T]) load(l, first, t int) (r [rowShare]T) {
	for j := range rowShare {
		e := j*RowItems + l
		row, d := first+e/rowDepth, t+e%rowDepth
		if at := row*k.StrideA + d; row < k.M && d < k.K && uint(at) < uint(len(k.A)) {
			r[j] = k.A[at]
		}
	}
	return r
}

// These constants are for GemvQuads. They correspond to constants of GemvRows, but count quads.
const (
	quadDepth = 32
	quadShare = Rows * quadDepth / RowItems
	quadBatch = batch / quad
)

// GemvQuads computes the same as GemvRows32 for matrices and vectors that consist of quads. K and StrideA count quads.
type GemvQuads struct {
	A, X          []Quad
	Y             []float32
	M, K, StrideA int
	Alpha, Beta   float32
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (GemvQuads) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(RowItems), properties.Float(properties.FloatExact)}
}

// Kernel multiplies rows, as the kernel of GemvRows does.
func (k GemvQuads) Kernel(it dsl.NDItem1) {
	block := dsl.Local[[Rows][quadDepth + 1]Quad](it) // one additional quad, so that rows begin in different banks
	vector := dsl.Local[[quadDepth]Quad](it)
	enough(0, k.M, k.StrideA, k.K, len(k.A))
	enough(0, 1, 0, k.K, len(k.X))
	l, first := it.LocalID(), it.GroupID()*Rows
	sums := l < Rows && first+l < k.M
	var sum float32
	next, nextX := k.load(l, first, 0), k.element(l)
	for t := 0; t < k.K; t += quadDepth {
		for j := range quadShare {
			e := j*RowItems + l
			block[e/quadDepth][e%quadDepth] = next[j]
		}
		if l < quadDepth {
			vector[l] = nextX
		}
		it.Barrier()
		next, nextX = k.load(l, first, t+quadDepth), k.element(t+quadDepth+l)
		if sums {
			sum = addQuads(block[l%Rows][:], vector[:], min(k.K-t, quadDepth), sum)
		}
		it.Barrier()
	}
	if sums {
		k.Y[first+l] = scaled[float32, Fused](k.Alpha, sum, k.Beta, k.Y, first+l)
	}
}

// The method element returns a quad of X, or zeros past its end.
func (k GemvQuads) element(i int) (q Quad) {
	if i < k.K && uint(i) < uint(len(k.X)) {
		q = k.X[i]
	}
	return q
}

// load() loads the work-item's share of quads t to t+quadDepth-1 of the work-group's rows. Quads past the edges are zeros.
func (k GemvQuads) load(l, first, t int) (r [quadShare]Quad) {
	for j := range quadShare {
		e := j*RowItems + l
		row, d := first+e/quadDepth, t+e%quadDepth
		if at := row*k.StrideA + d; row < k.M && d < k.K && uint(at) < uint(len(k.A)) {
			r[j] = k.A[at]
		}
	}
	return r
}

// addQuads multiplies the first n quads of the line and the vector, and adds the products to `sum`, in order.
func addQuads(line, vector []Quad, n int, sum float32) float32 {
	var o Fused
	d := 0
	for ; d+quadBatch <= n; d += quadBatch {
		var u, v [quadBatch]Quad
		for i := range quadBatch {
			u[i], v[i] = line[d+i], vector[d+i]
		}
		for i := range quadBatch {
			for j := range quad {
				sum = o.Add(u[i][j], v[i][j], sum)
			}
		}
	}
	for ; d < n; d++ {
		u, v := line[d], vector[d]
		for j := range quad {
			sum = o.Add(u[j], v[j], sum)
		}
	}
	return sum
}
