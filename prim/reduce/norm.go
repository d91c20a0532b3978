package reduce

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/reduce/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Float constrains the elements of Norm to floats.
type Float interface{ ~float32 | ~float64 }

// Norm returns the Euclidean norm of the elements. The norm is the correctly rounded square root of
// Dot(x, x). Elements are not scaled, so the norm is +Inf if Dot(x, x) is +Inf. If squares are
// below the least normal number, the norm has few correct digits or is 0.
func Norm[T Float](ctx context.Context, dev *runtime.Device, xs []T) (T, error) {
	return oneResult(ctx, dev, "reduce.Norm", xs, NormOn[T])
}

// NormOn sets out[0] to the Euclidean norm of v's elements (see Norm).
func NormOn[T Float](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.NormOn", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, 1)
	if err := c.Begin(levelBytes[T](blockCount(v.Len())) + call.Bytes[T](1)); err != nil {
		return runtime.Event{}, err
	}
	square := call.Room[T](c, 1)
	dotLevels(c, v, v, square)
	if call.KindOf[T]().Size == 4 {
		call.Over(c, kernelsgen.RootFloat32{X: primimpl.Cast[float32](square), Out: primimpl.Cast[float32](out)}, runtime.Range1(1))
	} else {
		call.Over(c, kernelsgen.RootFloat64{X: primimpl.Cast[float64](square), Out: primimpl.Cast[float64](out)}, runtime.Range1(1))
	}
	return c.End()
}
