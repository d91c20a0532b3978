package scan

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/scan/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Inclusive returns, for each element, the sum of all elements up to and including this element.
func Inclusive[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) ([]T, error) {
	return onSlices(ctx, dev, "scan.Inclusive", xs, InclusiveOn[T])
}

// InclusiveOn sets out[i] to the sum of v's elements up to and including element i. With the option
// prim.Length, only the first elements of out are set.
func InclusiveOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return sums(call.New(q, "scan.InclusiveOn", opts), v, out, true)
}

// Exclusive returns, for each element, the sum of all earlier elements. The first sum is 0.
func Exclusive[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) ([]T, error) {
	return onSlices(ctx, dev, "scan.Exclusive", xs, ExclusiveOn[T])
}

// ExclusiveOn sets out[i] to the sum of v's elements before element i, so out[0] is 0. With the
// option prim.Length, only the first elements of out are set.
func ExclusiveOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return sums(call.New(q, "scan.ExclusiveOn", opts), v, out, false)
}

// tileCount returns the number of tiles for n elements, which is at least one.
func tileCount(n, tile int) int { return max((n+tile-1)/tile, 1) }

// stateWords returns the number of words of the state for elements of `size` bytes in `tiles` tiles.
func stateWords(size, tiles int) int {
	if size == 8 {
		return 3 * (tiles + 1)
	}
	return 2 * (tiles + 1)
}

func sums[T prim.Number](c *call.Call, v, out runtime.View[T], inclusive bool) (runtime.Event, error) {
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	kind := call.KindOf[T]()
	switch {
	case kind.Small:
		c.Refuse("convert the elements to float32", "there is no kernel for elements of package half")
	case kind.Size < 4:
		c.Refuse("give elements of 32 or 64 bits, or use scan.By", "there is no kernel for elements of %d bytes", kind.Size)
	}
	n := tileCount(v.Len(), kernels.Tile)
	state := stateWords(kind.Size, n)
	if err := c.Begin(call.Bytes[uint32](state)); err != nil {
		return runtime.Event{}, err
	}
	board := call.Room[uint32](c, state)
	c.Enqueue(runtime.Fill(board, 0))
	c.Run(sumKernel(v, out.Slice(0, v.Len()), c.Length(), board, inclusive), n, kernels.Size)
	return c.End()
}

func sumKernel[T prim.Number](v, out runtime.View[T], length runtime.View[int64], state runtime.View[uint32], inclusive bool) call.Kernel {
	switch k := call.KindOf[T](); {
	case k.Size == 4 && k.Float:
		return kernelsgen.SumFloat32{X: primimpl.Cast[float32](v), Length: length, State: state, Inclusive: inclusive, Out: primimpl.Cast[float32](out)}
	case k.Size == 4:
		return kernelsgen.SumUint32{X: primimpl.Cast[uint32](v), Length: length, State: state, Inclusive: inclusive, Out: primimpl.Cast[uint32](out)}
	case k.Float:
		return kernelsgen.SumFloat64{X: primimpl.Cast[float64](v), Length: length, State: state, Inclusive: inclusive, Out: primimpl.Cast[float64](out)}
	}
	return kernelsgen.SumUint64{X: primimpl.Cast[uint64](v), Length: length, State: state, Inclusive: inclusive, Out: primimpl.Cast[uint64](out)}
}
