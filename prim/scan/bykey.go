package scan

import (
	"context"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/internal/keyed"
	"github.com/kgen-go/kgen/runtime"
)

// ByKey returns, for each element, the sum of all elements from the beginning of the element's run
// up to and including the element. A run consists of neighbours with equal keys. ByKey returns
// ErrInvalid if keys and xs have different lengths.
func ByKey[K, V prim.Number](ctx context.Context, dev *runtime.Device, keys []K, xs []V) ([]V, error) {
	return onPairs(ctx, dev, "scan.ByKey", keys, xs, ByKeyOn[K, V])
}

// ByKeyOn sets out[i] to the sum of v's elements from the beginning of element i's run up to and
// including element i. A run consists of neighbours with equal keys. Keys are equal if cmp.Compare
// returns 0, so all NaNs are equal, and so are the two zeros. ByKeyOn returns ErrInvalid if keys
// and v have different lengths. With the option prim.Length, only the first elements of out are
// set.
func ByKeyOn[K, V prim.Number](q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
	return byKey(call.New(q, "scan.ByKeyOn", opts), keys, v, out, true)
}

// ExclusiveByKey returns, for each element, the sum of the earlier elements in the same run. The
// sum is 0 for the first element of a run. See ByKey.
func ExclusiveByKey[K, V prim.Number](ctx context.Context, dev *runtime.Device, keys []K, xs []V) ([]V, error) {
	return onPairs(ctx, dev, "scan.ExclusiveByKey", keys, xs, ExclusiveByKeyOn[K, V])
}

// ExclusiveByKeyOn sets out[i] to the sum of the earlier elements in element i's run. The sum is 0
// for the first element of a run. See ByKeyOn.
func ExclusiveByKeyOn[K, V prim.Number](q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
	return byKey(call.New(q, "scan.ExclusiveByKeyOn", opts), keys, v, out, false)
}

// ByKeyScratchBytes returns the number of bytes that prim.Scratch needs for ByKeyOn and
// ExclusiveByKeyOn, for n elements.
func ByKeyScratchBytes(n int) int { return keyed.SumsBytes(n) }

func byKey[K, V prim.Number](c *call.Call, keys runtime.View[K], v, out runtime.View[V], inclusive bool) (runtime.Event, error) {
	keyed.Check(c, keys, v)
	call.Out(c, "out", out, v.Len())
	if err := c.Begin(keyed.SumsBytes(v.Len())); err != nil {
		return runtime.Event{}, err
	}
	keyed.Sums(c, keys, v, out, inclusive)
	return c.End()
}

// onPairs runs the function `on` with device copies of keys and elements, and returns the
// function's output.
func onPairs[K, V any](ctx context.Context, dev *runtime.Device, name string, keys []K, xs []V, on func(q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error)) ([]V, error) {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	k, err := call.Copied(m, keys)
	if err != nil {
		return nil, err
	}
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	to, err := call.Elements[V](m, len(xs))
	if err != nil {
		return nil, err
	}
	if _, err := on(m.Queue, k, v, to); err != nil {
		return nil, err
	}
	out := make([]V, len(xs))
	return out, call.Read(m, out, to)
}
