package reduce

import (
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// Kernel is the constraint for types that kgen generates for aliases of kernels.Reduce. O is the
// type of the operation, which makes values of type A from elements of type T.
type Kernel[T, A, O any] interface {
	~struct {
		Op     O
		X      runtime.View[T]
		Parts  runtime.View[A]
		Length runtime.View[int64]
		Shift  uint32
		Out    runtime.View[A]
	}
	call.Kernel
}

// The function By sets out[0] to the value that an operation computes from v's elements. It calls
// Map for each element, and combines the results with Combine in the order that the package
// documentation states. If there are no elements, the value is the result of Identity. The
// operation is part of a kernel. The caller declares this kernel by an alias, in its own package:
//
//	type SumSquares = kernels.Reduce[float32, float32, Square]
//
// For this alias, kgen generates a type. The caller passes that type to By as a type argument:
//
//	ev, err := reduce.By[kernelsgen.SumSquares](q, kernels.Square{}, v, out)
//
// By calls Map once for each element, and Combine once for each element except the first.
func By[K Kernel[T, A, O], T, A, O any](q *runtime.Queue, op O, v runtime.View[T], out runtime.View[A], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "reduce.By", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, 1)
	n := blockCount(v.Len())
	if err := c.Begin(levelBytes[A](n)); err != nil {
		return runtime.Event{}, err
	}
	launch := struct {
		Op     O
		X      runtime.View[T]
		Parts  runtime.View[A]
		Length runtime.View[int64]
		Shift  uint32
		Out    runtime.View[A]
	}{Op: op, X: v, Length: c.Length()}
	for shift := uint32(kernels.Shift); ; shift += kernels.Shift {
		launch.Out = out.Slice(0, 1)
		if n > 1 {
			launch.Out = call.Room[A](c, n)
		}
		c.Run(K(launch), n, kernels.Size)
		if n == 1 {
			return c.End()
		}
		launch.X, launch.Parts, launch.Shift = runtime.View[T]{}, launch.Out, shift
		n = blockCount(n)
	}
}
