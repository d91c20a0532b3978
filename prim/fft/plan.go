package fft

import (
	"context"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/fft/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// Complex is the type of the elements that are transformed.
type Complex interface{ complex64 | complex128 }

// mostElements is the largest number of elements in a transform, and also in each area of its
// scratch memory.
const mostElements = 1 << 28

// The variable `chunk` is the largest number of elements that one launch transforms, if there are
// several arrays. A call with more elements launches the kernels several times, one after the
// other, with the same scratch memory.
var chunk = 1 << 26

// Plan describes how arrays of one shape are transformed on a device. Several goroutines may use a
// Plan.
type Plan[T Complex] struct{ planCore[T] }

// planCore contains the data that a Plan and a RealPlan have in common.
type planCore[T Complex] struct {
	dev         *runtime.Device
	size        int // number of elements of an array
	table       *runtime.Buffer[T]
	room        [memories]int
	forth, back []planStep
	outSize     int // number of elements of type T in the transform of an array
}

// NewPlan returns the plan for arrays of a shape on a device. The shape (n) means n elements, (n1,
// n2) means n1 rows of n2 elements, and (n1, n2, n3) means n1 times n2 rows of n3 elements. NewPlan
// returns ErrInvalid for other shapes, for lengths below 1, and for arrays of more than 1<<28
// elements. The limit is lower for lengths whose transform needs more memory (see the package
// documentation). For complex128, NewPlan returns ErrKernelNotSupported on devices without
// properties.FP64. NewPlan computes roots of unity and copies them to the device.
func NewPlan[T Complex](dev *runtime.Device, shape ...int) (*Plan[T], error) {
	b := newBuilder[T]()
	size, err := sizeOf[T](dev, "fft.NewPlan", shape)
	if err != nil {
		return nil, err
	}
	b.tables.size = float64(size)
	b.axes(shape, input, output)
	p := &Plan[T]{planCore[T]{dev: dev, size: size, outSize: size, forth: b.steps, back: b.steps}}
	if err := p.completePlan(b, "fft.NewPlan", shape); err != nil {
		return nil, err
	}
	return p, nil
}

// axes() appends the steps that transform all axes of an array, the last one first.
func (b *planBuilder) axes(shape []int, from, to int) {
	size, width := product(shape), 1
	for i := len(shape) - 1; i >= 0; i-- {
		if n := shape[i]; n > 1 {
			b.axisSteps(asPlan, n, width, size/n/width, from, n*width, to, n*width)
			from = to
		}
		width *= shape[i]
	}
	if from != to {
		b.axisSteps(asPlan, 1, 1, size, from, 1, to, 1)
	}
}

// mostOf returns the largest number of elements in the lines of a work-group.
func mostOf[T Complex]() int {
	if isSingle[T]() {
		return kernels.Most32
	}
	return kernels.Most64
}

func newBuilder[T Complex]() *planBuilder {
	b := &planBuilder{most: mostOf[T](), twos: mostOf[T]()}
	if b.most == kernels.Most32 {
		b.twos = kernels.MostTwos
	}
	return b
}

// sizeOf checks a shape, and returns the number of elements of an array.
func sizeOf[T Complex](dev *runtime.Device, name string, shape []int) (int, error) {
	if dev == nil {
		return 0, invalid(name, "", "the device is nil")
	}
	if len(shape) < 1 || len(shape) > 3 {
		return 0, invalid(name, "give one to three lengths", "the shape has %d lengths", len(shape))
	}
	size := 1
	for _, n := range shape {
		if n < 1 {
			return 0, invalid(name, "", "the shape %v has a length below 1", shape)
		}
		if n > mostElements/size {
			return 0, invalid(name, "", "the shape %v has more than %d elements", shape, mostElements)
		}
		size *= n
	}
	if !isSingle[T]() && !dev.Has(properties.FP64) {
		return 0, &runtime.Error{Class: runtime.ErrKernelNotSupported, Problem: fmt.Sprintf("%s: transforms of complex128 need FP64, which the device %s lacks", name, dev.Name()), Remedy: "use complex64"}
	}
	return size, nil
}

func invalid(name, remedy, format string, args ...any) error {
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: name + ": " + fmt.Sprintf(format, args...), Remedy: remedy}
}

// completePlan completes a plan with the steps and tables of the builder.
func (p *planCore[T]) completePlan(b *planBuilder, name string, shape []int) error {
	if b.fails {
		return invalid(name, "", "the shape %v takes scratch memory of more than %d elements", shape, mostElements)
	}
	for i := len(p.back) - 1; i >= 0; i-- {
		if k := p.back[i].kind; k == ofLines || k == ofElements {
			p.back[i].last = true
			break
		}
	}
	for _, steps := range [][]planStep{p.forth, p.back} {
		for i := range steps {
			if s := &steps[i]; s.kind == ofLines {
				s.forth, s.back = p.lineOptions(s, false), p.lineOptions(s, true)
			}
		}
	}
	p.room = b.room
	values := make([]T, len(b.tables.all)+kernels.Window+1)
	for i, v := range b.tables.all {
		values[i] = T(v)
	}
	var err error
	p.table, err = runtime.BufferOf(p.dev, values)
	return err
}

// Close frees the memory of the plan's roots as soon as earlier calls do not use it any more. After
// Close, calls of the plan's functions, and runs of graphs that have recorded such calls, return
// ErrKernelArgument.
func (p *planCore[T]) Close() error { return p.table.Close() }

// ScratchBytes returns the number of bytes of scratch memory that a function on views needs for the
// given number of arrays. ScratchBytes returns 0 if the function needs no scratch memory.
func (p *planCore[T]) ScratchBytes(arrays int) int {
	if p.table == nil {
		return 0
	}
	return p.scratchSize(arrays, true)
}

// checkMade returns an error unless the plan comes from NewPlan or NewRealPlan.
func (p *planCore[T]) checkMade(name string) error {
	if p == nil || p.table == nil {
		return invalid(name, "make it by NewPlan or NewRealPlan", "there is no plan")
	}
	return nil
}

// scratchSize returns the size of the scratch memory of a call, in bytes. If moved is set, the call
// copies real numbers that begin at an odd index of the buffer.
func (p *planCore[T]) scratchSize(arrays int, moved bool) (bytes int) {
	at := p.chunk(arrays)
	for m, n := range p.room {
		if m != reals || moved {
			bytes += call.Bytes[T](n * at)
		}
	}
	return bytes
}

// chunk() returns the number of arrays that are transformed together.
func (p *planCore[T]) chunk(arrays int) int {
	largest := max(p.size, slices.Max(p.room[:]))
	return min(max(arrays, 0), max(chunk/largest, 1))
}

// Forward returns the transforms of the arrays in xs, which follow each other. If the elements do
// not form complete arrays, Forward returns ErrInvalid.
func (p *Plan[T]) Forward(ctx context.Context, xs []T) ([]T, error) {
	return p.slices(ctx, "fft.Plan.Forward", xs, false)
}

// Inverse returns the inverse transforms of the arrays in xs, which follow each other. Inverse
// divides by the number of elements of an array. If the elements do not form complete arrays,
// Inverse returns ErrInvalid.
func (p *Plan[T]) Inverse(ctx context.Context, xs []T) ([]T, error) {
	return p.slices(ctx, "fft.Plan.Inverse", xs, true)
}

// ForwardOn sets out to the transforms of the arrays in v. The views out and v may be equal, but must not
// overlap otherwise. ForwardOn returns ErrInvalid if the elements do not form complete
// arrays, or for the option prim.Length.
func (p *Plan[T]) ForwardOn(q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return p.on(q, "fft.Plan.ForwardOn", v, out, false, opts)
}

// InverseOn sets out to the inverse transforms of the arrays in v, divided by the number of
// elements of an array. The documentation of ForwardOn has the conditions for v and out.
func (p *Plan[T]) InverseOn(q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return p.on(q, "fft.Plan.InverseOn", v, out, true, opts)
}

func (p *Plan[T]) plan() *planCore[T] {
	if p == nil {
		return nil
	}
	return &p.planCore
}

func (p *Plan[T]) slices(ctx context.Context, name string, xs []T, back bool) ([]T, error) {
	if err := p.plan().checkMade(name); err != nil {
		return nil, err
	}
	m, err := call.OnSlices(ctx, p.dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	if _, err := p.on(m.Queue, name, v, v, back, nil); err != nil {
		return nil, err
	}
	out := make([]T, len(xs))
	return out, call.Read(m, out, v)
}

func (p *Plan[T]) on(q *runtime.Queue, name string, v, out runtime.View[T], back bool, opts []prim.Option) (runtime.Event, error) {
	if err := p.plan().checkMade(name); err != nil {
		return runtime.Event{}, err
	}
	c := call.New(q, name, opts)
	n := v.Len()
	arrays := p.countArrays(c, n, p.size)
	call.InPlace(c, "v", v, "out", out, n)
	if err := c.Begin(p.scratchSize(arrays, true)); err != nil {
		return runtime.Event{}, err
	}
	steps := p.forth
	if back {
		steps = p.back
	}
	r := p.begin(c, arrays, true)
	for lo := 0; lo < arrays; lo += r.arrays {
		hi := min(lo+r.arrays, arrays)
		r.memory[input], r.memory[output] = v.Slice(lo*p.size, hi*p.size), out.Slice(lo*p.size, hi*p.size)
		r.launchSteps(steps, back, hi-lo)
	}
	return c.End()
}

// countArrays checks a call, and returns the number of arrays that n elements form. The argument
// `size` is the number of elements of an array.
func (p *planCore[T]) countArrays(c *call.Call, n, size int) int {
	if c.HasLength() {
		c.Refuse("leave it out, and give views of some arrays", "arrays have no length that the device knows")
	}
	if n%size != 0 {
		c.Refuse("", "v has %d elements, which are no whole arrays of %d", n, size)
	}
	call.In(c, "the plan's table", p.table.All())
	return n / size
}
