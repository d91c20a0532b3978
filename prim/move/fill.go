package move

import (
	"context"
	"unsafe"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/move/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/move/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Fill sets all elements of xs to v.
func Fill[T any](ctx context.Context, dev *runtime.Device, xs []T, v T) error {
	return sliceFrom(ctx, dev, "move.Fill", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := FillOn(m.Queue, out, v)
		return err
	})
}

// FillOn sets all elements of out to v. With prim.Length, only the first elements are set, and
// elements of more than 16 words are an error (ErrInvalid). The package documentation describes the
// words of elements.
func FillOn[T any](q *runtime.Queue, out runtime.View[T], v T, opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.FillOn", opts)
	call.Out(c, "out", out, out.Len())
	w := wordsOf[T](c)
	if c.HasLength() && w.n > kernels.MaxWords {
		c.Refuse("leave the length out, or fill a part of the view", "the elements have %d words: with a length they have at most %d", w.n, kernels.MaxWords)
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	if !c.HasLength() {
		c.Enqueue(runtime.Fill(out, v))
		return c.End()
	}
	l, p := c.Length(), unsafe.Pointer(&v)
	w.eachChunk(out.Len(), func(lo, hi int) {
		part, r := out.Slice(lo, hi), runtime.Range1((hi-lo)*w.n)
		switch w.size {
		case 1:
			k := kernelsgen.Fill8{Out: as8(part), Length: l, Base: lo, Words: w.n}
			copy(k.Value[:], unsafe.Slice((*uint8)(p), w.n))
			call.Over(c, k, r)
		case 2:
			k := kernelsgen.Fill16{Out: as16(part), Length: l, Base: lo, Words: w.n}
			copy(k.Value[:], unsafe.Slice((*uint16)(p), w.n))
			call.Over(c, k, r)
		default:
			k := kernelsgen.Fill32{Out: as32(part), Length: l, Base: lo, Words: w.n}
			copy(k.Value[:], unsafe.Slice((*uint32)(p), w.n))
			call.Over(c, k, r)
		}
	})
	return c.End()
}

// Iota sets xs[i] to first + i*step. Integers wrap. For floats, i is rounded to the type, and so
// are the product and the sum.
func Iota[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T, first, step T) error {
	return sliceFrom(ctx, dev, "move.Iota", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := IotaOn(m.Queue, out, first, step)
		return err
	})
}

// IotaOn sets out[i] to first + i*step (see Iota). With prim.Length, only the first elements are
// set.
func IotaOn[T prim.Number](q *runtime.Queue, out runtime.View[T], first, step T, opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.IotaOn", opts)
	call.Out(c, "out", out, out.Len())
	k := call.KindOf[T]()
	if k.Small {
		c.Refuse("make float32s, and convert them", "there is no kernel for elements of package half")
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	wordFormat{k.Size, 1}.eachChunk(out.Len(), func(lo, hi int) {
		part, r, l := out.Slice(lo, hi), runtime.Range1(hi-lo), c.Length()
		switch {
		case k.Size == 1:
			call.Over(c, kernelsgen.IotaUint8{Out: as8(part), Length: l, Base: lo, First: asBits[uint8](first), Step: asBits[uint8](step)}, r)
		case k.Size == 2:
			call.Over(c, kernelsgen.IotaUint16{Out: as16(part), Length: l, Base: lo, First: asBits[uint16](first), Step: asBits[uint16](step)}, r)
		case k.Size == 4 && k.Float:
			call.Over(c, kernelsgen.IotaFloat32{Out: primimpl.Cast[float32](part), Length: l, Base: lo, First: asBits[float32](first), Step: asBits[float32](step)}, r)
		case k.Size == 4:
			call.Over(c, kernelsgen.IotaUint32{Out: as32(part), Length: l, Base: lo, First: asBits[uint32](first), Step: asBits[uint32](step)}, r)
		case k.Float:
			call.Over(c, kernelsgen.IotaFloat64{Out: primimpl.Cast[float64](part), Length: l, Base: lo, First: asBits[float64](first), Step: asBits[float64](step)}, r)
		default:
			call.Over(c, kernelsgen.IotaUint64{Out: primimpl.Cast[uint64](part), Length: l, Base: lo, First: asBits[uint64](first), Step: asBits[uint64](step)}, r)
		}
	})
	return c.End()
}

// asBits returns the value of type U that has the same size and the same bits as v.
func asBits[U, T any](v T) U { return *(*U)(unsafe.Pointer(&v)) }
