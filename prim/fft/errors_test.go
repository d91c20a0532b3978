package fft_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/fft"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func of[T any](_ T, err error) error { return err }

// TestErrors: a call that makes no sense is an error of a class, and launches nothing.
func TestErrors(t *testing.T) {
	dev, other := devtest.Host(t), devtest.Host(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue(), Offset: 2}
	xs := random[complex64](24)
	x, y := prims.View(v, xs), prims.View(v, xs)
	r := prims.View(v, make([]float32, 24))
	p, q := newPlan[complex64](t, dev, 2, 3), newRealPlan[float32, complex64](t, dev, 2, 3)
	closed, far := newPlan[complex64](t, dev, 6), newPlan[complex64](t, other, 6)
	check(t, closed.Close())
	poor := devtest.Host(t, runtime.MaskAspects(properties.FP64))
	nothing := prims.View(v, []complex64{})
	for _, c := range []struct {
		err   error
		class error
		want  string
	}{
		{of(fft.NewPlan[complex64](nil, 4)), runtime.ErrInvalid, "fft.NewPlan: the device is nil"},
		{of(fft.NewPlan[complex64](dev)), runtime.ErrInvalid, "the shape has 0 lengths"},
		{of(fft.NewPlan[complex64](dev, 1, 2, 3, 4)), runtime.ErrInvalid, "the shape has 4 lengths"},
		{of(fft.NewPlan[complex64](dev, 0)), runtime.ErrInvalid, "the shape [0] has a length below 1"},
		{of(fft.NewPlan[complex64](dev, 4, -1)), runtime.ErrInvalid, "the shape [4 -1] has a length below 1"},
		{of(fft.NewPlan[complex64](dev, 1<<28+1)), runtime.ErrInvalid, "has more than 268435456 elements"},
		{of(fft.NewPlan[complex64](dev, 1<<20, 1<<20, 1<<20)), runtime.ErrInvalid, "has more than 268435456 elements"},
		{of(fft.NewPlan[complex64](dev, 1<<27+29)), runtime.ErrInvalid, "takes scratch memory of more than 268435456 elements"},
		{of(fft.NewPlan[complex64](dev, 1<<22, 61)), runtime.ErrInvalid, "takes scratch memory of more than 268435456 elements"},
		{of(fft.NewPlan[complex128](poor, 4)), runtime.ErrKernelNotSupported, "fft.NewPlan: transforms of complex128 need FP64"},
		{of(fft.NewRealPlan[float64, complex128](poor, 4)), runtime.ErrKernelNotSupported, "fft.NewRealPlan: transforms of complex128 need FP64"},
		{of(fft.NewRealPlan[float32, complex128](dev, 4)), runtime.ErrInvalid, "fft.NewRealPlan: transforms of float32 are not complex128"},
		{of(fft.NewRealPlan[float32, complex64](dev, 0)), runtime.ErrInvalid, "the shape [0] has a length below 1"},
		{of(p.ForwardOn(v.Q, x.Slice(0, 7), y)), runtime.ErrInvalid, "fft.Plan.ForwardOn: v has 7 elements, which are no whole arrays of 6"},
		{of(p.InverseOn(v.Q, x, y.Slice(1, 24))), runtime.ErrInvalid, "fft.Plan.InverseOn: out has 23 elements: the function writes 24"},
		{of(p.ForwardOn(v.Q, x.Slice(0, 18), x.Slice(6, 24))), runtime.ErrInvalid, "out overlaps v"},
		{of(p.ForwardOn(v.Q, x, y, prim.Length(prims.View(v, []int64{1})))), runtime.ErrInvalid, "arrays have no length that the device knows"},
		{of(p.ForwardOn(nil, x, y)), runtime.ErrInvalid, "fft.Plan.ForwardOn"},
		{of((*fft.Plan[complex64])(nil).ForwardOn(v.Q, x, y)), runtime.ErrInvalid, "fft.Plan.ForwardOn: there is no plan"},
		{of(new(fft.Plan[complex64]).Inverse(t.Context(), xs)), runtime.ErrInvalid, "fft.Plan.Inverse: there is no plan"},
		{of((*fft.RealPlan[float32, complex64])(nil).InverseOn(v.Q, x, r)), runtime.ErrInvalid, "fft.RealPlan.InverseOn: there is no plan"},
		{of(new(fft.RealPlan[float32, complex64]).Forward(t.Context(), nil)), runtime.ErrInvalid, "fft.RealPlan.Forward: there is no plan"},
		{of(closed.ForwardOn(v.Q, x, y)), runtime.ErrKernelArgument, "the plan's table is a view of a closed buffer"},
		{of(far.ForwardOn(v.Q, x, y)), runtime.ErrKernelArgument, "the plan's table is a view of another device's buffer"},
		{of(q.ForwardOn(v.Q, r, y.Slice(0, 15))), runtime.ErrInvalid, "fft.RealPlan.ForwardOn: out has 15 elements: the function writes 16"},
		{of(q.InverseOn(v.Q, y.Slice(0, 5), r)), runtime.ErrInvalid, "v has 5 elements, which are no whole arrays of 4"},
		{of(q.InverseOn(v.Q, y, r)), runtime.ErrInvalid, "out has 24 elements: the function writes 36"},
		{of(p.Forward(t.Context(), xs[:5])), runtime.ErrInvalid, "fft.Plan.Forward: v has 5 elements"},
		{of(q.Forward(t.Context(), make([]float32, 5))), runtime.ErrInvalid, "fft.RealPlan.Forward: v has 5 elements"},
	} {
		if !errors.Is(c.err, c.class) || !strings.Contains(fmt.Sprint(c.err), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	prims.Equal(t, "x", prims.Read(v, x), xs)
	prims.Equal(t, "y", prims.Read(v, y), xs)
	check(t, of(p.ForwardOn(v.Q, nothing, nothing))) // of no arrays there is nothing to do
	check(t, of(q.ForwardOn(v.Q, r.Slice(0, 0), nothing)))
	none, err := p.Inverse(t.Context(), nil)
	check(t, err)
	prims.Equal(t, "of nothing", none, nil)
}

// TestScratch: a call needs the scratch memory that ScratchBytes says, and no more.
func TestScratch(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue(), Offset: 2}
	for _, shape := range [][]int{{8}, {8192}, {11}, {11, 5}, {2, 9000}} {
		p, n := newPlan[complex64](t, v.Q.Device(), shape...), 2*size(shape)
		bytes := p.ScratchBytes(2)
		memory, x := prims.View(prims.Views{T: t, Q: v.Q, Offset: 16}, make([]byte, bytes)), prims.View(v, random[complex64](n))
		check(t, of(p.ForwardOn(v.Q, x, x, prim.Scratch(memory))))
		if bytes > 0 {
			if err := of(p.ForwardOn(v.Q, x, x, prim.Scratch(memory.Slice(0, bytes-1)))); !errors.Is(err, runtime.ErrInvalid) {
				t.Errorf("%v: with too little memory: %v", shape, err)
			}
		}
		r := newRealPlan[float32, complex64](t, v.Q.Device(), shape...)
		memory = prims.View(prims.Views{T: t, Q: v.Q, Offset: 16}, make([]byte, r.ScratchBytes(1)))
		check(t, of(r.ForwardOn(v.Q, prims.View(prims.Views{T: t, Q: v.Q, Offset: 3}, make([]float32, size(shape))), x, prim.Scratch(memory))))
	}
	if n := newPlan[complex64](t, v.Q.Device(), 4096).ScratchBytes(5); n != 0 {
		t.Errorf("a transform by one launch takes %d bytes", n)
	}
}
