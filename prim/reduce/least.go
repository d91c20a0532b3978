package reduce

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/reduce/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Min returns the least element, as Go's min does. If an element is a NaN, the result is the quiet
// NaN with the payload 0. -0 is less than +0. For an empty slice, Min returns ErrInvalid.
func Min[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (T, error) {
	return oneOrError(ctx, dev, "reduce.Min", xs, MinOn[T])
}

// MinOn sets out[0] to the least element (see Min). If there are no elements, nothing is written.
func MinOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.MinOn", opts)
	call.Out(c, "out", out, 1)
	return minMaxInto(c, v, out, runtime.View[T]{})
}

// Max returns the greatest element, as Go's max does. If an element is a NaN, the result is the
// quiet NaN with the payload 0. +0 is greater than -0. For an empty slice, Max returns ErrInvalid.
func Max[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (T, error) {
	return oneOrError(ctx, dev, "reduce.Max", xs, MaxOn[T])
}

// MaxOn sets out[0] to the greatest element (see Max). If there are no elements, nothing is written.
func MaxOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.MaxOn", opts)
	call.Out(c, "out", out, 1)
	return minMaxInto(c, v, runtime.View[T]{}, out)
}

// MinMax returns the least and the greatest element (see Min and Max).
func MinMax[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (least, greatest T, err error) {
	if err := notEmpty("reduce.MinMax", len(xs)); err != nil {
		return least, greatest, err
	}
	var out [2]T
	err = onSlices(ctx, dev, "reduce.MinMax", xs, out[:], func(m *call.Memory, v, o runtime.View[T]) error {
		_, err := MinMaxOn(m.Queue, v, o)
		return err
	})
	return out[0], out[1], err
}

// MinMaxOn sets out[0] to the least and out[1] to the greatest element (see Min and Max). If there
// are no elements, nothing is written.
func MinMaxOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.MinMaxOn", opts)
	call.Out(c, "out", out, 2)
	if out.Len() < 2 { // Begin returns the error for a short output
		return minMaxInto(c, v, out, out)
	}
	return minMaxInto(c, v, out.Slice(0, 1), out.Slice(1, 2))
}

// minMaxInto writes the least and the greatest element to the views `least` and `greatest`. One of
// the two views may be empty.
func minMaxInto[T prim.Number](c *call.Call, v, least, greatest runtime.View[T]) (runtime.Event, error) {
	call.In(c, "v", v)
	groups, _ := partsOf(v.Len())
	var err error
	if call.KindOf[T]().Size == 8 {
		if err = c.Begin(2 * call.Bytes[uint64](groups)); err == nil {
			ends64(c, v, least, greatest)
		}
	} else if err = c.Begin(2 * call.Bytes[uint32](groups)); err == nil {
		ends32(c, v, least, greatest)
	}
	if err != nil {
		return runtime.Event{}, err
	}
	return c.End()
}

func ends32[T prim.Number](c *call.Call, v, least, greatest runtime.View[T]) {
	n, groups, part := lengthAndParts(v)
	low, high := call.Room[uint32](c, groups), call.Room[uint32](c, groups)
	a, b := orderOf[uint32](call.KindOf[T](), false), orderOf[uint32](call.KindOf[T](), true)
	l := c.Length()
	want := []runtime.LaunchOption{floatOption[T](), runtime.WithSpec(kernels.Low, least.Len() > 0), runtime.WithSpec(kernels.High, greatest.Len() > 0)}
	switch call.KindOf[T]().Size {
	case 1:
		c.Run(kernelsgen.Ends8{X: primimpl.Cast[uint8](v), Length: l, Part: part, Least: a, Greatest: b, Low: low, High: high}, groups, size, want...)
		c.Run(kernelsgen.EndsEnd8{Low: low, High: high, N: n, Length: l, Least: a, Greatest: b, Min: primimpl.Cast[uint8](least), Max: primimpl.Cast[uint8](greatest)}, 1, size)
	case 2:
		c.Run(kernelsgen.Ends16{X: primimpl.Cast[uint16](v), Length: l, Part: part, Least: a, Greatest: b, Low: low, High: high}, groups, size, want...)
		c.Run(kernelsgen.EndsEnd16{Low: low, High: high, N: n, Length: l, Least: a, Greatest: b, Min: primimpl.Cast[uint16](least), Max: primimpl.Cast[uint16](greatest)}, 1, size)
	default:
		c.Run(kernelsgen.Ends32{X: primimpl.Cast[uint32](v), Length: l, Part: part, Least: a, Greatest: b, Low: low, High: high}, groups, size, want...)
		c.Run(kernelsgen.EndsEnd32{Low: low, High: high, N: n, Length: l, Least: a, Greatest: b, Min: primimpl.Cast[uint32](least), Max: primimpl.Cast[uint32](greatest)}, 1, size)
	}
}

func ends64[T prim.Number](c *call.Call, v, least, greatest runtime.View[T]) {
	n, groups, part := lengthAndParts(v)
	low, high := call.Room[uint64](c, groups), call.Room[uint64](c, groups)
	a, b := orderOf[uint64](call.KindOf[T](), false), orderOf[uint64](call.KindOf[T](), true)
	l := c.Length()
	want := []runtime.LaunchOption{floatOption[T](), runtime.WithSpec(kernels.Low, least.Len() > 0), runtime.WithSpec(kernels.High, greatest.Len() > 0)}
	c.Run(kernelsgen.Ends64{X: primimpl.Cast[uint64](v), Length: l, Part: part, Least: a, Greatest: b, Low: low, High: high}, groups, size, want...)
	c.Run(kernelsgen.EndsEnd64{Low: low, High: high, N: n, Length: l, Least: a, Greatest: b, Min: primimpl.Cast[uint64](least), Max: primimpl.Cast[uint64](greatest)}, 1, size)
}

// floatOption returns the launch option that says whether elements are floats.
func floatOption[T any]() runtime.LaunchOption {
	return runtime.WithSpec(kernels.Floats, call.KindOf[T]().Float)
}

// lengthAndParts divides a view into parts. The results are the length of the view, the number of
// parts, and the length of a part.
func lengthAndParts[T any](v runtime.View[T]) (n, groups, part int) {
	groups, part = partsOf(v.Len())
	return v.Len(), groups, part
}

// orderOf returns the Order of a kind of elements. If `greatest` is set, the greatest element has
// the least key.
func orderOf[K uint32 | uint64](k call.Kind, greatest bool) kernels.Order[K] {
	o := kernels.Order[K]{Half: K(k.Half), Inf: K(k.Inf)}
	all := ^uint64(0) >> (64 - 8*k.Size)
	flip := uint64(0)
	if k.Signed || k.Float {
		flip = all ^ all>>1
	}
	if greatest {
		flip ^= all
	}
	o.Flip = K(flip)
	return o
}

// ArgMin returns the index of the first of the least elements. A NaN counts as the least element,
// and -0 is less than +0. For an empty slice, ArgMin returns ErrInvalid.
func ArgMin[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (int64, error) {
	return oneOrError(ctx, dev, "reduce.ArgMin", xs, ArgMinOn[T])
}

// ArgMinOn sets out[0] to the index of the first of the least elements (see ArgMin). If there are no
// elements, nothing is written.
func ArgMinOn[T prim.Number](q *runtime.Queue, v runtime.View[T], out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	return arg(call.New(q, "reduce.ArgMinOn", opts), v, out, false)
}

// ArgMax returns the index of the first of the greatest elements. A NaN counts as the greatest
// element, and +0 is greater than -0. For an empty slice, ArgMax returns ErrInvalid.
func ArgMax[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (int64, error) {
	return oneOrError(ctx, dev, "reduce.ArgMax", xs, ArgMaxOn[T])
}

// ArgMaxOn sets out[0] to the index of the first of the greatest elements (see ArgMax). If there are
// no elements, nothing is written.
func ArgMaxOn[T prim.Number](q *runtime.Queue, v runtime.View[T], out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	return arg(call.New(q, "reduce.ArgMaxOn", opts), v, out, true)
}

func arg[T prim.Number](c *call.Call, v runtime.View[T], out runtime.View[int64], greatest bool) (runtime.Event, error) {
	call.In(c, "v", v)
	call.Out(c, "out", out, 1)
	n, groups, part := lengthAndParts(v)
	k, l := call.KindOf[T](), c.Length()
	if err := c.Begin(2 * call.Bytes[uint64](groups)); err != nil {
		return runtime.Event{}, err
	}
	at, want := call.Room[int64](c, groups), floatOption[T]()
	if k.Size == 8 {
		keys := call.Room[uint64](c, groups)
		c.Run(kernelsgen.Arg64{X: primimpl.Cast[uint64](v), Length: l, Part: part, Order: orderOf[uint64](k, greatest), Keys: keys, At: at}, groups, size, want)
		c.Run(kernelsgen.ArgEnd64{Keys: keys, At: at, N: n, Length: l, Out: out}, 1, size)
		return c.End()
	}
	keys, o := call.Room[uint32](c, groups), orderOf[uint32](k, greatest)
	switch k.Size {
	case 1:
		c.Run(kernelsgen.Arg8{X: primimpl.Cast[uint8](v), Length: l, Part: part, Order: o, Keys: keys, At: at}, groups, size, want)
	case 2:
		c.Run(kernelsgen.Arg16{X: primimpl.Cast[uint16](v), Length: l, Part: part, Order: o, Keys: keys, At: at}, groups, size, want)
	default:
		c.Run(kernelsgen.Arg32{X: primimpl.Cast[uint32](v), Length: l, Part: part, Order: o, Keys: keys, At: at}, groups, size, want)
	}
	c.Run(kernelsgen.ArgEnd32{Keys: keys, At: at, N: n, Length: l, Out: out}, 1, size)
	return c.End()
}
