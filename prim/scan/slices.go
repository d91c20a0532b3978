package scan

import (
	"context"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// ScratchBytes returns a number of bytes that is enough for prim.Scratch in any call with n
// elements. The type A is the type of the elements or, for By and ExclusiveBy, the type parameter A
// of the function. For ByKey, see ByKeyScratchBytes.
func ScratchBytes[A any](n int) int {
	return max(call.Bytes[uint32](stateWords(8, tileCount(n, kernels.Tile))), byBytes[A](tileCount(n, kernels.ByTile)))
}

// onSlices runs the function `on` with a device copy of xs, and returns the function's output.
func onSlices[T any](ctx context.Context, dev *runtime.Device, name string, xs []T, on func(q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error)) ([]T, error) {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	to, err := call.Elements[T](m, len(xs))
	if err != nil {
		return nil, err
	}
	if _, err := on(m.Queue, v, to); err != nil {
		return nil, err
	}
	out := make([]T, len(xs))
	if err := call.Read(m, out, to); err != nil {
		return nil, err
	}
	return out, nil
}
