package sparse

import (
	"context"
	"math"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/sparse/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

// Float constrains the elements of the vectors and matrices that Gemv multiplies.
type Float interface{ ~float32 | ~float64 }

// CSR is a sparse matrix in compressed sparse row form, stored in slices. Element e has the value
// Values[e] and is in column Columns[e]. Row i consists of the elements Start[i] to Start[i+1]-1,
// in any order. If two elements have the same row and the same column, the matrix contains their
// sum.
type CSR[T any] struct {
	Rows, Cols int
	// Start has Rows+1 elements, which ascend from 0 to len(Values).
	Start []int32
	// Columns and Values have one element for each stored element of the matrix, and at most 1<<31
	// - 1 elements.
	Columns []int32
	Values  []T
}

// View is a CSR matrix in device memory.
type View[T any] struct {
	Rows, Cols     int
	Start, Columns runtime.View[int32]
	Values         runtime.View[T]
}

// refuseSize adds an error to the call if a number of rows or columns is negative, or too large for
// 32-bit indices.
func refuseSize(l *call.Call, rows, cols int) {
	if rows < 0 || cols < 0 || rows >= math.MaxInt32 || cols >= math.MaxInt32 {
		l.Refuse("", "the matrix has %d rows and %d columns: from 0 to %d are possible", rows, cols, math.MaxInt32-1)
	}
}

// check() adds an error to the call if the lengths of the views do not match. The argument `prefix`
// is the name of the matrix in the error, followed by a dot.
func (a View[T]) check(l *call.Call, prefix string) {
	refuseSize(l, a.Rows, a.Cols)
	switch {
	case a.Start.Len() != a.Rows+1:
		l.Refuse("", "%sStart has %d elements, and the matrix %d rows: it takes one element more than there are rows", prefix, a.Start.Len(), a.Rows)
	case a.Columns.Len() != a.Values.Len():
		l.Refuse("", "%sColumns has %d elements, and %[1]sValues %[3]d", prefix, a.Columns.Len(), a.Values.Len())
	case a.Values.Len() > math.MaxInt32:
		l.Refuse("", "the matrix has %d elements: %d is the most", a.Values.Len(), math.MaxInt32)
	}
}

// CSROf returns a matrix with the given numbers of rows and columns. Element e has the value v[e],
// and is in row i[e] and column j[e]. The elements of the result are sorted by row, and then by
// column. Elements of the same row and column keep their order. If an element is outside of the
// matrix, the error is a *runtime.Fault.
func CSROf[T any](ctx context.Context, dev *runtime.Device, rows, cols int, i, j []int32, v []T) (CSR[T], error) {
	var none CSR[T]
	m, err := call.OnSlices(ctx, dev, "sparse.CSROf")
	if err != nil {
		return none, err
	}
	defer m.Close()
	l := call.New(m.Queue, "sparse.CSROf", nil)
	refuseSize(l, rows, cols)
	if err := l.Begin(0); err != nil {
		return none, err
	}
	vi, err := call.Copied(m, i)
	if err != nil {
		return none, err
	}
	vj, err := call.Copied(m, j)
	if err != nil {
		return none, err
	}
	vv, err := call.Copied(m, v)
	if err != nil {
		return none, err
	}
	out := View[T]{Rows: rows, Cols: cols}
	if out.Start, err = call.Elements[int32](m, rows+1); err != nil {
		return none, err
	}
	if out.Columns, err = call.Elements[int32](m, len(v)); err != nil {
		return none, err
	}
	if out.Values, err = call.Elements[T](m, len(v)); err != nil {
		return none, err
	}
	if _, err := CSROfOn(m.Queue, vi, vj, vv, out); err != nil {
		return none, err
	}
	a := CSR[T]{rows, cols, make([]int32, rows+1), make([]int32, len(v)), make([]T, len(v))}
	if err := call.Read(m, a.Start, out.Start); err != nil {
		return none, err
	}
	if err := call.Read(m, a.Columns, out.Columns); err != nil {
		return none, err
	}
	return a, call.Read(m, a.Values, out.Values)
}

// CSROfOn sets out to the matrix with the elements in v (see CSROf). The fields out.Rows and
// out.Cols must be set before the call. CSROfOn returns ErrInvalid if lengths do not match, or if
// the option prim.Length is given. CSROfOn needs scratch memory (see ScratchBytes).
func CSROfOn[T any](q *runtime.Queue, i, j runtime.View[int32], v runtime.View[T], out View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "sparse.CSROfOn", opts)
	if l.HasLength() {
		l.Refuse("give shorter views", "it has no use for prim.Length")
	}
	call.In(l, "i", i)
	call.In(l, "j", j)
	call.In(l, "v", v)
	n := v.Len()
	call.Out(l, "out.Start", out.Start, max(out.Rows+1, 0))
	call.Out(l, "out.Columns", out.Columns, n)
	call.Out(l, "out.Values", out.Values, n)
	out.check(l, "out.")
	if i.Len() != n || j.Len() != n || out.Values.Len() != n {
		l.Refuse("", "i has %d elements, j has %d, v has %d, and out has room for %d", i.Len(), j.Len(), n, out.Values.Len())
	}
	if err := l.Begin(ScratchBytes(n)); err != nil {
		return runtime.Event{}, err
	}
	keys, sorted := call.Room[uint64](l, n), call.Room[uint64](l, n)
	if n > 0 {
		call.Over(l, kernelsgen.Keys{I: i, J: j, Keys: keys, Rows: int32(out.Rows), Cols: int32(out.Cols)}, runtime.Range1(n))
		l.Nested(call.Room[byte](l, sort.ScratchBytes[uint64](n)), func(opts ...prim.Option) (runtime.Event, error) {
			return sort.PairsOn(q, keys, v, sorted, out.Values, opts...)
		})
		call.Over(l, kernelsgen.Columns{Keys: sorted, Columns: out.Columns}, runtime.Range1(n))
	}
	call.Over(l, kernelsgen.Starts{Keys: sorted, Start: out.Start}, runtime.Range1(out.Rows+1))
	return l.End()
}

// ScratchBytes returns the number of bytes that prim.Scratch needs for CSROfOn, for n elements.
func ScratchBytes(n int) int {
	if n == 0 {
		return 0
	}
	return 2*call.Bytes[uint64](n) + call.Bytes[byte](sort.ScratchBytes[uint64](n))
}
