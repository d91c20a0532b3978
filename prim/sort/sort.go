package sort

import (
	"context"
	"unsafe"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/sort/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Descending makes a function sort the greatest element first. Equal elements keep their order.
func Descending() prim.Option { return func(o *call.Options) { o.Descending = true } }

// The option Bits makes Keys and Pairs compare only the bits lo to hi-1 of elements, as unsigned
// integers. If the bits include the sign bit of signed integers, the sign bit is inverted, so
// negative numbers come first. Elements must be integers of at least hi bits, and 0 <= lo < hi
// (ErrInvalid otherwise). Sorting takes one pass for each eight bits.
func Bits(lo, hi int) prim.Option {
	return func(o *call.Options) { o.Bits = &[2]int{lo, hi} }
}

// Keys returns the elements in sorted order.
func Keys[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T, opts ...prim.Option) ([]T, error) {
	m, err := call.OnSlices(ctx, dev, "sort.Keys")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	if _, err := KeysOn(m.Queue, v, v, opts...); err != nil {
		return nil, err
	}
	out := make([]T, len(xs))
	return out, call.Read(m, out, v)
}

// KeysOn sets out to the elements of v in sorted order. The views v and out may be the same memory.
// For a view of more than 1<<32-1 elements, KeysOn returns ErrInvalid. With the option prim.Length,
// KeysOn sorts only the first elements of v, and sets only the same number of elements of out.
func KeysOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.KeysOn", opts)
	call.InPlace(c, "v", v, "out", out, v.Len())
	p := newPlan[T](c, v.Len())
	if err := c.Begin(p.scratchSize(0)); err != nil {
		return runtime.Event{}, err
	}
	inPlace := primimpl.Use("v", v).Same(primimpl.Use("out", out.Slice(0, v.Len())))
	launchAll(c, p, v, out.Slice(0, v.Len()), inPlace, nil)
	return c.End()
}

// Pairs returns the keys in sorted order, and the values in the order of their keys. If keys and
// values have different lengths, Pairs returns ErrInvalid.
func Pairs[K prim.Number, V any](ctx context.Context, dev *runtime.Device, keys []K, values []V, opts ...prim.Option) ([]K, []V, error) {
	m, err := call.OnSlices(ctx, dev, "sort.Pairs")
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	k, err := call.Copied(m, keys)
	if err != nil {
		return nil, nil, err
	}
	v, err := call.Copied(m, values)
	if err != nil {
		return nil, nil, err
	}
	ko, err := call.Elements[K](m, len(keys))
	if err != nil {
		return nil, nil, err
	}
	vo, err := call.Elements[V](m, len(values))
	if err != nil {
		return nil, nil, err
	}
	if _, err := PairsOn(m.Queue, k, v, ko, vo, opts...); err != nil {
		return nil, nil, err
	}
	outKeys, outValues := make([]K, len(keys)), make([]V, len(values))
	if err := call.Read(m, outKeys, ko); err != nil {
		return nil, nil, err
	}
	return outKeys, outValues, call.Read(m, outValues, vo)
}

// PairsOn sets outKeys to the elements of keys in sorted order, and sets outValues to the values in
// the order of their keys. Values may have any type that buffers have. PairsOn returns ErrInvalid for views of
// different lengths, and for views of more than 1<<32-1 elements. With the option prim.Length,
// PairsOn sorts only the first keys, and sets only the same number of elements of each output.
func PairsOn[K prim.Number, V any](q *runtime.Queue, keys runtime.View[K], values runtime.View[V], outKeys runtime.View[K], outValues runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.PairsOn", opts)
	n := keys.Len()
	call.In(c, "keys", keys)
	call.In(c, "values", values)
	if values.Len() != n {
		c.Refuse("", "there are %d keys, and %d values", n, values.Len())
	}
	call.Out(c, "outKeys", outKeys, n)
	call.Out(c, "outValues", outValues, n)
	var zero V
	size := int(unsafe.Sizeof(zero))
	if size == 0 {
		c.Refuse("use sort.KeysOn", "the values have no bytes")
	}
	p := newPlan[K](c, n)
	if err := c.Begin(p.scratchSize(size)); err != nil {
		return runtime.Event{}, err
	}
	o := outValues.Slice(0, n)
	moved := &carriedValues{tmp: call.Room[uint32](c, n)}
	if size == 4 {
		moved.in, moved.out = primimpl.Cast[uint32](values), primimpl.Cast[uint32](o)
	} else {
		moved.in, moved.out = call.Room[uint32](c, n), call.Room[uint32](c, n)
		call.Over(c, kernelsgen.Indices{Out: moved.in}, shareRange(n))
	}
	launchAll(c, p, keys, outKeys.Slice(0, n), false, moved)
	switch {
	case size == 4:
	case size%4 == 0:
		call.Over(c, kernelsgen.Gather32{Values: primimpl.Cast[uint32](values), At: moved.out, Length: c.Length(), Words: size / 4, Moved: primimpl.Cast[uint32](o)}, shareRange(n*size/4))
	default:
		call.Over(c, kernelsgen.Gather8{Values: primimpl.Cast[uint8](values), At: moved.out, Length: c.Length(), Words: size, Moved: primimpl.Cast[uint8](o)}, shareRange(n*size))
	}
	return c.End()
}

// ScratchBytes returns a number of bytes that is enough for prim.Scratch in any call with n
// elements of type T.
func ScratchBytes[T prim.Number](n int) int {
	p := sortPlan{n: n, kind: call.KindOf[T](), launchPasses: kernels.MaxPasses}
	return max(p.scratchSize(8), topBytes[T](n, n))
}
