package reduce

import (
	"context"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
)

// ScratchBytes returns a number of bytes that is enough for prim.Scratch in any call with n
// elements. For Sum, Dot and Norm, the type A is the type of the elements. For By, A is By's type
// parameter A. Functions other than Sum, Dot, Norm and By need at most 16 KiB, so ScratchBytes
// returns at least 16 KiB. For ByKey, see ByKeyScratchBytes.
func ScratchBytes[A any](n int) int {
	return max(levelBytes[A](blockCount(n))+call.Bytes[A](1), 2*call.Bytes[uint64](mostParts))
}

// onSlices runs the function f with a device copy of xs, and copies the output of f to out.
func onSlices[T, R any](ctx context.Context, dev *runtime.Device, name string, xs []T, out []R, f func(m *call.Memory, v runtime.View[T], out runtime.View[R]) error) error {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return err
	}
	o, err := call.Elements[R](m, len(out))
	if err != nil {
		return err
	}
	if err := f(m, v, o); err != nil {
		return err
	}
	return call.Read(m, out, o)
}

// oneResult runs the function `on` with a device copy of a slice, and returns the function's only
// result.
func oneResult[T, R any](ctx context.Context, dev *runtime.Device, name string, xs []T, on func(*runtime.Queue, runtime.View[T], runtime.View[R], ...prim.Option) (runtime.Event, error)) (R, error) {
	var out [1]R
	err := onSlices(ctx, dev, name, xs, out[:], func(m *call.Memory, v runtime.View[T], o runtime.View[R]) error {
		_, err := on(m.Queue, v, o)
		return err
	})
	return out[0], err
}

// oneOrError is like oneResult, but returns an error for an empty slice.
func oneOrError[T, R any](ctx context.Context, dev *runtime.Device, name string, xs []T, on func(*runtime.Queue, runtime.View[T], runtime.View[R], ...prim.Option) (runtime.Event, error)) (R, error) {
	if err := notEmpty(name, len(xs)); err != nil {
		var none R
		return none, err
	}
	return oneResult(ctx, dev, name, xs, on)
}

func notEmpty(name string, n int) error {
	if n > 0 {
		return nil
	}
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: name + ": the slice has 0 elements, of which none is the least or the greatest", Remedy: "test its length before"}
}

// mostParts limits the number of parts into which a function divides the elements. Only functions
// whose results do not depend on the order of the elements use mostParts. With so many parts, all
// work-items of a large device have work.
const mostParts = 1024

// partsOf divides n elements into at least one part. The results are the number of parts, and the
// number of elements in a part.
func partsOf(n int) (groups, part int) {
	groups = min(blockCount(n), mostParts)
	part = ((n+groups-1)/groups + size - 1) / size * size
	part = max(part, size)
	return max((n+part-1)/part, 1), part
}
