package dsl

import (
	"reflect"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/matrix/held"
)

// Each work-item of a sub-group holds some of the elements of a matrix. The shape of a
// matrix is an array type, such as [16][16]float32 for 16 rows of 16 elements. The first argument
// of each matrix function is the sub-group, it.SubGroup(). All work-items of the sub-group call a
// matrix function together, with the same slices, strides and layouts. The control flow at the call
// must be uniform over the work-group. No work-item of the sub-group may have returned before the
// call. The elements determine the type of sums of products: int32 for int8, uint32 for uint8,
// float32 or half.Float16 for half.Float16, and float32 for half.BFloat16.
//
//	var acc dsl.Accumulator[[16][16]float32] // zero
//	for p := 0; p < k; p += 16 {
//		a := dsl.LoadA[[16][16]half.Float16](sg, A[row*k+p:], k, dsl.RowMajor)
//		b := dsl.LoadB[[16][16]half.Float16](sg, B[p*n+col:], n, dsl.RowMajor)
//		acc = dsl.MulAdd(sg, a, b, acc)
//	}
//	dsl.StoreAccumulator(sg, acc, C[row*n+col:], n, dsl.RowMajor)

// Layout says how a matrix is stored in a slice.
type Layout int

const (
	// RowMajor says that the elements of a row are neighbours. Each row begins `stride` elements
	// after the start of the previous row.
	RowMajor Layout = iota
	// ColumnMajor says that the elements of a column are neighbours. Each column begins `stride`
	// elements after the start of the previous column.
	ColumnMajor
)

// MatrixA is a matrix of shape S that is the first factor of products. The zero value is a matrix
// of zeros.
type MatrixA[S any] struct {
	_ [0]func() // makes the type not comparable, because devices cannot compare matrices
	t *tile
}

// MatrixB is a matrix of shape S that is the second factor of products. The zero value is a matrix
// of zeros.
type MatrixB[S any] struct {
	_ [0]func() // makes the type not comparable, because devices cannot compare matrices
	t *tile
}

// Accumulator is a matrix of shape S that is a sum of products. The zero value is a matrix of
// zeros.
type Accumulator[S any] struct {
	_ [0]func() // makes the type not comparable, because devices cannot compare matrices
	t *tile
}

// LoadA loads a matrix from device memory or work-group memory. The slice src must contain all elements of the
// matrix. The length of src must be at least (rows-1)*stride + columns, or (columns-1)*stride +
// rows for ColumnMajor. The load does not order memory, so a barrier must separate the load from
// stores of other work-items.
//
//go:norace
func LoadA[S, E any, G AnyGroup](g G, src []E, stride int, layout Layout) MatrixA[S] {
	return MatrixA[S]{t: loadTile[S](g.members(), matrix.A, src, stride, layout)}
}

// LoadB is like [LoadA], for the second matrix of a product.
//
//go:norace
func LoadB[S, E any, G AnyGroup](g G, src []E, stride int, layout Layout) MatrixB[S] {
	return MatrixB[S]{t: loadTile[S](g.members(), matrix.B, src, stride, layout)}
}

// LoadAccumulator is like [LoadA], for a sum of products.
//
//go:norace
func LoadAccumulator[S, E any, G AnyGroup](g G, src []E, stride int, layout Layout) Accumulator[S] {
	return Accumulator[S]{t: loadTile[S](g.members(), matrix.Accumulator, src, stride, layout)}
}

// StoreAccumulator stores an accumulator in memory. The arguments stride and layout mean the same
// as in [LoadA]. The rows of a RowMajor matrix, or the columns of a ColumnMajor matrix, must not
// overlap in dst. The store does not order memory, so a barrier must separate the store from loads
// of other work-items.
//
//go:norace
func StoreAccumulator[S, E any, G AnyGroup](g G, acc Accumulator[S], dst []E, stride int, layout Layout) {
	storeTile[S](g.members(), acc.t, dst, stride, layout)
}

// MulAdd returns a*b + acc. Sums of integers wrap. The products for an element of acc are added in
// the order of a's columns. On devices without matrix instructions, and on the host, each float
// product and each float sum is rounded to float32. If the accumulator has half.Float16 elements,
// each sum is then rounded to Float16. The host and all devices without matrix instructions compute
// the same bits, except for NaNs and subnormal float32s.
//
//go:norace
func MulAdd[SA, SB, SC any, G AnyGroup](g G, a MatrixA[SA], b MatrixB[SB], acc Accumulator[SC]) Accumulator[SC] {
	return Accumulator[SC]{t: together(g.members(), func([]tileUse) *tile {
		sa, sb, sc := shapeOf[SA](matrix.A), shapeOf[SB](matrix.B), shapeOf[SC](matrix.Accumulator)
		refuse(matrix.Product(sa, sb, sc))
		return multiply(a.t.of(sa), b.t.of(sb), acc.t.of(sc))
	}, tileUse{})}
}

// Fill returns an accumulator whose elements are all v. All work-items must pass the same v.
//
//go:norace
func Fill[S, E any, G AnyGroup](g G, v E) Accumulator[S] {
	s := shapeOf[S](matrix.Accumulator)
	refuse(s.CheckValue(elemOf[E]()))
	return Accumulator[S]{t: each(g.members(), s, func(*tile, int) E { return v })}
}

// Scale returns acc with each element multiplied by v. All work-items must pass the same v.
//
//go:norace
func Scale[S, E any, G AnyGroup](g G, acc Accumulator[S], v E) Accumulator[S] {
	s := shapeOf[S](matrix.Accumulator)
	refuse(s.CheckValue(elemOf[E]()))
	t := acc.t.of(s)
	return Accumulator[S]{t: each(g.members(), s, func(_ *tile, i int) E { return times(get[E](t, i), v) })}
}

// Add returns x + y, element by element.
//
//go:norace
func Add[S any, G AnyGroup](g G, x, y Accumulator[S]) Accumulator[S] {
	s := shapeOf[S](matrix.Accumulator)
	t, u := x.t.of(s), y.t.of(s)
	return Accumulator[S]{t: together(g.members(), func([]tileUse) *tile { return t.plus(u) }, tileUse{})}
}

// MapAccumulator returns acc with f applied to each element. Each work-item calls its own f for the
// elements that it holds, in any order. f must not wait for other work-items.
//
//go:norace
func MapAccumulator[S, E any, G AnyGroup](g G, acc Accumulator[S], f func(E) E) Accumulator[S] {
	s := shapeOf[S](matrix.Accumulator)
	refuse(s.CheckValue(elemOf[E]()))
	t := acc.t.of(s)
	return Accumulator[S]{t: each(g.members(), s, func(_ *tile, i int) E { return f(get[E](t, i)) })}
}

// ElementCount returns the number of acc's elements that the calling work-item holds. Work-items
// may hold different numbers of elements.
//
//go:norace
func ElementCount[S any, G AnyGroup](g G, acc Accumulator[S]) int {
	m := g.members()
	n := m.hi - m.lo
	return (shapeOf[S](matrix.Accumulator).Len() - 1 - m.id() + n) / n
}

// Element returns the calling work-item's i-th element of acc, as in dsl.Element[float32](sg, acc,
// i). The device determines which elements a work-item holds.
//
//go:norace
func Element[E, S any, G AnyGroup](g G, acc Accumulator[S], i int) E {
	s := shapeOf[S](matrix.Accumulator)
	refuse(s.CheckValue(elemOf[E]()))
	if n := ElementCount(g, acc); uint(i) >= uint(n) {
		_ = make([]struct{}, n)[i] // panics like an index out of range
	}
	m := g.members()
	return get[E](acc.t.of(s), i*(m.hi-m.lo)+m.id())
}

// The type `tile` is a complete matrix. A tile never changes, so that all work-items may share it. Integers are
// stored as 32-bit words, and floats as float32s.
type tile struct {
	matrix.Shape
	n []uint32
	f []float32
}

//go:norace
func newTile(s matrix.Shape) *tile {
	if s.Elem >= matrix.Float16 {
		return &tile{Shape: s, f: make([]float32, s.Len())}
	}
	return &tile{Shape: s, n: make([]uint32, s.Len())}
}

// of() returns the tile, or a tile of zeros for a nil tile.
//
//go:norace
func (t *tile) of(s matrix.Shape) *tile {
	if t == nil {
		return newTile(s)
	}
	return t
}

// shapeOf returns the shape that the array type S describes.
func shapeOf[S any](use matrix.Use) matrix.Shape {
	t := reflect.TypeFor[S]()
	if t.Kind() != reflect.Array || t.Elem().Kind() != reflect.Array {
		refuse(matrix.NoShape(use, t.String()))
	}
	elem := t.Elem().Elem().String()
	s := matrix.Shape{Use: use, Rows: t.Len(), Cols: t.Elem().Len(), Elem: matrix.ElemNamed(elem)}
	refuse(s.Check(elem))
	return s
}

func elemOf[E any]() string { return reflect.TypeFor[E]().String() }

// refuse() panics if p describes a problem.
func refuse(p matrix.Problem) {
	if p.Text != "" {
		panic("dsl: " + p.Text + ": " + p.Hint)
	}
}

// tileUse contains the arguments of a work-item's call. After the call, a tileUse contains only the
// resulting tile, which all work-items share.
type tileUse struct {
	src    any // pointer to the first element; work-items must not pass different pointers
	len    int
	stride int
	layout Layout
	t      *tile
}

// together() waits for all work-items of the sub-group. One work-item calls f with the arguments of
// all work-items, and together() returns the result of f. If the arguments differ, together()
// panics.
//
//go:norace
func together(m members, f func(us []tileUse) *tile, u tileUse) *tile {
	if m.at != atSubGroupBarrier {
		panic(matrix.NoSubGroup)
	}
	out := exchange(m, u, func(us []tileUse, here []bool) {
		for i := range us {
			if !here[i] {
				panic(matrix.Left)
			}
			if us[i] != us[0] {
				panic(matrix.NotSame)
			}
		}
		t := f(us)
		for i := range us {
			us[i] = tileUse{t: t}
		}
	})
	t := out[m.id()].t
	x := exchangerOf[tileUse](m.w.g)
	x.in[m.w.lin] = tileUse{} // clears the arguments, which point into the kernel's memory
	return t
}

// each() returns a tile with the results of f as elements. Each work-item calls its own
// f for the elements that it holds.
//
//go:norace
func each[E any](m members, s matrix.Shape, f func(t *tile, i int) E) *tile {
	t := together(m, func([]tileUse) *tile { return newTile(s) }, tileUse{})
	for i := m.id(); i < s.Len(); i += m.hi - m.lo {
		put(t, i, f(t, i))
	}
	return together(m, func([]tileUse) *tile { return t }, tileUse{})
}

// checkTile checks that mem has all elements of a tile, and returns the distances between the
// tile's rows and between the tile's columns.
func checkTile[E any](s matrix.Shape, mem []E, stride int, layout Layout, store bool) (row, col int) {
	refuse(s.CheckMemory(elemOf[E]()))
	lines, length := s.Rows, s.Cols
	row, col = stride, 1
	switch layout {
	case RowMajor:
	case ColumnMajor:
		lines, length = s.Cols, s.Rows
		row, col = 1, stride
	default:
		panic(matrix.BadLayout)
	}
	if uint64(stride) > matrix.MaxStride || store && lines > 1 && stride < length {
		panic(matrix.BadStride)
	}
	_ = mem[uint64(lines-1)*uint64(stride)+uint64(length-1)]
	return row, col
}

//go:norace
func use[E any](mem []E, stride int, layout Layout) tileUse {
	u := tileUse{len: len(mem), stride: stride, layout: layout}
	if len(mem) > 0 {
		u.src = &mem[0]
	}
	return u
}

func loadTile[S, E any](m members, of matrix.Use, src []E, stride int, layout Layout) *tile {
	return together(m, func([]tileUse) *tile {
		s := shapeOf[S](of)
		row, col := checkTile(s, src, stride, layout, false)
		t := newTile(s)
		switch src := any(src).(type) {
		case []int8:
			held.Load(t.n, s.Cols, src, row, col, func(x int8) uint32 { return uint32(x) })
		case []uint8:
			held.Load(t.n, s.Cols, src, row, col, func(x uint8) uint32 { return uint32(x) })
		case []int32:
			held.Load(t.n, s.Cols, src, row, col, func(x int32) uint32 { return uint32(x) })
		case []uint32:
			held.Load(t.n, s.Cols, src, row, col, func(x uint32) uint32 { return x })
		case []float32:
			held.Load(t.f, s.Cols, src, row, col, func(x float32) float32 { return x })
		case []half.Float16:
			held.Load(t.f, s.Cols, src, row, col, half.Float16.Float32)
		case []half.BFloat16:
			held.Load(t.f, s.Cols, src, row, col, half.BFloat16.Float32)
		}
		return t
	}, use(src, stride, layout))
}

func storeTile[S, E any](m members, t *tile, dst []E, stride int, layout Layout) {
	together(m, func([]tileUse) *tile {
		s := shapeOf[S](matrix.Accumulator)
		row, col := checkTile(s, dst, stride, layout, true)
		t := t.of(s)
		switch dst := any(dst).(type) {
		case []int32:
			held.Store(dst, s.Cols, t.n, row, col, func(x uint32) int32 { return int32(x) })
		case []uint32:
			held.Store(dst, s.Cols, t.n, row, col, func(x uint32) uint32 { return x })
		case []float32:
			held.Store(dst, s.Cols, t.f, row, col, func(x float32) float32 { return x })
		case []half.Float16:
			held.Store(dst, s.Cols, t.f, row, col, half.FromFloat32[half.Float16])
		}
		return nil
	}, use(dst, stride, layout))
}

// put() sets element i of an accumulator's tile to x. E is the element type of the accumulator.
//
//go:norace
func put[E any](t *tile, i int, x E) {
	switch x := any(x).(type) {
	case int32:
		t.n[i] = uint32(x)
	case uint32:
		t.n[i] = x
	case float32:
		t.f[i] = x
	case half.Float16:
		t.f[i] = x.Float32()
	default:
		panic("BUG: dsl: a matrix has no such elements")
	}
}

// get() returns element i of an accumulator's tile. E is the element type of the accumulator.
//
//go:norace
func get[E any](t *tile, i int) (x E) {
	switch p := any(&x).(type) {
	case *int32:
		*p = int32(t.n[i])
	case *uint32:
		*p = t.n[i]
	case *float32:
		*p = t.f[i]
	case *half.Float16:
		*p = half.FromFloat32[half.Float16](t.f[i])
	default:
		panic("BUG: dsl: a matrix has no such elements")
	}
	return x
}

func times[E any](x, y E) (z E) {
	switch p := any(&z).(type) {
	case *int32:
		*p = any(x).(int32) * any(y).(int32)
	case *uint32:
		*p = any(x).(uint32) * any(y).(uint32)
	case *float32:
		*p = any(x).(float32) * any(y).(float32)
	case *half.Float16:
		*p = any(x).(half.Float16).Mul(any(y).(half.Float16))
	}
	return z
}

//go:norace
func (t *tile) plus(u *tile) *tile {
	sum := newTile(t.Shape)
	for i := range t.n {
		sum.n[i] = t.n[i] + u.n[i]
	}
	for i := range t.f {
		sum.f[i] = t.f[i] + u.f[i]
		if t.Elem == matrix.Float16 {
			sum.f[i] = half.FromFloat32[half.Float16](sum.f[i]).Float32()
		}
	}
	return sum
}

// multiply() returns a*b + c.
//
//go:norace
func multiply(a, b, c *tile) *tile {
	r := newTile(c.Shape)
	copy(r.n, c.n)
	copy(r.f, c.f)
	switch {
	case c.n != nil:
		held.AddProductInts(r.n, a.n, b.n, a.Cols, c.Cols)
	case c.Elem == matrix.Float16:
		held.AddProduct16(r.f, a.f, b.f, a.Cols, c.Cols)
	default:
		held.AddProduct(r.f, a.f, b.f, a.Cols, c.Cols)
	}
	return r
}
