package fft

import (
	"context"
	"reflect"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/fft/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Real is the type of real numbers that are transformed.
type Real interface{ float32 | float64 }

// RealPlan describes how a device transforms arrays of real numbers of one shape, and how it
// computes the inverse transforms. Several goroutines may use a RealPlan.
type RealPlan[R Real, T Complex] struct {
	planCore[T]
	even bool // whether the last axis has an even length, so that neighbours form pairs
}

// NewRealPlan returns the plan for arrays of real numbers, as NewPlan does for complex numbers. T
// is complex64 if R is float32, and complex128 if R is float64 (ErrInvalid otherwise).
func NewRealPlan[R Real, T Complex](dev *runtime.Device, shape ...int) (*RealPlan[R, T], error) {
	const name = "fft.NewRealPlan"
	if 2*reflect.TypeFor[R]().Size() != reflect.TypeFor[T]().Size() {
		return nil, invalid(name, "take complex64 with float32, and complex128 with float64", "transforms of %v are not %v", reflect.TypeFor[R](), reflect.TypeFor[T]())
	}
	size, err := sizeOf[T](dev, name, shape)
	if err != nil {
		return nil, err
	}
	n := shape[len(shape)-1]
	rows, half := size/n, n/2+1
	b := newBuilder[T]()
	b.tables.size = float64(size)
	p := &RealPlan[R, T]{planCore[T]{dev: dev, size: size, outSize: rows * half}, n%2 == 0}
	b.forwardReal(p.even, n, rows, shape)
	p.forth, b.steps = b.steps, nil
	b.inverseReal(p.even, n, rows, shape)
	p.back = b.steps
	if err := p.completePlan(b, name, shape); err != nil {
		return nil, err
	}
	return p, nil
}

// forwardReal appends the steps of the transform of real numbers. forwardReal transforms rows first,
// and then the other axes. If the length of rows is odd, an earlier step has converted the numbers
// to complex numbers in the memory area `reals`.
func (b *planBuilder) forwardReal(even bool, n, rows int, shape []int) {
	half := n/2 + 1
	if even {
		b.axisSteps(asPlan, n/2, 1, rows, input, n/2, output, half)
		b.append(planStep{kind: ofHalves, from: output, to: output, fromSize: rows * half, size: rows * half, n: n / 2, rows: rows, table: b.tables.halves(n / 2)})
		b.takes(reals, rows*n/2)
	} else {
		b.takes(reals, rows*n)
		if n > 1 {
			b.axisSteps(asPlan, n, 1, rows, reals, n, reals, n)
		}
		b.append(planStep{
			kind: ofElements, from: reals, to: output, fromSize: rows * n, size: rows * half, n: half,
			grid: [3]dim{{1, 0, 0}, {rows, n, half}, {half, 1, 1}}, inner: true,
		})
	}
	b.otherAxes(shape, half, output)
}

// inverseReal appends the steps of the inverse transform. inverseReal transforms the other axes first,
// and then rows. If the length of rows is odd, the results are the real parts of numbers in the
// memory area `reals`.
func (b *planBuilder) inverseReal(even bool, n, rows int, shape []int) {
	half, from := n/2+1, input
	if rows > 1 {
		from = spectra
		b.takes(spectra, rows*half)
		b.otherAxes(shape, half, input)
	}
	if even {
		b.append(planStep{kind: ofPairs, from: from, to: output, fromSize: rows * half, size: rows * n / 2, n: n / 2, rows: rows, table: b.tables.halves(n / 2)})
		b.axisSteps(asPlan, n/2, 1, rows, output, n/2, output, n/2)
		b.takes(reals, rows*n/2)
		return
	}
	b.append(planStep{kind: ofMirror, from: from, to: reals, fromSize: rows * half, size: rows * n, n: n, rows: rows})
	if n > 1 {
		b.axisSteps(asPlan, n, 1, rows, reals, n, reals, n)
	}
}

// otherAxes appends the steps that transform all axes except the last one. After the transform of
// rows, the last axis has `half` elements. The first appended step reads the memory area `from`.
// All appended steps write to the output. But if the argument `from` is the input, they write to
// the memory area `spectra`.
func (b *planBuilder) otherAxes(shape []int, half, from int) {
	to := output
	if from == input {
		to = spectra
	}
	size, width := half, half
	for _, n := range shape[:len(shape)-1] {
		size *= n
	}
	for i := len(shape) - 2; i >= 0; i-- {
		if n := shape[i]; n > 1 {
			b.axisSteps(asPlan, n, width, size/n/width, from, n*width, to, n*width)
			from = to
		}
		width *= shape[i]
	}
}

// Forward returns the transforms of the arrays in xs, which follow each other. For a row of n
// numbers, the result contains the elements 0 to n/2. The other elements are conjugates of these,
// and are not stored. If the numbers do not form complete arrays, Forward returns ErrInvalid.
func (p *RealPlan[R, T]) Forward(ctx context.Context, xs []R) ([]T, error) {
	const name = "fft.RealPlan.Forward"
	if err := p.plan().checkMade(name); err != nil {
		return nil, err
	}
	return realSlices(ctx, p.dev, name, xs, p.size, p.outSize, p.forward)
}

// Inverse returns the arrays whose transforms are in ys. The transforms follow each other in the format
// of Forward. Imaginary parts that are 0 in every transform of real numbers are ignored (see the
// package documentation). If the elements do not form complete transforms, Inverse returns ErrInvalid.
func (p *RealPlan[R, T]) Inverse(ctx context.Context, ys []T) ([]R, error) {
	const name = "fft.RealPlan.Inverse"
	if err := p.plan().checkMade(name); err != nil {
		return nil, err
	}
	return realSlices(ctx, p.dev, name, ys, p.outSize, p.size, p.inverse)
}

// ForwardOn sets out to the transforms of the arrays in v (see Forward). The views v and out must
// not overlap. ForwardOn returns ErrInvalid if the numbers do not form complete arrays, or for the
// option prim.Length.
func (p *RealPlan[R, T]) ForwardOn(q *runtime.Queue, v runtime.View[R], out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	return p.forward(q, "fft.RealPlan.ForwardOn", v, out, opts)
}

// InverseOn sets out to the arrays whose transforms are in v (see Inverse and ForwardOn).
func (p *RealPlan[R, T]) InverseOn(q *runtime.Queue, v runtime.View[T], out runtime.View[R], opts ...prim.Option) (runtime.Event, error) {
	return p.inverse(q, "fft.RealPlan.InverseOn", v, out, opts)
}

func (p *RealPlan[R, T]) plan() *planCore[T] {
	if p == nil {
		return nil
	}
	return &p.planCore
}

// realSlices runs the function f on views with copies of slices. The arguments `size` and `into` are
// the numbers of elements of an input array and of an output array.
func realSlices[X, Y any](ctx context.Context, dev *runtime.Device, name string, xs []X, size, into int, f func(*runtime.Queue, string, runtime.View[X], runtime.View[Y], []prim.Option) (runtime.Event, error)) ([]Y, error) {
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	out, err := call.Elements[Y](m, len(xs)/size*into)
	if err != nil {
		return nil, err
	}
	if _, err := f(m.Queue, name, v, out, nil); err != nil {
		return nil, err
	}
	ys := make([]Y, out.Len())
	return ys, call.Read(m, ys, out)
}

// isPaired reports whether the offset of the real numbers in the buffer allows kernels to load them
// as pairs.
func isPaired[R Real](v runtime.View[R]) bool {
	return primimpl.Use("", v).Aligned(2 * uint64(reflect.TypeFor[R]().Size()))
}

func (p *RealPlan[R, T]) forward(q *runtime.Queue, name string, v runtime.View[R], out runtime.View[T], opts []prim.Option) (runtime.Event, error) {
	if err := p.plan().checkMade(name); err != nil {
		return runtime.Event{}, err
	}
	c := call.New(q, name, opts)
	arrays := p.countArrays(c, v.Len(), p.size)
	call.In(c, "v", v)
	call.Out(c, "out", out, arrays*p.outSize)
	moved := !p.even || !isPaired(v)
	if err := c.Begin(p.scratchSize(arrays, moved)); err != nil {
		return runtime.Event{}, err
	}
	r := p.begin(c, arrays, moved)
	for lo := 0; lo < arrays; lo += r.arrays {
		hi := min(lo+r.arrays, arrays)
		part := v.Slice(lo*p.size, hi*p.size)
		r.memory[output] = out.Slice(lo*p.outSize, hi*p.outSize)
		switch {
		case p.even && moved:
			r.memory[input] = r.memory[reals]
			c.Enqueue(runtime.Copy(primimpl.Cast[R](r.memory[reals]).Slice(0, part.Len()), part))
		case p.even:
			r.memory[input] = primimpl.Cast[T](part)
		default:
			widenReals(c, part, r.memory[reals])
		}
		r.launchSteps(p.forth, false, hi-lo)
	}
	return c.End()
}

func (p *RealPlan[R, T]) inverse(q *runtime.Queue, name string, v runtime.View[T], out runtime.View[R], opts []prim.Option) (runtime.Event, error) {
	if err := p.plan().checkMade(name); err != nil {
		return runtime.Event{}, err
	}
	c := call.New(q, name, opts)
	arrays := p.countArrays(c, v.Len(), p.outSize)
	call.In(c, "v", v)
	call.Out(c, "out", out, arrays*p.size)
	moved := !p.even || !isPaired(out)
	if err := c.Begin(p.scratchSize(arrays, moved)); err != nil {
		return runtime.Event{}, err
	}
	r := p.begin(c, arrays, moved)
	for lo := 0; lo < arrays; lo += r.arrays {
		hi := min(lo+r.arrays, arrays)
		part := out.Slice(lo*p.size, hi*p.size)
		r.memory[input] = v.Slice(lo*p.outSize, hi*p.outSize)
		if r.memory[output] = r.memory[reals]; p.even && !moved {
			r.memory[output] = primimpl.Cast[T](part)
		}
		r.launchSteps(p.back, true, hi-lo)
		switch {
		case p.even && moved:
			c.Enqueue(runtime.Copy(part, primimpl.Cast[R](r.memory[reals]).Slice(0, part.Len())))
		case !p.even:
			narrowReals(c, r.memory[reals], part)
		}
	}
	return c.End()
}

// widenReals converts the real numbers of v to complex numbers in out. narrowReals copies the real
// parts of complex numbers to a view of real numbers.
func widenReals[R Real, T Complex](c *call.Call, v runtime.View[R], out runtime.View[T]) {
	n := runtime.Range1(v.Len())
	if reflect.TypeFor[R]().Size() == 4 {
		call.Over(c, kernelsgen.Widen32{X: primimpl.Cast[float32](v), Out: castView[float32](out)}, n)
		return
	}
	call.Over(c, kernelsgen.Widen64{X: primimpl.Cast[float64](v), Out: castView[float64](out)}, n)
}

func narrowReals[R Real, T Complex](c *call.Call, v runtime.View[T], out runtime.View[R]) {
	n := runtime.Range1(out.Len())
	if reflect.TypeFor[R]().Size() == 4 {
		call.Over(c, kernelsgen.Narrow32{X: castView[float32](v), Out: primimpl.Cast[float32](out)}, n)
		return
	}
	call.Over(c, kernelsgen.Narrow64{X: castView[float64](v), Out: primimpl.Cast[float64](out)}, n)
}
