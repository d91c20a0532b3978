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

const size = kernels.Size

// Countable constrains the elements of Count, Any and All to bools and numbers.
type Countable interface{ ~bool | prim.Number }

// Count returns the number of elements that are true (for bools) or not zero (for numbers). A NaN
// counts as not zero, and -0 counts as zero.
func Count[T Countable](ctx context.Context, dev *runtime.Device, xs []T) (int64, error) {
	return oneResult(ctx, dev, "reduce.Count", xs, CountOn[T])
}

// CountOn sets out[0] to the number of elements that are true (for bools) or not zero (for
// numbers). A NaN counts as not zero, and -0 counts as zero.
func CountOn[T Countable](q *runtime.Queue, v runtime.View[T], out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.CountOn", opts)
	call.Out(c, "out", out, 1)
	return countElements(c, v, kernelsgen.CountEnd{Count: out})
}

// Any reports whether at least one element is true or, for numbers, not zero.
func Any[T Countable](ctx context.Context, dev *runtime.Device, xs []T) (bool, error) {
	return oneResult(ctx, dev, "reduce.Any", xs, AnyOn[T])
}

// AnyOn sets out[0] to the result of Any, which reports whether at least one element is true or,
// for numbers, not zero.
func AnyOn[T Countable](q *runtime.Queue, v runtime.View[T], out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.AnyOn", opts)
	call.Out(c, "out", out, 1)
	return countElements(c, v, kernelsgen.CountEnd{Any: out})
}

// All reports whether all elements are true or, for numbers, not zero.
func All[T Countable](ctx context.Context, dev *runtime.Device, xs []T) (bool, error) {
	return oneResult(ctx, dev, "reduce.All", xs, AllOn[T])
}

// AllOn sets out[0] to the result of All, which reports whether all elements are true or, for
// numbers, not zero.
func AllOn[T Countable](q *runtime.Queue, v runtime.View[T], out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.AllOn", opts)
	call.Out(c, "out", out, 1)
	return countElements(c, v, kernelsgen.CountEnd{All: out})
}

// countElements counts elements by two launches. The argument `end` is the kernel of the second
// launch. The caller has set one of the outputs of `end`.
func countElements[T Countable](c *call.Call, v runtime.View[T], end kernelsgen.CountEnd) (runtime.Event, error) {
	call.In(c, "v", v)
	groups, part := partsOf(v.Len())
	if err := c.Begin(call.Bytes[int64](groups)); err != nil {
		return runtime.Event{}, err
	}
	counts := call.Room[int64](c, groups)
	c.Run(countKernel(v, c.Length(), part, counts), groups, size)
	end.Parts, end.N, end.Length = counts, v.Len(), c.Length()
	c.Run(end, 1, size)
	return c.End()
}

func countKernel[T Countable](v runtime.View[T], length runtime.View[int64], part int, out runtime.View[int64]) call.Kernel {
	mask := ^uint64(0)
	k := call.KindOf[T]()
	if k.Float {
		mask = k.Half
	}
	switch k.Size {
	case 1:
		return kernelsgen.Count8{X: primimpl.Cast[uint8](v), Length: length, Part: part, Mask: uint8(mask), Out: out}
	case 2:
		return kernelsgen.Count16{X: primimpl.Cast[uint16](v), Length: length, Part: part, Mask: uint16(mask), Out: out}
	case 4:
		return kernelsgen.Count32{X: primimpl.Cast[uint32](v), Length: length, Part: part, Mask: uint32(mask), Out: out}
	}
	return kernelsgen.Count64{X: primimpl.Cast[uint64](v), Length: length, Part: part, Mask: mask, Out: out}
}
