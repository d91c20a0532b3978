package scan

import (
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// Kernel is the constraint for types that kgen generates for aliases of kernels.By. O is the type
// of the operation, which makes values of type A from elements of type T.
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

// The function By sets out[i] to the value that an operation computes from v's elements up to and
// including element i. It calls Map for each element, and combines the results with Combine in the
// order of the elements. With the option prim.Length, By sets only the first elements of out. The
// operation is part of a kernel. The caller declares this kernel by an alias, in its own package:
//
//	type Streaks = kernels.By[bool, Streak, Longest]
//
// For this alias, kgen generates a type. The caller passes that type to By as a type argument:
//
//	ev, err := scan.By[kernelsgen.Streaks](q, kernels.Longest{}, v, out)
func By[K Kernel[T, A, O], T, A, O any](q *runtime.Queue, op O, v runtime.View[T], out runtime.View[A], opts ...prim.Option) (runtime.Event, error) {
	return by[K](call.New(q, "scan.By", opts), op, v, out, true)
}

// ExclusiveBy sets out[i] to the value that an operation computes from v's elements before element
// i. ExclusiveBy sets out[0] to the operation's Identity. See By.
func ExclusiveBy[K Kernel[T, A, O], T, A, O any](q *runtime.Queue, op O, v runtime.View[T], out runtime.View[A], opts ...prim.Option) (runtime.Event, error) {
	return by[K](call.New(q, "scan.ExclusiveBy", opts), op, v, out, false)
}

// byBytes returns the number of bytes of scratch memory that By needs for a number of tiles.
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
