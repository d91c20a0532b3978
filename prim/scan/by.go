package scan

import (
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// Kernel is a type that kgen has generated for an alias of kernels.By. O is the operation's type.
// The operation makes values of type A from elements of type T.
type Kernel[T, A, O any] interface {
	~struct {
		Op        O
		X         runtime.View[T]
		Length    runtime.View[int64]
		State     runtime.View[uint32]
		Values    runtime.View[A]
		Inclusive bool
		Out       runtime.View[A]
	}
	call.Kernel
}

// By sets out[i] to the value that an operation computes from v's elements up to element i. By
// calls Map for each element, and combines the results with Combine in the order of the elements.
// With prim.Length, the other elements of out do not change. The operation is part of a kernel,
// which the caller declares by an alias in a package of its own:
//
//	type Streaks = kernels.By[bool, Streak, Longest]
//
// From this alias kgen generates a type, which is a type argument of By:
//
//	ev, err := scan.By[kernelsgen.Streaks](q, kernels.Longest{}, v, out)
func By[K Kernel[T, A, O], T, A, O any](q *runtime.Queue, op O, v runtime.View[T], out runtime.View[A], opts ...prim.Option) (runtime.Event, error) {
	return by[K](call.New(q, "scan.By", opts), op, v, out, true)
}

// ExclusiveBy sets out[i] to the value that an operation computes from v's elements before element
// i, and out[0] to Identity (see By).
func ExclusiveBy[K Kernel[T, A, O], T, A, O any](q *runtime.Queue, op O, v runtime.View[T], out runtime.View[A], opts ...prim.Option) (runtime.Event, error) {
	return by[K](call.New(q, "scan.ExclusiveBy", opts), op, v, out, false)
}

// byBytes returns the number of bytes of scratch memory for a number of tiles.
func byBytes[A any](tiles int) int {
	return call.Bytes[uint32](2*tiles+2) + call.Bytes[A](3*tiles)
}

func by[K Kernel[T, A, O], T, A, O any](c *call.Call, op O, v runtime.View[T], out runtime.View[A], inclusive bool) (runtime.Event, error) {
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	n := tileCount(v.Len(), kernels.ByTile)
	if err := c.Begin(byBytes[A](n)); err != nil {
		return runtime.Event{}, err
	}
	state := call.Room[uint32](c, 2*n+2)
	c.Enqueue(runtime.Fill(state, 0))
	c.Run(K(struct {
		Op        O
		X         runtime.View[T]
		Length    runtime.View[int64]
		State     runtime.View[uint32]
		Values    runtime.View[A]
		Inclusive bool
		Out       runtime.View[A]
	}{op, v, c.Length(), state, call.Room[A](c, 3*n), inclusive, out.Slice(0, v.Len())}), n, kernels.Size)
	return c.End()
}
