package blas

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Gemv sets y to alpha*a*x + beta*y. If beta is 0, y is not read, so its elements may have any
// values, such as NaN.
func Gemv[T Float](ctx context.Context, dev *runtime.Device, alpha T, a Matrix[T], x []T, beta T, y []T) error {
	return onSlices(ctx, dev, "blas.Gemv", [][]T{a.Data, x}, y, func(q *runtime.Queue, in []runtime.View[T], out runtime.View[T]) error {
		_, err := GemvOn(q, alpha, View[T]{a.Shape, in[0]}, in[1], beta, out)
		return err
	})
}

// GemvOn sets y to alpha*a*x + beta*y (see Gemv). If lengths do not match, an argument is a batch,
// or prim.Length is given, the error is ErrInvalid.
func GemvOn[T Float](q *runtime.Queue, alpha T, a View[T], x runtime.View[T], beta T, y runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.GemvOn", opts)
	one := func(v runtime.View[T]) View[T] { return View[T]{Shape{Rows: v.Len(), Cols: 1}, v} }
	addOperands(l, "a", a, "x", one(x), "y", one(y))
	refuseBatch(l, a.Shape)
	if x.Len() != a.Cols || y.Len() != a.Rows {
		l.Refuse("", "a has %d rows and %d columns, x has %d elements, and y has %d", a.Rows, a.Cols, x.Len(), y.Len())
	}
	if err := l.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	single := call.KindOf[T]().Size == 4
	if !isFused(l.Device(), single) {
		launchProduct(l, alpha, a, one(x), beta, one(y))
		return l.End()
	}
	if single {
		k := kernelsgen.GemvRows32{
			A: primimpl.Cast[float32](a.Data), X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y),
			M: a.Rows, K: a.Cols, StrideA: a.stride(), Alpha: float32(alpha), Beta: float32(beta),
		}
		switch {
		case a.transposed:
			l.Run(kernelsgen.GemvColumns32(k), tiles(a.Rows, kernels.ColumnItems), kernels.ColumnItems)
		case onHost(l.Device()):
			call.Over(l, kernelsgen.GemvEach32(k), runtime.Range1(a.Rows))
		case a.isQuads() && primimpl.Use("a", a.Data).Aligned(16) && primimpl.Use("x", x).Aligned(16):
			l.Run(kernelsgen.GemvQuads{
				A: primimpl.Cast[kernels.Quad](a.Data), X: primimpl.Cast[kernels.Quad](x), Y: k.Y,
				M: k.M, K: k.K / 4, StrideA: k.StrideA / 4, Alpha: k.Alpha, Beta: k.Beta,
			}, tiles(a.Rows, kernels.Rows), kernels.RowItems)
		default:
			l.Run(k, tiles(a.Rows, kernels.Rows), kernels.RowItems)
		}
		return l.End()
	}
	k := kernelsgen.GemvRows64{
		A: primimpl.Cast[float64](a.Data), X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y),
		M: a.Rows, K: a.Cols, StrideA: a.stride(), Alpha: float64(alpha), Beta: float64(beta),
	}
	switch {
	case a.transposed:
		l.Run(kernelsgen.GemvColumns64(k), tiles(a.Rows, kernels.ColumnItems), kernels.ColumnItems)
	case onHost(l.Device()):
		call.Over(l, kernelsgen.GemvEach64(k), runtime.Range1(a.Rows))
	default:
		l.Run(k, tiles(a.Rows, kernels.Rows), kernels.RowItems)
	}
	return l.End()
}

func refuseBatch(l *call.Call, s Shape) {
	if s.batch() > 1 {
		l.Refuse("use GemmOn, with vectors as matrices of one column", "a is a batch of %d matrices", s.batch())
	}
}

// Ger adds alpha*x*y' to a, where alpha*x is rounded first. The vector x has an element for each
// row of a, and y has one for each column.
func Ger[T Float](ctx context.Context, dev *runtime.Device, alpha T, x, y []T, a Matrix[T]) error {
	return onSlices(ctx, dev, "blas.Ger", [][]T{x, y}, a.Data, func(q *runtime.Queue, in []runtime.View[T], out runtime.View[T]) error {
		_, err := GerOn(q, alpha, in[0], in[1], View[T]{a.Shape, out})
		return err
	})
}

// GerOn adds alpha*x*y' to a (see Ger). If lengths do not match, an argument is a batch, or
// prim.Length is given, the error is ErrInvalid.
func GerOn[T Float](q *runtime.Queue, alpha T, x, y runtime.View[T], a View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.GerOn", opts)
	one := func(v runtime.View[T]) View[T] { return View[T]{Shape{Rows: v.Len(), Cols: 1}, v} }
	addOperands(l, "x", one(x), "y", one(y), "a", a)
	refuseBatch(l, a.Shape)
	if x.Len() != a.Rows || y.Len() != a.Cols {
		l.Refuse("", "a has %d rows and %d columns, x has %d elements, and y has %d", a.Rows, a.Cols, x.Len(), y.Len())
	}
	if err := l.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	swapped := a.transposed
	if swapped {
		x, y, a = y, x, a.T()
	}
	r := runtime.Range2{a.Rows, a.Cols}
	if call.KindOf[T]().Size == 4 {
		call.Over(l, kernelsgen.Outer32{X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y), A: primimpl.Cast[float32](a.Data), StrideA: a.stride(), Alpha: float32(alpha), Swapped: swapped}, r)
	} else {
		call.Over(l, kernelsgen.Outer64{X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y), A: primimpl.Cast[float64](a.Data), StrideA: a.stride(), Alpha: float64(alpha), Swapped: swapped}, r)
	}
	return l.End()
}

// Axpy adds alpha*x to y. If the lengths of x and y differ, Axpy returns ErrInvalid.
func Axpy[T Float](ctx context.Context, dev *runtime.Device, alpha T, x, y []T) error {
	return onSlices(ctx, dev, "blas.Axpy", [][]T{x}, y, func(q *runtime.Queue, in []runtime.View[T], out runtime.View[T]) error {
		_, err := AxpyOn(q, alpha, in[0], out)
		return err
	})
}

// AxpyOn adds alpha*x to y. If the lengths of the views differ, or the option prim.Length is given,
// the error is ErrInvalid.
func AxpyOn[T Float](q *runtime.Queue, alpha T, x, y runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.AxpyOn", opts)
	if l.HasLength() {
		l.Refuse("give shorter views", "it has no use for prim.Length")
	}
	call.In(l, "x", x)
	call.Out(l, "y", y, y.Len())
	if x.Len() != y.Len() {
		l.Refuse("", "x has %d elements, and y has %d", x.Len(), y.Len())
	}
	if err := l.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	if call.KindOf[T]().Size == 4 {
		call.Over(l, kernelsgen.ScaleAdd32{X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y), Alpha: float32(alpha)}, runtime.Range1(x.Len()))
	} else {
		call.Over(l, kernelsgen.ScaleAdd64{X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y), Alpha: float64(alpha)}, runtime.Range1(x.Len()))
	}
	return l.End()
}

// onSlices runs the function f on device copies of the inputs and of out. Then onSlices copies the
// result to out.
func onSlices[T, S any](ctx context.Context, dev *runtime.Device, name string, in [][]T, out []S, f func(q *runtime.Queue, in []runtime.View[T], out runtime.View[S]) error) error {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return err
	}
	defer m.Close()
	views := make([]runtime.View[T], len(in))
	for i, s := range in {
		if views[i], err = call.Copied(m, s); err != nil {
			return err
		}
	}
	o, err := call.Copied(m, out)
	if err != nil {
		return err
	}
	if err := f(m.Queue, views, o); err != nil {
		return err
	}
	return call.Read(m, out, o)
}
