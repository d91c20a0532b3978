package sparse

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/sparse/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/sparse/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Gemv sets y to alpha*a*x + beta*y. If beta is 0, y is not read, so its elements may have any
// values, such as NaN. If a column is outside of the matrix, or if a.Start does not ascend, the
// error is a *runtime.Fault.
func Gemv[T Float](ctx context.Context, dev *runtime.Device, alpha T, a CSR[T], x []T, beta T, y []T) error {
	m, err := call.OnSlices(ctx, dev, "sparse.Gemv")
	if err != nil {
		return err
	}
	defer m.Close()
	v := View[T]{Rows: a.Rows, Cols: a.Cols}
	if v.Start, err = call.Copied(m, a.Start); err != nil {
		return err
	}
	if v.Columns, err = call.Copied(m, a.Columns); err != nil {
		return err
	}
	if v.Values, err = call.Copied(m, a.Values); err != nil {
		return err
	}
	vx, err := call.Copied(m, x)
	if err != nil {
		return err
	}
	vy, err := call.Copied(m, y)
	if err != nil {
		return err
	}
	if _, err := GemvOn(m.Queue, alpha, v, vx, beta, vy); err != nil {
		return err
	}
	return call.Read(m, y, vy)
}

// GemvOn sets y to alpha*a*x + beta*y (see Gemv). GemvOn returns ErrInvalid if lengths do not
// match, or if the option prim.Length is given.
func GemvOn[T Float](q *runtime.Queue, alpha T, a View[T], x runtime.View[T], beta T, y runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "sparse.GemvOn", opts)
	if l.HasLength() {
		l.Refuse("give a matrix of fewer rows", "it has no use for prim.Length")
	}
	call.In(l, "a.Start", a.Start)
	call.In(l, "a.Columns", a.Columns)
	call.In(l, "a.Values", a.Values)
	call.In(l, "x", x)
	call.Out(l, "y", y, y.Len())
	a.check(l, "a.")
	if x.Len() != a.Cols || y.Len() != a.Rows {
		l.Refuse("", "a has %d rows and %d columns, x has %d elements, and y has %d", a.Rows, a.Cols, x.Len(), y.Len())
	}
	if err := l.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	if a.Rows == 0 {
		return l.End()
	}
	// The number of rows per work-group is chosen so that, on average, their elements just fit into
	// work-group memory.
	chunk := int64(kernels.Chunk32)
	if call.KindOf[T]().Size == 8 {
		chunk = kernels.Chunk64
	}
	each := min(max(int(chunk*int64(a.Rows)/int64(max(a.Values.Len(), 1))), 1), kernels.Items)
	groups := (a.Rows + each - 1) / each
	if call.KindOf[T]().Size == 8 {
		k := kernelsgen.Gemv64{
			Start: a.Start, Columns: a.Columns, Values: primimpl.Cast[float64](a.Values), X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y),
			Rows: a.Rows, PerGroup: each, Alpha: float64(alpha), Beta: float64(beta),
		}
		if primimpl.Fuses64(l.Device()) {
			l.Run(k, groups, kernels.Items)
		} else {
			l.Run(kernelsgen.GemvEmulated64(k), groups, kernels.Items)
		}
		return l.End()
	}
	k := kernelsgen.Gemv32{
		Start: a.Start, Columns: a.Columns, Values: primimpl.Cast[float32](a.Values), X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y),
		Rows: a.Rows, PerGroup: each, Alpha: float32(alpha), Beta: float32(beta),
	}
	if primimpl.Fuses(l.Device()) {
		l.Run(k, groups, kernels.Items)
	} else {
		l.Run(kernelsgen.GemvEmulated32(k), groups, kernels.Items)
	}
	return l.End()
}
