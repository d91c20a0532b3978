package rand

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/rand/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/rand/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Stream describes a stream of random numbers and a position in the stream.
type Stream struct {
	Seed     uint64 // seed, usually the same for all streams of a program's run
	Sequence uint64 // number of the stream among the streams with the same seed
	Offset   uint64 // index that the first element of a call has in the stream
}

// MaxIndex is the number of elements in a stream. All indices are below MaxIndex.
const MaxIndex = 1 << 60

// Float constrains the element types of Uniform and Normal.
type Float interface{ ~float32 | ~float64 }

// Integer constrains the element types of IntN and Bits.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uniform sets all elements of xs to numbers of at least 0 and less than 1. The numbers are
// multiples of 2**-24 for float32, and of 2**-53 for float64. All multiples in the range are
// equally likely.
func Uniform[T Float](ctx context.Context, dev *runtime.Device, s Stream, xs []T) error {
	return sliceFrom(ctx, dev, "rand.Uniform", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := UniformOn(m.Queue, s, out)
		return err
	})
}

// UniformOn sets all elements of out to numbers of at least 0 and less than 1 (see Uniform). With
// the option prim.Length, only the first elements of out are set.
func UniformOn[T Float](q *runtime.Queue, s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return makeFloats(q, "rand.UniformOn", s, out, opts, func(c *call.Call, o runtime.View[float32], p launchPart) {
		call.Over(c, kernelsgen.UniformFloat32{Out: o, Length: c.Length(), Base: p.base, From: p.from}, p.blocks)
	}, func(c *call.Call, o runtime.View[float64], p launchPart) {
		call.Over(c, kernelsgen.UniformFloat64{Out: o, Length: c.Length(), Base: p.base, From: p.from}, p.blocks)
	})
}

// Normal sets all elements of xs to numbers of the normal distribution with mean 0 and deviation 1.
func Normal[T Float](ctx context.Context, dev *runtime.Device, s Stream, xs []T) error {
	return sliceFrom(ctx, dev, "rand.Normal", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := NormalOn(m.Queue, s, out)
		return err
	})
}

// NormalOn sets all elements of out to numbers of the normal distribution with mean 0 and deviation
// 1. With the option prim.Length, only the first elements of out are set.
func NormalOn[T Float](q *runtime.Queue, s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return makeFloats(q, "rand.NormalOn", s, out, opts, func(c *call.Call, o runtime.View[float32], p launchPart) {
		call.Over(c, kernelsgen.NormalFloat32{Out: o, Length: c.Length(), Base: p.base, From: p.from}, p.blocks)
	}, func(c *call.Call, o runtime.View[float64], p launchPart) {
		call.Over(c, kernelsgen.NormalFloat64{Out: o, Length: c.Length(), Base: p.base, From: p.from}, p.blocks)
	})
}

// makeFloats launches kernels that make floats. For float32s, makeFloats calls the function
// `small`, and for float64s the function `large`.
func makeFloats[T Float](q *runtime.Queue, name string, s Stream, out runtime.View[T], opts []prim.Option,
	small func(*call.Call, runtime.View[float32], launchPart), large func(*call.Call, runtime.View[float64], launchPart)) (runtime.Event, error) {
	c := call.New(q, name, opts)
	return fillView(c, s, out, func(o runtime.View[T], p launchPart) {
		if call.KindOf[T]().Size == 4 {
			small(c, primimpl.Cast[float32](o), p)
		} else {
			large(c, primimpl.Cast[float64](o), p)
		}
	})
}

// Bits sets all elements of xs to integers of random bits.
func Bits[T Integer](ctx context.Context, dev *runtime.Device, s Stream, xs []T) error {
	return sliceFrom(ctx, dev, "rand.Bits", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := BitsOn(m.Queue, s, out)
		return err
	})
}

// BitsOn sets all elements of out to integers of random bits. With the option prim.Length, only the
// first elements of out are set.
func BitsOn[T Integer](q *runtime.Queue, s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return makeIntegers(call.New(q, "rand.BitsOn", opts), s, 0, out)
}

// IntN sets all elements of xs to random integers of at least 0 and less than n. IntN returns
// ErrInvalid if n is not above 0.
func IntN[T Integer](ctx context.Context, dev *runtime.Device, s Stream, n T, xs []T) error {
	return sliceFrom(ctx, dev, "rand.IntN", xs, func(m *call.Memory, out runtime.View[T]) error {
		_, err := IntNOn(m.Queue, s, n, out)
		return err
	})
}

// IntNOn sets all elements of out to integers of at least 0 and less than n. IntNOn returns
// ErrInvalid if n is not above 0. With the option prim.Length, only the first elements of out are
// set.
func IntNOn[T Integer](q *runtime.Queue, s Stream, n T, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "rand.IntNOn", opts)
	if n <= 0 {
		c.Refuse("", "there are no integers of at least 0 and less than %v", n)
	}
	return makeIntegers(c, s, uint64(n), out)
}

// makeIntegers makes integers of at least 0 and less than n. If n is 0, all integers of the type
// are possible.
func makeIntegers[T Integer](c *call.Call, s Stream, n uint64, out runtime.View[T]) (runtime.Event, error) {
	k := call.KindOf[T]()
	if k.Small {
		c.Refuse("make float32s, and convert them", "there is no kernel for elements of package half")
	}
	return fillView(c, s, out, func(o runtime.View[T], p launchPart) {
		l := c.Length()
		switch k.Size {
		case 1:
			call.Over(c, kernelsgen.Ints8{Out: primimpl.Cast[uint8](o), Length: l, Base: p.base, From: p.from, N: uint32(n)}, p.blocks)
		case 2:
			call.Over(c, kernelsgen.Ints16{Out: primimpl.Cast[uint16](o), Length: l, Base: p.base, From: p.from, N: uint32(n)}, p.blocks)
		case 4:
			call.Over(c, kernelsgen.Ints32{Out: primimpl.Cast[uint32](o), Length: l, Base: p.base, From: p.from, N: uint32(n)}, p.blocks)
		default:
			call.Over(c, kernelsgen.Ints64{Out: primimpl.Cast[uint64](o), Length: l, Base: p.base, From: p.from, N: n}, p.blocks)
		}
	})
}

// maxElements is the largest number of elements that one launch makes. Longer views need several
// launches.
var maxElements = 1 << 30

// launchPart is one of the launches of a call.
type launchPart struct {
	base   int // index of the launch's first element among the elements of the call
	from   kernels.From
	blocks runtime.Range1
}

// fillView sets all elements of a view, by one or more launches.
func fillView[T any](c *call.Call, s Stream, out runtime.View[T], launch func(o runtime.View[T], p launchPart)) (runtime.Event, error) {
	n := out.Len()
	call.Out(c, "out", out, n)
	if s.Offset > MaxIndex || uint64(n) > MaxIndex-s.Offset {
		c.Refuse("use another sequence", "%d elements from %d on are more than a stream has, which is 1<<60", n, s.Offset)
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	each := uint64(4) // number of elements that are made from one block
	if call.KindOf[T]().Size == 8 {
		each = 2
	}
	for lo := 0; lo < n; lo += maxElements {
		hi := min(n, lo+maxElements)
		index := s.Offset + uint64(lo)
		row := index / (each * kernels.Row)
		lead := index % (each * kernels.Row)
		rows := (lead + uint64(hi-lo) + each*kernels.Row - 1) / (each * kernels.Row)
		p := launchPart{lo, kernels.From{Seed: s.Seed, Sequence: s.Sequence, Block: row * kernels.Row, Index: index, Lead: uint32(lead), Each: 1}, runtime.Range1(rows * kernels.Row)}
		if c.Device().Info().Type == runtime.HostCPU { // on the host, each work-item computes many blocks, because calling a kernel takes as long as computing a block
			p.from.Each, p.blocks = kernels.Row, runtime.Range1(rows)
		}
		launch(out.Slice(lo, hi), p)
	}
	return c.End()
}
