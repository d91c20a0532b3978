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
	if call.KindOf[T]().Size == 8 {
		k := kernelsgen.Rows64{
			Start: a.Start, Columns: a.Columns, Values: primimpl.Cast[float64](a.Values), X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y),
			Alpha: float64(alpha), Beta: float64(beta),
		}
		switch groups, each := split(a, kernels.Chunk64); {
		case !primimpl.Fuses64(l.Device()):
			call.Over(l, kernelsgen.RowsEmulated64(k), runtime.Range1(a.Rows))
		case onHost(l.Device()):
			call.Over(l, k, runtime.Range1(a.Rows))
		default:
			l.Run(kernelsgen.Gemv64{Start: k.Start, Columns: k.Columns, Values: k.Values, X: k.X, Y: k.Y, Rows: a.Rows, PerGroup: each, Alpha: k.Alpha, Beta: k.Beta}, groups, kernels.Items)
		}
		return l.End()
	}
	k := kernelsgen.Rows32{
		Start: a.Start, Columns: a.Columns, Values: primimpl.Cast[float32](a.Values), X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y),
		Alpha: float32(alpha), Beta: float32(beta),
	}
	switch groups, each := split(a, kernels.Chunk32); {
	case !primimpl.Fuses(l.Device()):
		call.Over(l, kernelsgen.RowsEmulated32(k), runtime.Range1(a.Rows))
	case onHost(l.Device()):
		call.Over(l, k, runtime.Range1(a.Rows))
	default:
		l.Run(kernelsgen.Gemv32{Start: k.Start, Columns: k.Columns, Values: k.Values, X: k.X, Y: k.Y, Rows: a.Rows, PerGroup: each, Alpha: k.Alpha, Beta: k.Beta}, groups, kernels.Items)
	}
	return l.End()
}

// split returns the number of work-groups, and the number of rows for each. Chunk is the number of elements that fit into
// work-group memory. On average, the elements of a work-group's rows just fit.
func split[T Float](a View[T], chunk int) (groups, each int) {
	each = min(max(int(int64(chunk)*int64(a.Rows)/int64(max(a.Values.Len(), 1))), 1), kernels.Items)
	return (a.Rows + each - 1) / each, each
}

// onHost reports whether the device is the host device. Tests replace it, to run the kernels of GPUs there.
var onHost = func(dev *runtime.Device) bool { return dev.Info().Type == runtime.HostCPU }
