package rand

import (
	"context"
	"unsafe"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/rand/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/rand/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Shuffle returns the elements of xs in a random order. The stream's Offset selects the order.
func Shuffle[T any](ctx context.Context, dev *runtime.Device, s Stream, xs []T) ([]T, error) {
	out := make([]T, len(xs))
	err := sliceFrom(ctx, dev, "rand.Shuffle", out, func(m *call.Memory, o runtime.View[T]) error {
		v, err := call.Copied(m, xs)
		if err != nil {
			return err
		}
		_, err = ShuffleOn(m.Queue, s, v, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ShuffleOn stores the elements of v in out, in a random order. The stream's Offset selects the
// order. With the option prim.Length, ShuffleOn uses only the first elements of v, and sets only
// the same number of elements of out.
func ShuffleOn[T any](q *runtime.Queue, s Stream, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "rand.ShuffleOn", opts)
	n := v.Len()
	call.In(c, "v", v)
	call.Out(c, "out", out, n)
	size := int(unsafe.Sizeof(*new(T)))
	if size == 0 {
		c.Refuse("", "the elements have no bytes")
	}
	if s.Offset >= MaxIndex {
		c.Refuse("use another sequence", "the offset is %d: a stream has orders up to 1<<60", s.Offset)
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	keys, swap := keysOf(s)
	for lo := 0; lo < n; lo += maxElements {
		hi := min(n, lo+maxElements)
		o, l, r := out.Slice(lo, hi), c.Length(), runtime.Range1(hi-lo)
		switch {
		case size%4 == 0:
			call.Over(c, kernelsgen.Shuffle32{X: primimpl.Cast[uint32](v), Length: l, Base: lo, Words: size / 4, Out: primimpl.Cast[uint32](o), Keys: keys, Swap: swap}, r)
		case size%2 == 0:
			call.Over(c, kernelsgen.Shuffle16{X: primimpl.Cast[uint16](v), Length: l, Base: lo, Words: size / 2, Out: primimpl.Cast[uint16](o), Keys: keys, Swap: swap}, r)
		default:
			call.Over(c, kernelsgen.Shuffle8{X: primimpl.Cast[uint8](v), Length: l, Base: lo, Words: size, Out: primimpl.Cast[uint8](o), Keys: keys, Swap: swap}, r)
		}
	}
	return c.End()
}

// keysOf returns the arguments `keys` and `swap` of kernels.Place, for the permutation that the
// stream selects.
func keysOf(s Stream) (keys [kernels.Rounds]uint32, swap bool) {
	first := kernels.Shuffled | 8*s.Offset
	for i := uint64(0); i < kernels.Rounds; i += 4 {
		keys[i], keys[i+1], keys[i+2], keys[i+3] = kernels.Block(s.Seed, s.Sequence, first+i/4)
	}
	w, _, _, _ := kernels.Block(s.Seed, s.Sequence, first+kernels.Rounds/4)
	return keys, w&1 != 0
}
