package scan

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/scan/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/runs"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// ByKey returns, for each element, the sum of the elements of its run up to it. A run is neighbours whose keys
// are equal. Slices of different lengths are ErrInvalid.
func ByKey[K, V prim.Number](ctx context.Context, dev *runtime.Device, keys []K, xs []V) ([]V, error) {
	return keyed(ctx, dev, "scan.ByKey", keys, xs, ByKeyOn[K, V])
}

// ByKeyOn sets out[i] to the sum of v's elements of i's run, up to element i. A run is neighbours whose keys
// are equal, as cmp.Compare says: all NaNs are, and so are the two zeros. There are as many keys as elements
// (ErrInvalid otherwise). With prim.Length, the other elements of out stay.
func ByKeyOn[K, V prim.Number](q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
	return byKey(call.New(q, "scan.ByKeyOn", opts), keys, v, out, true)
}

// ExclusiveByKey returns, for each element, the sum of the elements of its run before it: 0 for the first of a
// run. See ByKey.
func ExclusiveByKey[K, V prim.Number](ctx context.Context, dev *runtime.Device, keys []K, xs []V) ([]V, error) {
	return keyed(ctx, dev, "scan.ExclusiveByKey", keys, xs, ExclusiveByKeyOn[K, V])
}

// ExclusiveByKeyOn sets out[i] to the sum of v's elements of i's run before element i: 0 for the first of a
// run. See ByKeyOn.
func ExclusiveByKeyOn[K, V prim.Number](q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
	return byKey(call.New(q, "scan.ExclusiveByKeyOn", opts), keys, v, out, false)
}

// byKeyBytes returns the scratch memory of ByKeyOn for n elements.
func byKeyBytes(n int) int {
	t := tiles(n, runs.Tile)
	return call.Bytes[bool](n) + call.Bytes[uint32](2*t+2) + call.Bytes[[2]uint64](3*t)
}

// mostKeys is the most keys that one launch looks at.
var mostKeys = 1 << 30

func byKey[K, V prim.Number](c *call.Call, keys runtime.View[K], v, out runtime.View[V], inclusive bool) (runtime.Event, error) {
	n := v.Len()
	call.In(c, "keys", keys)
	call.In(c, "v", v)
	call.Out(c, "out", out, n)
	if keys.Len() != n {
		c.Refuse("", "there are %d keys, and v has %d elements", keys.Len(), n)
	}
	refuseNarrow[V](c)
	if err := c.Begin(byKeyBytes(n)); err != nil {
		return runtime.Event{}, err
	}
	heads := call.Room[bool](c, n)
	h := kernelsgen.Heads{Out: heads}
	switch k := call.KindOf[K](); k.Size {
	case 1:
		h.K8, h.Format = primimpl.Cast[uint8](keys), runs.Format{Width: 1, Half: k.Half, Inf: k.Inf}
	case 2:
		h.K16, h.Format = primimpl.Cast[uint16](keys), runs.Format{Width: 2, Half: k.Half, Inf: k.Inf}
	case 4:
		h.K32, h.Format = primimpl.Cast[uint32](keys), runs.Format{Width: 4, Half: k.Half, Inf: k.Inf}
	default:
		h.K64, h.Format = primimpl.Cast[uint64](keys), runs.Format{Width: 8, Half: k.Half, Inf: k.Inf}
	}
	for h.Base = 0; h.Base < n; h.Base += mostKeys {
		call.Over(c, h, runtime.Range1(min(mostKeys, n-h.Base)))
	}
	t := tiles(n, runs.Tile)
	state := call.Room[uint32](c, 2*t+2)
	c.Enqueue(runtime.Fill(state, 0))
	values := call.Room[[2]uint64](c, 3*t)
	out = out.Slice(0, n)
	var k call.Kernel
	switch kind := call.KindOf[V](); {
	case !kind.Float:
		k = kernelsgen.ByKeyIntegers{Heads: heads, X: primimpl.Cast[uint32](v), Words: kind.Size / 4, Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[uint64]](values), Inclusive: inclusive, Out: primimpl.Cast[uint32](out)}
	case kind.Size == 4:
		k = kernelsgen.ByKeyFloat32{Heads: heads, X: primimpl.Cast[float32](v), Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[float32]](values), Inclusive: inclusive, Out: primimpl.Cast[float32](out)}
	default:
		k = kernelsgen.ByKeyFloat64{Heads: heads, X: primimpl.Cast[float64](v), Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[float64]](values), Inclusive: inclusive, Out: primimpl.Cast[float64](out)}
	}
	c.Run(k, t, kernels.Size)
	return c.End()
}

// keyed runs a function on copies of keys and elements, and returns its output.
func keyed[K, V any](ctx context.Context, dev *runtime.Device, name string, keys []K, xs []V, on func(q *runtime.Queue, keys runtime.View[K], v, out runtime.View[V], opts ...prim.Option) (runtime.Event, error)) ([]V, error) {
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
