package rand

import (
	"context"

	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// sliceFrom runs the function f, which sets all elements of a view. Then sliceFrom copies the view to xs.
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
