package reduce

import (
	"context"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/internal/keyed"
	"github.com/kgen-go/kgen/runtime"
)

// ByKey returns, for each run, the key and the sum of the run's elements. A run consists of
// neighbours with equal keys. ByKey returns ErrInvalid if keys and xs have different lengths.
func ByKey[K, V prim.Number](ctx context.Context, dev *runtime.Device, keys []K, xs []V) (each []K, sums []V, err error) {
	m, err := call.OnSlices(ctx, dev, "reduce.ByKey")
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	k, err := call.Copied(m, keys)
	if err != nil {
		return nil, nil, err
	}
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, nil, err
	}
	toKeys, err := call.Elements[K](m, len(keys))
	if err != nil {
		return nil, nil, err
	}
	toSums, err := call.Elements[V](m, len(xs))
	if err != nil {
		return nil, nil, err
	}
	count, err := call.Elements[int64](m, 1)
	if err != nil {
		return nil, nil, err
	}
	if _, err := ByKeyOn(m.Queue, k, v, toKeys, toSums, count); err != nil {
		return nil, nil, err
	}
	var n [1]int64
	if err := call.Read(m, n[:], count); err != nil {
		return nil, nil, err
	}
	each, sums = make([]K, n[0]), make([]V, n[0])
	if err := call.Read(m, each, toKeys.Slice(0, len(each))); err != nil {
		return nil, nil, err
	}
	return each, sums, call.Read(m, sums, toSums.Slice(0, len(sums)))
}

// ByKeyScratchBytes returns the number of bytes that prim.Scratch needs for ByKeyOn, for n
// elements.
func ByKeyScratchBytes(n int) int { return keyed.WholeBytes(n) }

// ByKeyOn sums the elements of each run. A run consists of neighbours with equal keys. Keys are
// equal if cmp.Compare returns 0, so all NaNs are equal, and so are the two zeros. ByKeyOn stores
// the first key of each run in the view `each`, and the sum of the run's elements in the view
// `sums`. ByKeyOn stores the number of runs in count[0]. Elements of `each` and `sums` at index
// count[0] and later do not change. The views `each` and `sums` must have at least as many elements
// as v. ByKeyOn returns ErrInvalid if keys and v have different lengths, or more than 1<<30
// elements.
func ByKeyOn[K, V prim.Number](q *runtime.Queue, keys runtime.View[K], v runtime.View[V], each runtime.View[K], sums runtime.View[V], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.ByKeyOn", opts)
	n := v.Len()
	keyed.Check(c, keys, v)
	call.Out(c, "each", each, n)
	call.Out(c, "sums", sums, n)
	call.Out(c, "count", count, 1)
	if n > keyed.MaxItems {
		c.Refuse("call it for parts", "v has %d elements: the function takes %d", n, keyed.MaxItems)
	}
	if err := c.Begin(keyed.WholeBytes(n)); err != nil {
		return runtime.Event{}, err
	}
	keyed.Whole(c, keys, v, each, sums, count)
	return c.End()
}
