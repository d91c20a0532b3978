package kernelimpl

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Copying describes how new memory is allocated for a view. The memory holds either a copy of a slice or zeros.
type Copying struct {
	alloc func(dev *runtime.Device) error
	copy  func(ctx context.Context, q *runtime.Queue) error
	free  func()
}

// Copied returns a Copying for the view *to. If the Copying is passed to Copy, Copy sets the view
// to a copy of the slice `from`.
func Copied[T any](to *runtime.View[T], from []T) Copying {
	c := memoryOf(to, len(from))
	c.copy = func(ctx context.Context, q *runtime.Queue) error { return to.CopyFrom(ctx, q, from) }
	return c
}

// Sized returns a Copying for the view *to. If the Copying is passed to New, New sets the view to n
// zero elements. The slice `from` must be empty, because New copies no elements.
func Sized[T any](to *runtime.View[T], from []T, n int) Copying {
	c := memoryOf(to, n)
	if len(from) > 0 {
		c.alloc = func(*runtime.Device) error {
			return &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf("a slice with %d elements, where memory without data is allocated", len(from)),
				Remedy: "leave the slices nil, or call the function that copies them, whose name ends in Of"}
		}
	}
	return c
}

// memoryOf returns a Copying that allocates and frees memory of n elements for the view *to.
func memoryOf[T any](to *runtime.View[T], n int) Copying {
	return Copying{
		alloc: func(dev *runtime.Device) error {
			b, err := runtime.NewBuffer[T](dev, n)
			if err == nil {
				*to = b.All()
			}
			return err
		},
		free: func() {
			Free(*to)
			*to = runtime.View[T]{}
		},
	}
}

// New allocates memory for views. If one allocation fails, New frees the other memory.
func New(dev *runtime.Device, all ...Copying) error {
	return eachCopy(all, func(c *Copying) error { return c.alloc(dev) })
}

// Copy copies slices to views. If one copy fails, Copy frees the memory of all views.
func Copy(ctx context.Context, q *runtime.Queue, all ...Copying) error {
	if err := api.Usable(q); err != nil {
		return err
	}
	return eachCopy(all, func(c *Copying) error {
		if err := c.alloc(q.Device()); err != nil {
			return err
		}
		return c.copy(ctx, q)
	})
}

// eachCopy calls f for each view. If f fails for one view, eachCopy frees the
// memory of all views.
func eachCopy(all []Copying, f func(*Copying) error) error {
	for i := range all {
		if err := f(&all[i]); err != nil {
			for _, c := range all[:i+1] {
				c.free()
			}
			return err
		}
	}
	return nil
}

// Free frees the memory that Copy or New allocated for views.
func Free(views ...interface{ Arg() launch.Slice }) {
	for _, v := range views {
		if s := v.Arg(); s.Mem != nil {
			s.Mem.Free()
		}
	}
}
