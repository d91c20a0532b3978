package pick

import (
	"context"
	"unsafe"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/pick/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/pick/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// tileCount returns the number of tiles of n elements, at least one.
func tileCount(n int) int { return max((n+kernels.Tile-1)/kernels.Tile, 1) }

// stateBytes returns the size of the scratch memory of a launch for n elements, in bytes.
func stateBytes(n int) int { return call.Bytes[uint32](2*tileCount(n) + 2) }

// ScratchBytes returns the number of bytes that prim.Scratch needs if a function of this package
// processes n elements.
func ScratchBytes(n int) int { return stateBytes(n) + call.Bytes[int64](n) }

// clearedState clears the scratch memory of a launch for n elements, and returns this memory.
func clearedState(c *call.Call, n int) runtime.View[uint32] {
	s := call.Room[uint32](c, 2*tileCount(n)+2)
	c.Enqueue(runtime.Fill(s, 0))
	return s
}

// Kernel is a type that kgen has generated for an alias of kernels.Where. P is the type of the
// kernel's predicate.
type Kernel[T, P any] interface {
	~struct {
		Op     P
		X      runtime.View[T]
		Length runtime.View[int64]
		State  runtime.View[uint32]
		Out    runtime.View[T]
		Count  runtime.View[int64]
	}
	call.Kernel
}

// Where picks the elements for which a predicate returns true. The predicate is part of a kernel,
// which the caller declares by an alias in a package of its own:
//
//	type Positives = kernels.Where[float32, Positive]
//
// For this alias, kgen generates a type. The caller passes that type to Where as a type argument:
//
//	ev, err := pick.Where[kernelsgen.Positives](q, kernels.Positive{}, v, out, count)
//
// out has as many elements as v.
func Where[K Kernel[T, P], T, P any](q *runtime.Queue, op P, v, out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "pick.Where", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	call.Out(c, "count", count, 1)
	if err := c.Begin(stateBytes(v.Len())); err != nil {
		return runtime.Event{}, err
	}
	c.Run(K(struct {
		Op     P
		X      runtime.View[T]
		Length runtime.View[int64]
		State  runtime.View[uint32]
		Out    runtime.View[T]
		Count  runtime.View[int64]
	}{op, v, c.Length(), clearedState(c, v.Len()), out.Slice(0, v.Len()), count.Slice(0, 1)}), tileCount(v.Len()), kernels.Size)
	return c.End()
}

// Partitioner is a type that kgen has generated for an alias of kernels.Partition. P is the type of
// the kernel's predicate.
type Partitioner[T, P any] interface {
	~struct {
		Op     P
		X      runtime.View[T]
		Length runtime.View[int64]
		State  runtime.View[uint32]
		Out    runtime.View[T]
		Count  runtime.View[int64]
		Turn   bool
	}
	call.Kernel
}

// Partition sets out to the elements for which a predicate returns true, followed by the other
// elements. Both groups of elements keep their order. count[0] is the number of elements for which
// the predicate is true. The predicate is part of a kernel, which the caller declares by an alias in
// a package of its own:
//
//	type Signs = kernels.Partition[float32, Positive]
//
// For this alias, kgen generates a type. The caller passes that type to Partition as a type
// argument:
//
//	ev, err := pick.Partition[kernelsgen.Signs](q, kernels.Positive{}, v, out, count)
//
// out has as many elements as v.
func Partition[K Partitioner[T, P], T, P any](q *runtime.Queue, op P, v, out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "pick.Partition", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	call.Out(c, "count", count, 1)
	if err := c.Begin(stateBytes(v.Len())); err != nil {
		return runtime.Event{}, err
	}
	s := clearedState(c, v.Len())
	for _, turn := range []bool{false, true} {
		groups := tileCount(v.Len())
		if turn {
			groups = min(groups, mostGroups)
		}
		c.Run(K(struct {
			Op     P
			X      runtime.View[T]
			Length runtime.View[int64]
			State  runtime.View[uint32]
			Out    runtime.View[T]
			Count  runtime.View[int64]
			Turn   bool
		}{op, v, c.Length(), s, out.Slice(0, v.Len()), count.Slice(0, 1), turn}), groups, kernels.Size)
	}
	return c.End()
}

// mostGroups is the largest number of work-groups of a launch in which a work-item may process
// several elements.
const mostGroups = 2048

// Flagged returns the elements whose flags are set. Flagged returns ErrInvalid if xs and flags have
// different lengths.
func Flagged[T any](ctx context.Context, dev *runtime.Device, xs []T, flags []bool) ([]T, error) {
	return onSlices(ctx, dev, "pick.Flagged", xs, func(m *call.Memory, v, out runtime.View[T], count runtime.View[int64]) error {
		f, err := call.Copied(m, flags)
		if err != nil {
			return err
		}
		_, err = FlaggedOn(m.Queue, v, f, out, count)
		return err
	})
}

// FlaggedOn picks the elements whose flags are set. v and flags must have the same length, and out
// must have at least as many elements (ErrInvalid otherwise).
func FlaggedOn[T any](q *runtime.Queue, v runtime.View[T], flags runtime.View[bool], out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "pick.FlaggedOn", opts)
	call.In(c, "v", v)
	call.In(c, "flags", flags)
	call.Out(c, "out", out, v.Len())
	call.Out(c, "count", count, 1)
	if v.Len() != flags.Len() {
		c.Refuse("", "v has %d elements, and there are %d flags", v.Len(), flags.Len())
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	if size == 0 {
		c.Refuse("", "the elements have no bytes")
	}
	if err := c.Begin(stateBytes(v.Len())); err != nil {
		return runtime.Event{}, err
	}
	s, to := clearedState(c, v.Len()), out.Slice(0, v.Len())
	var k call.Kernel
	switch {
	case size%4 == 0:
		k = kernelsgen.Flagged32{X: primimpl.Cast[uint32](v), Flags: flags, Length: c.Length(), State: s, Words: size / 4, Out: primimpl.Cast[uint32](to), Count: count}
	default:
		k = kernelsgen.Flagged8{X: primimpl.Cast[uint8](v), Flags: flags, Length: c.Length(), State: s, Words: size, Out: primimpl.Cast[uint8](to), Count: count}
	}
	c.Run(k, tileCount(v.Len()), kernels.Size)
	return c.End()
}

// Unique returns the elements that differ from the previous element. So Unique returns the first
// element of each run of equal elements.
func Unique[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) ([]T, error) {
	return onSlices(ctx, dev, "pick.Unique", xs, func(m *call.Memory, v, out runtime.View[T], count runtime.View[int64]) error {
		_, err := UniqueOn(m.Queue, v, out, count)
		return err
	})
}

// UniqueOn picks the elements that differ from the previous element. out must have at least as many
// elements as v.
func UniqueOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "pick.UniqueOn", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	call.Out(c, "count", count, 1)
	if err := c.Begin(stateBytes(v.Len())); err != nil {
		return runtime.Event{}, err
	}
	runs(c, v, out, runtime.View[int64]{}, count)
	return c.End()
}

// RunLengths returns the first element of each run of equal elements, and the lengths of these
// runs.
func RunLengths[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T) (values []T, lengths []int64, err error) {
	all := make([]int64, len(xs))
	values, err = onSlices(ctx, dev, "pick.RunLengths", xs, func(m *call.Memory, v, out runtime.View[T], count runtime.View[int64]) error {
		l, err := call.Elements[int64](m, len(xs))
		if err != nil {
			return err
		}
		if _, err := RunLengthsOn(m.Queue, v, out, l, count); err != nil {
			return err
		}
		return call.Read(m, all, l)
	})
	return values, all[:len(values)], err
}

// RunLengthsOn picks the first element of each run of equal elements. RunLengthsOn stores the
// lengths of these runs at the beginning of the view `lengths`. out and lengths must have at least
// as many elements as v, and v must have at most 1<<30 elements (ErrInvalid otherwise).
func RunLengthsOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], lengths, count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "pick.RunLengthsOn", opts)
	n := v.Len()
	call.In(c, "v", v)
	call.Out(c, "out", out, n)
	call.Out(c, "lengths", lengths, n)
	call.Out(c, "count", count, 1)
	if n > mostRuns {
		c.Refuse("call it for parts", "v has %d elements: the function takes %d", n, mostRuns)
	}
	if err := c.Begin(ScratchBytes(n)); err != nil {
		return runtime.Event{}, err
	}
	at := call.Room[int64](c, n)
	runs(c, v, out, at, count)
	call.Over(c, kernelsgen.Lengths{At: at, Count: count, N: n, Length: c.Length(), Out: lengths.Slice(0, n)}, runtime.Range1(n))
	return c.End()
}

// mostRuns is the largest number of elements for RunLengthsOn, which launches a kernel with one
// work-item per element.
const mostRuns = 1 << 30

// runs() launches Unique.
func runs[T prim.Number](c *call.Call, v, out runtime.View[T], at, count runtime.View[int64]) {
	n := v.Len()
	s, to := clearedState(c, n), out.Slice(0, n)
	kind := call.KindOf[T]()
	var k call.Kernel
	switch kind.Size {
	case 1:
		k = kernelsgen.Unique8{X: primimpl.Cast[uint8](v), Length: c.Length(), State: s, Half: uint8(kind.Half), Inf: uint8(kind.Inf), Out: primimpl.Cast[uint8](to), At: at, Count: count}
	case 2:
		k = kernelsgen.Unique16{X: primimpl.Cast[uint16](v), Length: c.Length(), State: s, Half: uint16(kind.Half), Inf: uint16(kind.Inf), Out: primimpl.Cast[uint16](to), At: at, Count: count}
	case 4:
		k = kernelsgen.Unique32{X: primimpl.Cast[uint32](v), Length: c.Length(), State: s, Half: uint32(kind.Half), Inf: uint32(kind.Inf), Out: primimpl.Cast[uint32](to), At: at, Count: count}
	default:
		k = kernelsgen.Unique64{X: primimpl.Cast[uint64](v), Length: c.Length(), State: s, Half: kind.Half, Inf: kind.Inf, Out: primimpl.Cast[uint64](to), At: at, Count: count}
	}
	c.Run(k, tileCount(n), kernels.Size)
}

// onSlices calls the function `on` with a view that contains a copy of xs, and returns the picked
// elements.
func onSlices[T any](ctx context.Context, dev *runtime.Device, name string, xs []T, on func(m *call.Memory, v, out runtime.View[T], count runtime.View[int64]) error) ([]T, error) {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	to, err := call.Elements[T](m, len(xs))
	if err != nil {
		return nil, err
	}
	count, err := call.Elements[int64](m, 1)
	if err != nil {
		return nil, err
	}
	if err := on(m, v, to, count); err != nil {
		return nil, err
	}
	var n [1]int64
	if err := call.Read(m, n[:], count); err != nil {
		return nil, err
	}
	out := make([]T, n[0])
	if err := call.Read(m, out, to.Slice(0, len(out))); err != nil {
		return nil, err
	}
	return out, nil
}
