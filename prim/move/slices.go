package move

import (
	"context"

	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// sliceFrom calls f with a view, whose elements f must set. Then sliceFrom copies the view to xs.
func sliceFrom[T any](ctx context.Context, dev *runtime.Device, name string, xs []T, f func(*call.Memory, runtime.View[T]) error) error {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return err
	}
	defer m.Close()
	v, err := call.Elements[T](m, len(xs))
	if err != nil {
		return err
	}
	if err := f(m, v); err != nil {
		return err
	}
	return call.Read(m, xs, v)
}

// sliceChanged calls f with a view that contains a copy of xs. Then sliceChanged copies the result
// back to xs.
func sliceChanged[T any](ctx context.Context, dev *runtime.Device, name string, xs []T, f func(*call.Memory, runtime.View[T]) error) error {
	return sliceFrom(ctx, dev, name, xs, func(m *call.Memory, v runtime.View[T]) error {
		if err := v.CopyFrom(ctx, m.Queue, xs); err != nil {
			return err
		}
		return f(m, v)
	})
}
