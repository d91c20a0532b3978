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

// Sum returns the sum of the elements.
func Sum[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (T, error) {
	return oneResult(ctx, dev, "reduce.Sum", xs, SumOn[T])
}

// SumOn sets out[0] to the sum of v's elements.
func SumOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.SumOn", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, 1)
	refuseSmall[T](c)
	if err := c.Begin(levelBytes[T](blockCount(v.Len()))); err != nil {
		return runtime.Event{}, err
	}
	sumLevels(c, v, 0, out)
	return c.End()
}

// Dot returns the sum of the products x[i]*y[i]. If x and y have different lengths, Dot returns
// ErrInvalid.
func Dot[T prim.Number](ctx context.Context, dev *runtime.Device, x, y []T) (T, error) {
	var out [1]T
	err := onSlices(ctx, dev, "reduce.Dot", x, out[:], func(m *call.Memory, v, o runtime.View[T]) error {
		w, err := call.Copied(m, y)
		if err != nil {
			return err
		}
		_, err = DotOn(m.Queue, v, w, o)
		return err
	})
	return out[0], err
}

// DotOn sets out[0] to the sum of the products x[i]*y[i]. If x and y have different lengths, DotOn
// returns ErrInvalid. The views x and y may share memory.
func DotOn[T prim.Number](q *runtime.Queue, x, y, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.DotOn", opts)
	call.In(c, "x", x)
	call.In(c, "y", y)
	call.Out(c, "out", out, 1)
	refuseSmall[T](c)
	if x.Len() != y.Len() {
		c.Refuse("", "x has %d elements, and y has %d", x.Len(), y.Len())
	}
	if err := c.Begin(levelBytes[T](blockCount(x.Len()))); err != nil {
		return runtime.Event{}, err
	}
	dotLevels(c, x, y, out)
	return c.End()
}

// dotLevels launches the kernels that compute and add up the products.
func dotLevels[T prim.Number](c *call.Call, x, y, out runtime.View[T]) {
	n, to := blockCount(x.Len()), out.Slice(0, 1)
	if n > 1 {
		to = call.Room[T](c, n)
	}
	c.Run(dotKernel(x, y, c.Length(), to), n, kernels.Size)
	if n > 1 {
		sumLevels(c, to, kernels.Shift, out)
	}
}

// refuseSmall adds an error to the call if the elements have a type of package half. The kernels
// would add such elements as integers.
func refuseSmall[T prim.Number](c *call.Call) {
	if call.KindOf[T]().Small {
		c.Refuse("convert the elements to float32", "there is no kernel for elements of package half")
	}
}

// blockCount returns the number of blocks for n elements, which is at least one.
func blockCount(n int) int { return max((n+kernels.Block-1)/kernels.Block, 1) }

// levelBytes returns the number of bytes of scratch memory for a sequence of launches. The first
// launch has n work-groups.
func levelBytes[A any](n int) int {
	bytes := 0
	for ; n > 1; n = blockCount(n) {
		bytes += call.Bytes[A](n)
	}
	return bytes
}

// sumLevels launches the kernels that add up v. Each element of v is the sum of 1<<shift elements
// of the call.
func sumLevels[T prim.Number](c *call.Call, v runtime.View[T], shift uint32, out runtime.View[T]) {
	for {
		n, to := blockCount(v.Len()), out.Slice(0, 1)
		if n > 1 {
			to = call.Room[T](c, n)
		}
		c.Run(sumKernel(v, c.Length(), shift, to), n, kernels.Size)
		if n == 1 {
			return
		}
		v, shift = to, shift+kernels.Shift
	}
}

func sumKernel[T prim.Number](v runtime.View[T], length runtime.View[int64], shift uint32, out runtime.View[T]) call.Kernel {
	switch k := call.KindOf[T](); {
	case k.Size == 1:
		return kernelsgen.SumUint8{X: primimpl.Cast[uint8](v), Length: length, Shift: shift, Out: primimpl.Cast[uint8](out)}
	case k.Size == 2:
		return kernelsgen.SumUint16{X: primimpl.Cast[uint16](v), Length: length, Shift: shift, Out: primimpl.Cast[uint16](out)}
	case k.Size == 4 && k.Float:
		return kernelsgen.SumFloat32{X: primimpl.Cast[float32](v), Length: length, Shift: shift, Out: primimpl.Cast[float32](out)}
	case k.Size == 4:
		return kernelsgen.SumUint32{X: primimpl.Cast[uint32](v), Length: length, Shift: shift, Out: primimpl.Cast[uint32](out)}
	case k.Float:
		return kernelsgen.SumFloat64{X: primimpl.Cast[float64](v), Length: length, Shift: shift, Out: primimpl.Cast[float64](out)}
	}
	return kernelsgen.SumUint64{X: primimpl.Cast[uint64](v), Length: length, Shift: shift, Out: primimpl.Cast[uint64](out)}
}

func dotKernel[T prim.Number](x, y runtime.View[T], length runtime.View[int64], out runtime.View[T]) call.Kernel {
	switch k := call.KindOf[T](); {
	case k.Size == 1:
		return kernelsgen.DotUint8{X: primimpl.Cast[uint8](x), Y: primimpl.Cast[uint8](y), Length: length, Out: primimpl.Cast[uint8](out)}
	case k.Size == 2:
		return kernelsgen.DotUint16{X: primimpl.Cast[uint16](x), Y: primimpl.Cast[uint16](y), Length: length, Out: primimpl.Cast[uint16](out)}
	case k.Size == 4 && k.Float:
		return kernelsgen.DotFloat32{X: primimpl.Cast[float32](x), Y: primimpl.Cast[float32](y), Length: length, Out: primimpl.Cast[float32](out)}
	case k.Size == 4:
		return kernelsgen.DotUint32{X: primimpl.Cast[uint32](x), Y: primimpl.Cast[uint32](y), Length: length, Out: primimpl.Cast[uint32](out)}
	case k.Float:
		return kernelsgen.DotFloat64{X: primimpl.Cast[float64](x), Y: primimpl.Cast[float64](y), Length: length, Out: primimpl.Cast[float64](out)}
	}
	return kernelsgen.DotUint64{X: primimpl.Cast[uint64](x), Y: primimpl.Cast[uint64](y), Length: length, Out: primimpl.Cast[uint64](out)}
}
